"""An index for a table that is written while the index is made."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import AddIndex


class AddIndexMeanwhile(AddIndexConcurrently):
    """AddIndex that holds up no vote on PostgreSQL, in a migration of its own with `atomic = False`; SQLite knows one
    way alone."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        _operation_for(schema_editor).database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        _operation_for(schema_editor).database_backwards(self, app_label, schema_editor, from_state, to_state)


def _operation_for(schema_editor: Any) -> type[AddIndex]:
    return AddIndexConcurrently if schema_editor.connection.vendor == "postgresql" else AddIndex
