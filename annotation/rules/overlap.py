"""How much two sets of texts share: types of one and of two tokens (id-csqa §5.2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Shared:
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
    """The types of one and of two neighbouring tokens of a set, text after text."""

    def __init__(self, texts: Iterable[Sequence[str]] = ()) -> None:
        self.ones: set[str] = set()
        self.twos: set[tuple[str, str]] = set()
        for tokens in texts:
            self.add(tokens)

    def add(self, tokens: Sequence[str]) -> None:
        """Take one text along; no pair reaches from one text into the next."""
        self.ones.update(tokens)
        self.twos.update(pairwise(tokens))


def shared(left: Types, right: Types) -> tuple[Shared, Shared]:
    """What two sets have in common: types of one token, and of two."""
    return (
        Shared(len(left.ones & right.ones), len(left.ones), len(right.ones)),
        Shared(len(left.twos & right.twos), len(left.twos), len(right.twos)),
    )
