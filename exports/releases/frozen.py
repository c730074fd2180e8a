"""The frozen rows of a release with all that is asked of them: read once, put aside, handed on in drawn order."""

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from exports.releases import sql
from exports.releases.background_queries import Aside
from exports.releases.models import Release
from exports.releases.rules.machine import ORIGIN
from exports.releases.rules.rows import Frozen
from exports.releases.spool import Spool

_ORDER, _ITEM, _KEY, _STAGE, _ORIGIN, _CONTENT = map(
    Frozen._fields.index, ("order", "item", "key", "stage", "origin", "content")
)

# An item, its votes, and what else a `Row` has of it, but what came of meeting it.
_Read = tuple[sql.FrozenRow, str, list[str], list[tuple[Any, ...] | None], tuple[Any, ...] | None]


class Row(NamedTuple):
    """A frozen row: its item, its votes as `sql.Votes.read` takes them, what else was true of it then.

    `earlier` has for each earlier release what `Earlier` has, or None where the item was not in it. `met` is what came
    of meeting the item.
    """

    item: Frozen
    votes: str
    flags: list[str]
    earlier: list[Sequence[Any] | None]
    machine: Sequence[Any] | None
    met: int


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
        meet: Callable[[Frozen], int],
        meets: Collection[str] | None,
        tick: Callable[[int], None],
    ) -> None:
        self.release, self.votes, self.tick = release.pk, votes, tick
        self.meet, self.meets = meet, meets
        self.shape, self.before = release.project.kind_spec.shape, [earlier.pk for earlier in before]
        windows = list(sql.windows(self.release))
        with ExitStack() as stack:
            self.spool = Spool(folder, len(windows) * sql.PAGE)
            stack.callback(self.spool.close)
            self._put_aside(windows)
            stack.pop_all()

    def _put_aside(self, windows: Sequence[sql.Window]) -> None:
        """Read all; the next window is fetched while the items of the last are met and put aside."""
        ahead: Future[list[_Read]] | None = None
        with Aside() as aside:
            for window in [*windows, None]:
                here, ahead = ahead, aside.ask(self._read, window) if window else None
                if here is not None:
                    rows = here.result()
                    for row in rows:
                        self._add(*row)
                    aside.tell(self.tick, len(rows))

    def _read(self, window: sql.Window) -> list[_Read]:
        items = sql.frozen(self.release, self.shape, window)
        votes, flags = self.votes.of(window), sql.flags_of(self.release, window)
        ids = [item[_ITEM] for item in items]
        earlier = [sql.earlier(before, ids) for before in self.before]
        by_machine = any(item[_ORIGIN] == ORIGIN for item in items)
        machines = sql.machine_of(self.release, window) if by_machine else {}
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

    def _add(self, item: sql.FrozenRow, votes: str, *told: Any) -> None:
        """Meet an item and put it aside, its content as it stands: it is parsed with the row then."""
        head, content, tail = item[:_CONTENT], item[_CONTENT], item[_CONTENT + 1 :]
        met = 0
        if self.meets is None or item[_STAGE] in self.meets:
            met = self.meet(Frozen._make((*head, content and orjson.loads(content), *tail)))
        plain = content and orjson.Fragment(content)
        self.spool.add((item[_ORDER], item[_KEY], (*head, plain, *tail), *told, met), votes)

    def rows(self) -> Iterator[Row]:
        """Every row, in drawn order."""
        for (_, _, item, *told), votes in self.spool.rows():
            yield Row(Frozen._make(item), votes, *told)

    def close(self) -> None:
        """The build is over, whatever came of it."""
        self.spool.close()
