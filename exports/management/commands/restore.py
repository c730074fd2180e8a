"""`manage.py restore FILE`: a backup back into an empty database and an empty data folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.rules.os_errors import os_reason
from exports.backup import full_backup
from exports.backup.engines import BackupFailed
from exports.backup.rules import ArchiveRefused


class Command(BaseCommand):
    """Restore, compare with the manifest, check migrations and invariants. Exit 1 on any difference or breach, 2
    where nothing was restored."""

    help = "Put a backup back into an EMPTY database and data folder, and check that it is what was backed up."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            different = full_backup.restore_backup(options["file"], self.stdout.write)
        except (BackupFailed, ArchiveRefused) as refused:
            raise CommandError(f"Nothing was restored. {refused}", returncode=2) from None
        except OSError as error:
            raise CommandError(f"Nothing was restored. {options['file']}: {os_reason(error)}", returncode=2) from None
        for line in different:
            self.stdout.write(line)
        if different:
            raise CommandError("What was restored is not what was backed up: do not use it.", returncode=1)
        self.stdout.write("Every table has the rows that were backed up.")
        waiting = full_backup.count_pending_migrations()
        if waiting:
            self.stdout.write(f"{waiting} migrations are pending: run manage.py migrate, then check_integrity.")
        elif not full_backup.is_sound(self.stdout.write):
            raise CommandError("check_integrity found breaches (above).", returncode=1)
