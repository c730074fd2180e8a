"""The first rows of a file as they would be stored, for the page that asks before anything is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from annotation.jobs.models import Import
from annotation.kinds import Kind, Label
from validation.imports.actions import stored_path
from validation.imports.outcome import words
from validation.imports.pipeline import Intake, Ready
from validation.imports.prepare import Pair
from validation.imports.project_context import Frame
from validation.imports.questions import Question
from validation.imports.rules import FileRefused, PremiseRow, Problem
from validation.imports.rules.questions import ConceptRow
from validation.imports.units import Bundle, Whole

SHOWN = 6
LOOKED_AT = 500


@dataclass(frozen=True)
class Shown:
    """One row: its number, and either what is wrong with it or what would be stored.

    `facts` stand above the texts, as (name, value) where a name is needed; `options` are labels of the item's own,
    the answer among them is `label`; `votes` are (name, label, whether it is marked, reason); `translated` are texts
    in other languages, as (target, language, text).
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
    translated: tuple[tuple[str, str, str], ...] = ()

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


def preview(taken: Import, mapping: Mapping[str, str], machine: str = "") -> Preview:
    """Read the first rows; nothing is stored, and the database is not asked. `machine` is the model that wrote them."""
    try:
        intake = Intake.open(taken.project, stored_path(taken), taken.name, mapping, machine)
        rows = list(islice(intake.ready(), LOOKED_AT))
    except FileRefused as refused:
        return Preview(problem=words(refused))
    shown = [each for row in rows for each in _shown(intake.frame, row)]
    return Preview(
        rows=tuple([row for row in shown if row.problem is None][:SHOWN]),
        refused=tuple([row for row in shown if row.problem is not None][:SHOWN]),
        looked_at=len(rows),
        items=intake.holds_items,
        assumed=words(intake.assumed) if intake.assumed is not None else "",
    )


def _shown(frame: Frame, ready: Ready) -> list[Shown]:
    n, row = ready
    if isinstance(row, Problem):
        return [Shown(n, row)]
    return _bundle(row, frame) if isinstance(row, Bundle) else [_SHOW[type(row)](n, row, frame.kind)]


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
        tuple(
            (vote.name, vote.label, bool(vote.unsure or vote.ambiguous), vote.comment) for vote in row.votes
        ),
        (),
        ready.failed,
    )


def _bundle(bundle: Bundle, frame: Frame) -> list[Shown]:
    """A row of translations: the source once, each target that it has below it, and what is wrong with others."""
    refused = [Shown(each.n, each.what) for each in bundle.told if isinstance(each.what, Problem)]
    wholes = [(each.n, each.what) for each in bundle.told if isinstance(each.what, Whole)]
    if not wholes:
        return refused
    n, first = wholes[0]
    targets, row = frame.ground.targets, first.row
    translated = tuple(
        (targets[whole.row.target].title, targets[whole.row.target].language, text["text"])
        for _, whole in wholes
        for text in whole.content["fields"]
    )
    votes = ((row.reviewer, row.review, False, row.reason),) if row.review else ()
    failed = tuple(check for _, whole in wholes for check in whole.failed.get("checks", ()))
    texts = tuple(each["text"] for each in first.content["source"])
    facts = _told([("", first.unit.set_key)])
    shown = Shown(
        n,
        None,
        row.row_id,
        facts,
        texts,
        author=row.translator,
        votes=votes,
        failed=failed,
        translated=translated,
    )
    return [shown, *refused]


def _told(facts: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in facts if value)


_SHOW: Mapping[type, Callable[[int, Any, Kind], Shown]] = {
    PremiseRow: _premise,
    Pair: _pair,
    ConceptRow: _concept,
    Question: _question,
}
