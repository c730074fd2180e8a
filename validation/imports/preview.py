"""The first rows of a file as they would be stored, for the page that asks before anything is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from annotation.kinds import Kind, Label
from annotation.models import Import
from validation.rules.intake import FileRefused, PremiseRow, Problem
from validation.rules.intake.questions import ConceptRow

from .intake import Intake, Ready
from .job import stored_path
from .outcome import words
from .prepare import Pair
from .questions import Question

SHOWN = 6
LOOKED_AT = 500


@dataclass(frozen=True)
class Shown:
    """One row: its number, and either what is wrong with it or what would be stored.

    `facts` stand above the texts, as (name, value) where a name is needed; `options` are labels of the item's own,
    the answer among them is `label`; `votes` are (name, label, whether it is marked, reason).
    """

    n: int
    problem: Problem | None
    key: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()
    options: tuple[Label, ...] = ()
    label: Label | None = None
    author: str = ""
    votes: tuple[tuple[str, str, bool, str], ...] = ()
    tags: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why the row would be refused."""
        return words(self.problem) if self.problem is not None else ""


@dataclass(frozen=True)
class Preview:
    """What a file looks like under a mapping; `problem` where it cannot be read, `assumed` what no column says."""

    rows: tuple[Shown, ...] = ()
    refused: tuple[Shown, ...] = ()
    looked_at: int = 0
    items: bool = False
    assumed: str = ""
    problem: str = ""


def preview(taken: Import, mapping: Mapping[str, str]) -> Preview:
    """Read the first rows; nothing is stored, and the database is not asked."""
    try:
        intake = Intake.open(taken.project, stored_path(taken), taken.name, mapping)
        rows = list(islice(intake.ready(), LOOKED_AT))
    except FileRefused as refused:
        return Preview(problem=words(refused))
    shown = [_shown(intake.frame.kind, row) for row in rows]
    return Preview(
        rows=tuple([row for row in shown if row.problem is None][:SHOWN]),
        refused=tuple([row for row in shown if row.problem is not None][:SHOWN]),
        looked_at=len(rows),
        items=intake.holds_items,
        assumed=words(intake.assumed) if intake.assumed is not None else "",
    )


def _shown(kind: Kind, ready: Ready) -> Shown:
    n, row = ready
    return Shown(n, row) if isinstance(row, Problem) else _SHOW[type(row)](n, row, kind)


def _premise(n: int, row: PremiseRow, kind: Kind) -> Shown:
    facts = [("", row.sentence_class), ("", row.document), *row.extra.items()]
    return Shown(n, None, row.key, _told(facts), (row.text,))


def _pair(n: int, ready: Pair, kind: Kind) -> Shown:
    row = ready.row
    premise = _premise(n, row.premise, kind)
    return Shown(
        n,
        None,
        row.key,
        premise.facts,
        (row.premise.text, row.hypothesis),
        (),
        kind.label(row.author_label),
        row.author,
        tuple((name, label, False, "") for name, label in row.votes),
        row.tags,
        ready.failed,
    )


def _concept(n: int, row: ConceptRow, kind: Kind) -> Shown:
    facts = [("", row.category), ("shared_key", row.shared_key), ("parallel", row.parallel)]
    return Shown(n, None, row.key, _told(facts), (row.text,))


def _question(n: int, ready: Question, kind: Kind) -> Shown:
    row = ready.row
    facts = [("", row.category), ("", row.concept), ("parallel", row.parallel)]
    return Shown(
        n,
        None,
        row.key,
        _told(facts),
        (row.question,),
        kind.labels_of(ready.content),
        kind.label_in(ready.content, row.author_label),
        row.author,
        tuple((vote.name, vote.label, vote.unsure or vote.ambiguous, vote.comment) for vote in row.votes),
        (),
        ready.failed,
    )


def _told(facts: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in facts if value)


_SHOW: Mapping[type, Callable[[int, Any, Kind], Shown]] = {
    PremiseRow: _premise,
    Pair: _pair,
    ConceptRow: _concept,
    Question: _question,
}
