"""How much two sets of texts share: types of one and of two tokens (id-csqa §5.2)."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# After so many occurrences only the types of them are kept.
_KEPT = 4_000_000


@dataclass(frozen=True)
class SharedTypes:
    """How many types two sets have in common, and how many each has."""

    both: int
    left: int
    right: int

    @property
    def of_left(self) -> float | None:
        """The share of the left set's types that the right one has too; None where it has none."""
        return self.both / self.left if self.left else None

    @property
    def of_right(self) -> float | None:
        """The share of the right set's types that the left one has too; None where it has none."""
        return self.both / self.right if self.right else None


class Types:
    """The types of one and of two neighbouring tokens of a set, text after text, as numbers.

    Sets that are compared have one dictionary of `numbers`.
    """

    def __init__(self, numbers: dict[str, int], texts: Iterable[Sequence[str]] = ()) -> None:
        self._numbers, self._ones, self._twos = numbers, array("q"), array("q")
        for tokens in texts:
            self.add(tokens)

    def add(self, tokens: Sequence[str]) -> None:
        """Take one text along; no pair reaches from one text into the next."""
        ids = [self._numbers.setdefault(token, len(self._numbers)) for token in tokens]
        self._ones.extend(ids)
        self._twos.extend(left << 32 | right for left, right in pairwise(ids))
        if len(self._ones) > _KEPT:
            self._ones = array("q", self.ones.tobytes())
        if len(self._twos) > _KEPT:
            self._twos = array("q", self.twos.tobytes())

    @property
    def ones(self) -> "np.ndarray":
        """The types of one token."""
        return _distinct(self._ones)

    @property
    def twos(self) -> "np.ndarray":
        """The types of two tokens."""
        return _distinct(self._twos)


def _distinct(numbers: "array[int]") -> "np.ndarray":
    import numpy as np

    distinct: np.ndarray = np.unique(np.array(numbers, dtype=np.int64))
    return distinct


def count_shared(left: Types, right: Types) -> tuple[SharedTypes, SharedTypes]:
    """What two sets have in common: types of one token, and of two."""
    return _count_shared(left.ones, right.ones), _count_shared(left.twos, right.twos)


def _count_shared(left: "np.ndarray", right: "np.ndarray") -> SharedTypes:
    import numpy as np

    return SharedTypes(len(np.intersect1d(left, right, assume_unique=True)), len(left), len(right))
