"""Layouts: a layout assigns items to files, collects the rows of a release, and writes the files."""

import tempfile
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from annotation.kinds import Kind
from exports.formats.writers import JSONL, Sink
from exports.releases.rules.machine import MachineItem
from exports.releases.rules.manifest import Tally
from exports.releases.rules.rows import FrozenItem, Names
from exports.releases.rules.settings import SplitRules
from exports.releases.rules.splits import Outcome
from exports.releases.withheld import Withheld

PAGE = 2000
_DIGITS = 16


class ShuffledLines:
    """Lines of JSON by the id that they are told under. What is kept of each in memory is its place and its id's."""

    def __init__(self, folder: Path) -> None:
        # Nameless from the start: whatever stops the build, nothing of it is left.
        self.spool = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - `close` does
        self.size = 0
        self.order, self.places, self.lengths = array("Q"), array("Q"), array("Q")

    def add(self, line: str, lines: bytes) -> None:
        """Take in what is told of one item: its id (hexadecimal), and its lines, each with its end."""
        self.order.append(int(line[:_DIGITS], 16))
        self.places.append(self.size)
        self.lengths.append(len(lines))
        self.size += self.spool.write(lines)

    def pages(self) -> Iterator[tuple[bytes, int]]:
        """Everything in the order of the ids, a page at a time: its bytes, and how many lines they are."""
        turns = sorted(range(len(self.order)), key=self.order.__getitem__)
        for start in range(0, len(turns), PAGE):
            page = b"".join([self._at(n) for n in turns[start : start + PAGE]])
            # A line of JSON holds no line break of its own.
            yield page, page.count(b"\n")

    def _at(self, n: int) -> bytes:
        self.spool.seek(self.places[n])
        return self.spool.read(self.lengths[n])

    def close(self) -> None:
        """The build is over, whatever its outcome."""
        self.spool.close()


class Sinks:
    """The files being written, by name without ending; `facts` once they are closed.

    Where a release has several projects, `suffix` is at the end of every name of one of them.
    """

    def __init__(self, folder: Path, suffix: str = "") -> None:
        self.folder, self.end = folder, f"_{suffix}{JSONL}" if suffix else JSONL
        self._sinks: dict[str, Sink] = {}
        self._stack = ExitStack()

    def open(self, name: str) -> Sink:
        """The file of that name; made when it is first asked for."""
        if name not in self._sinks:
            path = self.folder / f"{name}{self.end}"
            path.parent.mkdir(parents=True, exist_ok=True)
            self._sinks[name] = self._stack.enter_context(Sink(path))
        return self._sinks[name]

    def write_whole(self, name: str, pages: Iterable[Sequence[Mapping[str, Any]]]) -> None:
        """Write a file whole, page by page, and close it: there may be hundreds."""
        path = self.folder / f"{name}{self.end}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with Sink(path) as sink:
            for page in pages:
                sink.write(page)
        self._sinks[name] = sink

    def write_shuffled(self, name: str, shuffled: ShuffledLines) -> None:
        """Write what was kept aside to the file of that name."""
        sink = self.open(name)
        for lines, n in shuffled.pages():
            sink.append(lines, n)

    @property
    def facts(self) -> dict[str, Any]:
        """Each file's rows, bytes and SHA-256, by its path in the release."""
        return {f"{name}{self.end}": sink.facts() for name, sink in self._sinks.items()}

    def __enter__(self) -> "Sinks":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)


@dataclass(frozen=True)
class LayoutContext:
    """What a layout knows of the release that it writes: `target_keys` are its targets' keys, which are for good.

    `secret` is the project's, which ids are drawn with where answers are hidden. `tick` is called often, and keeps the
    job's lease. `withheld` items go nowhere, whatever their layout says.
    """

    release: int
    kind: Kind
    rules: SplitRules
    context: Mapping[str, Any]
    language: str
    folder: Path
    secret: str
    names: Names
    target_keys: Mapping[int, str]
    tick: Callable[[], None]
    withheld: Withheld = field(default_factory=Withheld)


class Layout(ABC):
    """One attempt at the files of one release; called in the order of its methods.

    `collected_stages` are those of items that have to be met; None: all.
    """

    collected_stages: Collection[str] | None = None

    def __init__(self, frame: LayoutContext) -> None:
        self.frame = frame

    @abstractmethod
    def begin(self, sinks: Sinks) -> None:
        """Open what is there even when empty, and read what has to be known of the release as a whole."""

    @abstractmethod
    def collect(self, item: FrozenItem) -> int:
        """Take in what has to be known of each item before the first is placed; they come in any order.

        What is given is kept with the item, and given back to `outcome`.
        """

    @abstractmethod
    def assign_destinations(self) -> None:
        """Every item was met: settle what goes where."""

    @abstractmethod
    def outcome(self, item: FrozenItem, content: Mapping[str, Any], machine: MachineItem | None, met: int) -> Outcome:
        """Where one item goes; what is known of it besides where a machine wrote it. Items come in drawn order."""

    @abstractmethod
    def add_released(self, item: FrozenItem, outcome: Outcome, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Take in a released item, as `Kind.export_row` is given it; its row, empty where it has none of its own."""

    @abstractmethod
    def end_page(self, sinks: Sinks) -> None:
        """A page of items is through."""

    @abstractmethod
    def finish(self, sinks: Sinks) -> None:
        """Every item is through: write what needs all of them."""

    @abstractmethod
    def close(self) -> None:
        """The build is over, whatever its outcome."""

    @abstractmethod
    def counts(self, tally: Tally) -> dict[str, Any]:
        """What manifest, card and page count."""
