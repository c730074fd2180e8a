"""Public pages whose items come before voters again: whoever acts confirms them, and they close with the act."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Event
from annotation.core.models.user import User
from annotation.core.public_pages import confirmed
from annotation.projects.actions.projects import project_close
from exports.public.actions import publication_set
from exports.public.models import Publication
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests import factory, review
from tests.api import script
from tests.exports.releases.test_pages import client
from tests.exports.world import build
from tests.race import run_at_once
from tests.shared_worlds import SharedWorlds
from validation.notices.queries import recent_notices
from validation.quality.models import SetAside
from validation.review.actions.decisions import adjudicate, reopen
from validation.review.actions.many import many_begin
from validation.review.rules.many import BulkAct
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_take_back, vote_void

pytestmark = pytest.mark.django_db
SAID = {"title": "Pasar", "creators": [["Tim", "", ""]], "publisher": "Lembaga", "year": 2026}
PAGE = "own/1"


@pytest.fixture
def at(standing: SharedWorlds) -> review.World:
    return standing(decided)


def decided() -> review.World:
    """Six items on which nobody votes any more, in a release whose page is open."""
    at = review.world(slug="own", seed="a-seed-that-nobody-guesses")
    for item, labels in zip(Item.objects.order_by("pk"), ("ee", "ee", "nn", "nn", "cc", "cc"), strict=True):
        review.cast_votes(at, item, labels)
    settled = item_of("n2")
    adjudicate(lead=at.lead, item_id=settled.pk, version=settled.version, label="n", words="So.")
    left_out = item_of("c2")
    exclude(lead=at.lead, item_id=left_out.pk, version=left_out.version, words="Off topic.")
    rules = preset("indonli-lay").changed({"strict": "no", "forms": "none", "dev_percent": "0"})
    release = build(release_freeze(project=at.project, rules=rules, by=None))
    publication_set(release=release, by=None, public=True, told=SAID)
    return at


def item_of(slot: str) -> Item:
    return Item.objects.get(project__slug="own", slot=slot)


def _is_open() -> bool:
    return Client().get(reverse("public_release", args=["own", 1])).status_code == 200


def _lead(at: review.World) -> User:
    assert at.lead.user is not None
    return at.lead.user


def _closings() -> list[dict[str, Any]]:
    return list(Event.objects.filter(verb="release_closed").values_list("data", flat=True))


# What a lead does with an item by which people are asked about it again: what is sent, and the stage then.
ACTS: Mapping[str, tuple[str, str, dict[str, Any], str]] = {
    "return": ("e1", "return", {"error_type": "wrong-label", "words": "See."}, "returned"),
    "correct": ("e1", "correct", {"field": "hypothesis", "text": "Ada.", "meaning": "new", "words": ""}, "voting"),
    "correct all": ("e1", "correct", {"field": "premise", "text": "Ada.", "meaning": "new", "words": ""}, "voting"),
    "void": ("e1", "void", {"vote": "1", "words": "Hasty."}, "voting"),
    "reopen": ("n2", "reopen", {"words": ""}, "voting"),
    "take in again": ("c2", "reopen", {"words": ""}, "voting"),
}


@pytest.mark.parametrize("name", list(ACTS))
def test_an_act_on_its_page_names_the_pages_that_it_closes(at: review.World, name: str) -> None:
    slot, act, sent, stage = ACTS[name]
    item, browser = item_of(slot), client(_lead(at))
    address = reverse("item_act", args=["own", item.pk, act])
    before = (item.stage, item.version)
    sent = {**sent, "version": str(item.version)}
    asked = browser.post(address, sent)
    item.refresh_from_db()
    assert (asked.status_code, item.stage, item.version) == (409, *before)
    assert "Close the pages and continue" in asked.content.decode()
    assert "Pasar" in asked.content.decode()
    assert _is_open()
    assert browser.post(f"{address}?close_pages=other/1", sent).status_code == 409
    assert dict(asked.context["sent"]) == sent
    assert browser.post(asked.context["address"], sent).status_code == 302
    review.decide()
    item.refresh_from_db()
    assert item.stage in (stage, "settled")
    assert item.version > before[1]
    assert not _is_open()
    assert _closings() == [{"release": 1}]
    assert not recent_notices(_lead(at))[0]


@pytest.mark.parametrize("name", list(ACTS))
def test_the_api_names_them_and_takes_them_in_a_header(at: review.World, name: str) -> None:
    slot, act, sent, _ = ACTS[name]
    item, program = item_of(slot), script(_lead(at), "read", "manage")
    body = {**sent, "version": item.version}
    if "vote" in body:
        body["vote"] = 1
    path = f"projects/own/items/{item.key}:{act}"
    refused = program.post(path, body)
    assert (refused.status_code, refused.json()["code"], refused.json()["pages"]) == (409, "closes_pages", [PAGE])
    assert _is_open()
    assert program.post(path, body, close_pages=PAGE).status_code == 200
    assert not _is_open()


def test_what_asks_nobody_again_closes_nothing(at: review.World) -> None:
    browser, item = client(_lead(at)), item_of("e1")
    same = {"field": "hypothesis", "text": "Ada.", "meaning": "same", "words": "", "version": str(item.version)}
    assert browser.post(reverse("item_act", args=["own", item.pk, "correct"]), same).status_code == 302
    item = item_of("e2")
    sent = {"words": "Off topic.", "version": str(item.version)}
    assert browser.post(reverse("item_act", args=["own", item.pk, "exclude"]), sent).status_code == 302
    assert _is_open()


def test_setting_aside_asks_for_what_is_voted_on_again(at: review.World) -> None:
    person = at.validators[0]
    browser, address = client(_lead(at)), reverse("quality_set_aside", args=["own", person.pk])
    asked = browser.post(address, {"reason": "Hasty."})
    assert asked.status_code == 409
    assert not SetAside.objects.exists()
    assert _is_open()
    assert browser.post(asked.context["address"], {"reason": "Hasty."}).status_code == 302
    assert not _is_open()
    assert item_of("e1").stage == "voting"
    # The job that does it asks nobody, and tells the leads.
    assert [notice.code for notice, _ in recent_notices(_lead(at))[0]] == ["page_closed"]
    # Nothing is open that could be closed by taking it back.
    assert browser.post(reverse("quality_act_undo", args=["own", SetAside.objects.get().pk])).status_code == 302


def test_taking_votes_with_a_person_asks_too(at: review.World) -> None:
    person, boss = at.validators[0], client(factory.user(administrator=True))
    address = reverse("people_remove", args=["own", person.pk])
    asked = boss.post(address, {"void": "on"})
    person.refresh_from_db()
    assert (asked.status_code, person.left_at) == (409, None)
    assert boss.post(asked.context["address"], dict(asked.context["sent"])).status_code == 302
    # What the worker decides later asks nobody any more: it closes the page, and leads are told.
    review.decide()
    assert not _is_open()
    assert [notice.code for notice, _ in recent_notices(_lead(at))[0]] == ["page_closed"]


def test_undoing_an_act_on_many_items_asks(at: review.World) -> None:
    item, browser = item_of("e1"), client(_lead(at))
    done = many_begin(lead=at.lead, wish=BulkAct("exclude", "", "Off topic."), items=[(item.pk, item.version)])
    assert _is_open()
    address = reverse("desk_many_undo", args=["own", done.pk])
    asked = browser.post(address)
    assert (asked.status_code, item_of("e1").stage) == (409, "excluded")
    assert browser.post(asked.context["address"]).status_code == 302
    assert not _is_open()


def test_opening_the_project_again_asks_where_votes_are_open(at: review.World) -> None:
    release = Release.objects.get()
    project_close(project=at.project, by=None, closed=True)
    Publication.objects.filter(release=release).update(public=False)
    item = item_of("e1")
    Item.objects.filter(pk=item.pk).update(stage="voting", gold="", gold_from="")
    publication_set(release=release, by=None, public=True, told=SAID)
    boss, address = client(factory.user(administrator=True)), reverse("settings_closing", args=["own"])
    asked = boss.post(address, {"closed": "no"})
    at.project.refresh_from_db()
    assert asked.status_code == 409
    assert at.project.closed_at is not None
    assert boss.post(asked.context["address"], dict(asked.context["sent"])).status_code == 302
    assert not _is_open()


def test_a_vote_that_is_taken_back_closes_the_page_and_asks_nobody(at: review.World) -> None:
    """Whoever takes it back is told nothing of it."""
    item, (voter, *_) = item_of("e1"), at.validators[2:]
    with confirmed([PAGE]):
        vote_void(lead=at.lead, item_id=item.pk, vote_n=1, version=item.version, reason="Hasty.")
    item.refresh_from_db()
    review.cast_vote(review.assign(item, voter), "e")
    review.decide()
    assert item_of("e1").stage == "settled"
    publication_set(release=Release.objects.get(), by=None, public=True, told=SAID)
    assert vote_take_back(annotator=voter) is not None
    assert (item_of("e1").stage, _is_open()) == ("voting", False)
    assert _closings() == [{"release": 1}, {"release": 1, "unattended": True}]


@pytest.mark.django_db(transaction=True)
def test_a_page_that_is_opened_while_an_item_comes_back_is_not_left_open(settings: Any, tmp_path: Path) -> None:
    """Whichever is first: the other one finds what it did."""
    settings.MUFAKAT_DATA_DIR = tmp_path
    at = decided()
    release, item = Release.objects.get(), item_of("n2")
    Publication.objects.update(public=False)
    run_at_once(
        [
            lambda: publication_set(release=release, by=None, public=True, told=SAID),
            lambda: reopen(lead=at.lead, item_id=item.pk, version=item.version),
        ]
    )
    assert not (_is_open() and item_of("n2").stage == "voting")
