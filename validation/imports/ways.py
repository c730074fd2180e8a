"""How rows come in, by the form of a kind's files: who reads them, who prepares whole items, who takes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from validation.rules.intake import Problem, Reader, Record
from validation.rules.intake.people import Team
from validation.rules.intake.prompts import PromptReader
from validation.rules.intake.question_columns import LEFT_OUT
from validation.rules.intake.questions import QuestionReader

from .concepts import ConceptTaker
from .frame import Frame
from .outcome import Outcome
from .pairs import PairTaker
from .premises import PremiseTaker
from .prepare import Preparer
from .prompts import PromptPreparer, PromptTaker, TopicTaker
from .questions import QuestionPreparer, QuestionTaker

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
    """One form's way in. `reader` may look through the file first, and tells what it assumed of it."""

    reader: Callable[[Frame, Mapped, Records], tuple[RowReader, Problem | None]]
    prepare: Callable[[Frame, Mapped], Callable[[Any], Any]]
    items: Callable[..., Taker]
    sources: Callable[..., Taker]


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


WAYS: Mapping[str, Way] = {
    "pair": Way(
        reader=_pairs,
        prepare=lambda frame, mapping: Preparer(frame, with_tags="tags" in mapping).prepare,
        items=PairTaker,
        sources=PremiseTaker,
    ),
    "qa": Way(
        reader=_questions,
        prepare=lambda frame, mapping: QuestionPreparer(frame, mapping).prepare,
        items=QuestionTaker,
        sources=ConceptTaker,
    ),
    "prompts": Way(
        reader=_prompts,
        prepare=lambda frame, mapping: PromptPreparer(frame, mapping).prepare,
        items=PromptTaker,
        sources=TopicTaker,
    ),
}
