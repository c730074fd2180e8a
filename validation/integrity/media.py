"""Images and sounds: each row has its file, each file its row, and the bytes are those of the hash."""

from collections.abc import Iterator

from django.db import transaction

from annotation.core.database import locked
from annotation.core.models.project import Project
from annotation.files import storage
from annotation.media.actions import erase_bytes, media_adopt
from annotation.media.models import MediaFile
from annotation.media.queries import files_stored, media_missing, media_shown, stored_name
from validation.integrity.base import Breach


def check_media(project: Project | None, repair: bool) -> Iterator[Breach]:
    """Every file of a project, or of all, is read once; what is sent or removed meanwhile is no breach.

    A file without a row is removed where nothing shows it (a process was killed before the row was there), else it
    gets a row again. What is gone or damaged comes back when somebody sends the same file again.
    """
    projects = Project.objects.order_by("pk")
    for each in projects.filter(pk=project.pk) if project is not None else projects:
        rows = MediaFile.objects.filter(project=each)
        named = {row.reference: row.name for row in rows.order_by("-pk")}
        stored = files_stored(each.pk)
        shown = media_shown(each)
        yield from _damaged(each, named)
        yield from _without_row(each, stored - named.keys(), shown, repair)
        for reference in sorted(media_missing(each.pk, shown - named.keys() - stored)):
            yield Breach("M2", each.slug, reference, "a file that an item shows", "gone", "there")


def _damaged(project: Project, named: dict[str, str]) -> Iterator[Breach]:
    for reference, name in sorted(named.items()):
        try:
            found = storage().sha256(stored_name(project.pk, reference))
        except OSError:
            if not media_missing(project.pk, [reference]):
                yield Breach("M1", project.slug, name, "the file of a row", "gone", reference)
            continue
        if found not in reference:
            yield Breach("M3", project.slug, name, "the hash of its file", found, reference)


def _without_row(project: Project, references: set[str], shown: set[str], repair: bool) -> Iterator[Breach]:
    for reference in sorted(references):
        with transaction.atomic():
            # Who is about to store it holds the project until its row is there.
            locked(Project.objects.filter(pk=project.pk)).get()
            if not media_missing(project.pk, [reference]):
                continue
        repaired = repair and (media_adopt if reference in shown else erase_bytes)(project, reference)
        yield Breach("M1", project.slug, reference, "the row of a file", "gone", "there", repaired)
