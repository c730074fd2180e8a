"""Spans and the revision that they belong to: votes stay as they are, and are read where their words stand now."""

import html
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.content.models.item import Item, Revision
from annotation.content.queries import current_content
from annotation.core.messages import problem_words
from annotation.core.person import person_mark
from tests import factory
from tests.review import assign, decide
from tests.spans import SpansWorld, form_of, span, spans_world
from validation import integrity
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import adjudicate
from validation.review.queries.item_detail import detail_of
from validation.voting.actions.votes import withdraw_vote
from validation.voting.models.vote import Vote
from validation.voting.views.cards import vote_taken_back

pytestmark = pytest.mark.django_db
OLD, NEW = "Ibu Siti tinggal di Bogor.", "Siti kini tinggal di Bogor."
AGAIN, GONE, TWICE = "Siti kini tinggal di Solo, bukan di Bogor.", "Dia kini tinggal di Bogor.", "Siti, Siti di Bogor."


@pytest.fixture
def at(tmp_path: Path) -> SpansWorld:
    return spans_world(tmp_path, [OLD])


def corrected(at: SpansWorld, text: str, meaning: str = "same") -> Item:
    item = at.item()
    given: dict[str, Any] = {"item_id": item.pk, "version": item.version, "text": text, "meaning": meaning}
    correct(lead=at.lead, field="text", **given)
    return at.item()


def stored() -> list[Any]:
    """What votes say, to the letter."""
    return list(Vote.objects.order_by("pk").values_list("answers", "label", "revision_n"))


def test_gold_follows_its_words_and_votes_stay(at: SpansWorld) -> None:
    for by in (0, 1):
        at.vote(by, span(OLD, "Siti"), span(OLD, "Bogor", "loc"))
    before = stored()
    assert at.item().gold_answers == {"names": [span(OLD, "Siti"), span(OLD, "Bogor", "loc")]}
    for text in (NEW, AGAIN, OLD):
        item = corrected(at, text)
        assert (item.stage, item.epoch) == ("settled", 1)
        assert item.gold_answers == {"names": [span(text, "Siti"), span(text, "Bogor", "loc")]}
        assert stored() == before
        (asked,) = detail_of(item, factory.reader(item.project)).answered
        assert (len(asked.given), asked.distance) == (1, 0)
        at.sound()


def test_votes_on_two_revisions_agree_where_they_mark_the_same_words(at: SpansWorld) -> None:
    at.vote(0, span(OLD, "Siti"))
    corrected(at, NEW)
    at.vote(1, span(NEW, "Siti"))
    item = at.item()
    assert (item.stage, item.gold_answers) == ("settled", {"names": [span(NEW, "Siti")]})
    at.sound()


@pytest.mark.parametrize("queued", [False, True])
def test_a_card_of_a_text_that_was_corrected_meanwhile_is_shown_again(at: SpansWorld, queued: bool) -> None:
    held = [assign(at.item(), person) for person in at.validators[:2]]
    corrected(at, GONE)
    for assignment in held:
        client, user = Client(), assignment.annotator.user
        assert user is not None
        client.force_login(user)
        headers = {"X-Queued-By": person_mark(user)} if queued else {}
        page = f"/p/{at.project.slug}/vote/"
        sent = {**form_of([span(OLD, "Siti")]), "comment": "Namanya."}
        answer = client.post(f"{page}{assignment.token}/", sent, headers=headers)
        words = answer.json()["words"] if queued else html.unescape(answer.content.decode())
        assert (answer.status_code, problem_words("card_changed") in words) == (409, True)
        assert queued or ("Namanya." in words and "Siti" in words and GONE in words)
        assert not Vote.objects.filter(annotator=assignment.annotator).exists()
        assert client.get(page).status_code == 200
        place = form_of([span(GONE, "Dia")])
        assert client.post(f"{page}{assignment.token}/", place).status_code == 302
    decide()
    item = at.item()
    assert (item.stage, item.gold_answers) == ("settled", {"names": [span(GONE, "Dia")]})
    at.sound()


@pytest.mark.parametrize("text", [GONE, TWICE, "Sitinur tinggal di Bogor."])
def test_words_that_are_gone_are_asked_about_anew(at: SpansWorld, text: str) -> None:
    for by in (0, 1):
        at.vote(by, span(OLD, "Siti"))
    before = stored()
    item = corrected(at, text)
    assert (item.stage, item.epoch, item.gold) == ("voting", 2, "")
    revision = Revision.objects.get(item=item, n=2)
    assert (revision.event, revision.meaning) == ("correct_new", "new")
    assert stored() == before
    assert set(Vote.objects.values_list("withdrawn_why", flat=True)) == {"new_meaning"}
    at.sound()


def test_a_lead_s_gold_follows_its_words_or_is_asked_about_anew(at: SpansWorld) -> None:
    for by, word in enumerate(("Siti", "Ibu", "tinggal")):
        at.vote(by, span(OLD, word))
    item = at.item()
    assert item.stage == "no_consensus"
    answers = {"names": [span(OLD, "Siti")]}
    adjudicate(lead=at.lead, item_id=item.pk, version=item.version, answers=answers, words="Only her.")
    # The words of the votes stand as well; where they did not, they would be asked about too.
    item = corrected(at, "Siti, kini Ibu, tinggal di Bogor.")
    assert (item.stage, item.gold_answers) == ("adjudicated", {"names": [{**span(OLD, "Siti"), "start": 0, "end": 4}]})
    at.sound()
    assert corrected(at, "Dia, kini Ibu, tinggal di Bogor.").stage == "voting"
    at.sound()


def test_what_an_older_version_let_through_is_found_and_asked_about_anew(at: SpansWorld) -> None:
    for by in (0, 1):
        at.vote(by, span(OLD, "Siti"))
    item = at.item()
    content = {**current_content(item), "text": GONE}
    Revision.objects.filter(item=item).update(content=content)
    type(item.hypothesis).objects.filter(item=item).update(text=GONE, more=content)
    found = list(integrity.run(project=at.project))
    assert {(breach.invariant, breach.expected) for breach in found} >= {("I13", repr("Siti"))}
    list(integrity.run(project=at.project, repair=True))
    assert (at.item().stage, at.item().epoch) == ("voting", 2)
    at.sound()


def test_the_page_says_that_the_item_is_asked_about_anew(at: SpansWorld) -> None:
    at.vote(0, span(OLD, "Siti"))
    client, item = Client(), at.item()
    assert at.lead.user is not None
    client.force_login(at.lead.user)
    page = f"/p/{at.project.slug}/items/{item.pk}/"
    assert "the item is asked about anew" in client.get(page).content.decode()
    sent = {"version": item.version, "field": "text", "meaning": "same"}
    for text, told in ((NEW, False), (GONE, True)):
        answer = client.post(f"{page}correct/", {**sent, "text": text, "version": at.item().version}, follow=True)
        assert ("validation starts again." in html.unescape(answer.content.decode())) is told


def test_a_vote_that_was_taken_back_stands_on_its_card_where_its_words_are(at: SpansWorld) -> None:
    person = at.validators[0]
    at.vote(0, span(OLD, "Siti"))
    item = at.item()
    vote = Vote.objects.get()
    withdraw_vote(vote=vote, item=item, why=Vote.Withdrawn.TAKEN_BACK)
    item.save()
    decide()
    corrected(at, NEW)
    assignment = assign(at.item(), person)
    again = vote_taken_back(assignment)
    assert again is not None
    assert again.answers["names"] == [span(NEW, "Siti")]
    assert Vote.objects.get().answers["names"] == [span(OLD, "Siti")]
