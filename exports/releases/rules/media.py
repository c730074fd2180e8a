"""The images and sounds of a release: what their ZIP file is called, and whether it holds what rows show.

Pure.
"""

from collections.abc import Iterator, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile, ZipFile

from annotation.kinds import Kind
from annotation.kinds.rendered_texts import MEDIA_WIDGETS
from annotation.media.rules.files import REFERENCE
from exports.releases.rules.verify import Check


def media_pack_name(suffix: str = "") -> str:
    """The name of the file in a release; `suffix` distinguishes projects if there are several."""
    return f"media_{suffix}.zip" if suffix else "media.zip"


def media_columns(kind: Kind) -> list[str]:
    """The columns that hold an image or a sound."""
    return [key for key, widget in kind.presentation.widgets.items() if widget in MEDIA_WIDGETS]


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
