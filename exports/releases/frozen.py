"""The frozen rows of a release with all their data: read once, stored in temporary files, returned in drawn order.

In drawn order each row of a large release is somewhere else on the disk, with its text, its source and each of its
votes, and every place is read again for every row; as they lie, all is read once. So rows are read as they lie, put
aside on disk and sorted a piece at a time: drawn places are spread evenly, so a piece of them holds few rows, and the
pieces one after another hold all rows in order. A thread asks the database for the next page meanwhile.
"""

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from annotation.content import shapes
from exports.releases import sql
from exports.releases.models import Release
from exports.releases.rules.machine import ORIGIN
from exports.releases.rules.rows import FrozenItem
from exports.releases.rules.settings import PUBLISHED

P = ParamSpec("P")
T = TypeVar("T")


class BackgroundQueries:
    """Runs queries in order in a thread beside; an error is raised where its answer is taken, or at the end."""

    def __init__(self) -> None:
        self.connection: BaseDatabaseWrapper = connections[DEFAULT_DB_ALIAS]
        self.pending: list[Future[Any]] = []

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin something whose answer is needed later."""
        return self.pool.submit(function, *args, **kwargs)

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        """Begin something without an answer; errors of what was begun before are raised here."""
        while self.pending and self.pending[0].done():
            self.pending.pop(0).result()
        self.pending.append(self.submit(function, *args, **kwargs))

    def __enter__(self) -> "BackgroundQueries":
        self.connection.inc_thread_sharing()
        self.pool = ThreadPoolExecutor(1, initializer=_share_connection, initargs=(self.connection,))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for what is under way; of what is not begun nothing is done where an error came."""
        try:
            self.pool.shutdown(wait=True, cancel_futures=kind is not None)
        finally:
            self.connection.dec_thread_sharing()
        if kind is None:
            for each in self.pending:
                each.result()


def _share_connection(connection: BaseDatabaseWrapper) -> None:
    """In the thread beside: use the connection of the one that opened it."""
    connections[DEFAULT_DB_ALIAS] = connection


ROWS_A_PIECE = 4000
MOST_PIECES = 192  # each is an open file; beyond a million rows it is the pieces that grow
AT_ONCE = 16  # rows of each piece that wait in memory
_BITS, _LENGTH = 63, 8  # of a drawn place (annotation.core.rules.draws); bytes of a length
_SEPARATOR = "\x1d"


class Spool:
    """Rows as JSON has them, whose first two are their drawn place and their key (the order of equal places).

    With each goes a text in which the control character that separates groups (GS) does not occur.
    """

    def __init__(self, folder: Path, expected: int) -> None:
        pieces = min(MOST_PIECES, 1 + expected // ROWS_A_PIECE)
        with ExitStack() as stack:
            # Nameless from the start: whatever stops the build, nothing of it is left.
            self.files = [stack.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in range(pieces)]
            self._opened = stack.pop_all()
        self.waiting: list[list[tuple[tuple[Any, ...], str]]] = [[] for _ in range(pieces)]

    def add(self, row: tuple[Any, ...], text: str) -> None:
        """Take in one row and its text."""
        piece = row[0] * len(self.files) >> _BITS
        waiting = self.waiting[piece]
        waiting.append((row, text))
        if len(waiting) >= AT_ONCE:
            self._put(piece)

    def _put(self, piece: int) -> None:
        rows, texts = zip(*self.waiting[piece], strict=True)
        for data in (orjson.dumps(rows), _SEPARATOR.join(texts).encode()):
            self.files[piece].write(len(data).to_bytes(_LENGTH, "big") + data)
        self.waiting[piece].clear()

    def rows(self) -> Iterator[tuple[list[Any], str]]:
        """Every row with its text, in drawn order; as often as asked, once all are in."""
        for piece, file in enumerate(self.files):
            if self.waiting[piece]:
                self._put(piece)
            file.seek(0)
            found: list[tuple[list[Any], str]] = []
            while head := file.read(_LENGTH):
                rows = orjson.loads(file.read(int.from_bytes(head, "big")))
                texts = file.read(int.from_bytes(file.read(_LENGTH), "big")).decode().split(_SEPARATOR)
                found += zip(rows, texts, strict=True)
            found.sort(key=_order_in_spool)
            yield from found

    def close(self) -> None:
        """The build is over, whatever its outcome."""
        self._opened.close()


def _order_in_spool(row: tuple[list[Any], str]) -> list[Any]:
    return row[0][:2]


_ORDER, _ITEM, _KEY, _STAGE, _ORIGIN, _CONTENT = map(
    FrozenItem._fields.index, ("order", "item", "key", "stage", "origin", "content")
)

# An item, its votes, and what else a `tuple[Any, ...]` has of it, but the outcome of meeting it.
_Read = tuple[sql.FrozenRow, str, list[str], list[tuple[Any, ...] | None], tuple[Any, ...] | None]


class Row(NamedTuple):
    """A frozen row: its item, its votes as `sql.Votes.read` takes them, what else was true of it then.

    `earlier` has for each earlier release what `Earlier` has, or None where the item was not in it. `collected` is
    what came of meeting the item.
    """

    item: FrozenItem
    votes: str
    flags: list[str]
    earlier: list[Sequence[Any] | None]
    machine: Sequence[Any] | None
    collected: int


class FrozenRows:
    """The rows of one project in a release, of which `tick` is told.

    Each is met as it is read, where it is at one of the stages `meets`; at any where that is None.
    """

    def __init__(
        self,
        release: Release,
        folder: Path,
        votes: sql.Votes,
        *,
        before: Sequence[Release],
        meet: Callable[[FrozenItem], int],
        meets: Collection[str] | None,
        tick: Callable[[int], None],
    ) -> None:
        self.release, self.votes, self.tick = release.pk, votes, tick
        self.published = release.rules.get("deal") == PUBLISHED
        self.meet, self.meets = meet, meets
        self.shape, self.before = (
            shapes.get(release.project.kind_spec.shape),
            [earlier.pk for earlier in before],
        )
        windows = list(sql.windows(self.release))
        with ExitStack() as stack:
            self.spool = Spool(folder, len(windows) * sql.PAGE)
            stack.callback(self.spool.close)
            self._put_aside(windows)
            stack.pop_all()

    def _put_aside(self, windows: Sequence[sql.Window]) -> None:
        """Read all; the next window is fetched while the items of the last are met and set aside."""
        ahead: Future[list[_Read]] | None = None
        with BackgroundQueries() as background:
            for window in [*windows, None]:
                here, ahead = ahead, background.submit(self._read, window) if window else None
                if here is not None:
                    rows = here.result()
                    for row in rows:
                        self._add(*row)
                    background.run(self.tick, len(rows))

    def _read(self, window: sql.Window) -> list[_Read]:
        items = sql.frozen_rows(self.release, self.shape, window, published=self.published)
        votes, flags = self.votes.votes_by_item(window), sql.open_flags(self.release, window)
        ids = [item[_ITEM] for item in items]
        earlier = [sql.earlier_rows(before, ids) for before in self.before]
        by_machine = any(item[_ORIGIN] == ORIGIN for item in items)
        machines = sql.machine_rows(self.release, window) if by_machine else {}
        return [
            (
                item,
                votes.get(pk) or "",
                flags.get(pk, []),
                [then.get(pk) for then in earlier],
                machines.get(pk),
            )
            for pk, item in zip(ids, items, strict=True)
        ]

    def _add(self, item: sql.FrozenRow, votes: str, *facts: Any) -> None:
        """Meet an item and put it aside, its content as it stands: it is parsed with the row then."""
        head, content, tail = item[:_CONTENT], item[_CONTENT], item[_CONTENT + 1 :]
        met = 0
        if self.meets is None or item[_STAGE] in self.meets:
            met = self.meet(FrozenItem._make((*head, content and orjson.loads(content), *tail)))
        plain = content and orjson.Fragment(content)
        self.spool.add((item[_ORDER], item[_KEY], (*head, plain, *tail), *facts, met), votes)

    def rows(self) -> Iterator[Row]:
        """Every row, in drawn order."""
        for (_, _, item, *facts), votes in self.spool.rows():
            yield Row(FrozenItem._make(item), votes, *facts)

    def close(self) -> None:
        """The build is over, whatever its outcome."""
        self.spool.close()
