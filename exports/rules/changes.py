"""What differs from the release before: rows that came, went, moved, or carry another label or text."""

from dataclasses import asdict, dataclass
from typing import NamedTuple


class Earlier(NamedTuple):
    """How the release before had an item."""

    split: str
    label: str
    revision: int
    votes_n: int


@dataclass
class Changes:
    """Counts rows as they go by, each with how it was before (None: it was not there)."""

    added: int = 0
    removed: int = 0
    moved: int = 0
    relabelled: int = 0
    reworded: int = 0
    new_votes: int = 0

    def add(self, now: Earlier, before: Earlier | None) -> None:
        """Compare one item."""
        self.new_votes += now.votes_n - (before.votes_n if before else 0)
        if before is None or not before.split:
            self.added += bool(now.split)
        elif not now.split:
            self.removed += 1
        else:
            self.moved += now.split != before.split
            self.relabelled += now.label != before.label
            self.reworded += now.revision != before.revision

    def to_dict(self) -> dict[str, int]:
        return asdict(self)
