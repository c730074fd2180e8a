"""Quality control before answering (domain.md §5), on PostgreSQL; exclusion as ambiguous (id-csqa §4.2)."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from annotation.content.models.item import Item, Revision
from annotation.core.errors import Conflict, Invalid
from annotation.core.rules.error_types import text_of
from annotation.projects.actions.projects import protocol_change
from annotation.writing.actions.revising import item_revise
from tests import factory
from tests.questions import a_question, a_question_project, typed_question
from tests.race import run_at_once
from tests.review import World, approve, assign, cast_vote, cast_votes, decide
from validation import integrity
from validation.consensus import stages
from validation.consensus.protocol import PRESETS
from validation.models import Assignment, Flag, Review, Verdict, Vote
from validation.review.actions import corrections, decisions
from validation.review.actions.decisions import adjudicate, reopen, return_item
from validation.review.actions.writers import resubmit
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_take_back, vote_void

pytestmark = pytest.mark.django_db


def world(*, check_first: bool = True, questions: int = 1, **more: Any) -> World:
    made = a_question_project(settings={"check_first": check_first, **more.pop("settings", {})}, **more)
    writer = factory.member(made, "writer")
    items = [a_question(made, writer) for _ in range(questions)]
    return World(
        made,
        writer,
        factory.member(made, "lead"),
        factory.member(made, "lead"),
        [factory.member(made, "validator") for _ in range(6)],
        items,
    )


def returned(at: World, item: Item, error: str = "subjective", words: str = "A matter of taste.") -> Item:
    return return_item(lead=at.lead, item_id=item.pk, version=item.version, error_type=error, words=words)


def sent_back(at: World, item: Item, question: str) -> Item:
    concept = item.revisions.get(n=1).content["concept"]
    content = typed_question(concept, question=question.format(concept))
    return resubmit(writer=at.writer, item_id=item.pk, version=item.version, content=content)


def test_returned_twice_then_approved_then_answered() -> None:
    at = world()
    item = at.items[0]
    assert (item.stage, item.due_at) == ("submitted", None)
    at.sound()
    item = returned(at, item)
    item = sent_back(at, item, "Apa guna {} bagi nelayan di kampung?")
    assert item.stage == "corrected"
    item = returned(at, item, "language", "The verb is missing.")
    assert Flag.objects.filter(item=item, code="returned_twice", closed_at=None).exists()
    item = sent_back(at, item, "Untuk apa nelayan memakai {} di kampung?")
    at.sound()
    assert Verdict.objects.filter(item=item).count() == 0
    item = approve(at, item)
    assert (item.stage, item.due_at is not None, item.returns, item.doubt) == ("written", True, 2, 0)
    decide()
    item.refresh_from_db()
    assert (item.stage, item.pending, item.slots_free) == ("voting", 5, 5)
    item = cast_votes(at, item, "AABAC")
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.gold_from) == ("settled", "A", "votes")
    told = Review.objects.filter(item=item).order_by("version").values_list("event", "error_type")
    assert list(told) == [("return", "subjective"), ("return", "language"), ("approve_written", "")]
    assert list(Revision.objects.filter(item=item).order_by("n").values_list("event", flat=True)) == [
        "hand_in",
        "resubmit",
        "resubmit",
    ]


def test_what_waits_for_its_check_is_offered_to_nobody() -> None:
    at = world(questions=3)
    Item.objects.filter(pk=at.items[1].pk).update(due_at="2026-01-01T00:00Z")
    decide()
    assert set(Item.objects.filter(project=at.project).values_list("stage", "slots_free")) == {("submitted", 0)}
    target = at.project.targets.get()
    assert assignment_claim(annotator=at.validators[0], target=target, spacing=0) is None
    item = approve(at, at.items[0])
    decide()
    assignment = assignment_claim(annotator=at.validators[0], target=target, spacing=0)
    assert assignment is not None
    assert assignment.item_id == item.pk
    at.sound()


def test_what_is_not_sampled_is_checked_and_then_asked_of_nobody() -> None:
    at = world(share=0)
    item = approve(at, at.items[0])
    assert (item.stage, item.due_at) == ("written", None)
    at.sound()


def test_nothing_leads_past_the_first_check() -> None:
    at = world(questions=3)
    one, two, three = at.items
    one = returned(at, one)
    one = reopen(lead=at.lead, item_id=one.pk, version=one.version)
    two = exclude(lead=at.lead, item_id=two.pk, version=two.version, words="Harmful.")
    two = reopen(lead=at.lead, item_id=two.pk, version=two.version)
    three = sent_back(at, returned(at, three), "Siapa yang memakai {} pada pagi hari?")
    three = exclude(lead=at.lead, item_id=three.pk, version=three.version, words="Harmful.")
    three = reopen(lead=at.lead, item_id=three.pk, version=three.version)
    assert {item.stage for item in (one, two, three)} == {"submitted"}
    at.sound()
    assert not Verdict.objects.filter(project=at.project).exists()
    for item in (one, two, three):
        approve(at, item)
    at.sound()
    assert set(Item.objects.filter(project=at.project).values_list("stage", flat=True)) == {"voting"}


def test_once_approved_it_goes_the_ways_of_every_item() -> None:
    at = world()
    item = approve(at, at.items[0])
    item = exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Not now.")
    item = reopen(lead=at.lead, item_id=item.pk, version=item.version)
    assert item.stage == "written"
    decide()
    item = cast_votes(at, item, "AAAAA")
    item = sent_back(at, returned(at, item), "Siapa yang memakai {} pada malam hari?")
    item = approve(at, item, "new")
    assert (item.stage, item.epoch) == ("voting", 2)
    at.sound()


def test_its_writer_revises_it_until_a_lead_approves() -> None:
    at = world()
    item = at.items[0]
    content = typed_question(item.revisions.get(n=1).content["concept"], answer="C")
    item = item_revise(writer=at.writer, item_id=item.pk, version=item.version, content=content)
    assert (item.stage, item.author_label) == ("submitted", "C")
    item = approve(at, item)
    with pytest.raises(Conflict) as refusal:
        item_revise(writer=at.writer, item_id=item.pk, version=item.version, content=content)
    assert refusal.value.code == "validation_began"
    at.sound()


def test_a_lead_corrects_what_waits() -> None:
    at = world()
    item, text = at.items[0], "Di mana tikar dipakai oleh warga desa?"
    item = corrections.correct(
        lead=at.lead, item_id=item.pk, version=item.version, field="question", text=text, meaning="new"
    )
    assert (item.stage, item.epoch) == ("submitted", 2)
    approve(at, item)
    decide()
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.pending) == ("voting", 5)


def test_a_change_of_protocol_reaches_what_waits_for_its_check() -> None:
    at = world(questions=3)
    returned(at, at.items[1])
    began = approve(at, at.items[2])
    decide()
    fewer = replace(PRESETS["answers-5"], name="three", rounds=(3,), most_ambiguous=2)
    made = protocol_change(project=at.project, by=None, protocol=fewer)
    kept = {item.pk: item.protocol_id == made.pk for item in Item.objects.filter(project=at.project)}
    assert kept == {at.items[0].pk: True, at.items[1].pk: True, began.pk: False}


def test_a_project_returns_for_its_own_error_types() -> None:
    at = world(settings={"error_types": text_of((("taste", "A matter of taste"), ("local", "Not from here")))})
    item = at.items[0]
    with pytest.raises(Invalid) as refusal:
        returned(at, item, "subjective")
    assert refusal.value.code == "error_type_missing"
    assert returned(at, item, "taste").stage == "returned"


@pytest.mark.django_db(transaction=True)
def test_two_leads_approve_at_once() -> None:
    at = world(questions=6)
    for item in at.items:
        calls = [
            partial(decisions.approve, lead=lead, item_id=item.pk, version=item.version)
            for lead in (at.lead, at.other_lead)
        ]
        came = run_at_once(calls)
        assert sorted(type(one).__name__ for one in came) == ["Conflict", "Item"]
        assert Review.objects.filter(item=item, event=stages.APPROVE_WRITTEN).count() == 1
    at.sound()
    assert set(Item.objects.filter(project=at.project).values_list("stage", "pending")) == {("voting", 5)}


@pytest.mark.django_db(transaction=True)
def test_a_lead_approves_while_its_writer_revises() -> None:
    at = world(questions=6)
    for item in at.items:
        content = typed_question(item.revisions.get(n=1).content["concept"], answer="B", distractor="A")
        revise = partial(item_revise, writer=at.writer, item_id=item.pk, version=1, content=content)
        came = run_at_once([partial(decisions.approve, lead=at.lead, item_id=item.pk, version=1), revise])
        assert sorted(type(one).__name__ for one in came) == ["Conflict", "Item"]
    at.sound()


# --- excluded by the system ----------------------------------------------------------------------


MARKED: dict[str, Any] = {
    "ambiguous": True,
    "comment": "Bisa keduanya.",
    "answers": {"question": "ambiguous"},
}


def ambiguous(marks: int = 4, labels: str = "AAAAA") -> tuple[World, Item]:
    """A question with these answers, of which the first ones are marked as ambiguous."""
    at = world(check_first=False)
    decide()
    item = at.items[0]
    item.refresh_from_db()
    item = cast_votes(at, item, labels[:marks], **MARKED)
    item = cast_votes(at, item, labels[marks:])
    return at, item


def test_more_than_three_exclude_it_and_three_do_not() -> None:
    at, item = ambiguous(3)
    assert (item.stage, item.gold) == ("settled", "A")
    at.sound()
    at, item = ambiguous(4, "ABACD")
    assert (item.stage, item.gold, item.gold_from, item.pending) == ("excluded", "", "", 0)
    last = Verdict.objects.filter(item=item).latest("version")
    assert (last.event, last.label, last.votes_n) == ("exclude_ambiguous", "", 5)
    assert Vote.objects.filter(item=item, withdrawn_at=None).count() == 5
    flag = Flag.objects.get(item=item, closed_at=None, code="ambiguous")
    assert len(flag.detail["by"]) == 4
    assert item.doubt > 0
    at.sound()


def test_an_answer_taken_back_computes_it_anew() -> None:
    at = world(check_first=False)
    decide()
    item = at.items[0]
    item.refresh_from_db()
    item = cast_votes(at, item, "A")
    item = cast_votes(at, item, "AAAA", **MARKED)
    assert item.stage == "excluded"
    last = Vote.objects.filter(item=item).latest("n").annotator
    assignment = vote_take_back(annotator=last)
    assert assignment
    item.refresh_from_db()
    assert (item.stage, item.pending, item.slots_free) == ("voting", 1, 0)
    cast_vote(assignment, "A")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.gold) == ("settled", "A")
    assert list(Verdict.objects.filter(item=item).order_by("version").values_list("event", flat=True)) == [
        "open",
        "exclude_ambiguous",
        "recompute",
        "settle",
    ]
    at.sound()


def test_a_voided_answer_computes_it_anew_but_not_what_a_lead_excluded() -> None:
    at, item = ambiguous()
    vote_void(lead=at.lead, item_id=item.pk, vote_n=1, version=item.version, reason="Not in good faith.")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.pending) == ("voting", 1)
    item = exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Harmful.")
    vote_void(lead=at.lead, item_id=item.pk, vote_n=2, version=item.version, reason="Not in good faith.")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.pending) == ("excluded", 0)
    at.sound()


def test_a_lead_agrees() -> None:
    at, item = ambiguous()
    item = approve(at, item)
    assert (item.stage, item.doubt) == ("excluded", 0)
    at.sound()
    item.refresh_from_db()
    assert item.doubt == 0


def test_a_lead_settles_it_and_takes_that_back() -> None:
    at, item = ambiguous()
    item = adjudicate(lead=at.lead, item_id=item.pk, version=item.version, label="B", words="One reading only.")
    assert (item.stage, item.gold, item.gold_from) == ("adjudicated", "B", "lead")
    at.sound()
    item = reopen(lead=at.lead, item_id=item.pk, version=item.version)
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.gold) == ("excluded", "")


def test_reopening_does_not_go_in_circles() -> None:
    at, item = ambiguous()
    with pytest.raises(Conflict) as refusal:
        reopen(lead=at.lead, item_id=item.pk, version=item.version)
    assert refusal.value.code == "still_ambiguous"
    text = "Untuk apa tikar digelar di beranda rumah?"
    item = corrections.correct(
        lead=at.lead, item_id=item.pk, version=item.version, field="question", text=text, meaning="new"
    )
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.epoch) == ("excluded", 2)
    item = reopen(lead=at.lead, item_id=item.pk, version=item.version)
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.pending) == ("voting", 5)


def test_it_goes_back_to_its_writer() -> None:
    at, item = ambiguous()
    item = returned(at, item, "answer-distractor-equivalent", "Both can be right.")
    item = sent_back(at, item, "Untuk apa warga memakai {} di beranda rumah?")
    item = approve(at, item, "new")
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.epoch, item.pending) == ("voting", 2, 5)


def test_what_was_never_voted_on_cannot_be_settled_out_of_an_exclusion() -> None:
    at = world()
    item = at.items[0]
    item = exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Harmful.")
    with pytest.raises(Conflict):
        adjudicate(lead=at.lead, item_id=item.pk, version=item.version, label="A", words="So.")


def test_integrity_finds_and_mends_a_wrong_exclusion() -> None:
    at, item = ambiguous()
    Vote.objects.filter(item=item, n=1).update(ambiguous=False)
    found = list(integrity.run(project=at.project))
    assert [(one.invariant, one.what, one.found, one.expected) for one in found] == [
        ("I5", "verdict", "excluded", "settled")
    ]
    assert all(one.repaired for one in integrity.run(project=at.project, repair=True))
    item.refresh_from_db()
    assert (item.stage, item.gold) == ("settled", "A")
    Vote.objects.filter(item=item, n=1).update(ambiguous=True)
    found = list(integrity.run(project=at.project))
    assert ("I5", "verdict", "settled", "excluded") in [
        (one.invariant, one.what, one.found, one.expected) for one in found
    ]
    list(integrity.run(project=at.project, repair=True))
    item.refresh_from_db()
    assert item.stage == "excluded"
    at.sound()


def test_a_assignment_open_beyond_the_end_is_given_up() -> None:
    """Five answers for three slots: who still sits when the item is excluded gets up."""
    at = world(check_first=False)
    decide()
    item = at.items[0]
    item.refresh_from_db()
    item = cast_votes(at, item, "AAAA", **MARKED)
    cast_vote(assign(item, at.validators[4]), "B")
    decide()
    item.refresh_from_db()
    assert item.stage == "excluded"
    assert not Assignment.objects.filter(item=item, state=Assignment.State.OPEN).exists()


@pytest.mark.parametrize(
    ("labels", "stage", "gold", "round_n"),
    [("AA", "settled", "A", 1), ("BCD", "no_consensus", "", 2), ("BBAA", "settled", "A", 3)],
)
def test_questions_in_rounds(labels: str, stage: str, gold: str, round_n: int) -> None:
    """incremental-3-5 counts the writer's answer (A) first, and asks nobody further where it is hopeless."""
    at = world(check_first=False, protocol="incremental-3-5")
    decide()
    item = at.items[0]
    item.refresh_from_db()
    item = cast_votes(at, item, labels)
    assert (item.stage, item.gold, item.round, item.pending) == (stage, gold, round_n, 0)
    at.sound()
