"""The only writer of a human baseline's answers: one person, one item, once; the first of them take the places."""

from typing import NamedTuple

from django.db import transaction

from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs.database import locked
from annotation.ui.response_timer import ResponseTimer
from exports.baselines.access import card_facts
from exports.baselines.eligibility import has_part
from exports.baselines.models import Baseline, BaselineAnswer, BaselineItem, BaselinePlace

LOOK = ResponseTimer("baseline.shown")


class Given(NamedTuple):
    """A stored answer, and whether it had been stored before (a replay)."""

    answer: BaselineAnswer
    replayed: bool


def answer_give(*, annotator: Annotator, token: str, label: str, mark: str = "") -> Given:
    """Store what somebody answers to one item: `label` as their screen calls it.

    The same again answers as before, another answer then is a Conflict, as is one where nothing more is asked, or of
    somebody who has a part in what is. Raises NotFound for what is not asked here, Invalid for no answer of the item.
    """
    with transaction.atomic():
        asked = _asked(annotator, token)
        facts = card_facts(asked, annotator)
        key = facts.order.key(label)
        if not key:
            raise Invalid(field="label", code="baseline_label_missing")
        before = BaselineAnswer.objects.filter(asked=asked, annotator=annotator).first()
        if before is not None:
            if before.label != key:
                raise Conflict(code="baseline_differs")
            return Given(before, replayed=True)
        _take_place(asked.baseline, annotator)
        made = BaselineAnswer.objects.create(
            asked=asked,
            annotator=annotator,
            label=key,
            order=facts.order.recorded if facts.kind.shuffled else "",
            seconds=LOOK.seconds(annotator, token, mark),
        )
    return Given(made, replayed=False)


def _asked(annotator: Annotator, token: str) -> BaselineItem:
    """The item, its baseline locked: nobody takes a place that another takes at the same instant."""
    rows = BaselineItem.objects.select_related("item__target__project")
    asked = rows.filter(token=token, example=False, baseline__project=annotator.project_id).first()
    if asked is None or not annotator.is_baseline:
        raise NotFound
    asked.baseline = locked(Baseline.objects.filter(pk=asked.baseline_id)).get()
    return asked


def _take_place(baseline: Baseline, annotator: Annotator) -> None:
    """One of the places, or Conflict: they are taken, all is over, or this person has a part in what is asked."""
    project = Project.objects.get(pk=annotator.project_id)
    if baseline.ended_at is not None or project.closed_at is not None:
        raise Conflict(code="baseline_over")
    if annotator.user is None or has_part(annotator.user, project):
        raise Conflict(code="baseline_has_part")
    places = BaselinePlace.objects.filter(baseline=baseline)
    mine = places.filter(annotator=annotator).first()
    if mine is None and places.filter(replaced_at=None).count() < baseline.people:
        mine = BaselinePlace.objects.create(baseline=baseline, annotator=annotator)
    if mine is None or mine.replaced_at is not None:
        raise Conflict(code="baseline_over")
