"""What a recipe is: how a machine writes questions, step by step, as pure functions between the calls.

A step says what it would ask (`asks`) and what the answers make of each question in the making (`takes`); who asks,
keeps and pays for calls is not its business. So the same steps run in jobs, in tests as tables, and from recorded
answers (mCSQA §3; id-csqa §4.1, §4.3).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeVar

from pydantic import BaseModel

from annotation.core.rules.settings import ProjectSettings
from annotation.kinds.mcq import ANSWER

KEPT, CHANGED, DROPPED = "kept", "changed", "dropped"
CHAT: Final = "chat"
TRANSLATION: Final = "translation"
EMBEDDING: Final = "embedding"
# The reason under which a question is dropped when no answer to it could be used.
UNUSABLE = "unusable_answer"
EASY, HARD = "easy", "hard"
Form = TypeVar("Form", bound=BaseModel)


@dataclass(frozen=True)
class Frame:
    """Where a run takes place: language (BCP 47, and its English name for instructions), place, seed, settings.

    `extra` is what else the recipe is told, such as the questions that are there already (`taken`).
    """

    language: str
    language_name: str
    place: str
    seed: str
    settings: ProjectSettings
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """A question in the making: the data of its material, and its content so far.

    The content has what a revision of a question has (`concept`, `category`, `question`, `options` with key, text and
    role), as far as it was made, and under `made` what is known of its making: `level`, the set it belongs to.
    """

    key: str
    material: str
    group: str
    data: Mapping[str, Any]
    content: Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """One question to an endpoint: the instruction's name with the values put into it, and the form of its answer.

    `work_keys` are the keys of the works that it is about.
    """

    work_keys: tuple[str, ...]
    instruction: str
    values: Mapping[str, str]
    answer: type[BaseModel]


class AskResult(NamedTuple):
    """What came back: the answer, or None with the code of the fault when none could be used."""

    ask: Ask
    answer: BaseModel | None
    fault: str = ""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a question: the code of the reason (in `REASONS`), and the parameters of its words."""

    reason: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a step made of one work: its content afterwards, or why it was dropped (a code of `REASONS`)."""

    state: str
    content: Mapping[str, Any]
    reason: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


Asks = Callable[[Frame, Sequence[Work]], list[Ask]]
Takes = Callable[[Frame, Sequence[Work], Sequence[AskResult]], dict[str, Outcome]]


@dataclass(frozen=True)
class Step:
    """One step of a recipe. `asked` says which sort of endpoint it needs (empty: none), `parameters` its defaults.

    `apply_answers` gets all works of a batch and all answers, and gives an outcome for every work's key.
    """

    slug: str
    name: str
    apply_answers: Takes
    build_asks: Asks = lambda frame, works: []
    asked: Literal["", "chat", "translation", "embedding"] = ""
    instructions: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    optional: bool = False


@dataclass(frozen=True)
class Recipe:
    """How questions are made of materials. `sort` names the material (set, concept, question, item).

    `material_form` is the form of a material's data, `build_works` makes the works of one material (key, group, data).
    `is_reviewed` ones wait for a person's verdicts, others are asked about where the model failed.
    """

    slug: str
    name: str
    description: str
    sort: str
    material_name: str
    material_plural: str
    material_form: type[BaseModel]
    build_works: Callable[[Frame, str, str, Mapping[str, Any]], list[Work]]
    steps: tuple[Step, ...]
    is_reviewed: bool = False

    def step(self, slug: str) -> Step:
        """The step of that slug; StopIteration where there is none."""
        return next(step for step in self.steps if step.slug == slug)


# --- outcomes ------------------------------------------------------------------------------------


def kept_outcome(work: Work) -> Outcome:
    return Outcome(KEPT, work.content)


def changed_outcome(work: Work, content: Mapping[str, Any]) -> Outcome:
    """Changed, or kept where it is the same."""
    return Outcome(KEPT if content == work.content else CHANGED, content)


def dropped_outcome(work: Work, reason: str, **params: Any) -> Outcome:
    return Outcome(DROPPED, work.content, reason, params)


def refused_outcome(content: Mapping[str, Any], fault: Fault) -> Outcome:
    """Dropped for a fault of what was made; the content shows what that was."""
    return Outcome(DROPPED, content, fault.reason, dict(fault.params))


def change_unless_fault(work: Work, content: Mapping[str, Any], fault: Fault | None) -> Outcome:
    """Changed into the content, or dropped where something is wrong with it."""
    return refused_outcome(content, fault) if fault else changed_outcome(work, content)


def unusable_outcome(work: Work, answered: Sequence[AskResult]) -> Outcome:
    """Dropped because no answer could be used; the faults of the answers go with it."""
    faults = sorted({given.fault for given in answered if given.fault})
    return dropped_outcome(work, UNUSABLE, fault=", ".join(faults))


# --- what steps ask, and what they take from the answers -----------------------------------------


def is_always_due(work: Work) -> bool:
    return True


def one_call(
    instruction: str,
    values: Callable[[Frame, Work], Mapping[str, str]],
    answer: type[BaseModel],
    due: Callable[[Work], bool] = is_always_due,
) -> Asks:
    """One call about each work that is due."""
    return lambda frame, works: [
        Ask((work.key,), instruction, values(frame, work), answer) for work in works if due(work)
    ]


def each_work(outcome: Callable[[Frame, Work], Outcome]) -> Takes:
    """An outcome for each work by itself, whatever was answered."""
    return lambda frame, works, answered: {work.key: outcome(frame, work) for work in works}


def each_answers(
    outcome: Callable[[Frame, Work, Sequence[AskResult]], Outcome],
    due: Callable[[Work], bool] = is_always_due,
) -> Takes:
    """An outcome for each work that is due from all answers about it; the others are kept."""

    def takes(frame: Frame, works: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
        about: dict[str, list[AskResult]] = {}
        for given in answered:
            for key in given.ask.work_keys:
                about.setdefault(key, []).append(given)
        return {
            work.key: outcome(frame, work, about.get(work.key, ())) if due(work) else kept_outcome(work)
            for work in works
        }

    return takes


def each_answer(
    form: type[Form],
    outcome: Callable[[Frame, Work, Form], Outcome],
    due: Callable[[Work], bool] = is_always_due,
) -> Takes:
    """An outcome for each work that is due from the one answer about it; dropped where none of the form can be used."""

    def take(frame: Frame, work: Work, answered: Sequence[AskResult]) -> Outcome:
        usable = [given.answer for given in answered if isinstance(given.answer, form)]
        return outcome(frame, work, usable[0]) if usable else unusable_outcome(work, answered)

    return each_answers(take, due)


def chat(slug: str, name: str, asks: Asks, takes: Takes, parameters: Mapping[str, float], *instructions: str) -> Step:
    """A step that asks a chat model."""
    return Step(slug, name, takes, asks, CHAT, instructions, parameters)


def one_answer(
    slug: str,
    name: str,
    instruction: str,
    values: Callable[[Frame, Work], Mapping[str, str]],
    form: type[Form],
    outcome: Callable[[Frame, Work, Form], Outcome],
    due: Callable[[Work], bool] = is_always_due,
    **parameters: float,
) -> Step:
    """A step that asks a chat model once about each work that is due, and takes the one answer to it."""
    asks, takes = one_call(instruction, values, form, due), each_answer(form, outcome, due)
    return chat(slug, name, asks, takes, parameters, instruction)


# --- contents ------------------------------------------------------------------------------------


def option(key: str, text: str, role: str = "") -> dict[str, str]:
    """A choice as contents have it."""
    return {"key": key, "text": text, "role": role}


def option_texts(content: Mapping[str, Any]) -> list[str]:
    """The choices' texts, in the order of their keys."""
    return [str(each["text"]) for each in content.get("options", ())]


def question_texts(content: Mapping[str, Any]) -> list[str]:
    """The question and its choices."""
    return [str(content["question"]), *option_texts(content)]


def answer_key(content: Mapping[str, Any]) -> str:
    """The key of the choice that is the answer; empty where none is."""
    return next((str(each["key"]) for each in content.get("options", ()) if each.get("role") == ANSWER), "")


def option_text(content: Mapping[str, Any], key: str) -> str:
    """The text of one choice; empty where there is no such choice."""
    return next((str(each["text"]) for each in content.get("options", ()) if each["key"] == key), "")


def making_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a question's making."""
    return dict(content.get("made") or {})


def with_making(content: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """The content with something more about its making."""
    return {**content, "made": {**making_of(content), **more}}
