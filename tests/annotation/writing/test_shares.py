"""Premises that are left go back to the pool; what was typed stays with its writer (ruling 12)."""

from datetime import timedelta

import pytest

from annotation.content.models.source import Allocation, Draft
from annotation.core.database import now
from annotation.kinds import SlotIn
from annotation.writing.actions.allocation import allocations_assign, shares_lapse_all
from annotation.writing.actions.writing import draft_save
from tests import factory

pytestmark = pytest.mark.django_db


def test_a_premise_left_for_the_days_of_the_project_goes_back() -> None:
    project = factory.project()
    writer = factory.member(project, "writer")
    factory.premises(project, 2)
    allocations_assign(target=project.targets.get(), writers=[writer])
    left, fresh = Allocation.objects.filter(writer=writer).order_by("position")
    for allocation in (left, fresh):
        draft_save(writer=writer, token=allocation.token, slot="e1", content=SlotIn("Ada pasar."), version=0)
    Allocation.objects.filter(pk=left.pk).update(touched_at=now() - timedelta(days=15))
    assert shares_lapse_all() == 1
    assert dict(Allocation.objects.values_list("pk", "state")) == {left.pk: "lapsed", fresh.pk: "open"}
    assert Draft.objects.get(allocation=left).content["text"] == "Ada pasar."
    other = factory.member(project, "writer")
    allocations_assign(target=project.targets.get(), writers=[other])
    assert Allocation.objects.get(writer=other).premise_id == left.premise_id
