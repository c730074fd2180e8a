"""What a recipe is: how a machine writes questions, step by step, as pure functions between the calls.

A step says what it would ask (`asks`) and what the answers make of each question in the making (`takes`); who asks,
keeps and pays for calls is not its business. So the same steps run in jobs, in tests as tables, and from recorded
answers (mCSQA §3; id-csqa §4.1, §4.3).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel

from annotation.core.rules.settings import ProjectSettings

KEPT, CHANGED, DROPPED = "kept", "changed", "dropped"
CHAT: Final = "chat"
TRANSLATION: Final = "translation"
EMBEDDING: Final = "embedding"
# The reason under which a question is dropped when no answer to it could be used.
UNUSABLE = "unusable_answer"
EASY, HARD = "easy", "hard"
Asked = Literal["", "chat", "translation", "embedding"]


def gettext_noop(text: str) -> str:
    """Mark for translation without Django; templates translate."""
    return text


@dataclass(frozen=True)
class Frame:
    """Where a run takes place: language (BCP 47, and its English name for instructions), place, seed, settings.

    `keys` are the scorers and other endpoints that the run has beside its chat model, by step.
    """

    language: str
    language_name: str
    place: str
    seed: str
    settings: ProjectSettings
    also: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """A question in the making: the data of its material, and its content so far.

    The content has what a revision of a question has (`concept`, `category`, `question`, `options` with key, text and
    role), as far as it was made, and under `made` what is told of its making: `level`, the set it belongs to.
    """

    key: str
    material: str
    group: str
    data: Mapping[str, Any]
    content: Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """One question to an endpoint: the instruction's name with the values put into it, and the form of its answer.

    `about` are the keys of the works that it is about.
    """

    about: tuple[str, ...]
    instruction: str
    values: Mapping[str, str]
    answer: type[BaseModel]


class Answered(NamedTuple):
    """What came back: the answer, or None with the code of the fault when none could be used."""

    ask: Ask
    answer: BaseModel | None
    fault: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a step made of one work: its content afterwards, or why it was dropped (a code of `REASONS`)."""

    state: str
    content: Mapping[str, Any]
    reason: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


def kept(work: Work) -> Outcome:
    return Outcome(KEPT, work.content)


def changed(work: Work, content: Mapping[str, Any]) -> Outcome:
    """Changed, or kept where it is the same."""
    return Outcome(KEPT if content == work.content else CHANGED, content)


def dropped(work: Work, reason: str, **params: Any) -> Outcome:
    return Outcome(DROPPED, work.content, reason, params)


def _asks_nothing(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    return []


@dataclass(frozen=True)
class Step:
    """One step of a recipe. `asked` says which sort of endpoint it needs (empty: none), `parameters` its defaults.

    `takes` gets all works of a batch and all answers, and gives an outcome for every work's key.
    """

    slug: str
    name: str
    takes: Callable[[Frame, Sequence[Work], Sequence[Answered]], dict[str, Outcome]]
    asks: Callable[[Frame, Sequence[Work]], list[Ask]] = _asks_nothing
    asked: Asked = ""
    instructions: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    optional: bool = False


@dataclass(frozen=True)
class Recipe:
    """How questions are made of materials. `sort` names the material (set, concept, question, item).

    `material` is the form of a material's data, `begin` makes the works of one material (key, group, data).
    `reviewed` ones wait for a person's verdicts, others are asked about where the model failed.
    """

    slug: str
    name: str
    description: str
    sort: str
    material_name: str
    material_plural: str
    material: type[BaseModel]
    begin: Callable[[Frame, str, str, Mapping[str, Any]], list[Work]]
    steps: tuple[Step, ...]
    reviewed: bool = False

    def step(self, slug: str) -> Step:
        """The step of that slug; KeyError where there is none."""
        return next(step for step in self.steps if step.slug == slug)

    def after(self, slug: str) -> str:
        """The slug of the step behind this one (of the first for the empty slug); empty behind the last."""
        slugs = ["", *(step.slug for step in self.steps), ""]
        return slugs[slugs.index(slug) + 1]
