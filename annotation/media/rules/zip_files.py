"""A ZIP file of images and sounds: read member by member, never unpacked to a disk, within limits that are looked at
before anything is."""

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from annotation.media.rules.files import MOST_BYTES, MediaRefused, check_name, name_form
from annotation.text.gettext import gettext_noop

MOST_FILES = 20_000
MOST_UNPACKED = 2 * 1024**3
_UTF8_MARK = 0x800
_MOST_MEMBER_BYTES = max(MOST_BYTES.values())


def members(file: BinaryIO) -> Iterator[tuple[str, bytes | MediaRefused]]:
    """Name and bytes of each file, or why it is refused; what systems put beside them is passed over.

    Raises MediaRefused where the whole cannot be read.
    """
    try:
        packed = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError):
        message = gettext_noop("This is no ZIP file, or it is damaged: pack the files again.")
        raise MediaRefused("zip_damaged", message) from None
    with packed:
        listed = [(_name_of(each), each) for each in packed.infolist() if not each.is_dir()]
        listed = [(name, each) for name, each in listed if not _is_archiver_file(name)]
        if len(listed) > MOST_FILES or sum(each.file_size for _, each in listed) > MOST_UNPACKED:
            message = gettext_noop(
                "The ZIP file holds more than %(files)s files or unpacks to more than %(most)s GB: send it in parts."
            )
            raise MediaRefused("zip_too_large", message, files=MOST_FILES, most=MOST_UNPACKED // 1024**3)
        for name, each in listed:
            try:
                yield check_name(name), _member_bytes(packed, each)
            except MediaRefused as refused:
                yield name, refused


def _name_of(member: zipfile.ZipInfo) -> str:
    """The name of a member; macOS writes UTF-8 without the mark that says so, which is then read as CP437."""
    name = member.filename
    if not member.flag_bits & _UTF8_MARK and not name.isascii():
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name_form(name)


def _is_archiver_file(name: str) -> bool:
    """What archivers and desktops add: nobody's data."""
    last = name.rsplit("/", 1)[-1]
    return name.startswith("__MACOSX/") or last.startswith("._") or last in (".DS_Store", "Thumbs.db", "desktop.ini")


def _member_bytes(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.flag_bits & 1:
        raise MediaRefused("zip_locked", gettext_noop("The file is locked by a password: pack it without."))
    if member.file_size > _MOST_MEMBER_BYTES:
        message = gettext_noop("The file has more than %(most)s MB: make it smaller.")
        raise MediaRefused("media_too_large", message, most=_MOST_MEMBER_BYTES // 1024**2)
    try:
        # No more than its size is read, whatever the packed bytes give.
        with packed.open(member) as stream:
            return stream.read(member.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError):
        raise MediaRefused("zip_damaged", gettext_noop("The file is damaged: pack it again.")) from None
