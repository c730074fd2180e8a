"""Comparisons for tests: two ended runs of one project on the same materials, people who compare, and a lead."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.answers.preference import TIE
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
from tests.ratings import next_assignment, study_members
from validation.studies.actions.studies import study_create
from validation.studies.models import Study
from validation.studies.rules.comparisons import PARTS
from validation.studies.types.comparison import TYPE
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast

NAMES = ("canary-run-ant", "canary-run-bee")
MODELS = ("canary-model-ant", "canary-model-bee")
STEP = "question"


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
class ComparedWorld:
    """Two runs, what is compared of them, those who can compare, and the lead who draws it."""

    project: Project
    runs: list[GenerationRun]
    lead: Annotator
    people: list[Annotator]
    materials: list[Material] = field(default_factory=list)

    @property
    def by(self) -> User:
        assert self.lead.user is not None
        return self.lead.user

    def draw(self, slug: str = "", *, parts: Collection[str] = PARTS, **more: Any) -> Study:
        """Draw a comparison of both runs, which all people take part in."""
        first, second = self.runs
        sent = {"first": first.n, "second": second.n, "parts": list(parts), "size": 100, "people": 2, **more}
        return study_create(
            kind=TYPE,
            project=self.project,
            slug=slug or f"{self.project.slug}-compared",
            by=self.by,
            sent=sent,
            members=[one.pk for one in self.people],
        )


def a_compared_world(
    slug: str = "", *, materials: int = 4, people: int = 2, drops: Mapping[int, Collection[int]] | None = None
) -> ComparedWorld:
    """Two runs over the same materials that are over, and nothing compared yet."""
    project = machine.a_machine_project(slug, recipe="llm-gen")
    rows = machine.concepts(project, materials)
    runs = [
        a_done_run(project, rows, name=name, model=model, drops=(drops or {}).get(number, ()))
        for number, (name, model) in enumerate(zip(NAMES, MODELS, strict=True))
    ]
    return ComparedWorld(
        project,
        runs,
        factory.member(project, "lead"),
        [factory.member(project, "validator") for _ in range(people)],
        materials=rows,
    )


def compare_all(study: Study, says: Callable[[int, int], Mapping[str, str]]) -> None:
    """Everybody compares every pair: by its place and the person's, the part with `A`, `B`; both equal else."""
    decide_due()
    places = dict(study.rows.values_list("item", "position"))
    for number, place in enumerate(study_members(study)):
        while (held := next_assignment(place)) is not None:
            said = {**dict.fromkeys(study.options["parts"], TIE), **says(places[held.item_id], number)}
            assert place.user_id is not None
            ballot = Ballot("", answers={f"better_{part}": side for part, side in said.items()})
            vote_cast(user_id=place.user_id, slug=study.project.slug, token=held.token, ballot=ballot)
    decide_due()
