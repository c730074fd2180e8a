"""Reviewers, translators, leads and the system at the same instant: one of them wins, nothing is done twice."""

from typing import Any

import pytest

from annotation.core.errors import Conflict
from tests import reviews
from tests.race import run_at_once
from tests.review import assign, cast_vote, decide
from validation.consensus import stages
from validation.review.actions.answers import correction_accept, correction_dispute
from validation.voting.actions.decide import decide_due
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_take_back
from validation.voting.models.review import Review
from validation.voting.models.vote import Verdict, Vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("label", ["approve", "correct", "return"])
def test_the_translator_accepts_while_another_reviewer_votes(label):
    at = reviews.translation_review_world()
    at.correct()
    assignment, revision = assign(at.item, at.reviewers[1]), at.item.revision_n
    ballots: dict[str, dict[str, Any]] = {
        "approve": {},
        "correct": {"proposals": {"field-premise": "Wong liya maneh."}},
        "return": {"comment": "No."},
    }
    said = ballots[label]
    accepted, voted = run_at_once(
        [
            lambda: correction_accept(writer=at.translator, item_id=at.item.pk, revision=revision),
            lambda: cast_vote(assignment, label, **said),
        ]
    )
    decide()
    lost = [one.code for one in (accepted, voted) if isinstance(one, Conflict)]
    assert lost in (["reviewed_meanwhile"], ["assignment_taken"])
    assert (at.item.gold_from == "author") == (lost == ["assignment_taken"])
    at.sound()


def test_accepting_twice_at_once_is_accepting_once():
    at = reviews.translation_review_world()
    at.correct()
    item = at.item

    def accept():
        return correction_accept(writer=at.translator, item_id=item.pk, revision=item.revision_n)

    assert not [one for one in run_at_once([accept] * 4) if isinstance(one, Exception)]
    assert Review.objects.filter(item=item, event=stages.ACCEPT).count() == 1
    at.sound()


def test_accepting_and_disputing_at_once():
    at = reviews.translation_review_world()
    at.correct()
    item = at.item
    given = run_at_once(
        [
            lambda: correction_accept(writer=at.translator, item_id=item.pk, revision=item.revision_n),
            lambda: correction_dispute(writer=at.translator, item_id=item.pk, revision=item.revision_n, words="No."),
        ]
    )
    assert sum(isinstance(one, Conflict) for one in given) == 1
    at.sound()


@pytest.mark.parametrize("label", ["correct", "return"])
def test_the_house_acts_once_however_often_it_is_rung(label):
    at = reviews.translation_review_world()
    said = {"proposals": {"field-premise": reviews.CORRECTED_TEXT}} if label == "correct" else {"comment": "No."}
    cast_vote(assign(at.item, at.reviewers[0]), label, **said)
    run_at_once([decide_due] * 4)
    decide()
    item = at.item
    assert item.revisions.count() == (2 if label == "correct" else 1)
    assert Review.objects.filter(item=item, event=stages.SEND_BACK).count() == (label == "return")
    at.sound()


def test_a_vote_taken_back_while_the_house_sends_it_back():
    at = reviews.translation_review_world()
    cast_vote(assign(at.item, at.reviewers[0]), "return", comment="No.")
    run_at_once([decide_due, lambda: vote_take_back(annotator=at.reviewers[0])])
    decide()
    item = at.item
    stands = Vote.objects.filter(item=item, withdrawn_at=None).exists()
    assert (item.stage == "returned") == stands
    at.sound()


def test_handed_in_twice_at_once_starts_one_review():
    at = reviews.translation_review_world()
    at.send_back()
    given = run_at_once([at.resubmit] * 3)
    decide()
    assert sum(isinstance(one, Conflict) for one in given) == 2
    item = at.item
    assert (item.stage, item.epoch, item.pending) == ("voting", 2, 1)
    assert Verdict.objects.filter(item=item, event=stages.ASK).count() == 1
    at.sound()


def test_a_lead_excludes_while_the_translator_accepts():
    at = reviews.translation_review_world()
    at.correct()
    item = at.item
    run_at_once(
        [
            lambda: exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Out."),
            lambda: correction_accept(writer=at.translator, item_id=item.pk, revision=item.revision_n),
        ]
    )
    assert at.item.stage in ("excluded", "settled")
    at.sound()
