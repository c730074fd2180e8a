"""Comparisons for tests: two ended runs of one project on the same materials, people who compare, and a lead."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.models import (
    Candidate,
    GenerationBatch,
    GenerationRun,
    Material,
    StepResult,
)
from annotation.generation.rules.plans import Plan, PlannedStep
from tests import factory, machine
from validation.review.models.assessment import Comparison, ComparisonPair
from validation.studies.actions.comparisons import Cast, comparison_create, preference_cast
from validation.studies.queries.comparisons import next_pair
from validation.studies.rules.comparisons import EQUAL, LEFT, PARTS, RIGHT

NAMES = ("canary-run-ant", "canary-run-bee")
MODELS = ("canary-model-ant", "canary-model-bee")
STEP = "question"
ALL_EQUAL = dict.fromkeys(PARTS, EQUAL)


def a_done_run(
    project: Project,
    materials: Collection[Material],
    *,
    name: str,
    model: str = "",
    drops: Collection[int] = (),
) -> GenerationRun:
    """A run that kept one question of each material, but for those that it dropped (by their place)."""
    run = GenerationRun.objects.create(
        project=project,
        n=project.generation_runs.count() + 1,
        name=name,
        recipe=project.rules.recipe,
        plan=_plan(project, model).to_json(),
        seed=project.seed,
        makes_items=False,
        state=GenerationRun.State.DONE,
    )
    batch = GenerationBatch.objects.create(run=run, n=1, done=True)
    Candidate.objects.bulk_create(
        Candidate(
            project=project,
            run=run,
            batch=batch,
            material=material,
            key=material.key,
            content=_content(place, run.n),
            state="dropped" if place in drops else "kept",
            step=STEP if place in drops else "",
            reason="duplicate" if place in drops else "",
        )
        for place, material in enumerate(materials)
    )
    StepResult.objects.bulk_create(
        StepResult(run=run, candidate=each, step=STEP, outcome=each.state, reason=each.reason)
        for each in run.candidates.all()
    )
    return run


def _plan(project: Project, model: str) -> Plan:
    """What a run of one step has pinned."""
    step = PlannedStep(STEP, "chat", model=model)
    return Plan(project.language, "Indonesian", project.rules.place, project.rules.to_dict(), (step,))


def _content(place: int, run: int) -> dict[str, object]:
    texts = ("duduk bersama", "mencuci beras", "memanggil kereta", "menimbang emas", "mengirim surat")
    return {
        "concept": f"tikar {place}",
        "category": "culture",
        "question": f"Untuk apa warga memakai tikar {place} pada hari ke-{run}?",
        "options": [
            {"key": key, "text": f"{text} {run}", "role": "answer" if key == "C" else ""}
            for key, text in zip("ABCDE", texts, strict=True)
        ],
        "made": {"level": "easy", "set": f"canary-set-{run}"},
    }


@dataclass
class Compared:
    """Two runs, what is compared of them, those who compare, and the lead who began it."""

    project: Project
    runs: list[GenerationRun]
    lead: Annotator
    people: list[Annotator]
    comparison: Comparison | None = None
    materials: list[Material] = field(default_factory=list)

    @property
    def by(self) -> User:
        assert self.lead.user is not None
        return self.lead.user

    def begin(self, size: int = 100, parts: Collection[str] = PARTS) -> Comparison:
        """Begin the comparison."""
        first, second = self.runs
        self.comparison = comparison_create(
            project=self.project, first=first.pk, second=second.pk, parts=parts, size=size, by=self.by
        )
        return self.comparison

    def pairs(self) -> list[ComparisonPair]:
        assert self.comparison is not None
        return list(self.comparison.pairs.order_by("position"))


def a_compared_world(
    slug: str = "", *, materials: int = 4, people: int = 2, drops: Mapping[int, Collection[int]] | None = None
) -> Compared:
    """Two runs over the same materials that are over, and nothing compared yet."""
    project = machine.a_machine_project(slug, recipe="llm-gen")
    rows = machine.concepts(project, materials)
    runs = [
        a_done_run(project, rows, name=name, model=model, drops=(drops or {}).get(number, ()))
        for number, (name, model) in enumerate(zip(NAMES, MODELS, strict=True))
    ]
    return Compared(
        project,
        runs,
        factory.member(project, "lead"),
        [factory.member(project, "validator") for _ in range(people)],
        materials=rows,
    )


def cast(person: Annotator, token: str = "", comment: str = "", **chosen: str) -> Cast:
    """Say that both are equal but for what is given; of the pair that is next, or of this one."""
    if not token:
        pair = next_pair(person)
        assert pair is not None
        token = pair.token
    return preference_cast(annotator=person, token=token, chosen={**ALL_EQUAL, **chosen}, comment=comment)


def for_first(pair: ComparisonPair) -> str:
    """The side on which the first run's question stands."""
    return RIGHT if pair.swapped else LEFT


def for_second(pair: ComparisonPair) -> str:
    """The side on which the second run's question stands."""
    return LEFT if pair.swapped else RIGHT


def no_such_token() -> str:
    return secrets.token_urlsafe(18)
