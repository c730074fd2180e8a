"""The migrations say what the models say, and the code of the version before survives them."""

from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models.functions import Now


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    output = StringIO()
    try:
        call_command("makemigrations", check=True, dry_run=True, stdout=output, stderr=output)
    except SystemExit:
        pytest.fail(output.getvalue())


@pytest.mark.django_db
def test_each_app_ends_in_one_migration() -> None:
    assert MigrationLoader(connection).detect_conflicts() == {}


def test_deleting_never_cascades_to_our_tables() -> None:
    """No cascade reaches a vote: every key of ours to a table of ours protects (or is a row's own content)."""
    from django.db.models import CASCADE

    ours = {"annotation", "validation", "exports"}
    cascading = [
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        if model._meta.app_label in ours
        for field in model._meta.get_fields()
        if getattr(getattr(field, "remote_field", None), "on_delete", None) is CASCADE
    ]
    assert cascading == []


# --- old and new code beside each other: an upgrade migrates while the version before still serves ------------------

OURS = ("annotation", "validation", "exports")
# What takes something away that no code reads any more, with the version that was the last to read it.
A_VERSION_LATER: dict[tuple[str, str], str] = {}
TAKES_AWAY = (
    migrations.DeleteModel,
    migrations.RenameModel,
    migrations.RemoveField,
    migrations.RenameField,
    migrations.AlterModelTable,
)


def wrong_for_old_code(operation: Operation) -> str:
    """Why code that does not know of an operation would fail after it; empty where it would not."""
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        return next(filter(None, map(wrong_for_old_code, operation.database_operations)), "")
    if isinstance(operation, TAKES_AWAY):
        return "takes away or renames what is read"
    if isinstance(operation, migrations.AddField):
        field = operation.field
        filled = field.null or field.many_to_many or field.has_db_default()
        return "" if filled else "old code inserts rows without it: null, or a default of the database"
    if isinstance(operation, migrations.AlterField):
        # Whether it narrows cannot be told from the operation alone.
        return "may refuse what old code writes"
    if isinstance(operation, migrations.AddConstraint):
        return "may refuse what old code writes"
    return ""


@pytest.mark.parametrize(
    ("operation", "survived"),
    [
        (migrations.CreateModel("A", [("id", models.BigAutoField(primary_key=True))]), True),
        (migrations.AddIndex("a", models.Index(fields=["b"], name="i")), True),
        (migrations.RunPython(migrations.RunPython.noop), True),
        (migrations.AddField("a", "b", models.TextField(null=True)), True),
        (migrations.AddField("a", "b", models.DateTimeField(db_default=Now())), True),
        (migrations.AddField("a", "b", models.TextField(default="")), False),
        (migrations.AddField("a", "b", models.TextField()), False),
        (migrations.RemoveField("a", "b"), False),
        (migrations.RenameField("a", "b", "c"), False),
        (migrations.DeleteModel("A"), False),
        (migrations.RenameModel("A", "B"), False),
        (migrations.AlterField("a", "b", models.TextField()), False),
        (migrations.AddConstraint("a", models.UniqueConstraint(fields=["b"], name="u")), False),
        (migrations.SeparateDatabaseAndState([migrations.RemoveField("a", "b")], []), False),
    ],
)
def test_what_old_code_survives(operation: Operation, survived: bool) -> None:
    assert (wrong_for_old_code(operation) == "") == survived


def test_old_code_survives_every_migration_behind_the_first() -> None:
    """Each app's first migrations make the tables; what follows adds, or stands in the list above with its reason."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    wrong = [
        f"{app} {name}: {type(operation).__name__} {why}"
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if app in OURS and not migration.initial and (app, name) not in A_VERSION_LATER
        for operation in migration.operations
        if (why := wrong_for_old_code(operation))
    ]
    assert wrong == []
