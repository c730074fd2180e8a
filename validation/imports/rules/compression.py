"""The bytes of a file: gzip unpacked up to a limit, and recognising files that are not text."""

import bz2
import gzip
import io
import zlib
from typing import Any, BinaryIO, NamedTuple, cast

from annotation.text.gettext import gettext_noop
from validation.imports.rules.problems import FileRefused

CHUNK = 1 << 20
MOST_UNPACKED = 4 << 30
# Text packs 3 to 30 times; zeros pack 1,030 times (reliability.md §1).
MOST_RATIO = 200
RATIO_FROM = 16 << 20
_GZIP, _BZIP2, _BOM = b"\x1f\x8b", b"BZh", b"\xef\xbb\xbf"
_FOREIGN_FORMATS = (
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (_BZIP2, "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf", "7z"),
    (b"%PDF", "PDF"),
    (b"\xd0\xcf\x11\xe0", "xls"),
    (b"PAR1", "Parquet"),
    (_GZIP, "gzip"),
)


class _UnpackingStream(io.RawIOBase):
    """Unpacks gzip or bzip2; refuses the file as soon as more comes out than a file of texts can hold."""

    def __init__(self, packed: BinaryIO, size: int, most: int) -> None:
        self._packed, self._size, self._most, self._out = packed, max(size, 1), most, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        try:
            data = self._packed.read(min(len(buffer), CHUNK))
        except (EOFError, OSError, zlib.error):
            message = gettext_noop("The packed file is torn or damaged: pack it again, or send it unpacked.")
            raise FileRefused("gzip_damaged", message) from None
        self._out += len(data)
        bomb = self._out > RATIO_FROM and self._out > MOST_RATIO * self._size
        if bomb or self._out > self._most:
            message = gettext_noop("The packed file unpacks to far more than texts do: send it in parts.")
            raise FileRefused("gzip_too_large", message)
        buffer[: len(data)] = data
        return len(data)


class Opened(NamedTuple):
    """A stream of the file's own bytes behind any byte order mark, and its first few of them."""

    stream: "io.BufferedReader[Any]"
    head: bytes


def open_bytes(raw: BinaryIO, size: int, most: int = MOST_UNPACKED, *, dumps: bool = False) -> Opened:
    """Open what is given, unpacked, at its first character. Raises `FileRefused`.

    Only `dumps` may be packed with bzip2, as Wikipedia's are.
    """
    magic = raw.read(3)
    raw.seek(0)
    stream: io.BufferedReader[Any]
    if magic[:2] == _GZIP:
        stream = io.BufferedReader(_UnpackingStream(cast(BinaryIO, gzip.GzipFile(fileobj=raw)), size, most), CHUNK)
    elif dumps and magic == _BZIP2:
        stream = io.BufferedReader(_UnpackingStream(cast(BinaryIO, bz2.BZ2File(raw)), size, most), CHUNK)
    else:
        stream = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw, CHUNK)
    head = stream.peek(4096)[:4096]
    _refuse_foreign(head)
    if head.startswith(_BOM):
        stream.read(len(_BOM))
        head = head[len(_BOM) :]
    return Opened(stream, head)


def _refuse_foreign(head: bytes) -> None:
    for magic, name in _FOREIGN_FORMATS:
        if head.startswith(magic):
            message = gettext_noop("This is %(what)s; send JSONL or CSV in UTF-8, plain or packed once with gzip.")
            raise FileRefused("file_foreign", message, what=name)
    if head.count(b"\0") * 4 > len(head):
        message = gettext_noop("This is UTF-16 or no text at all; save it as UTF-8.")
        raise FileRefused("file_binary", message)


class LineCount(NamedTuple):
    """What one look through the whole file found."""

    lines: int
    size: int


def count_lines(stream: "io.BufferedReader[Any]") -> LineCount:
    """Read to the end: how many lines, and whether the file is whole. Raises `FileRefused`."""
    lines = size = carriage = 0
    last = b""
    while chunk := stream.read(CHUNK):
        lines, size, last = lines + chunk.count(b"\n"), size + len(chunk), chunk[-1:]
        carriage += chunk.count(b"\r")
    if not size:
        raise FileRefused("file_empty", gettext_noop("The file is empty."))
    if carriage > 1 and not lines:
        message = gettext_noop("The lines end in CR alone, as on very old machines; save the file with LF.")
        raise FileRefused("file_cr", message)
    return LineCount(lines + (last != b"\n"), size)
