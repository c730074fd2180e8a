"""`manage.py move_files TO`: copy every file of the store to another one, and compare each."""

import shutil
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.rules.os_errors import os_reason
from annotation.files import FileStore, scratch, storage, storage_at
from exports.backup import FOLDERS


class Command(BaseCommand):
    """Exit 0 when all are there with their SHA-256; 1 when one could not be copied, and it may be run again."""

    help = "Copy all files (imports, media, releases) to another store and compare them; nothing is removed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("to", metavar="TO", help="s3://BUCKET/PREFIX?endpoint=…, or a folder")

    def handle(self, *args: Any, **options: Any) -> None:
        copied = same = size = 0
        try:
            here, there = storage(), storage_at(options["to"])
            for folder in FOLDERS:
                for name in here.list_names(folder):
                    if _is_same_file(here, there, name):
                        same += 1
                        continue
                    size += _copy_file(here, there, name)
                    copied += 1
        except ImproperlyConfigured as wrong:
            raise CommandError(str(wrong), returncode=2) from None
        except OSError as error:
            reason = os_reason(error)
            raise CommandError(
                f"Broke off after {copied} files: {reason}. Run it again: what is there is not copied twice."
            ) from None
        self.stdout.write(
            f"{copied} files copied ({size} bytes), {same} were there: all have the SHA-256 that they have here."
        )
        self.stdout.write(
            "Stop Mufakat, run this once more, set STORAGE_URL (or DATA_DIR) to the new store, and start it."
        )


def _is_same_file(here: FileStore, there: FileStore, name: str) -> bool:
    try:
        return there.exists(name) and there.sha256(name) == here.sha256(name)
    except FileNotFoundError:
        return False


def _copy_file(here: FileStore, there: FileStore, name: str) -> int:
    """Copy one file; its size. One that goes meanwhile, as an import's does when it ends, is no error."""
    copy = scratch() / "moving"
    try:
        with here.local_copy(name) as path:
            shutil.copyfile(path, copy)
        size = copy.stat().st_size
        there.put(name, copy)
        if there.sha256(name) != here.sha256(name):
            raise OSError(f"{name} arrived otherwise than it is here")
    except FileNotFoundError:
        if here.exists(name):
            raise
        return 0
    finally:
        copy.unlink(missing_ok=True)
    return size
