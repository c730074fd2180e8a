"""The frozen rows of a release with all that is asked of them: read once, put aside, handed on in drawn order."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from exports import sql
from exports.aside import Aside
from exports.models import Release
from exports.rules.machine import ORIGIN
from exports.rules.rows import Frozen
from exports.spool import Spool

_ORDER, _ITEM, _KEY, _ORIGIN, _CONTENT = map(
    Frozen._fields.index, ("order", "item", "key", "origin", "content")
)

Told = tuple[tuple[Any, ...], str]


class Row(NamedTuple):
    """A frozen row: its item, its votes as `sql.Votes.read` takes them, what else was true of it then.

    `earlier` has for each earlier release what `Earlier` has, or None where the item was not in it.
    """

    item: Frozen
    votes: str
    flags: list[str]
    earlier: list[Sequence[Any] | None]
    machine: Sequence[Any] | None


class FrozenRows:
    """The rows of one project in a release; `tick` is told of each that was read."""

    def __init__(
        self,
        release: Release,
        folder: Path,
        votes: sql.Votes,
        *,
        before: Sequence[Release],
        tick: Callable[[int], None],
    ) -> None:
        self.release, self.votes, self.tick = release.pk, votes, tick
        self.shape, self.before = release.project.kind_spec.shape, [earlier.pk for earlier in before]
        windows = list(sql.windows(self.release))
        with ExitStack() as stack:
            self.spool = Spool(folder, len(windows) * sql.PAGE)
            stack.callback(self.spool.close)
            self._put_aside(windows)
            stack.pop_all()

    def _put_aside(self, windows: Sequence[sql.Window]) -> None:
        """Read all; the next window is fetched while the last is put aside."""
        ahead: Future[list[Told]] | None = None
        with Aside() as aside:
            for window in [*windows, None]:
                here, ahead = ahead, aside.ask(self._read, window) if window else None
                if here is not None:
                    rows = here.result()
                    for row, votes in rows:
                        self.spool.add(row, votes)
                    aside.tell(self.tick, len(rows))

    def _read(self, window: sql.Window) -> list[Told]:
        items = sql.frozen(self.release, self.shape, window)
        votes, flags = self.votes.of(window), sql.flags_of(self.release, window)
        ids = [item[_ITEM] for item in items]
        earlier = [sql.earlier(before, ids) for before in self.before]
        by_machine = any(item[_ORIGIN] == ORIGIN for item in items)
        machines = sql.machine_of(self.release, window) if by_machine else {}
        told = []
        for pk, item in zip(ids, items, strict=True):
            before = [then.get(pk) for then in earlier]
            row = (item[_ORDER], item[_KEY], _plain(item), flags.get(pk, ()), before, machines.get(pk))
            told.append((row, votes.get(pk) or ""))
        return told

    def items(self) -> Iterator[Frozen]:
        """The items alone, in drawn order."""
        for row, _ in self.spool.rows():
            yield Frozen._make(row[2])

    def rows(self) -> Iterator[Row]:
        """Every row, in drawn order."""
        for (_, _, item, *told), votes in self.spool.rows():
            yield Row(Frozen._make(item), votes, *told)

    def close(self) -> None:
        """The build is over, whatever came of it."""
        self.spool.close()


def _plain(item: sql.FrozenRow) -> tuple[Any, ...]:
    """An item as it is put aside, its content as it stands: so it is parsed with the row, and once."""
    content = item[_CONTENT]
    return (*item[:_CONTENT], None if content is None else orjson.Fragment(content), *item[_CONTENT + 1 :])
