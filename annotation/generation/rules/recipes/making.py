"""What the steps of all recipes do alike: read a content, match answers with works, drop for a reason."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from annotation.generation.rules.recipes.base import (
    DROPPED,
    UNUSABLE,
    Answered,
    Outcome,
    Work,
    changed,
    dropped,
)
from annotation.generation.rules.recipes.wording import LONGEST_CHOICE, Fault, same
from annotation.kinds.mcq import ANSWER

Form = TypeVar("Form", bound=BaseModel)


def option(key: str, text: str, role: str = "") -> dict[str, str]:
    """A choice as contents have it."""
    return {"key": key, "text": text, "role": role}


def texts(content: Mapping[str, Any]) -> list[str]:
    """The choices' texts, in the order of their keys."""
    return [str(each["text"]) for each in content.get("options", ())]


def key_of(content: Mapping[str, Any], role: str = ANSWER) -> str:
    """The key of the choice that has a role; empty where none has."""
    return next((str(each["key"]) for each in content.get("options", ()) if each.get("role") == role), "")


def text_of(content: Mapping[str, Any], key: str) -> str:
    """The text of one choice; empty where there is no such choice."""
    return next((str(each["text"]) for each in content.get("options", ()) if each["key"] == key), "")


def made(content: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of a question's making."""
    return dict(content.get("made") or {})


def with_made(content: Mapping[str, Any], **told: Any) -> dict[str, Any]:
    """The content with something more told of its making."""
    return {**content, "made": {**made(content), **told}}


def about(answered: Sequence[Answered]) -> dict[str, list[Answered]]:
    """The answers by the works that they are about."""
    found: dict[str, list[Answered]] = {}
    for each_one in answered:
        for key in each_one.ask.about:
            found.setdefault(key, []).append(each_one)
    return found


def each(
    works: Sequence[Work],
    answered: Sequence[Answered],
    form: type[Form],
    take: Callable[[Work, Form], Outcome],
) -> dict[str, Outcome]:
    """An outcome for every work from the one answer about it; dropped where none of the form can be used."""
    by_work = about(answered)
    outcomes = {}
    for work in works:
        usable = [given.answer for given in by_work.get(work.key, ()) if isinstance(given.answer, form)]
        outcomes[work.key] = take(work, usable[0]) if usable else unusable(work, by_work.get(work.key, ()))
    return outcomes


def unusable(work: Work, answered: Sequence[Answered]) -> Outcome:
    """Dropped because no answer could be used; the faults of the answers go with it."""
    faults = sorted({given.fault for given in answered if given.fault})
    return dropped(work, UNUSABLE, fault=", ".join(faults))


def refused(work: Work, content: Mapping[str, Any], fault: Fault) -> Outcome:
    """Dropped for a fault of what was made; the content shows what that was."""
    return Outcome(DROPPED, content, fault.reason, dict(fault.params))


def unless(work: Work, content: Mapping[str, Any], fault: Fault | None) -> Outcome:
    """Changed into the content, or dropped where something is wrong with it."""
    return refused(work, content, fault) if fault else changed(work, content)


def choices_fault(choices: Sequence[str]) -> Fault | None:
    """What is wrong with choices among themselves: one that says nothing, or two that say the same."""
    seen: dict[str, str] = {}
    for choice in choices:
        form = same(choice)
        if not form:
            return Fault("choice_empty")
        if form in seen:
            return Fault("choices_equal", {"choice": choice, "other": seen[form]})
        seen[form] = choice
    return None


def length_fault(choice: str) -> Fault | None:
    """A choice that is as long as a story."""
    return Fault("choice_too_long", {"most": LONGEST_CHOICE}) if len(choice) > LONGEST_CHOICE else None
