"""Premises that are left go back to the pool; what was typed stays with its writer (ruling 12)."""

from datetime import timedelta

import pytest

from annotation.content.models.source import Draft, Share
from annotation.jobs.database import now
from annotation.kinds import SlotIn
from annotation.writing.actions.allocation import shares_assign, shares_lapse_all
from annotation.writing.actions.writing import draft_save
from tests import factory

pytestmark = pytest.mark.django_db


def test_a_premise_left_for_the_days_of_the_project_goes_back() -> None:
    project = factory.project()
    writer = factory.member(project, "writer")
    factory.premises(project, 2)
    shares_assign(lane=project.lanes.get(), writers=[writer])
    left, fresh = Share.objects.filter(writer=writer).order_by("position")
    for share in (left, fresh):
        draft_save(writer=writer, token=share.token, slot="e1", content=SlotIn("Ada pasar."), version=0)
    Share.objects.filter(pk=left.pk).update(touched_at=now() - timedelta(days=15))
    assert shares_lapse_all() == 1
    assert dict(Share.objects.values_list("pk", "state")) == {left.pk: "lapsed", fresh.pk: "open"}
    assert Draft.objects.get(share=left).content["text"] == "Ada pasar."
    other = factory.member(project, "writer")
    shares_assign(lane=project.lanes.get(), writers=[other])
    assert Share.objects.get(writer=other).premise_id == left.premise_id
