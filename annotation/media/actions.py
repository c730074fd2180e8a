"""Images and sounds of a project: kept one by one, or a ZIP file of them at once."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, BinaryIO

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils.translation import gettext

from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.files import storage
from annotation.jobs.bulk import any_of
from annotation.media.models import MediaFile
from annotation.media.queries import media_missing, media_read, media_shown, stored_name
from annotation.media.rules.files import (
    FOLDER,
    MediaProperties,
    MediaRefused,
    check_name,
    inspect_bytes,
    original_reference,
    reference,
    references,
    use_of,
    without_metadata,
)
from annotation.media.rules.zip_files import members
from annotation.text.gettext import gettext_noop

# So many files that were removed are named in the audit.
MOST_NAMED = 200


@dataclass
class MediaReport:
    """The outcome of files that were sent: how many are new or were there, name and reason of each that is refused."""

    stored: int = 0
    unchanged: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As a page keeps it."""
        return {"stored": self.stored, "unchanged": self.unchanged, "refused": self.refused}


def media_keep(*, project: Project, by: User | None, name: str, data: bytes) -> MediaFile:
    """Keep one file under its name; the same again changes nothing. Raises Invalid, which says what to do."""
    try:
        return _keep_file(project, by, check_name(name), data)[0]
    except MediaRefused as refused:
        raise Invalid(_refusal_in_words(refused), field="file", code=refused.code) from None


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
                new = _keep_file(project, by, name, data)[1]
            except MediaRefused as refused:
                report.refused.append((_printable_name(name), _refusal_in_words(refused)))
            else:
                report.stored += new
                report.unchanged += not new
    except MediaRefused as refused:
        raise Invalid(_refusal_in_words(refused), field="media", code=refused.code) from None
    Event.record(project, by, "media_sent", stored=report.stored, refused=len(report.refused))
    return report


def media_copy(*, of: Project, to: Project, contents: Iterable[Mapping[str, Any]]) -> None:
    """Give a project the files of another one that its items show too."""
    shown = {reference for content in contents for reference in references(content)}
    if not shown:
        return
    made = dict[str, MediaFile]()
    for there in MediaFile.objects.filter(project=of).order_by("pk"):
        if there.reference not in shown or there.reference in made:
            continue
        _write_bytes(to.pk, there.reference, b"".join(media_read(of.pk, there.reference)))
        facts = {name: getattr(there, name) for name in ("name", "sha256", "type", "size", "width", "height", "by")}
        made[there.reference] = MediaFile(project=to, **facts)
    MediaFile.objects.bulk_create(made.values())


def media_remove(*, project: Project, by: User | None, names: Collection[str] | None = None) -> list[MediaFile]:
    """Remove files that nothing shows: those called so in addresses (`SHA256.jpg`), under every name; None: all.

    Raises NotFound where one is not there, Conflict where an item or what writers start from shows it.
    """
    with transaction.atomic():
        # Who stores items holds their target: what they show is seen here, or they see that the file is gone.
        list(locked(project.targets.order_by("pk")))
        locked(Project.objects.filter(pk=project.pk)).get()
        there = list(MediaFile.objects.filter(project=project).order_by("pk"))
        shown = media_shown(project)
        if names is None:
            gone = [each for each in there if each.reference not in shown]
        else:
            wanted = {f"{FOLDER}/{name}" for name in names}
            gone = [each for each in there if each.reference in wanted]
            if wanted - {each.reference for each in gone}:
                raise NotFound
            if wanted & shown:
                raise Conflict(code="media_shown")
        if gone:
            MediaFile.objects.filter(pk__in=any_of([each.pk for each in gone])).delete()
            Event.record(project, by, "media_removed", files=[each.name for each in gone][:MOST_NAMED], n=len(gone))
    for file in gone:
        erase_bytes(project, file.reference)
        if file.original_sha256 and not MediaFile.objects.filter(project=project, original_sha256=file.original_sha256):
            storage().delete(stored_name(project.pk, original_reference(file.original_sha256, file.type)))
    return gone


def erase_bytes(project: Project, named: str) -> bool:
    """Delete the bytes that no row has any more; whether they were there."""
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        if not media_missing(project.pk, [named]) or not storage().exists(stored_name(project.pk, named)):
            return False
        storage().delete(stored_name(project.pk, named))
    return True


def media_adopt(project: Project, named: str) -> bool:
    """Give a file that lies there without a row one, under its hash as its name; whether it could be."""
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        data = b"".join(media_read(project.pk, named))
        try:
            found = inspect_bytes(data)
            if use_of(found.type) == "image" and without_metadata(data) is not data:
                return False
        except MediaRefused:
            return False
        digest = sha256(data).hexdigest()
        if not media_missing(project.pk, [named]) or reference(digest, found.type) != named:
            return False
        _create_row(project, None, named.rpartition("/")[2], digest, found, len(data))
    return True


def _create_row(
    project: Project, by: User | None, name: str, digest: str, found: MediaProperties, size: int, original: str = ""
) -> MediaFile:
    return MediaFile.objects.create(
        project=project,
        name=name,
        sha256=digest,
        original_sha256=original,
        type=found.type,
        size=size,
        width=found.width,
        height=found.height,
        by=by,
    )


def _keep_file(project: Project, by: User | None, name: str, data: bytes) -> tuple[MediaFile, bool]:
    """The file, and whether it is new."""
    uploaded, found = sha256(data).hexdigest(), inspect_bytes(data)
    drawn = without_metadata(data) if use_of(found.type) == "image" else data
    if drawn is not data:
        found = inspect_bytes(drawn)
    digest = sha256(drawn).hexdigest()
    with transaction.atomic():
        # One at a time: who sends the same name, or removes the same bytes, waits.
        locked(Project.objects.filter(pk=project.pk)).get()
        there = MediaFile.objects.filter(project=project, name=name).first()
        if there is not None and uploaded not in (there.sha256, there.original_sha256):
            message = gettext_noop("Another file is there under this name: give this one another name.")
            raise MediaRefused("media_name_taken", message)
        if there is not None:
            # What it is drawn with may be written otherwise by another version of the library: the first stays.
            if there.sha256 == digest:
                _write_bytes(project.pk, there.reference, drawn)
            return there, False
        _write_bytes(project.pk, reference(digest, found.type), drawn)
        original = ""
        if drawn is not data:
            original = uploaded
            _write_bytes(project.pk, original_reference(uploaded, found.type), data)
        return _create_row(project, by, name, digest, found, len(drawn), original), True


def _write_bytes(project_id: int, named: str, data: bytes) -> None:
    """Put the bytes where they belong, whole: what a killed process left, or a disk spoilt, is written again."""
    files, name = storage(), stored_name(project_id, named)
    if not files.exists(name) or b"".join(files.read(name)) != data:
        files.save(name, ContentFile(data))


def _refusal_in_words(refused: MediaRefused) -> str:
    return gettext(refused.message) % refused.params if refused.params else gettext(refused.message)


def _printable_name(name: str) -> str:
    """A name that may be anything, without what a terminal or a page would obey."""
    return "".join(mark for mark in name if mark.isprintable())[:200]
