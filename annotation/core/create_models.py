"""Operations of migrations: the models of an app at once, keys that hold the project."""

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


class HeldWithProject(Operation):
    """PostgreSQL: a row that names its project and something of it, such as an item, refers to both by one key.

    (project, item) has to be that project's item, which the two plain keys do not say, and one key is checked at each
    insert in place of two. SQLite, which would have to make each table anew, keeps the plain keys.
    """

    def __init__(self, parent: str, *children: tuple[str, str]) -> None:
        self.parent, self.children = parent, children

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Models keep their plain keys."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Add the key to the parent, and put the common keys in the place of the plain ones.

        Keys of tables of the same migration are made now: Django keeps them for the end of it.
        """
        if schema_editor.connection.vendor != "postgresql":
            return
        for statement in schema_editor.deferred_sql:
            schema_editor.execute(statement, params=None)
        schema_editor.deferred_sql.clear()
        name = f"{self.parent}_of_project"
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_constraint WHERE conname = %s", [name])
            if not cursor.fetchone():
                cursor.execute(f"ALTER TABLE {self.parent} ADD CONSTRAINT {name} UNIQUE (project_id, id)")
            for table, column in self.children:
                cursor.execute(_PLAIN_KEYS, [table, "project_id", column])
                plain = "".join(f"DROP CONSTRAINT {key}, " for (key,) in cursor.fetchall())
                cursor.execute(
                    f"ALTER TABLE {table} {plain}ADD CONSTRAINT {table}_{column}_in_project FOREIGN KEY"
                    f" (project_id, {column}) REFERENCES {self.parent} (project_id, id)"
                    " DEFERRABLE INITIALLY DEFERRED"
                )

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Plain keys again; the parent's may be what other migrations refer to, and stays."""
        if schema_editor.connection.vendor != "postgresql":
            return
        with schema_editor.connection.cursor() as cursor:
            for table, column in self.children:
                cursor.execute(
                    f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_in_project"
                    f", ADD FOREIGN KEY (project_id) REFERENCES annotation_project DEFERRABLE INITIALLY DEFERRED"
                    f", ADD FOREIGN KEY ({column}) REFERENCES {self.parent} DEFERRABLE INITIALLY DEFERRED"
                )

    def describe(self) -> str:
        """As `migrate --plan` shows it."""
        return f"Refer to {self.parent} together with its project"


# The foreign keys of a table on one of these columns alone.
_PLAIN_KEYS = """
SELECT quote_ident(c.conname) FROM pg_constraint c
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND c.conkey = ARRAY[a.attnum]
WHERE c.contype = 'f' AND c.conrelid = %s::regclass AND a.attname IN (%s, %s) ORDER BY 1"""
