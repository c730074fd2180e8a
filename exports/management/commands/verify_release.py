"""`manage.py verify_release DIR`: is this folder the release that it says it is?"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from exports.releases.rules.signature import PUBLIC_KEY_HELP, PUBLIC_KEY_OPTION, KeyUnreadable, read_public_keys
from exports.releases.verify import verify
from exports.releases.verify_files import DIFFERENT, DIFFERS, UNUSABLE, UnreadableRelease


class Command(BaseCommand):
    """Exit 0; 1 where something differs; 2 where the folder holds no release."""

    requires_system_checks = ()  # they load every page
    help = (
        "Check a release: the SHA-256 of its files, gold, labels and splits computed again from the files, what "
        "follows from rows and votes written again, and where this database made it every file built again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path, help="where manifest.json lies")
        parser.add_argument(
            "--manifest-sha256",
            metavar="HEX",
            default="",
            help="what build_release printed, and the release's page and DataCite record name",
        )
        parser.add_argument(PUBLIC_KEY_OPTION, metavar="KEY", default="", help=PUBLIC_KEY_HELP)
        parser.add_argument("--files-only", action="store_true", help="do not look into the database")

    def handle(self, **options: Any) -> None:
        try:
            given = options["public_key"]
            found = verify(
                options["folder"],
                files_only=options["files_only"],
                manifest_sha256=options["manifest_sha256"],
                public_keys=read_public_keys(given) if given else (),
            )
        except (UnreadableRelease, KeyUnreadable) as why:
            raise CommandError(str(why), returncode=UNUSABLE) from None
        for line in found.lines():
            self.stdout.write(line)
        if found.no_database:
            self.stdout.write("There is no database with releases here: nothing was built again.")
        elif found.rebuilt is None and not options["files_only"]:
            self.stdout.write("This database did not make it: nothing was built again.")
        for words in found.unchecked:
            self.stdout.write(f"Not checked: {words}.")
        if not found.right:
            raise CommandError(DIFFERENT, returncode=DIFFERS)
