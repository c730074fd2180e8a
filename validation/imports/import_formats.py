"""How rows come in, by the form of a kind's files: who reads them, who prepares whole items, who takes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotation.core.models.project import Project
from annotation.text.normalise import storable
from validation.imports import source_index as ground
from validation.imports.concepts import ConceptTaker
from validation.imports.outcome import Outcome
from validation.imports.pairs import PairTaker
from validation.imports.premises import PremiseTaker
from validation.imports.prepare import Preparer
from validation.imports.project_context import Frame
from validation.imports.prompts import PromptPreparer, PromptTaker, TopicTaker
from validation.imports.questions import QuestionPreparer, QuestionTaker
from validation.imports.rules import Columns, FileRefused, Problem, Reader, Record, columns_of
from validation.imports.rules.people import Team
from validation.imports.rules.problems import gettext_noop
from validation.imports.rules.prompts import PromptReader, Users
from validation.imports.rules.questions import LEFT_OUT, LETTERS, QuestionReader, read_letter
from validation.imports.rules.units import TARGETS, TO, UnitReader
from validation.imports.unit_store import UnitTaker
from validation.imports.units import UnitPreparer

Mapped = Mapping[str, str]
LONGEST_MODEL = 200
# A row that lists its targets may have so many.
MOST_TARGETS = 25
Records = Callable[[], Iterator[Record]]


class RowReader(Protocol):
    """Reads records; `whole` says that rows are finished items, not what writers start from."""

    whole: bool

    def read(self, record: Record) -> Any: ...


class Taker(Protocol):
    """Judges batches, and stores them where it was made to."""

    def take(self, rows: Sequence[Any]) -> Outcome: ...


@dataclass(frozen=True)
class ImportFormat:
    """One form's way in. `reader` may look through the file first, and tells what it assumed of it.

    `columns` are the fields of files where they differ from project to project. `gathers` says that several rows can
    make one item: the preparer puts them together, and has to see the file from its beginning. `weight` is how many
    items a row can hold. `machine` says that files can hold what a machine wrote.
    """

    reader: Callable[[Frame, Mapped, Records], tuple[RowReader, Problem | None]]
    preparer: Callable[[Frame, Mapped], Any]
    items: Callable[..., Taker]
    sources: Callable[..., Taker] | None = None
    columns: Callable[[Project], Columns] | None = None
    gathers: bool = False
    weight: Callable[[Mapped], int] = lambda mapping: 1
    machine: bool = False


def machine_checked(way: ImportFormat, model: str) -> None:
    """Refuse a file of machine-written items where there can be none, or whose model has no proper name."""
    if not way.machine:
        message = gettext_noop("Items of this project are not written by machines: leave the model out.")
        raise FileRefused("machine_unlike", message)
    if len(model) > LONGEST_MODEL or storable(model) or not model.isprintable():
        message = gettext_noop("The model's name is one line of at most %(most)s characters.")
        raise FileRefused("machine_name_wrong", message, most=LONGEST_MODEL)


def columns_for(project: Project) -> Columns:
    """The fields that files can have for this project."""
    form = project.kind_spec.file_form
    own = WAYS[form].columns
    return columns_of(form) if own is None else own(project)


def _pairs(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    return Reader(mapping, frame.language, frame.kind.read_label), None


def _questions(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    """Where nobody is named as creator, the whole file tells who answers and who is left out."""
    kind, team = frame.kind, Team()
    if frame.machine:
        # A machine can have written more choices than a question has here, or fewer: they are mended in review.
        return QuestionReader(mapping, LETTERS, read_letter, by_machine=True), None
    if mapping.get(LEFT_OUT) == mapping.get("answers", "") and "creator" not in mapping:
        for record in records():
            team.add((record.data or {}).get(mapping["answers"]))
    everyone = team.everyone if team.tells_creators else ()
    return QuestionReader(mapping, kind.label_keys, kind.read_label, everyone), team.told()


def _prompts(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    users = Users()
    if "prompt" in mapping:
        for record in records():
            users.add(record.data or {}, mapping)
    left_out = users.left_out
    return PromptReader(mapping, frame.kind.read_label, users_left_out=left_out), users.told()


def _units(frame: Frame, mapping: Mapped, records: Records) -> tuple[RowReader, Problem | None]:
    return UnitReader(mapping, frame.ground.aims, frame.kind.read_label), None


def _to(field: str) -> bool:
    return field.startswith(TO)


WAYS: Mapping[str, ImportFormat] = {
    "pair": ImportFormat(
        reader=_pairs,
        preparer=lambda frame, mapping: Preparer(frame, with_tags="tags" in mapping),
        items=PairTaker,
        sources=PremiseTaker,
    ),
    "qa": ImportFormat(
        reader=_questions,
        preparer=QuestionPreparer,
        items=QuestionTaker,
        sources=ConceptTaker,
        machine=True,
    ),
    "prompts": ImportFormat(
        reader=_prompts,
        preparer=PromptPreparer,
        items=PromptTaker,
        sources=TopicTaker,
    ),
    "units": ImportFormat(
        reader=_units,
        preparer=UnitPreparer,
        items=UnitTaker,
        columns=ground.columns_for,
        gathers=True,
        weight=lambda mapping: MOST_TARGETS if TARGETS in mapping else sum(map(_to, mapping)) or 1,
    ),
}
