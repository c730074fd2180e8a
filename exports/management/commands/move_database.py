"""`manage.py move_database URL`: from the SQLite file of one machine to a team's PostgreSQL."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from exports.backup import FOLDERS
from exports.backup import move_database as moving

REFUSED, DIFFERS = 2, 1


class Command(BaseCommand):
    """Exit 0; 1 where something arrived otherwise, 2 where it could not be begun or stored: nothing is there then."""

    help = "Copy every table, row and key of this SQLite database into an empty PostgreSQL; nothing changes here."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", metavar="URL", help="postgres://user:password@host:5432/name, an empty database")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = moving.move(options["url"])
        except moving.MoveRefused as refused:
            raise CommandError(f"Nothing was moved. {refused}", returncode=REFUSED) from None
        except moving.MovedDataDiffers as differs:
            reason = f"Nothing was moved. {differs} arrived otherwise than it is here."
            raise CommandError(reason, returncode=DIFFERS) from None
        self.stdout.write(f"{len(counts)} tables, {sum(counts.values())} rows: all are there as they are here.")
        self.stdout.write(
            "Now set DATABASE_URL to the new address, keep SECRET_KEY, and take these folders of DATA_DIR along: "
            f"{', '.join(FOLDERS)}."
        )
