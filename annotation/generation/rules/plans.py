"""The fixed settings of a run of machine-written questions: later changes do not affect its result.

For each step the endpoint with its model and parameters and the text of each instruction, and the frame: language,
place, the project's settings as they were, and what else a recipe was told. The run keeps it as plain JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.core.rules.settings import ProjectSettings
from annotation.generation.rules.recipes.base import Frame, Recipe, Step

# What is said of a question that could not become an item of the project, behind its last step.
ITEMS = "items"
KEY_TAKEN = "key_taken"
ITEM_REFUSED = "item_refused"
# A step broke on this question, and on no other of its batch.
STEP_FAILED = "step_failed"


@dataclass(frozen=True)
class Instruction:
    """A prompt template as it was used: its number in the project (0: the default text) and its text."""

    n: int
    text: str


@dataclass(frozen=True)
class PlannedStep:
    """One step of a run. `endpoint` is the row that was asked (None: none), `model` what it was asked for."""

    slug: str
    asked: str = ""
    endpoint: int | None = None
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    instructions: Mapping[str, Instruction] = field(default_factory=dict)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "PlannedStep":
        texts = {name: Instruction(**each) for name, each in raw["instructions"].items()}
        return cls(**{**raw, "instructions": texts})


@dataclass(frozen=True)
class Plan:
    """All that decides what comes of a run, beside its recipe, its seed and its materials."""

    language: str
    language_name: str
    place: str
    settings: Mapping[str, Any]
    steps: tuple[PlannedStep, ...]
    also: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As the run keeps it."""
        return {**asdict(self), "steps": [asdict(step) for step in self.steps]}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "Plan":
        """Read what `to_json` gave."""
        return cls(**{**raw, "steps": tuple(PlannedStep.from_json(step) for step in raw["steps"])})

    def frame(self, seed: str) -> Frame:
        """The project's data for the recipe."""
        settings = ProjectSettings.from_stored(self.settings)
        return Frame(self.language, self.language_name, self.place, seed, settings, self.also)

    def step(self, slug: str) -> PlannedStep:
        """The step of that slug; StopIteration where the run does not have it."""
        return next(step for step in self.steps if step.slug == slug)

    def next_step(self, slug: str) -> str:
        """The slug of the step behind this one (of the first for the empty slug); empty behind the last."""
        slugs = ["", *(step.slug for step in self.steps), ""]
        return slugs[slugs.index(slug) + 1]


def steps_taken(recipe: Recipe, endpoints: Sequence[str]) -> list[Step]:
    """The steps that a run does: every one, but for optional ones that ask an endpoint and were given none."""
    return [step for step in recipe.steps if not step.optional or not step.asked or step.slug in endpoints]
