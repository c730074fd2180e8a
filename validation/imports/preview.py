"""The first rows of a file as they would be stored, for the page that asks before anything is."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from annotation.kinds import Label
from annotation.models import Import
from validation.rules.intake import FileRefused, PremiseRow, Problem

from .intake import Intake, Ready
from .job import stored_path
from .outcome import words
from .prepare import Pair

SHOWN = 6
LOOKED_AT = 500


@dataclass(frozen=True)
class Shown:
    """One row: its number, and either what is wrong with it or what would be stored."""

    n: int
    problem: Problem | None
    key: str = ""
    premise: PremiseRow | None = None
    hypothesis: str = ""
    label: Label | None = None
    author: str = ""
    votes: tuple[tuple[str, str], ...] = ()
    tags: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why the row would be refused."""
        return words(self.problem) if self.problem is not None else ""


@dataclass(frozen=True)
class Preview:
    """What a file looks like under a mapping; `problem` where it cannot be read at all."""

    rows: tuple[Shown, ...] = ()
    refused: tuple[Shown, ...] = ()
    looked_at: int = 0
    pairs: bool = False
    problem: str = ""


def preview(taken: Import, mapping: Mapping[str, str]) -> Preview:
    """Read the first rows; nothing is stored, and the database is not asked."""
    try:
        intake = Intake.open(taken.project, stored_path(taken), taken.name, mapping)
        rows = list(islice(intake.ready(), LOOKED_AT))
    except FileRefused as refused:
        return Preview(problem=words(refused))
    shown = [_shown(intake, row) for row in rows]
    return Preview(
        rows=tuple([row for row in shown if row.problem is None][:SHOWN]),
        refused=tuple([row for row in shown if row.problem is not None][:SHOWN]),
        looked_at=len(rows),
        pairs=intake.holds_pairs,
    )


def _shown(intake: Intake, ready: Ready) -> Shown:
    n, row = ready
    if isinstance(row, Problem):
        return Shown(n, row)
    if isinstance(row, Pair):
        pair, kind = row.row, intake.frame.kind
        return Shown(
            n,
            None,
            pair.key,
            pair.premise,
            pair.hypothesis,
            kind.label(pair.author_label),
            pair.author,
            pair.votes,
            pair.tags,
            row.failed,
        )
    return Shown(n, None, row.key, row)
