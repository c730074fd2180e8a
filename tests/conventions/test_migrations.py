"""The migrations say what the models say."""

from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader


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
