"""Ratings for tests: a cultural project with prompts, models' outputs for them, and people who rate."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.prompts import a_prompt, a_prompt_project
from validation.studies.actions.model_outputs import Report, generations_import
from validation.studies.actions.rating_runs import run_close, run_open, run_prepare
from validation.studies.actions.ratings import rating_save
from validation.studies.models import Generation, Rating, RatingRun

MODELS = ("canary-model-ant", "canary-model-bee")
YES_TO_ALL = dict.fromkeys(
    ("factuality", "grammaticality", "spelling", "coherence", "actionability", "sensitivity", "legality"),
    "yes",
)


def save(person: Annotator, token: str, comment: str = "", **changed: str) -> bool:
    """Say yes to all but what is changed; whether it was stored now (False: it had been stored before)."""
    answers = {**YES_TO_ALL, **changed}
    return not rating_save(annotator=person, token=token, answers=answers, comment=comment).replayed


@dataclass
class RatedWorld:
    """A run with its project, prompts, raters, and a lead."""

    project: Project
    run: RatingRun
    prompts: list[Item]
    raters: list[Annotator]
    lead: Annotator

    @property
    def by(self) -> User:
        assert self.lead.user is not None
        return self.lead.user

    def bring(self, folder: Path, rows: list[dict[str, object]], name: str = "outputs.jsonl") -> Report:
        """Take these rows in as a file of JSON lines."""
        return self.take(folder, b"".join(orjson.dumps(row) + b"\n" for row in rows), name)

    def take(self, folder: Path, content: bytes, name: str) -> Report:
        """Take a file of this content in."""
        path = folder / "outputs"
        path.write_bytes(content)
        return generations_import(project=self.project, run_id=self.run.pk, path=path, name=name, by=self.by)

    def rows(self) -> list[dict[str, object]]:
        """An output of every model for every prompt."""
        return [
            {
                "prompt_variation_id": item.key,
                "model": model,
                "text": f"Jawaban {number}.{place}: salami tuan rumah dan tunggu dipersilakan.",
            }
            for number, item in enumerate(self.prompts)
            for place, model in enumerate(MODELS)
        ]

    def open(self, folder: Path) -> RatingRun:
        """Bring every output and let all raters begin."""
        self.bring(folder, self.rows())
        self.run = run_open(
            project=self.project, run_id=self.run.pk, raters=[one.pk for one in self.raters], by=self.by
        )
        return self.run


def a_rated_world(slug: str = "", *, prompts: int = 3, raters: int = 3, sample: int = 2) -> RatedWorld:
    """A run that is being prepared, without outputs yet."""
    project = a_prompt_project(slug)
    writer, lead = factory.member(project, "writer"), factory.member(project, "lead")
    made = [a_prompt(project, writer) for _ in range(prompts)]
    assert lead.user is not None
    run = run_prepare(project=project, name="Putaran 1", sample=sample, by=lead.user)
    people = [factory.member(project, "rater") for _ in range(raters)]
    return RatedWorld(project, run, made, people, lead)


def waiting_of(person: Annotator) -> list[Rating]:
    """What somebody still has to rate, in their order."""
    return list(Rating.objects.filter(annotator=person, answered_at=None).order_by("position"))


def waiting_in(slug: str, user: User | None) -> list[Rating]:
    """What somebody still has to rate in a project."""
    return waiting_of(Annotator.objects.get(project__slug=slug, user=user))


def runs_of(slug: str, crowd: Mapping[str, User | None], mark: str) -> dict[str, str]:
    """A project with a run in each state, for the people of the small world: what its addresses name.

    The crowd's validators rate, or else three others; the second of them has begun. `mark` is the models' name, and
    stands in what that person comments.
    """
    project = a_prompt_project(slug)
    writer, lead = (factory.member(project, name, account=crowd[name]) for name in ("writer", "lead"))
    accounts = [user for name, user in crowd.items() if name.endswith("validator")] or [None] * 3
    raters = [factory.member(project, "rater", account=account) for account in accounts]
    prompt, by, ids = a_prompt(project, writer), lead.user, [one.pk for one in raters]
    assert by is not None
    prepared, opened, closed = (
        run_prepare(project=project, name=name, sample=1, by=by) for name in ("One", "Two", "Three")
    )
    for run in (prepared, opened, closed):
        for number in (1, 2):
            text = f"Output {number} <script>alert(1)</script>"
            Generation.objects.create(run=run, item=prompt, model=f"{mark} {number}", text=text)
    for run in (opened, closed):
        run_open(project=project, run_id=run.pk, raters=ids, by=by)
        rating = Rating.objects.filter(run=run, annotator=raters[1]).order_by("position")[0]
        rating_save(annotator=raters[1], token=rating.token, answers=YES_TO_ALL, comment=mark)
    run_close(project=project, run_id=closed.pk, by=by)
    token = Rating.objects.filter(run=opened, annotator=raters[0]).order_by("position")[0].token
    return {
        "rated": project.slug,
        "rating": token,
        "prepared_run": str(prepared.pk),
        "open_run": str(opened.pk),
        "closed_run": str(closed.pk),
    }
