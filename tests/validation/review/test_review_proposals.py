"""Proposed corrections, and items that wait for nobody."""

from functools import partial

import pytest

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, NotFound
from annotation.core.models.member import Annotator
from annotation.jobs.models import Heartbeat
from tests import factory
from tests.review import World, assign, cast_vote, cast_votes, decide, world
from validation.review.actions.corrections import proposal_accept, proposal_decline
from validation.review.actions.decisions import approve
from validation.voting import tasks
from validation.voting.actions.assignments import assignment_claim, assignment_pass
from validation.voting.actions.nobody_left import HEARTBEAT_NAME, flag_nobody_left, is_look_due
from validation.voting.actions.votes import vote_take_back
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag, Proposal
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def proposed(at: World, field: str = "hypothesis", text: str = "Mangga dijual di pasar itu.") -> Proposal:
    """The first vote on the entailment proposes a correction, and the item settles."""
    item = at.item()
    cast_vote(assign(item, at.validators[0]), "e", proposals={field: text})
    cast_votes(at, item, "e")
    return Proposal.objects.get(item=item)


@pytest.mark.parametrize("meaning", ["same", "new"])
def test_an_accepted_proposal_is_a_correction_and_bars_its_proposer(meaning: str) -> None:
    at = world()
    proposal = proposed(at)
    item = at.item()
    assert Flag.objects.filter(item=item, code="proposed_correction", closed_at=None).exists()
    item = proposal_accept(
        lead=at.lead, item_id=item.pk, version=item.version, proposal_id=proposal.pk, meaning=meaning
    )
    at.sound()
    item.refresh_from_db()
    proposal.refresh_from_db()
    assert item.hypothesis.text == proposal.text
    assert (proposal.state, proposal.decided_by) == ("accepted", at.lead)
    assert not Flag.objects.filter(item=item, code="proposed_correction", closed_at=None).exists()
    barred = Assignment.objects.filter(item=item, state="barred").values_list("annotator", flat=True)
    assert set(barred) == {at.validators[0].pk, at.lead.pk}
    standing = Vote.objects.filter(item=item, withdrawn_at=None).count()
    assert (item.stage, standing) == (("settled", 2) if meaning == "same" else ("voting", 0))
    Item.objects.filter(project=at.project).exclude(pk=item.pk).update(slots_free=0, pending=0)
    target = at.project.targets.get()
    assert assignment_claim(annotator=at.validators[0], target=target, spacing=0) is None
    with pytest.raises(Conflict):
        vote_take_back(annotator=at.validators[0])


def test_an_accepted_proposal_for_the_premise_reaches_all_its_pairs() -> None:
    at = world()
    text = "Pedagang itu menjual mangga dan pisang di pasar pagi."
    proposal = proposed(at, "premise", text)
    item = at.item()
    proposal_accept(lead=at.lead, item_id=item.pk, version=item.version, proposal_id=proposal.pk, meaning="same")
    at.sound()
    item.hypothesis.premise.refresh_from_db()
    assert item.hypothesis.premise.text == text
    assert Assignment.objects.filter(annotator=at.validators[0], state="barred").count() == 6


def test_a_proposer_who_sits_there_again_gets_up() -> None:
    """The first proposal brings a new meaning; the second one's author sits at the new text when it is accepted."""
    at = world()
    item = at.item()
    for person, text in zip(at.validators, ("Mangga ada di pasar.", "Ada mangga di pasar."), strict=False):
        cast_vote(assign(item, person), "e", proposals={"hypothesis": text})
    decide()
    first, second = Proposal.objects.order_by("pk")
    item.refresh_from_db()
    accept = partial(proposal_accept, lead=at.lead, item_id=item.pk)
    item = accept(version=item.version, proposal_id=first.pk, meaning="new")
    decide()
    held = assign(item, at.validators[1])
    item.refresh_from_db()
    assert (item.pending, item.slots_free) == (2, 1)
    item = accept(version=item.version, proposal_id=second.pk, meaning="same")
    assert (item.pending, item.slots_free) == (2, 2)
    with pytest.raises(Conflict):
        cast_vote(held, "e")
    at.sound()


def test_a_proposer_is_not_barred_from_what_they_wrote() -> None:
    """Their own pair of the premise is closed to them anyway: the database keeps authors from assignments."""
    at = world()
    person = at.validators[0]
    proposal = proposed(at, "premise", "Pedagang itu menjual mangga dan pisang di pasar pagi.")
    own = at.item("n")
    Item.objects.filter(pk=own.pk).update(author=person)
    item = at.item()
    proposal_accept(lead=at.lead, item_id=item.pk, version=item.version, proposal_id=proposal.pk, meaning="same")
    assert not Assignment.objects.filter(item=own, annotator=person).exists()
    assert Assignment.objects.filter(annotator=person, state="barred").count() == 5


def test_other_proposals_stay_open() -> None:
    at = world()
    item = at.item()
    for person, text in zip(at.validators, ("Mangga ada di pasar.", "Ada mangga di pasar."), strict=False):
        cast_vote(assign(item, person), "e", proposals={"hypothesis": text})
        decide()
    first, second = Proposal.objects.order_by("pk")
    item.refresh_from_db()
    proposal_accept(lead=at.lead, item_id=item.pk, version=item.version, proposal_id=first.pk, meaning="new")
    at.sound()
    second.refresh_from_db()
    assert second.state == "open"
    assert Flag.objects.filter(item=item, code="proposed_correction", closed_at=None).exists()


def test_a_declined_proposal_changes_nothing() -> None:
    at = world()
    proposal = proposed(at)
    item = at.item()
    arguments = {"lead": at.lead, "item_id": item.pk, "version": item.version, "proposal_id": proposal.pk}
    proposal_decline(**arguments, words="It is right as it is.")  # type: ignore[arg-type]
    proposal.refresh_from_db()
    assert (proposal.state, proposal.words) == ("declined", "It is right as it is.")
    assert at.item().hypothesis.text == factory.SET["e1"]
    with pytest.raises(Conflict) as again:
        proposal_accept(**arguments, meaning="same")  # type: ignore[arg-type]
    assert again.value.code == "proposal_over"
    assert at.item().revision_n == 1
    at.sound()


def test_a_proposal_for_another_item_is_not_found() -> None:
    at = world()
    proposal = proposed(at)
    other = at.item("n")
    with pytest.raises(NotFound):
        proposal_accept(lead=at.lead, item_id=other.pk, version=other.version, proposal_id=proposal.pk, meaning="same")


def leave(at: World, staying: int) -> None:
    """All but the first few validators leave the project."""
    gone = [person.pk for person in at.validators[staying:]]
    Annotator.objects.filter(pk__in=gone).update(left_at="2020-01-01T00:00:00Z")


def test_an_item_that_nobody_is_left_for_is_flagged_once() -> None:
    at = world()
    item = cast_votes(at, at.item(), "nc")
    leave(at, 3)
    assert flag_nobody_left() == 0  # the third validator has not had it
    item = cast_votes(at, item, "n")
    assert (item.stage, item.round) == ("voting", 3)
    assert flag_nobody_left() == 1
    item.refresh_from_db()
    assert Flag.objects.get(item=item).code == "nobody_left"
    assert item.doubt > 0
    assert flag_nobody_left() == 0
    at.sound()
    # seen by the lead, and still nobody there: it is not flagged again
    approve(lead=at.lead, item_id=item.pk, version=item.version)
    assert flag_nobody_left() == 0
    assert Flag.objects.filter(item=item).count() == 1


def test_what_nobody_sat_at_yet_is_not_flagged() -> None:
    at = world()
    leave(at, 0)
    assert Item.objects.filter(project=at.project, slots_free__gt=0).count() == 6
    assert flag_nobody_left() == 0


def test_people_who_passed_are_not_counted_on() -> None:
    at = world()
    leave(at, 2)
    item = at.item()
    assignment = assign(item, at.validators[0])
    assignment_pass(annotator=at.validators[0], token=assignment.token, reason="other")
    assert flag_nobody_left() == 0
    assignment = assign(item, at.validators[1])
    assignment_pass(annotator=at.validators[1], token=assignment.token, reason="other")
    assert flag_nobody_left() == 1


def test_the_flag_is_closed_when_the_item_is_decided() -> None:
    at = world()
    item = cast_votes(at, at.item(), "nc")
    leave(at, 2)
    assert flag_nobody_left() == 1
    newcomer = factory.member(at.project, "validator")
    cast_vote(assign(item, newcomer), "n")
    decide()
    cast_vote(assign(item, factory.member(at.project, "validator")), "n")
    at.sound()
    flag = Flag.objects.get(item=item, code="nobody_left")
    item.refresh_from_db()
    assert (item.stage, flag.closed_version) == ("settled", item.version)


def test_the_sweep_looks_now_and_then() -> None:
    at = world()
    cast_votes(at, at.item(), "nc")
    leave(at, 2)
    tasks.sweep()
    assert Flag.objects.filter(code="nobody_left").count() == 1
    assert not is_look_due()
    Heartbeat.objects.filter(name=HEARTBEAT_NAME).update(at="2020-01-01T00:00:00Z")
    assert is_look_due()
    assert not is_look_due()
