"""Audits on the project page, how texts were typed, a model's votes: axe finds nothing, in both schemes."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page

from annotation.content.models.item import Item
from annotation.generation.models import MachineLimit
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.typing import typing_choose
from annotation.writing.models import TypingRecord
from tests import factory
from tests.endpoint_runs import an_endpoint
from tests.flows.looks import assert_for_everybody
from tests.review import World, cast_votes, world
from validation.consensus.protocol import PRESETS
from validation.model_votes.models import ModelVote

pytestmark = pytest.mark.django_db(transaction=True)
COUNTS = {"edits": 1, "pauses_short": 1, "pauses_middle": 0, "pauses_long": 0}


@pytest.fixture
def at() -> World:
    made = world(
        protocol=replace(PRESETS["two-agree-audit"], planned=600),
        settings={"spacing": 0, "typing": "sums"},
    )
    for item in made.items[:3]:
        cast_votes(made, item, item.author_label * 2)
    endpoint = an_endpoint()
    for n, item in enumerate(Item.objects.filter(project=made.project).order_by("pk")):
        pasted = 50 if n == 2 else 0
        TypingRecord.objects.create(
            item=item,
            project=made.project,
            length=52,
            attested=True,
            typed=52 - pasted,
            pasted=pasted,
            inserted=0,
            longest=pasted,
            **COUNTS,
        )
        label = "c" if item.author_label == "e" else "e"
        ModelVote.objects.create(
            project=made.project, item=item, endpoint=endpoint, model="small", revision_n=1, label=label
        )
    MachineLimit.objects.create(project=made.project, budget=1)
    return made


def test_pages_are_for_everybody(at: World, page_of: Callable[..., Page]) -> None:
    base = f"/p/{at.project.slug}/"
    page = page_of(at.lead.user)
    for path in (base, f"{base}typing/", f"{base}model/votes/"):
        page.goto(path)
        assert_for_everybody(page, page.url)
    page = page_of(factory.user(administrator=True))
    page.goto(f"{base}model/votes/")
    assert_for_everybody(page, page.url)


@pytest.mark.parametrize("agreed", [None, True, False])
def test_what_writers_are_asked(at: World, page_of: Callable[..., Page], agreed: bool | None) -> None:
    writer = factory.member(at.project, "writer")
    factory.premises(at.project, 1, start=50)
    allocations_assign(target=at.project.targets.get(), writers=[writer], size=1)
    if agreed is not None:
        typing_choose(writer=writer, agreed=agreed)
    page = page_of(writer.user)
    page.goto(f"/p/{at.project.slug}/write/")
    assert_for_everybody(page, page.url)
