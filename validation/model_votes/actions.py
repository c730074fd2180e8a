"""Asking a model the voters' question: a job over the endpoints of generation, with its budget and limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from pydantic import BaseModel

from annotation.content.models.item import Item, Revision
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.project import GuidelineVersion, Project
from annotation.core.models.user import User
from annotation.core.rules import draws
from annotation.generation.models import Endpoint
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.jobs.queue import Handle, handles
from annotation.kinds import Kind, text_at
from validation.consensus.stages import ADJUDICATED, NO_CONSENSUS, SETTLED
from validation.model_votes.models import ModelVote
from validation.model_votes.rules import WANTED

JOB_KIND, STEP = "model_votes", "second-annotator"
AT_ONCE, MOST = 20, 500
_DECIDED = (SETTLED, NO_CONSENSUS, ADJUDICATED)


@dataclass(frozen=True)
class ProjectOnlyRun:
    """Whoever asks without a run of generation: its calls belong to the project alone."""

    project_id: int
    pk: None = None


class Label(BaseModel):
    """What a model answers."""

    label: str


def model_votes_ask(*, project: Project, endpoint: Endpoint, count: int, by: User | None) -> Job:
    """Have a model vote on up to `count` decided items with at least two people's votes, drawn by the project's seed.

    Raises Invalid for an endpoint that answers no questions, for a kind without labels, Conflict while a job is at it.
    """
    question = project.kind_spec.question
    if endpoint.what != Endpoint.What.CHAT or endpoint.ended_at is not None:
        raise Invalid(field="endpoint", code="model_cannot_vote")
    if question.questions or question.own_options or question.accepting_label or not question.label_keys:
        raise Invalid(code="model_needs_labels")
    if not 1 <= count <= MOST:
        raise Invalid(field="count", code="model_votes_count")
    with transaction.atomic():
        Project.lock(project.pk)
        if Job.objects.filter(project=project, kind=JOB_KIND, state__in=jobs.UNFINISHED).exists():
            raise Conflict(code="model_votes_running")
        args = {"endpoint": endpoint.pk, "count": count or WANTED[1]}
        return jobs.enqueue(kind=JOB_KIND, project=project, by=by, args=args)


@handles(JOB_KIND)
def ask_model(handle: Handle) -> dict[str, Any]:
    """Ask for what is missing, some items at a time; may run twice, since what was answered is kept call by call."""
    from annotation.generation.llm import calls

    project = handle.job.project
    assert project is not None  # noqa: S101 - model_votes_ask gives it one
    endpoint = Endpoint.objects.get(pk=handle.job.args["endpoint"])
    items = items_to_ask(project, int(handle.job.args["count"]))
    answered = dict(
        ModelVote.objects.filter(project=project, endpoint=endpoint, model=endpoint.model).values_list(
            "item_id", "revision_n"
        )
    )
    left = [item for item in items if answered.get(item.pk) != item.revision_n]
    handle.progress(len(items) - len(left), len(items))
    guideline = project.guidelines.filter(role=GuidelineVersion.Role.VALIDATION).order_by("-n").first()
    for start in range(0, len(left), AT_ONCE):
        some = left[start : start + AT_ONCE]
        texts = _contents(some)
        prompts = [
            calls.Prompt(prompt_of(project.kind_spec, texts[item.pk], guideline.text if guideline else ""), Label)
            for item in some
        ]
        given = calls.answers(
            run=ProjectOnlyRun(project.pk),
            step=STEP,
            endpoint=endpoint,
            parameters={"temperature": 0.0},
            prompts=prompts,
            handle=handle,
        )
        _store(project, endpoint, some, [(each.answer, each.fault) for each in given])
        handle.progress(len(items) - len(left) + start + len(some))
    return {"items": len(items)}


def items_to_ask(project: Project, count: int) -> list[Item]:
    """The items that a model is asked about, in drawn order: decided, with votes of at least two people."""
    rows = Item.objects.filter(project=project, stage__in=_DECIDED, votes_n__gte=2)
    keys = dict(rows.values_list("key", "pk"))
    first = draws.order(project.seed, STEP, keys)[:count]
    found = Item.objects.in_bulk([keys[key] for key in first])
    return [found[keys[key]] for key in first]


def _contents(items: Sequence[Item]) -> dict[int, dict[str, Any]]:
    wanted = {item.pk: item.revision_n for item in items}
    rows = Revision.objects.filter(item__in=wanted).values_list("item_id", "n", "content")
    return {item: content for item, n, content in rows if wanted[item] == n}


def prompt_of(kind: Kind, content: dict[str, Any], guideline: str) -> list[dict[str, str]]:
    """What a voter sees, in words: the guidelines, the texts, the question, its labels; never what anybody answered."""
    shown = [text for text in kind.presentation.texts_in(content) if text.shown or text.shared]
    texts = "\n".join(f"{text.name}: {text_at(content, text.key)}" for text in shown)
    labels = "\n".join(f"- {label.key}: {label.name}. {label.help}" for label in kind.question.item_labels(content))
    asked = f'{kind.question.text}\n{labels}\n\nAnswer with JSON: {{"label": one of the keys above}}.'
    system = "You annotate one item. Follow the guidelines.\n\n" + guideline
    return [{"role": "system", "content": system}, {"role": "user", "content": f"{texts}\n\n{asked}"}]


def _store(project: Project, endpoint: Endpoint, items: Sequence[Item], given: Sequence[tuple[Any, str]]) -> None:
    made = []
    for item, (answer, fault) in zip(items, given, strict=True):
        label = (project.kind_spec.question.read_label(answer.label) or "") if answer else ""
        why = "" if label else (fault or "no_such_label")[:60]
        made.append(
            ModelVote(
                project=project,
                item=item,
                endpoint=endpoint,
                model=endpoint.model,
                revision_n=item.revision_n,
                label=label,
                fault=why,
            )
        )
    ModelVote.objects.bulk_create(made, ignore_conflicts=True)
