"""What a run has pinned is read again as it was written."""

import json

import pytest

from annotation.core.rules.settings import ProjectSettings
from annotation.generation.rules import plans
from annotation.generation.rules.plans import Instruction, Plan, PlannedStep
from annotation.generation.rules.recipes.base import Recipe, Step
from annotation.generation.rules.recipes.forms import ConceptData

PLAN = Plan(
    "id",
    "Indonesian",
    "Indonesia",
    ProjectSettings(place="Indonesia").to_dict(),
    (
        PlannedStep("one", "chat", 3, "model", {"temperature": 0.5}, {"x": Instruction(2, "Say $name.")}),
        PlannedStep("two"),
    ),
    {"threshold": 0.9},
)


def test_there_and_back() -> None:
    told = json.loads(json.dumps(PLAN.to_json()))
    assert Plan.from_json(told) == PLAN
    assert Plan.from_json(told).to_json() == told


def test_steps_in_order() -> None:
    assert [PLAN.next_step(""), PLAN.next_step("one"), PLAN.next_step("two")] == ["one", "two", ""]
    assert PLAN.step("two").asked == ""
    with pytest.raises(ValueError, match="three"):
        PLAN.next_step("three")


def test_the_frame_is_what_was_pinned() -> None:
    frame = PLAN.frame("seed")
    assert (frame.language_name, frame.place, frame.seed) == ("Indonesian", "Indonesia", "seed")
    assert frame.settings == ProjectSettings(place="Indonesia")
    assert frame.extra == {"threshold": 0.9}


def test_optional_steps_are_taken_where_they_were_given_an_endpoint() -> None:
    def takes(*_: object) -> dict[str, object]:
        return {}

    steps = (
        Step("needed", "n", takes, asked="chat"),  # type: ignore[arg-type]
        Step("wanted", "w", takes, asked="translation", optional=True),  # type: ignore[arg-type]
        Step("always", "a", takes),  # type: ignore[arg-type]
    )
    recipe = Recipe("r", "r", "r", "concept", "m", "ms", ConceptData, lambda *_: [], steps)
    assert [step.slug for step in plans.steps_taken(recipe, ["needed"])] == ["needed", "always"]
    assert [step.slug for step in plans.steps_taken(recipe, ["wanted"])] == ["needed", "wanted", "always"]
