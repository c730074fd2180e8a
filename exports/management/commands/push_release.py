"""`manage.py push_release PROJECT N REPOSITORY`: a release's public files to a hub of data sets."""

import re
from contextlib import ExitStack
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.errors import Conflict
from annotation.files import storage
from exports.public import queries
from exports.public.actions import release_give_out
from exports.public.hub import Hub, HubFile, HubRefused
from exports.public.rules import cff
from exports.releases.models import Release

_REPOSITORY = re.compile(r"([A-Za-z0-9][\w.-]{0,95}/)?[A-Za-z0-9][\w.-]{0,95}")

_REFUSALS = {
    "publication_open_votes": "its files hold votes on items that are being voted on, or may be: close the project "
    "first, or push with --private",
    "publication_questions": "its files hold the answers to gold questions or quiz items: push with "
    "--take-out-questions, and they are asked of nobody any more",
}


class Command(BaseCommand):
    """Push a release. Exit 0; 2 where it cannot be pushed, or the hub did not take it."""

    help = (
        "Push the public files of a release to a Hugging Face-style hub, as one commit. The token is read from "
        "HUB_TOKEN, the hub's address from HUB_URL."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("project", metavar="PROJECT", help="the project's short name")
        parser.add_argument("n", metavar="N", type=int, help="the number of the release")
        parser.add_argument("repository", metavar="REPOSITORY", help="such as team/dataset")
        parser.add_argument("--private", action="store_true", help="make the repository private where it is new")
        parser.add_argument(
            "--take-out-questions",
            action="store_true",
            help="ask gold questions and quiz items whose sources are in the files of nobody any more",
        )
        parser.add_argument("--revision", default="main", help="the branch that the commit is made on")
        parser.add_argument("--dry-run", action="store_true", help="list the files, send nothing")

    def handle(self, **options: Any) -> None:
        """Push, and say where it is."""
        found = Release.objects.filter(project__slug=options["project"], n=options["n"], whole=None)
        release = found.select_related("project").first()
        if release is None or release.state != Release.State.READY:
            raise CommandError("there is no such release, or it is not ready", returncode=2)
        if not _REPOSITORY.fullmatch(options["repository"]):
            raise CommandError("a repository is called owner/name", returncode=2)
        if newer := release.replaced:
            raise CommandError(f"release {release.n} was replaced by {newer.n}: push that one", returncode=2)
        if not options["dry_run"]:
            self._give_out(release, options)
        with ExitStack() as stack:
            files = _files(release, stack)
            for each in files:
                self.stdout.write(f"{each.name}: {each.size}")
            if not options["dry_run"]:
                self._push(release, files, options)

    def _give_out(self, release: Release, options: dict[str, Any]) -> None:
        """Before anything is sent: what leaves here does not come back, also where only few can take it at first."""
        few = options["private"]
        try:
            release_give_out(release=release, by=None, take_out=options["take_out_questions"], with_open_votes=few)
        except Conflict as refusal:
            raise CommandError(_REFUSALS[refusal.code], returncode=2) from None

    def _push(self, release: Release, files: list[HubFile], options: dict[str, Any]) -> None:
        if not settings.MUFAKAT_HUB_TOKEN:
            raise CommandError("set HUB_TOKEN to a token that may write there", returncode=2)
        hub = Hub(settings.MUFAKAT_HUB_URL, settings.MUFAKAT_HUB_TOKEN)
        summary = f"{release.project.name}, release {release.n}"
        try:
            where = hub.push(
                options["repository"],
                files,
                summary=summary,
                private=options["private"],
                revision=options["revision"],
            )
        except HubRefused as refused:
            raise CommandError(ascii(str(refused))[1:-1], returncode=2) from None
        finally:
            hub.close()
        self.stdout.write(f"pushed: {where}")


def _files(release: Release, stack: ExitStack) -> list[HubFile]:
    """The files that everybody may take, and how the release is cited where that was said."""
    found = []
    for each in queries.public_files(release):
        try:
            path = stack.enter_context(storage().local_copy(each.stored))
        except FileNotFoundError:
            raise CommandError(f"{each.name} is not where releases lie", returncode=2) from None
        found.append(HubFile(each.name, each.bytes, each.sha256, path))
    page = queries.publication_of(release)
    if page is not None:
        data = cff(queries.citation_of(page)).encode()
        found.append(HubFile("CITATION.cff", len(data), sha256(data).hexdigest(), data=data))
    return found
