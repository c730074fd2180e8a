"""A migration's operation that creates the models of an app at once."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    """Do what these operations do to models of this migration: each table is created as it is behind the last of them.

    One by one, each operation makes every model that is related to its own anew: on an empty database most of the time
    that `migrate` took.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """All of them; the models are made from the state when the database asks for them."""
        vars(state).pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Create the tables, with their columns, constraints and indexes."""
        for model in self._models(app_label, to_state):
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                schema_editor.create_model(model)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Delete the tables."""
        for model in reversed(list(self._models(app_label, from_state))):
            if self.allow_migrate_model(schema_editor.connection.alias, model):
                schema_editor.delete_model(model)

    def _models(self, app_label: str, state: ProjectState) -> Iterable[Any]:
        creating = (operation for operation in self.operations if isinstance(operation, CreateModel))
        return [state.apps.get_model(app_label, operation.name) for operation in creating]

    def describe(self) -> str:
        """As `migrate --plan` shows it."""
        return "Create the models of this app"
