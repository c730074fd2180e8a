"""The images and sounds of released rows: a ZIP file beside the rows, each file under the name in the row."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from annotation.kinds import Kind
from annotation.media.queries import media_read
from annotation.media.rules.files import REFERENCE
from exports.formats.writers import Sink
from exports.releases.rules.media import media_columns, media_pack_name

# The first day that a ZIP file can name: the same files are the same bytes whenever they are packed.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


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
