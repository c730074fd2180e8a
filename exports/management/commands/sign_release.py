"""`manage.py sign_release PROJECT N`: the signature of a release that was made before this site had a key."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.errors import Conflict
from annotation.core.messages import problem_words
from annotation.core.rules.os_errors import os_reason
from exports.releases.models import Release
from exports.releases.rules.signature import FILE
from exports.releases.signing import release_sign


class Command(BaseCommand):
    """Exit 0; 1 where it could not be signed; 2 where there is no such release."""

    help = "Sign a release that has no signature, with the key that the site has now. Its other files stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument("n", metavar="N", type=int, help="the number of the release")

    def handle(self, **options: Any) -> None:
        release = Release.objects.filter(project__slug=options["project"], n=options["n"]).first()
        if release is None:
            raise CommandError("There is no such release.", returncode=2)
        try:
            key = release_sign(release)
        except Conflict as refused:
            raise CommandError(problem_words(refused.code)) from None
        except OSError as error:
            raise CommandError(f"Nothing was signed: {os_reason(error)}.") from None
        self.stdout.write(f"{FILE} is the signature with the key {key.key}")
