"""Images and sounds of a project: kept one by one, or a ZIP file of them at once."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, BinaryIO

from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotation.core.errors import Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.media.models import MediaFile
from annotation.media.queries import media_open, storage, stored_name
from annotation.media.rules.files import REFERENCE, MediaRefused, look, name_checked, reference
from annotation.media.rules.packed import members
from annotation.text.gettext import gettext_noop


@dataclass
class MediaReport:
    """What came of files that were sent: how many are new or were there, name and reason of each that is refused."""

    stored: int = 0
    unchanged: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As a page keeps it."""
        return {"stored": self.stored, "unchanged": self.unchanged, "refused": self.refused}


def media_keep(*, project: Project, by: User | None, name: str, data: bytes) -> MediaFile:
    """Keep one file under its name; the same again changes nothing. Raises Invalid, which says what to do."""
    try:
        return _kept(project, by, name_checked(name), data)[0]
    except MediaRefused as refused:
        raise Invalid(_words(refused), field="file", code=refused.code) from None


def media_zip_keep(*, project: Project, by: User | None, file: BinaryIO) -> MediaReport:
    """Keep every file of a ZIP file that can be; each by itself, so that one that is wrong holds up no other.

    Raises Invalid where the ZIP file as a whole cannot be read.
    """
    report = MediaReport()
    try:
        for name, data in members(file):
            try:
                if isinstance(data, MediaRefused):
                    raise data
                new = _kept(project, by, name, data)[1]
            except MediaRefused as refused:
                report.refused.append((_shown(name), _words(refused)))
            else:
                report.stored += new
                report.unchanged += not new
    except MediaRefused as refused:
        raise Invalid(_words(refused), field="media", code=refused.code) from None
    Event.record(project, by, "media_sent", stored=report.stored, refused=len(report.refused))
    return report


def media_copy(*, of: Project, to: Project, contents: Iterable[Mapping[str, Any]]) -> None:
    """Give a project the files of another one that its items show too."""
    shown = {text for content in contents for text in content.values() if isinstance(text, str)}
    shown = {text for text in shown if REFERENCE.fullmatch(text)}
    if not shown:
        return
    made = dict[str, MediaFile]()
    for there in MediaFile.objects.filter(project=of).order_by("pk"):
        if there.reference not in shown or there.reference in made:
            continue
        with media_open(of.pk, there.reference) as file:
            _write(to.pk, there.reference, file.read())
        facts = {
            name: getattr(there, name) for name in ("name", "sha256", "type", "size", "width", "height", "by")
        }
        made[there.reference] = MediaFile(project=to, **facts)
    MediaFile.objects.bulk_create(made.values())


def _kept(project: Project, by: User | None, name: str, data: bytes) -> tuple[MediaFile, bool]:
    """The file, and whether it is new."""
    digest, found = sha256(data).hexdigest(), look(data)
    there = MediaFile.objects.filter(project=project, name=name).first()
    if there is None:
        _write(project.pk, reference(digest, found.type), data)
        try:
            with transaction.atomic():
                made = MediaFile.objects.create(
                    project=project,
                    name=name,
                    sha256=digest,
                    type=found.type,
                    size=len(data),
                    width=found.width,
                    height=found.height,
                    by=by,
                )
            return made, True
        except IntegrityError:
            # Somebody sent the same name in this very moment.
            there = MediaFile.objects.get(project=project, name=name)
    if there.sha256 != digest:
        message = gettext_noop("Another file is there under this name: give this one another name.")
        raise MediaRefused("media_name_taken", message)
    _write(project.pk, there.reference, data)
    return there, False


def _write(project_id: int, named: str, data: bytes) -> None:
    """Put the bytes where they belong, whole: what a killed process left is written again."""
    files, name = storage(), stored_name(project_id, named)
    if files.exists(name):
        if files.size(name) == len(data):
            return
        files.delete(name)
    written = files.save(name, ContentFile(data))
    with open(files.path(written), "rb") as file:
        os.fsync(file.fileno())
    if written != name:
        # Somebody wrote the same bytes in this very moment.
        files.delete(written)


def _words(refused: MediaRefused) -> str:
    return gettext(refused.message) % refused.params if refused.params else gettext(refused.message)


def _shown(name: str) -> str:
    """A name that may be anything, without what a terminal or a page would obey."""
    return "".join(mark for mark in name if mark.isprintable())[:200]
