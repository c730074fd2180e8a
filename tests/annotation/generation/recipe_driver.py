"""Drives a recipe from a material to finished contents without a database: a function stands for the endpoint."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from annotation.core.rules.settings import ProjectSettings
from annotation.generation.rules import instructions
from annotation.generation.rules.recipes.base import (
    DROPPED,
    EMBEDDING,
    TRANSLATION,
    Ask,
    AskResult,
    Frame,
    Outcome,
    Recipe,
    Work,
)

# What stands for the endpoint: the raw answer to an ask (checked against its form), or None for none at all.
Replies = Callable[[Ask], Mapping[str, Any] | None]


def a_frame(
    language: str = "en", name: str = "English", place: str = "Indonesia", seed: str = "7", **more: Any
) -> Frame:
    """A frame with settings by name; `also` is what the run has beside its chat model."""
    also = more.pop("also", {})
    return Frame(language, name, place, seed, replace(ProjectSettings(), **more), also)


@dataclass
class RecipeResult:
    """What came of it: the finished works, each step's outcomes by key, and all that was asked."""

    finished: list[Work] = field(default_factory=list)
    steps: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    asked: dict[str, list[Ask]] = field(default_factory=dict)

    def dropped(self) -> dict[str, tuple[str, str]]:
        """Of each dropped work the step and the reason."""
        return {
            key: (step, outcome.reason)
            for step, outcomes in self.steps.items()
            for key, outcome in outcomes.items()
            if outcome.state == DROPPED
        }


def answer_of(ask: Ask, raw: Mapping[str, Any] | None) -> AskResult:
    """An answer as whoever asks hands it over: read by its form, or nothing with a fault."""
    if raw is None:
        return AskResult(ask, None, "no_answer")
    try:
        return AskResult(ask, ask.answer.model_validate(raw))
    except ValidationError:
        return AskResult(ask, None, "wrong_form")


def answer_step(recipe: Recipe, slug: str, frame: Frame, works: Sequence[Work], replies: Replies) -> RecipeResult:
    """One step over some works; every ask's instruction is filled, and every work has exactly one outcome."""
    step, driven = recipe.step(slug), RecipeResult()
    driven.asked[slug] = step.build_asks(frame, works)
    for ask in driven.asked[slug]:
        fill(step.asked, step.instructions, ask)
        assert set(ask.work_keys) <= {work.key for work in works}
    given = [answer_of(ask, replies(ask)) for ask in driven.asked[slug]]
    outcomes = driven.steps[slug] = step.apply_answers(frame, works, given)
    assert set(outcomes) == {work.key for work in works}
    left = [work for work in works if outcomes[work.key].state != DROPPED]
    driven.finished = [replace(work, content=outcomes[work.key].content) for work in left]
    return driven


def fill(sort: str, names: Sequence[str], ask: Ask) -> list[dict[str, str]]:
    """The messages of an ask to a chat; other endpoints take the values as they are, all of them texts."""
    assert all(isinstance(value, str) for value in ask.values.values())
    assert issubclass(ask.answer, BaseModel)
    if sort in (TRANSLATION, EMBEDDING):
        return []
    assert ask.instruction in names
    return instructions.messages(instructions.default_text(ask.instruction), ask.values)


def drive(recipe: Recipe, frame: Frame, works: Sequence[Work], replies: Mapping[str, Replies]) -> RecipeResult:
    """All steps of a recipe; `replies` has a function for each step that asks."""
    driven = RecipeResult(finished=list(works))
    for step in recipe.steps:
        if step.asked and step.slug not in replies and step.optional:
            continue
        once = answer_step(recipe, step.slug, frame, driven.finished, replies.get(step.slug, lambda ask: None))
        driven.steps |= once.steps
        driven.asked |= once.asked
        driven.finished = once.finished
    return driven
