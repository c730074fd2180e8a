"""`manage.py check_backup FILE`: restore a backup into a scratch database, check it there, and throw that away."""

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection

from annotation.jobs.queue import CHECK_BACKUP, record_nightly


class Command(BaseCommand):
    """A backup counts only after it was restored. Exit 0 when it is good; as `restore` where it is not."""

    help = "Restore a backup into a scratch database, compare and check it there, and throw that away."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--database",
            metavar="URL",
            help="an empty database to use, where this one may not create another",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with (
            tempfile.TemporaryDirectory(prefix="mufakat-check-") as folder,
            _scratch_database(options["database"], Path(folder)) as url,
        ):
            env = {
                **os.environ,
                "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"],
                "DATABASE_URL": url,
                "DATA_DIR": folder,
                "STORAGE_URL": "",
            }
            command = [
                sys.executable,
                str(settings.BASE_DIR / "manage.py"),
                "restore",
                str(options["file"].absolute()),
            ]
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        self.stdout.write(done.stdout.rstrip())
        if done.returncode:
            raise CommandError(f"Not a good backup. {done.stderr.strip()}", returncode=done.returncode)
        record_nightly(CHECK_BACKUP)
        self.stdout.write("A good backup: restored, compared, checked, and thrown away again.")


@contextmanager
def _scratch_database(given: str | None, folder: Path) -> Iterator[str]:
    """The address of an empty database, which is gone afterwards unless it was given."""
    if given:
        yield given
        return
    if connection.vendor != "postgresql":
        yield f"sqlite:///{folder / 'scratch.sqlite3'}"
        return
    name = f"mufakat_check_{secrets.token_hex(4)}"
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    except DatabaseError as error:
        raise CommandError(
            f"No scratch database could be made ({type(error).__name__}): name an empty one with --database URL.",
            returncode=2,
        ) from None
    try:
        here = urlsplit(os.environ["DATABASE_URL"])
        yield f"{here.scheme}://{here.netloc}/{name}" + (f"?{here.query}" if here.query else "")
    finally:
        with connection.cursor() as cursor:
            # By force: on a busy machine the server may not have noticed yet that those who restored into it have left.
            cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
