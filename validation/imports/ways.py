"""How rows come in, by the form of a kind's files: who reads them, who prepares whole items, who takes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotation.models import Project
from validation.rules.intake import Columns, Problem, Reader, Record, columns_of
from validation.rules.intake.people import Team
from validation.rules.intake.prompts import PromptReader
from validation.rules.intake.question_columns import LEFT_OUT
from validation.rules.intake.questions import QuestionReader
from validation.rules.intake.unit_columns import TO
from validation.rules.intake.units import UnitReader

from . import ground
from .concepts import ConceptTaker
from .frame import Frame
from .outcome import Outcome
from .pairs import PairTaker
from .premises import PremiseTaker
from .prepare import Preparer
from .prompts import PromptPreparer, PromptTaker, TopicTaker
from .questions import QuestionPreparer, QuestionTaker
from .unit_store import UnitTaker
from .units import UnitPreparer

Mapped = Mapping[str, str]
Records = Callable[[], Iterator[Record]]


class RowReader(Protocol):
    """Reads records; `whole` says that rows are finished items, not what writers start from."""

    whole: bool

    def read(self, record: Record) -> Any: ...


class Taker(Protocol):
    """Judges batches, and stores them where it was made to."""

    def take(self, rows: Sequence[Any]) -> Outcome: ...


@dataclass(frozen=True)
class Way:
    """One form's way in. `reader` may look through the file first, and tells what it assumed of it.

    `columns` are the fields of files where they differ from project to project. `gathers` says that several rows can
    make one item: the preparer puts them together, and has to see the file from its beginning. `weight` is how many
    items a row can hold.
    """

    reader: Callable[[Frame, Mapped, Records], tuple[RowReader, Problem | None]]
    preparer: Callable[[Frame, Mapped], Any]
    items: Callable[..., Taker]
    sources: Callable[..., Taker] | None = None
    columns: Callable[[Project], Columns] | None = None
    gathers: bool = False
    weight: Callable[[Mapped], int] = lambda mapping: 1


def columns_for(project: Project) -> Columns:
    """The fields that files can have for this project."""
    form = project.kind_spec.file_form
    own = WAYS[form].columns
    return columns_of(form) if own is None else own(project)


def _pairs(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    return Reader(mapping, frame.language, frame.kind.read_label), None


def _questions(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    """Where nobody is named as creator, the whole file tells who answers and who is left out."""
    team = Team()
    if mapping.get(LEFT_OUT) == mapping.get("answers", "") and "creator" not in mapping:
        for record in records():
            team.add((record.data or {}).get(mapping["answers"]))
    everyone = team.everyone if team.tells_creators else ()
    kind = frame.kind
    return QuestionReader(mapping, kind.label_keys, kind.read_label, everyone), team.told()


def _prompts(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    return PromptReader(mapping, frame.kind.read_label), None


def _units(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    return UnitReader(mapping, frame.ground.aims, frame.kind.read_label), None


WAYS: Mapping[str, Way] = {
    "pair": Way(
        reader=_pairs,
        preparer=lambda frame, mapping: Preparer(frame, with_tags="tags" in mapping),
        items=PairTaker,
        sources=PremiseTaker,
    ),
    "qa": Way(
        reader=_questions,
        preparer=QuestionPreparer,
        items=QuestionTaker,
        sources=ConceptTaker,
    ),
    "prompts": Way(
        reader=_prompts,
        preparer=PromptPreparer,
        items=PromptTaker,
        sources=TopicTaker,
    ),
    "units": Way(
        reader=_units,
        preparer=UnitPreparer,
        items=UnitTaker,
        columns=ground.columns_for,
        gathers=True,
        weight=lambda mapping: sum(field.startswith(TO) for field in mapping) or 1,
    ),
}
