"""`manage.py migrate`: Django's command for databases of this version's line, followed by setting SQLite's triggers."""

from typing import Any

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from annotation.core import schema
from validation.voting import triggers as guards


class Command(migrate.Command):
    """Django changes a table on SQLite by making another one: triggers would hinder that, or go with the old one."""

    # What tables are made from. Of the rest every address and view would be loaded: `manage.py check` looks at that.
    requires_system_checks = [Tags.models, Tags.database]

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if refusal := schema.other_version(connection):
            raise CommandError(refusal)
        if not (options["plan"] or options["check_unapplied"]):
            schema.record_digests(connection)
        guards.drop_triggers(connection)
        try:
            super().handle(*args, **options)
        finally:
            guards.create_triggers(connection)
