"""What a further form of a release is: it reads the JSON Lines that lie in the folder, and writes files beside them.

Forms see files, never the database: whoever has the release can make them again. Bytes are the same for the same
release, so nothing here knows the time, the number of the release, or the order of a set.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from annotation.kinds import Kind
from exports.formats.rules.columns import Type
from exports.releases.rules.settings import SplitRules
from exports.releases.writers import Sink, write_bytes

PAGE = 2000


@dataclass(frozen=True)
class Part:
    """One project of a release: its files end in `_suffix` where it has one (`test_lay.jsonl`).

    `project` has slug, name, kind and language; `context` is what was frozen beside the rows (`about` among it),
    `counts` what the card tells.
    """

    project: Mapping[str, Any]
    kind: Kind
    suffix: str
    rules: SplitRules
    context: Mapping[str, Any]
    counts: Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """A release that is being written. `files` are its files so far, by name: rows, bytes and sha256; forms add theirs.

    `open` is whether a file may be handed to everybody: what is not is in no other form.
    """

    folder: Path
    parts: tuple[Part, ...]
    software: str
    files: dict[str, dict[str, Any]]
    tick: Callable[[], None] = lambda: None
    open: Callable[[str], bool] = field(default=lambda name: True)
    columns: dict[str, dict[str, Type]] = field(default_factory=dict)  # of tables, by their first file

    def lines(self, name: str) -> Iterator[list[bytes]]:
        """The lines of a JSON Lines file of the release, a page at a time."""
        with (self.folder / name).open("rb") as lines:
            while page := list(islice(lines, PAGE)):
                yield page
                self.tick()

    def rows(self, name: str) -> Iterator[list[dict[str, Any]]]:
        """Its rows, a page at a time."""
        return map(parsed, self.lines(name))

    @contextmanager
    def sink(self, name: str) -> Iterator[Sink]:
        """A new file of the release, to append bytes to; its facts are noted once it is closed."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with Sink(path) as sink:
            yield sink
        self.files[name] = sink.facts()

    def put(self, name: str, data: bytes, rows: int = 0) -> None:
        """A small file, whole."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.files[name] = write_bytes(path, data, rows)


def parsed(lines: list[bytes]) -> list[dict[str, Any]]:
    """The rows of these lines."""
    rows: list[dict[str, Any]] = orjson.loads(b"[" + b",".join(lines) + b"]")
    return rows


@dataclass(frozen=True)
class Form:
    """One form: its name in the rules, what it is (shown as help), and what writes its files.

    `front` gives values for the block of YAML at the head of the card. `fits` says whether it means anything for a
    release. Lower `order` is written first.
    """

    slug: str
    title: str
    help: str
    write: Callable[[Told], None]
    order: int = 50
    fits: Callable[[Told], bool] = lambda told: True
    front: Callable[[Told], Mapping[str, Any]] | None = None


def written(told: Told, forms: list[Form]) -> dict[str, Any]:
    """Write every form that fits; what stands at the head of the card."""
    head: dict[str, Any] = {}
    for form in forms:
        if form.fits(told):
            form.write(told)
            head |= form.front(told) if form.front else {}
            told.tick()
    return head
