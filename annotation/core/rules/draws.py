"""Every draw of the system: a sample, a split, a queue's order, shuffled options.

A draw depends on nothing but the seed, its purpose and the key, so that a stranger gets the same one
on any machine, database and version.
"""

import heapq
from collections.abc import Iterable
from hashlib import sha256
from typing import Generic, TypeVar

_FLOAT_BITS = 53
_DRAW_BITS = 63

Row = TypeVar("Row")


def draw(seed: str, purpose: str, key: str) -> int:
    """Draw a whole number of 63 bits (it fits a bigint): the head of sha256("seed:purpose:key")."""
    digest = sha256(f"{seed}:{purpose}:{key}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def fraction(seed: str, purpose: str, key: str) -> float:
    """Draw a fraction in [0, 1), from the upper 53 bits so that rounding never gives 1."""
    return (draw(seed, purpose, key) >> (_DRAW_BITS - _FLOAT_BITS)) / (1 << _FLOAT_BITS)


def order(seed: str, purpose: str, keys: Iterable[str]) -> list[str]:
    """Put keys in drawn order; equal draws, should they ever happen, go by key."""
    return sorted(keys, key=lambda key: (draw(seed, purpose, key), key))


class _DrawnRow(Generic[Row]):
    """A row in its drawn place. The last one is the least: that is what a heap gives away first."""

    __slots__ = ("place", "row")

    def __init__(self, place: tuple[int, str], row: Row) -> None:
        self.place = place
        self.row = row

    def __lt__(self, other: "_DrawnRow[Row]") -> bool:
        return self.place > other.place


class FirstDrawn(Generic[Row]):
    """The first `size` of the rows that come by, in drawn order: as `order` puts them, with no more of them kept."""

    def __init__(self, seed: str, purpose: str, size: int) -> None:
        self._seed, self._purpose, self._size = seed, purpose, size
        self._kept: list[_DrawnRow[Row]] = []

    def offer(self, key: str, row: Row) -> None:
        """Keep the row if it is one of the first so far."""
        drawn = _DrawnRow((draw(self._seed, self._purpose, key), key), row)
        if len(self._kept) < self._size:
            heapq.heappush(self._kept, drawn)
        elif self._kept:
            heapq.heappushpop(self._kept, drawn)

    def rows(self) -> list[Row]:
        """What is kept, in drawn order."""
        return [drawn.row for drawn in sorted(self._kept, reverse=True)]
