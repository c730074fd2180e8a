"""`manage.py backup FILE`: everything that must not be lost, in one file, while people work."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.jobs.queue import BACKUP, record_nightly
from exports.backup import full_backup
from exports.backup.engines import BackupFailed
from exports.backup.rules import ArchiveRefused


class Command(BaseCommand):
    """Write the database and the files of imports and releases to FILE; exit 1 and no FILE where that fails."""

    help = "Back up the database and the files of imports and releases into one file; people may go on working."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="the new file (a tar; mode 600)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with clean_up_on_signal():
                manifest = full_backup.make_backup(options["file"])
        except (BackupFailed, ArchiveRefused) as failed:
            raise CommandError(f"No backup was made. {failed}") from None
        record_nightly(BACKUP)
        rows = sum(table["rows"] for table in manifest["tables"].values())
        size = options["file"].stat().st_size
        self.stdout.write(
            f"{options['file']}: {len(manifest['tables'])} tables, {rows} rows, {len(manifest['files'])} files, "
            f"{size} bytes. Check it: manage.py check_backup {options['file']}"
        )


@contextmanager
def clean_up_on_signal() -> Iterator[None]:
    """Whoever asks the process to end has it take away first what it put down."""

    def end(number: int, _: object) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
