"""A file of a release: counted and hashed on the way, on disk when closed."""

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson

JSONL = ".jsonl"
Row = Mapping[str, Any]


class Sink:
    """One file of a release being written; `facts` are its rows, bytes and SHA-256."""

    def __init__(self, path: Path) -> None:
        self.rows = self.size = 0
        self._hash = sha256()
        self._file = path.open("xb", buffering=0)

    def write(self, rows: Sequence[Row]) -> None:
        """Append rows as JSON Lines."""
        if rows:
            self.append(encode(rows), len(rows))

    def append(self, data: bytes, rows: int) -> None:
        """Append bytes that hold so many rows; a disk that takes only a part of them is asked again."""
        left = memoryview(data)
        while left:
            left = left[self._file.write(left) :]
        self._hash.update(data)
        self.size += len(data)
        self.rows += rows

    def facts(self) -> dict[str, Any]:
        return {"rows": self.rows, "bytes": self.size, "sha256": self._hash.hexdigest()}

    def __enter__(self) -> "Sink":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close; files that are kept are synced to disk before they are published."""
        try:
            if kind is None:
                os.fsync(self._file.fileno())
        finally:
            self._file.close()


def write_bytes(path: Path, data: bytes, rows: int = 0) -> dict[str, Any]:
    """Write one small file whole; its facts."""
    with Sink(path) as sink:
        sink.append(data, rows)
    return sink.facts()


def encode(rows: Sequence[Row]) -> bytes:
    """JSON Lines: UTF-8, one object a line in the row's own order of keys; U+2028 and the like stand as they are."""
    dumps, newline = orjson.dumps, orjson.OPT_APPEND_NEWLINE
    return b"".join([dumps(row, option=newline) for row in rows])
