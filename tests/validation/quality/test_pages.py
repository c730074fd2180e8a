"""The pages and the API of people's work, over HTTP."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from tests import factory, review
from tests.api import script
from tests.quality import cast_first_votes, lead_of, user_of
from validation.quality.actions.gold import standings_watch
from validation.quality.models import GoldQuestion, GoldStanding, SetAside
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def url(at: review.World, name: str, *args: object) -> str:
    return reverse(name, args=[at.project.slug, *args])


@pytest.fixture
def at() -> review.World:
    made = review.world(settings={"spacing": 0, "gold_questions": True})
    cast_first_votes(made)
    return made


def test_a_lead_sets_votes_aside_and_undoes_it(at: review.World) -> None:
    lead, person = browser_of(lead_of(at)), at.validators[0]
    assert person.pseudonym in lead.get(url(at, "quality")).content.decode()
    assert lead.get(url(at, "quality_person", person.pk)).status_code == 200
    page = lead.get(url(at, "quality_set_aside", person.pk)).content.decode()
    assert "5 votes count now. Nothing is done yet." in page
    assert "4 – asked again" in page
    assert lead.post(url(at, "quality_set_aside", person.pk), {"reason": ""}).status_code == 422
    done = lead.post(url(at, "quality_set_aside", person.pk), {"reason": "hasty"}, follow=True)
    assert "5 votes set aside." in done.content.decode()
    act = SetAside.objects.get()
    undone = lead.post(url(at, "quality_act_undo", act.pk), follow=True).content.decode()
    assert "5 count again." in undone
    again = lead.post(url(at, "quality_act_undo", act.pk))
    assert again.status_code == 409
    assert "This was undone already" in again.content.decode()


def test_a_pause_is_decided_on_the_page(at: review.World) -> None:
    lead, person = browser_of(lead_of(at)), at.validators[0]
    path = url(at, "quality_pause", person.pk)
    assert lead.post(path, {"reason": "talk first"}).status_code == 302
    page = lead.get(url(at, "quality_person", person.pk)).content.decode()
    assert "talk first" in page
    assert lead.post(path, {"decision": "go_on", "words": ""}).status_code == 422
    assert lead.post(path, {"decision": "go_on", "words": "we talked"}).status_code == 302
    assert Annotator.objects.get(pk=person.pk).paused_at is None
    assert lead.post(path, {"decision": "go_on", "words": "again"}).status_code == 409


def test_gold_questions_are_chosen_and_taken_out(at: review.World) -> None:
    lead, path = browser_of(lead_of(at)), url(at, "quality_gold")
    assert "2 gold questions added." in lead.post(path, {"count": "2"}, follow=True).content.decode()
    rest = Item.objects.filter(project=at.project, stage="settled", asked_as_gold=None).order_by("pk")
    free = rest[0]
    refused = lead.post(path, {"key": free.key})
    assert refused.status_code == 422
    assert "Tick at least one answer" in refused.content.decode()
    assert lead.post(path, {"key": "nowhere", "accepted": "e"}).status_code == 409
    assert lead.post(path, {"key": free.key, "accepted": ["e", "n"]}).status_code == 302
    question = GoldQuestion.objects.get(of_item=free)
    assert question.accepted == ["e", "n"]
    assert lead.post(url(at, "quality_gold_retire", question.pk)).status_code == 302
    assert "taken out by a lead" in lead.get(path).content.decode()
    # The copy's pages do not exist, not even for administrators.
    boss = browser_of(factory.user(administrator=True))
    assert boss.get(url(at, "item", question.item_id)).status_code == 404


def test_a_lead_who_votes_sees_nothing_of_it() -> None:
    at = review.world(settings={"leads_vote": True})
    both = factory.member(at.project, "lead")
    Annotator.objects.filter(pk=both.pk).update(is_validator=True, votes_leading=True)
    client = browser_of(user_of(both))
    for name in ("quality", "quality_gold", "qualification"):
        assert client.get(url(at, name)).status_code == 403


def test_a_private_note_reads_its_person_alone(at: review.World) -> None:
    person, other = at.validators[:2]
    GoldStanding.objects.create(annotator=person, answered=10, right=7, all_answered=10, all_right=7)
    GoldStanding.objects.create(annotator=other, answered=10, right=9, all_answered=10, all_right=9)
    words = "of 10 of your answers to items whose answer is known, 7 matched"
    record = reverse("my_record")
    assert words in browser_of(user_of(person)).get(record).content.decode()
    assert "whose answer is known" not in browser_of(user_of(other)).get(record).content.decode()


def test_figures_are_made_in_as_many_statements_whatever_was_voted(
    at: review.World, django_assert_max_num_queries: Callable[..., object]
) -> None:
    lead = browser_of(lead_of(at))
    lead.get(url(at, "quality"))
    with django_assert_max_num_queries(22):  # type: ignore[attr-defined]
        lead.get(url(at, "quality"))


def test_the_api_reads_figures_and_sets_aside(at: review.World) -> None:
    lead = script(lead_of(at), "read", "manage")
    person = at.validators[0]
    rows = {row["pseudonym"]: row for row in lead.pages(f"projects/{at.project.slug}/quality")}
    row = rows[person.pseudonym]
    assert (row["votes"], row["median_seconds"], row["gold_answered"]) == (5, None, 0)
    path = f"projects/{at.project.slug}/members/{person.pk}:set-aside"
    assert lead.post(path, {}).status_code == 400
    made = lead.post(path, {"reason": "hasty"}).json()
    assert (made["items"], made["undone_at"]) == (5, None)
    assert not Vote.objects.filter(annotator=person, withdrawn_at=None).exists()
    undone = lead.post(f"projects/{at.project.slug}/set-asides/{made['id']}:undo").json()
    assert undone["undone_at"] is not None
    assert Vote.objects.filter(annotator=person, withdrawn_at=None).count() == 5
    assert lead.pages(f"projects/{at.project.slug}/gold-questions") == []
    assert len(lead.pages(f"projects/{at.project.slug}/qualification")) == 6
    standings_watch(at.project)
