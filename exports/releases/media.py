"""The images and sounds of released rows: a ZIP file beside the rows, each file under the name in the row."""

from collections.abc import Iterator, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from annotation.kinds import Kind
from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.media.queries import media_read
from annotation.media.rules.files import REFERENCE
from exports.formats.writers import Sink
from exports.releases.rules.verify import Check

# The first day that a ZIP file can name: the same files are the same bytes whenever they are packed.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def media_pack_name(suffix: str = "") -> str:
    """The name of the file in a release; `suffix` distinguishes projects if there are several."""
    return f"media_{suffix}.zip" if suffix else "media.zip"


def media_columns(kind: Kind) -> list[str]:
    """The columns that hold an image or a sound."""
    return [key for key, widget in kind.presentation.widgets.items() if widget in MEDIA_WIDGETS]


class _SinkFile:
    """A Sink as a file that a ZIP file is written to, never sought in."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def write(self, data: bytes) -> int:
        self._sink.append(bytes(data), 0)
        return len(data)

    def flush(self) -> None:
        """Nothing waits here."""


class MediaPack:
    """Gathers what released rows show, then writes it."""

    def __init__(self, kind: Kind) -> None:
        self.columns, self._shown = media_columns(kind), set[str]()

    def add(self, content: Mapping[str, Any]) -> None:
        """Take in one released item."""
        for column in self.columns:
            if REFERENCE.fullmatch(text := str(content.get(column) or "")):
                self._shown.add(text)

    def write(self, project_id: int, folder: Path, suffix: str) -> dict[str, dict[str, Any]]:
        """Write the file where anything was sent; its facts by its name. Raises OSError where a file is gone."""
        if not self._shown:
            return {}
        name = media_pack_name(suffix)
        with Sink(folder / name) as sink:
            with ZipFile(cast(BinaryIO, _SinkFile(sink)), "w", ZIP_STORED) as packed:
                for reference in sorted(self._shown):
                    with packed.open(ZipInfo(reference, _ZIP_DATE), "w") as out:
                        for chunk in media_read(project_id, reference):
                            out.write(chunk)
            sink.rows = len(self._shown)
        return {name: sink.facts()}


def check_media(folder: Path, kind: Kind, suffix: str, rows: Iterator[Mapping[str, Any]]) -> Check | None:
    """Every image and sound that a row names is there with the bytes of its hash; None where none was sent."""
    columns, check = media_columns(kind), Check("images and sounds with their SHA-256")
    shown = {str(row.get(column) or "") for row in rows for column in columns} if columns else set()
    shown = {text for text in shown if REFERENCE.fullmatch(text)}
    path = folder / media_pack_name(suffix)
    if not shown and not path.is_file():
        return None
    try:
        with ZipFile(path) as packed:
            there = set(packed.namelist())
            for reference in sorted(shown - there):
                check.count(False, f"{reference}: a row shows it, and it is missing")
            for reference in sorted(there):
                check.count(_matches_reference(packed, reference), f"{reference}: is not the file of that hash")
    except (OSError, BadZipFile):
        check.count(False, f"{path.name}: is missing or damaged")
    return check


def _matches_reference(packed: ZipFile, reference: str) -> bool:
    match = REFERENCE.fullmatch(reference)
    with packed.open(reference) as file:
        return match is not None and file_digest(cast(Any, file), "sha256").hexdigest() == match[1]
