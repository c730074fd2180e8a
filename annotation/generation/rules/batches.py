"""One step on one batch of candidates; an error in one of them affects no other.

A step is pure code on texts that a machine wrote: whatever it does not expect must cost one question, not twenty. What
breaks on all of them is a fault of the step, and is raised.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from annotation.generation.rules.plans import STEP_FAILED
from annotation.generation.rules.recipes.base import (
    Ask,
    AskResult,
    Frame,
    Outcome,
    Step,
    Work,
    dropped_outcome,
)
from annotation.text.normalise import storage_problem

T = TypeVar("T")
NOT_STORABLE = "not_storable"


def asks_of(step: Step, frame: Frame, works: Sequence[Work]) -> tuple[list[Ask], list[Work], dict[str, Outcome]]:
    """What the step asks, the questions that it asks for, and those that it broke on."""
    asks, broken = _do_without_broken(lambda some: list(step.build_asks(frame, some)), works)
    return asks, [work for work in works if work.key not in broken], broken


def outcomes_of(step: Step, frame: Frame, works: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
    """The outcome of every one of these questions."""

    def take(some: Sequence[Work]) -> dict[str, Outcome]:
        keys = {work.key for work in some}
        about = [each for each in answered if keys & set(each.ask.work_keys)]
        outcomes_by_key = step.apply_answers(frame, some, about)
        return {work.key: _check_storable(work, outcomes_by_key[work.key]) for work in some}

    outcomes, broken = _do_without_broken(take, works)
    return {**outcomes, **broken}


def _do_without_broken(do: Callable[[Sequence[Work]], T], works: Sequence[Work]) -> tuple[T, dict[str, Outcome]]:
    """Do it for all; where it breaks, for all but those on which it breaks alone. Raises what none of them explains."""
    try:
        return do(works), {}
    except Exception:
        broken = {}
        for work in works:
            try:
                do([work])
            except Exception as error:
                # Its message may hold a text; its class does not.
                broken[work.key] = dropped_outcome(work, STEP_FAILED, error=type(error).__name__)
        if not broken or len(broken) == len(works) > 1:
            raise
    return do([work for work in works if work.key not in broken]), broken


def _check_storable(work: Work, outcome: Outcome) -> Outcome:
    """The outcome, if the database can hold it. Raises TypeError for what is no JSON."""
    json.dumps([outcome.content, outcome.params])
    if any(storage_problem(text) for text in _texts([outcome.content, outcome.params])):
        return dropped_outcome(work, NOT_STORABLE)
    return outcome


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts([*map(str, value), *value.values()])
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)
