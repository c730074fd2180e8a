"""What breaks on one question in the making is lost for none of the others of its batch."""

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from annotation.core.rules.settings import ProjectSettings
from annotation.generation.rules import batches as carrying
from annotation.generation.rules.recipes.base import (
    Ask,
    AskResult,
    Frame,
    Outcome,
    Step,
    Work,
    changed_outcome,
    kept_outcome,
)

FRAME = Frame("id", "Indonesian", "Indonesia", "seed", ProjectSettings())


class Form(BaseModel):
    text: str = ""


def works(*keys: str) -> list[Work]:
    return [Work(key, "m", "g", {}, {"question": key}) for key in keys]


def ask(*about: str) -> Ask:
    return Ask(about, "", {}, Form)


def keeps(frame: Frame, some: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
    return {work.key: kept_outcome(work) for work in some}


def takes_content(content: Any) -> Step:
    def takes(frame: Frame, some: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
        return {work.key: changed_outcome(work, content) if work.key == "b" else kept_outcome(work) for work in some}

    return Step("s", "s", takes)


def breaks_on(*wrong: str) -> Step:
    def asks(frame: Frame, some: Sequence[Work]) -> list[Ask]:
        if any(work.key in wrong for work in some):
            raise ValueError("a text of somebody")
        return [ask(work.key) for work in some]

    def takes(frame: Frame, some: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
        if any(work.key in wrong for work in some):
            raise LookupError("a text of somebody")
        return keeps(frame, some, answered)

    return Step("s", "s", takes, asks)


@pytest.mark.parametrize("wrong", [(), ("b",), ("a", "c")])
def test_asks_are_lost_for_those_that_they_break_on(wrong: tuple[str, ...]) -> None:
    asks, sound, broken = carrying.asks_of(breaks_on(*wrong), FRAME, works("a", "b", "c"))
    assert [each.work_keys for each in asks] == [(key,) for key in "abc" if key not in wrong]
    assert [work.key for work in sound] == [key for key in "abc" if key not in wrong]
    assert {key: (one.state, one.reason, one.params) for key, one in broken.items()} == {
        key: ("dropped", "step_failed", {"error": "ValueError"}) for key in wrong
    }


@pytest.mark.parametrize("wrong", [(), ("b",), ("a", "c")])
def test_outcomes_are_lost_for_those_that_they_break_on(wrong: tuple[str, ...]) -> None:
    found = carrying.outcomes_of(breaks_on(*wrong), FRAME, works("a", "b", "c"), [])
    assert {key: one.state for key, one in found.items()} == {
        key: "dropped" if key in wrong else "kept" for key in "abc"
    }


def test_one_alone_that_breaks_is_dropped() -> None:
    found = carrying.outcomes_of(breaks_on("a"), FRAME, works("a"), [])
    assert found["a"].params == {"error": "LookupError"}


def test_what_breaks_on_all_is_a_fault_of_the_step() -> None:
    with pytest.raises(LookupError):
        carrying.outcomes_of(breaks_on("a", "b"), FRAME, works("a", "b"), [])


def test_what_breaks_on_no_one_alone_is_a_fault_of_the_step() -> None:
    def takes(frame: Frame, some: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
        if len(some) > 1:
            raise LookupError
        return keeps(frame, some, answered)

    with pytest.raises(LookupError):
        carrying.outcomes_of(Step("s", "s", takes), FRAME, works("a", "b"), [])


def test_an_outcome_is_missing_for_one() -> None:
    def takes(frame: Frame, some: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
        return {work.key: kept_outcome(work) for work in some if work.key != "b"}

    found = carrying.outcomes_of(Step("s", "s", takes), FRAME, works("a", "b"), [])
    assert (found["a"].state, found["b"].reason) == ("kept", "step_failed")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"question": "Why?"}, ""),
        ({"question": "a\x00b"}, "not_storable"),
        ({"options": [{"text": "a\ud800"}]}, "not_storable"),
        ({"made": {"a\x00": ("b",)}}, "not_storable"),
        ({"question": {1, 2}}, "step_failed"),
    ],
)
def test_what_the_database_cannot_hold_is_dropped(content: Any, reason: str) -> None:
    found = carrying.outcomes_of(takes_content(content), FRAME, works("a", "b"), [])
    assert found["a"].state == "kept"
    assert found["b"].reason == reason
    if reason:
        assert found["b"].content == {"question": "b"}


def test_only_answers_about_these_questions_are_given() -> None:
    seen: list[list[tuple[str, ...]]] = []

    def takes(frame: Frame, some: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
        seen.append([each.ask.work_keys for each in answered])
        if any(work.key == "b" for work in some):
            raise ValueError
        return keeps(frame, some, answered)

    answered = [AskResult(ask("a", "b"), Form()), AskResult(ask("b"), Form()), AskResult(ask("c"), Form())]
    carrying.outcomes_of(Step("s", "s", takes), FRAME, works("a", "b", "c"), answered)
    assert seen[-1] == [("a", "b"), ("c",)]
