"""Where a project's images and sounds are, what they are called, and which of them no item shows."""

from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings
from django.core.files.storage import FileSystemStorage

from annotation.content.models.item import Hypothesis
from annotation.content.models.source import Premise
from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.core.models.project import Project
from annotation.media.models import MediaFile
from annotation.media.rules.files import FOLDER, REFERENCE
from annotation.tasks.rules.kind import SOURCE_FIELDS


def storage() -> FileSystemStorage:
    """Where files lie: a folder a project, each under the hash of its bytes."""
    return FileSystemStorage(
        location=Path(settings.MUFAKAT_DATA_DIR) / FOLDER,
        file_permissions_mode=0o600,
        directory_permissions_mode=0o700,
    )


def stored_name(project_id: int, reference: str) -> str:
    """The name of a file in the storage."""
    return f"{project_id}/{reference.removeprefix(f'{FOLDER}/')}"


def media_by_name(project_id: int) -> dict[str, str]:
    """The references of a project's files, by the names that rows call them; a reference names itself."""
    found: dict[str, str] = {}
    for each in MediaFile.objects.filter(project=project_id).iterator(chunk_size=2000):
        found[each.name] = found[each.reference] = each.reference
    return found


def media_file(membership: Membership, name: str) -> MediaFile:
    """The file with this hash and type, for members of its project. Raises NotFound."""
    match = REFERENCE.fullmatch(f"{FOLDER}/{name}")
    if match is None:
        raise NotFound
    sha256, ending = match.groups()
    found = MediaFile.objects.filter(project=membership.project, sha256=sha256, type=ending).first()
    if found is None:
        raise NotFound
    return found


def media_open(project_id: int, reference: str) -> BinaryIO:
    """The bytes of a file. Raises OSError where they are gone."""
    return cast(BinaryIO, storage().open(stored_name(project_id, reference), "rb").file)


def media_unused(project: Project, also: Collection[str] = ()) -> list[str]:
    """The names of files that no item and no source shows, nor `also` names by reference, in order."""
    left: dict[str, list[str]] = {}
    for each in MediaFile.objects.filter(project=project).order_by("name"):
        left.setdefault(each.reference, []).append(each.name)
    for reference in also:
        left.pop(reference, None)
    if left:
        shown = Hypothesis.objects.filter(project=project).values_list("more", flat=True)
        sources = Premise.objects.filter(project=project).values_list("extra", flat=True)
        for texts in shown.iterator(chunk_size=2000):
            _without(left, texts or {})
        for extra in sources.iterator(chunk_size=2000):
            _without(left, (extra or {}).get(SOURCE_FIELDS) or {})
    return sorted(name for names in left.values() for name in names)


def _without(left: dict[str, list[str]], texts: dict[str, object]) -> None:
    for text in texts.values():
        if isinstance(text, str):
            left.pop(text, None)
