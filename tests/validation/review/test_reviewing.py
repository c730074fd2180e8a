"""Review of translations: what reviewers' votes lead to, what the translator answers, and that it can be replayed."""

from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.content.models.item import Item, Revision
from annotation.content.models.units import Translation
from annotation.content.queries import current_content
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.kinds import text_at
from annotation.translation.models import TargetMember
from tests import reviews
from tests.review import assign, cast_vote, decide
from tests.reviews import refused
from validation import integrity
from validation.consensus import stages
from validation.review.actions.answers import correction_accept, correction_dispute
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import adjudicate, approve, reopen, return_item
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_item
from validation.voting.actions.votes import vote_take_back, vote_void
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag, Proposal, Review
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)


def told(item: Item) -> list[str]:
    """The item's events in their order."""
    rows: list[Any] = [*item.revisions.all(), *item.verdicts.all(), *item.reviews.all()]
    return [row.event for row in sorted(rows, key=lambda row: row.version)]


def flags(item: Item) -> dict[str, Flag]:
    """The item's open flags by code; a test is always too fast."""
    rows = Flag.objects.filter(item=item, closed_at=None).exclude(code="too_fast")
    return {flag.code: flag for flag in rows}


def test_approved_is_settled():
    at = reviews.translation_review_world()
    item = at.vote("approve")
    assert (item.stage, item.gold, item.gold_from) == ("settled", "approve", "votes")
    at.sound()


def test_sent_back_goes_to_the_translator_and_comes_before_reviewers_again():
    at = reviews.translation_review_world()
    item = at.send_back()
    assert (item.stage, item.returns, item.gold, item.pending) == ("returned", 1, "", 0)
    said = Review.objects.get(item=item, event=stages.SEND_BACK)
    assert (said.words, said.error_type, said.by) == (reviews.WORDS, "number", at.reviewers[0])
    at.sound()
    item = at.resubmit()
    assert item.stage == "voting"
    at.sound()
    item = at.item
    assert (item.epoch, item.pending, item.slots_free) == (2, 1, 1)
    assert text_at(current_content(item), "field-premise") == reviews.CORRECTED_TEXT
    # The reviewer who sent it back may judge it again.
    assert at.vote("approve", 0).gold == "approve"
    at.sound()
    assert told(item) == ["submit", "open", "send_back", "review_again", "ask", "settle"]


def test_handed_in_again_unchanged_is_asked_about_again():
    at = reviews.translation_review_world()
    at.send_back()
    at.resubmit(text="", words="The source says it so.")
    item = at.item
    assert (item.stage, item.epoch, item.revision_n) == ("voting", 2, 1)
    assert Review.objects.get(item=item, event=stages.REVIEW_AGAIN).words == "The source says it so."
    at.sound()


def test_sent_back_twice_is_marked():
    at = reviews.translation_review_world()
    at.send_back()
    at.resubmit()
    item = at.send_back(by=1)
    assert item.returns == 2
    assert "returned_twice" in flags(item)
    at.sound()


def test_a_correction_is_the_text_and_others_are_asked():
    at = reviews.translation_review_world()
    item = at.correct(comment="A better verb.")
    last = Revision.objects.get(item=item, n=item.revision_n)
    assert (last.event, last.by, last.why) == (stages.TAKE_CORRECTION, at.reviewers[0], "A better verb.")
    assert text_at(last.content, "field-premise") == reviews.CORRECTED_TEXT
    assert (item.stage, item.epoch, item.pending, item.slots_free) == ("voting", 2, 1, 1)
    assert Assignment.objects.get(item=item, annotator=at.reviewers[0]).state == "barred"
    assert Proposal.objects.get(item=item).state == "accepted"
    assert Vote.objects.get(item=item).withdrawn_why == "new_meaning"
    at.sound()
    assert at.vote("approve", by=1).gold_from == "votes"
    at.sound()


def test_the_corrector_is_never_asked_again():
    at = reviews.translation_review_world(reviewers=1)
    at.correct()
    rest = [assignment_claim(annotator=at.reviewers[0], target=at.target, spacing=0)]
    assert rest == [None]


def test_the_translator_accepts_the_correction():
    at = reviews.translation_review_world()
    at.correct()
    item = at.accept()
    assert (item.stage, item.gold, item.gold_from, item.pending) == ("settled", "approve", "author", 0)
    assert at.accept().version == item.version
    at.sound()
    # Nothing of what was voted makes the system think again.
    decide_item(item_id=item.pk)
    assert at.item.gold_from == "author"


def test_the_translator_disputes_the_correction():
    at = reviews.translation_review_world()
    at.correct()
    item = at.dispute("Nobody says it like that.")
    assert flags(item)["disputed"].detail["words"] == "Nobody says it like that."
    assert item.stage == "voting"
    at.sound()
    with refused(Conflict, "correction_over"):
        at.accept()
    item = at.vote("approve", by=1)
    assert item.stage == "settled"
    assert set(flags(item)) == {"disputed"}
    at.sound()


def test_only_the_translator_answers_and_only_a_correction():
    at = reviews.translation_review_world()
    item = at.item
    with refused(Conflict, "correction_over"):
        at.accept()
    at.correct()
    with pytest.raises(NotFound):
        correction_accept(writer=at.reviewers[1], item_id=item.pk, revision=at.item.revision_n)
    assert at.item.stage == "voting"


def test_after_another_review_the_translator_comes_too_late():
    at = reviews.translation_review_world()
    at.correct()
    revision = at.item.revision_n
    cast_vote(assign(at.item, at.reviewers[1]), "approve")
    for answer in (
        lambda: correction_accept(writer=at.translator, item_id=at.item.pk, revision=revision),
        lambda: correction_dispute(writer=at.translator, item_id=at.item.pk, revision=revision, words="No."),
    ):
        with refused(Conflict, "reviewed_meanwhile"):
            answer()
    decide()
    assert at.item.gold_from == "votes"
    at.sound()


BALLOTS = [
    ("approve", {"comment": "Good."}, "comment", "approval_says_more"),
    ("approve", {"proposals": {"field-premise": "Other."}}, "proposals", "approval_corrects"),
    ("correct", {}, "proposals", "correction_missing"),
    ("correct", {"comment": "Wrong."}, "proposals", "correction_missing"),
    ("return", {}, "comment", "return_reason_missing"),
    ("return", {"comment": "  "}, "comment", "return_reason_missing"),
    ("return", {"comment": "No.", "proposals": {"field-premise": "O."}}, "proposals", "return_corrects"),
    ("return", {"comment": "No.", "answers": {"error": "ghost"}}, "error", "error_type_missing"),
    ("correct", {"proposals": {"field-ghost": "Other."}}, "proposals", "proposal_unknown"),
    ("correct", {"proposals": {"field-premise": " "}}, "proposals", "proposal_unknown"),
    ("entailment", {}, "label", "label_unknown"),
]


@pytest.mark.parametrize(("label", "said", "field", "code"), BALLOTS)
def test_ballots_that_cannot_be(label, said, field, code):
    at = reviews.translation_review_world()
    assignment = assign(at.item, at.reviewers[0])
    with pytest.raises(Invalid) as caught:
        cast_vote(assignment, label, **said)
    assert (caught.value.field, caught.value.code) == (field, code)
    assert not Vote.objects.exists()


def test_a_correction_that_changes_nothing_is_none():
    at = reviews.translation_review_world()
    text = text_at(current_content(at.item), "field-premise")
    with refused(Invalid, "correction_missing"):
        cast_vote(assign(at.item, at.reviewers[0]), "correct", proposals={"field-premise": text})


def test_an_error_type_stands_with_what_is_sent_back_only():
    at = reviews.translation_review_world()
    item = at.vote("approve", answers={"error": "number"})
    assert Vote.objects.get(item=item).answers == {}


def test_who_does_not_work_for_the_target_any_more_cannot_vote():
    at = reviews.translation_review_world()
    assignment = assign(at.item, at.reviewers[0])
    TargetMember.objects.filter(annotator=at.reviewers[0]).delete()
    with refused(Conflict, "not_your_target"):
        cast_vote(assignment, "approve")
    assert not Vote.objects.exists()


def test_nor_take_back_what_they_voted():
    at = reviews.translation_review_world()
    at.vote("approve")
    TargetMember.objects.filter(annotator=at.reviewers[0]).delete()
    with refused(Conflict, "nothing_to_take_back"):
        vote_take_back(annotator=at.reviewers[0])


@pytest.mark.parametrize("what", ["correct", "send_back"])
def test_what_the_house_has_acted_on_is_not_taken_back(what):
    at = reviews.translation_review_world()
    getattr(at, what)()
    with refused(Conflict, "nothing_to_take_back"):
        vote_take_back(annotator=at.reviewers[0])
    at.sound()


def test_an_approval_is_taken_back():
    at = reviews.translation_review_world()
    at.vote("approve")
    vote_take_back(annotator=at.reviewers[0])
    decide()
    assert (at.item.stage, at.item.gold) == ("voting", "")
    at.sound()


def test_a_voided_vote_calls_back_what_it_sent_back():
    at = reviews.translation_review_world()
    item = at.send_back()
    with refused(Conflict, "still_sent_back"):
        reopen(lead=at.lead, item_id=item.pk, version=item.version)
    vote = Vote.objects.get(item=item)
    vote_void(lead=at.lead, item_id=item.pk, vote_n=vote.n, version=item.version, reason="Spam.")
    decide()
    item = at.item
    assert (item.stage, item.pending, item.slots_free) == ("voting", 1, 1)
    at.sound()
    assert at.vote("approve", by=1).stage == "settled"
    at.sound()


def test_what_a_lead_returned_comes_back_to_the_lead():
    at = reviews.translation_review_world()
    item = at.send_back()
    item = at.resubmit()
    item = at.item
    item = return_item(lead=at.lead, item_id=item.pk, version=item.version, error_type="meaning", words="Look again.")
    assert at.resubmit(text="Wong dodol woh-wohan ing pasar.").stage == "corrected"
    at.sound()
    item = at.item
    approve(lead=at.lead, item_id=item.pk, version=item.version, meaning="new")
    at.sound()
    assert at.vote("approve").stage == "settled"
    at.sound()


def test_a_lead_corrects_what_was_sent_back_and_it_stays_with_its_translator():
    at = reviews.translation_review_world()
    item = at.send_back()
    correct(
        lead=at.lead,
        item_id=item.pk,
        version=item.version,
        field="field-premise",
        text="Wong iku.",
        meaning="new",
    )
    at.sound()
    assert at.item.stage == "returned"
    at.resubmit()
    assert at.item.stage == "voting"
    at.sound()


def test_a_writer_who_left_leaves_it_to_a_lead():
    at = reviews.translation_review_world()
    Annotator.objects.filter(pk=at.translator.pk).update(left_at=Now())
    item = at.send_back()
    assert item.stage == "no_consensus"
    assert set(flags(item)) == {"no_consensus"}
    at.sound()
    # What is corrected needs nobody to correct it.
    assert (
        adjudicate(lead=at.lead, item_id=item.pk, version=item.version, label="approve", words="It is fine.").gold
        == "approve"
    )
    with refused(Invalid, "label_unknown"):
        adjudicate(lead=at.lead, item_id=item.pk, version=at.item.version, label="return", words="It is not.")


def test_any_other_protocol_asks_for_as_many_as_it_says():
    at = reviews.translation_review_world(protocol="incremental-3-5")
    for by in range(3):
        at.vote("return", by, comment=f"No {by}.")
    item = at.item
    # Three say the same, and that is no gold label.
    assert (item.stage, item.gold) == ("returned", "")
    assert Review.objects.get(item=item).words == "No 0.\n\nNo 1.\n\nNo 2."
    at.sound()


def test_of_two_corrections_one_is_taken_and_the_other_is_a_leads_to_look_at():
    at = reviews.translation_review_world(protocol="unanimous-2")
    at.correct(0, "Siji wae.")
    at.correct(1, "Loro wae.")
    item = at.item
    assert text_at(current_content(item), "field-premise") == "Siji wae."
    assert flags(item)["proposed_correction"].detail["by"] == [at.reviewers[1].pseudonym]
    at.sound()


def test_an_approval_answers_what_the_checks_found():
    at = reviews.translation_review_world()
    Flag.objects.create(
        project=at.project, item=at.item, code="failed_check", detail={"checks": ["numbers"]}, version=2
    )
    Item.objects.filter(pk=at.item.pk).update(doubt=8)
    item = at.vote("approve")
    assert Flag.objects.get(item=item, code="failed_check").closed_version == item.version
    assert flags(item) == {}
    at.sound()


def test_what_is_broken_is_found_and_mended():
    at = reviews.translation_review_world()
    at.correct()
    at.accept()
    Item.objects.filter(pk=at.item.pk).update(gold="", gold_from="", stage="voting", epoch=1)
    assert {breach.what for breach in integrity.run(project=at.project)} >= {"stage", "epoch"}
    assert all(breach.repaired for breach in integrity.run(project=at.project, repair=True))
    assert (at.item.gold, at.item.gold_from, at.item.stage, at.item.epoch) == (
        "approve",
        "author",
        "settled",
        2,
    )
    at.sound()


def test_a_return_that_was_lost_is_mended():
    at = reviews.translation_review_world()
    item = at.send_back()
    Item.objects.filter(pk=item.pk).update(stage="no_consensus", returns=0)
    assert {breach.what for breach in integrity.run(project=at.project)} >= {"stage", "times returned"}
    assert all(breach.repaired for breach in integrity.run(project=at.project, repair=True))
    assert (at.item.stage, at.item.returns) == ("returned", 1)
    at.sound()


def test_a_translation_that_was_changed_behind_its_revision_is_mended():
    at = reviews.translation_review_world()
    at.correct()
    fields = Translation.objects.get(item=at.item.pk).fields
    Translation.objects.filter(item=at.item.pk).update(fields=[{**each, "text": "?"} for each in fields])
    assert {breach.what for breach in integrity.run(project=at.project)} == {"present text"}
    assert all(breach.repaired for breach in integrity.run(project=at.project, repair=True))
    at.sound()
