"""What leads decide: every action from every stage, against the stage table, on PostgreSQL."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.content.models.item import Item, Revision
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.kinds import SlotIn
from tests import factory
from tests.review import (
    approve,
    assign,
    cast_vote,
    cast_votes,
    decide,
    give_back,
    item_at_stage,
    resubmit,
    world,
    world_with_item_at,
)
from tests.shared_worlds import SharedWorlds
from validation.consensus import stages
from validation.review.actions.corrections import correct, count_affected
from validation.review.actions.decisions import adjudicate, comment_add, reopen, return_item
from validation.review.actions.decisions import approve as review_approve
from validation.review.actions.writers import resubmit as review_resubmit
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_void
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag, Review
from validation.voting.models.vote import Vote
from validation.voting.rules.flags import doubt_of

pytestmark = pytest.mark.django_db

Act = Callable[..., Any]
ACTS: dict[str, tuple[Act, dict[str, Any]]] = {
    "approve": (review_approve, {}),
    "approve_same": (review_approve, {"meaning": "same"}),
    "approve_new": (review_approve, {"meaning": "new"}),
    "return": (return_item, {"error_type": "language", "words": "The verb."}),
    "correct_same": (
        correct,
        {"field": "hypothesis", "text": "Mangga ada di pasar itu.", "meaning": "same"},
    ),
    "correct_new": (
        correct,
        {"field": "hypothesis", "text": "Mangga tidak pernah ada di pasar.", "meaning": "new"},
    ),
    "adjudicate": (adjudicate, {"label": "n", "words": "The premise does not tell."}),
    "exclude": (exclude, {"words": "Harmful."}),
    "reopen": (reopen, {}),
}


def event_of(act: str, stage: str, *, in_validation: bool) -> str:
    """The event that an action becomes: an item outside validation comes back among the written ones."""
    approves = act in ("approve", "approve_same", "approve_new")
    if stage == "submitted" and approves:
        return stages.APPROVE_WRITTEN
    if act in ("approve_same", "approve_new") and not in_validation:
        return stages.APPROVE_WRITTEN
    if act == "reopen":
        return stages.reopening_event(in_validation=in_validation, unchecked=stage == "submitted")
    return act


def decided(stage: str, event: str) -> str:
    """The stage after the system has looked: what is asked anew with its old votes settles as before."""
    return {"approve_same": "settled", "reopen": "settled"}.get(event, stages.TRANSITIONS.get((stage, event), stage))


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("stage", stages.STAGES)
def test_every_action_from_every_stage(standing: SharedWorlds, stage: str, act: str) -> None:
    in_validation = stage not in ("written", "submitted")
    at, item = standing(world_with_item_at, stage)
    assert item.stage == stage
    do, details = ACTS[act]
    if stage == "corrected" and act == "approve":
        with pytest.raises(Invalid):  # the meaning is asked for, with no default
            do(lead=at.lead, item_id=item.pk, version=item.version, **details)
        return
    event = event_of(act, stage, in_validation=in_validation)
    if stage not in ("corrected", "submitted") and act in ("approve_same", "approve_new"):
        event = "approve"  # nothing was corrected: the meaning is not asked for, and not used
    before, version = item.stage, item.version
    if not stages.is_possible(stage, event):
        with pytest.raises(Conflict) as refusal:
            do(lead=at.lead, item_id=item.pk, version=version, **details)
        assert refusal.value.code == "not_from_here"
        item.refresh_from_db()
        assert (item.stage, item.version) == (before, version)
    else:
        item = do(lead=at.lead, item_id=item.pk, version=version, **details)
        assert (item.stage, item.version) == (stages.TRANSITIONS[before, event], version + 1)
    at.sound()


@pytest.mark.parametrize(
    ("stage", "act"), [("returned", "reopen"), ("corrected", "approve_new"), ("excluded", "reopen")]
)
def test_what_was_never_opened_comes_back_among_the_written(stage: str, act: str) -> None:
    at = world(opened=False)
    item = item_at_stage(at, stage, in_validation=False)
    do, details = ACTS[act]
    item = do(lead=at.lead, item_id=item.pk, version=item.version, **details)
    assert item.stage == "written"
    assert item.due_at is not None
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.pending, item.epoch) == ("voting", 2, 1)


def test_a_new_meaning_starts_validation_anew(standing: SharedWorlds) -> None:
    at = standing(world)
    item = cast_votes(at, item_at_stage(at, "voting"), "e")
    waiting = assign(item, at.validators[4])
    item.refresh_from_db()
    assert (item.round, item.pending, item.slots_free) == (2, 1, 0)
    do, details = ACTS["correct_new"]
    item = do(lead=at.lead, item_id=item.pk, version=item.version, **details)
    assert (item.stage, item.epoch, item.round, item.pending, item.slots_free) == ("voting", 2, 0, 0, 0)
    old = Vote.objects.filter(item=item)
    assert {(v.withdrawn_why, v.withdrawn_version) for v in old} == {("new_meaning", item.version)}
    with pytest.raises(Conflict):
        cast_vote(waiting, "e")
    decide()
    item.refresh_from_db()
    assert (item.round, item.pending, item.slots_free) == (1, 2, 2)
    # whoever voted before may vote on the new text
    cast_vote(assign(item, at.validators[0]), "e")
    cast_vote(assign(item, at.validators[1]), "e")
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.round) == ("settled", "e", 1)
    revision = Revision.objects.get(item=item, n=2)
    assert (revision.meaning, revision.epoch, revision.event) == ("new", 2, "correct_new")


def test_the_same_meaning_keeps_votes_and_gold(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    do, details = ACTS["correct_same"]
    item = do(lead=at.lead, item_id=item.pk, version=item.version, words="A typo.", **details)
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.epoch, item.revision_n) == ("settled", "e", 1, 2)
    assert Vote.objects.filter(item=item, withdrawn_at=None, revision_n=1).count() == 2
    assert item.hypothesis.text == details["text"]


def test_a_correction_during_a_round_goes_on_with_it(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "voting")
    assignment = assign(item, at.validators[3])
    do, details = ACTS["correct_same"]
    item.refresh_from_db()
    item = do(lead=at.lead, item_id=item.pk, version=item.version, **details)
    assert (item.pending, item.slots_free) == (1, 0)
    assert cast_vote(assignment, "e").revision_n == 1  # the text that the voter had before them
    at.sound()


@pytest.mark.parametrize("meaning", ["same", "new"])
def test_a_premise_is_corrected_for_all_its_pairs(standing: SharedWorlds, meaning: str) -> None:
    at = standing(world)
    settled = item_at_stage(at, "settled")
    voting = cast_votes(at, at.item("n"), "c")
    premise = settled.hypothesis.premise
    reach = count_affected(item=settled, membership=factory.reader(settled.project))
    assert (reach.pairs, reach.votes) == (6, 3)
    text = premise.text.replace("menjual", "membeli")
    correct(
        lead=at.lead,
        item_id=settled.pk,
        version=settled.version,
        field="premise",
        text=text,
        meaning=meaning,
        words="The verb was wrong.",
    )
    at.sound()
    premise.refresh_from_db()
    assert (premise.text, premise.revision) == (text, 2)
    for item in Item.objects.filter(project=at.project):
        last = Revision.objects.get(item=item, n=2)
        assert (last.content["premise"], last.meaning, last.why) == (text, meaning, "The verb was wrong.")
        assert item.epoch == (1 if meaning == "same" else 2)
    settled.refresh_from_db()
    voting.refresh_from_db()
    counted = Vote.objects.filter(item__project=at.project, withdrawn_at=None).count()
    if meaning == "same":
        assert (settled.gold, voting.pending, counted) == ("e", 1, 3)
    else:
        assert (settled.stage, settled.gold, voting.pending, counted) == ("voting", "", 2, 0)


def test_the_writer_never_reviews_their_own_item(standing: SharedWorlds) -> None:
    at = standing(world)
    Annotator.objects.filter(pk=at.writer.pk).update(is_lead=True, has_led=True)
    at.writer.refresh_from_db()
    item = item_at_stage(at, "settled")
    for do, details in ACTS.values():
        with pytest.raises(Forbidden):
            do(lead=at.writer, item_id=item.pk, version=item.version, **details)
    with pytest.raises(Forbidden):
        comment_add(lead=at.writer, item_id=item.pk, text="Mine.")


@pytest.mark.parametrize("who", ["writer", "validator", "lead of another project"])
def test_only_leads_of_the_project_act(standing: SharedWorlds, who: str) -> None:
    at, item = standing(world_with_item_at, "settled")
    person = {
        "writer": lambda: factory.member(at.project, "writer"),
        "validator": lambda: at.validators[0],
        "lead of another project": lambda: factory.member(factory.project(), "lead"),
    }[who]()
    for do, details in ACTS.values():
        with pytest.raises((Forbidden, NotFound)):
            do(lead=person, item_id=item.pk, version=item.version, **details)
    assert not Review.objects.filter(item=item).exists()


def test_a_stale_form_is_refused_and_nothing_happens(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    seen = item.version
    approve(at, item)
    for do, details in ACTS.values():
        with pytest.raises(Conflict) as refusal:
            do(lead=at.other_lead, item_id=item.pk, version=seen, **details)
        assert refusal.value.code == "stale"
    assert Review.objects.filter(item=item).count() == 1


def test_votes_alone_make_no_form_stale(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "voting")
    assignment = assign(item, at.validators[2])
    seen = item.version
    cast_vote(assignment, "e")
    item.refresh_from_db()
    assert item.version == seen
    adjudicate(lead=at.lead, item_id=item.pk, version=seen, label="e", words="Plain.")
    at.sound()


@pytest.mark.parametrize(
    ("act", "changed", "field"),
    [
        ("return", {"error_type": "invented"}, "error_type"),
        ("return", {"words": "  "}, "words"),
        ("adjudicate", {"label": "x"}, "label"),
        ("adjudicate", {"words": ""}, "words"),
        ("exclude", {"words": ""}, "words"),
        ("exclude", {"words": "nul \0"}, "words"),
        ("correct_same", {"meaning": ""}, "meaning"),
        ("correct_same", {"text": " "}, "text"),
        ("correct_same", {"field": "gold"}, "field"),
        ("correct_same", {"text": factory.SET["e1"]}, "text"),
    ],
)
def test_what_is_missing_or_wrong_is_named(
    standing: SharedWorlds, act: str, changed: dict[str, str], field: str
) -> None:
    at, item = standing(world_with_item_at, "settled")
    do, details = ACTS[act]
    with pytest.raises(Invalid) as refusal:
        do(lead=at.lead, item_id=item.pk, version=item.version, **{**details, **changed})
    assert refusal.value.field == field
    item.refresh_from_db()
    assert item.stage == "settled"


def test_assignments_end_when_nobody_is_asked_any_more(standing: SharedWorlds) -> None:
    at = standing(world)
    for act in ("return", "adjudicate", "exclude"):
        item = at.item({"return": "e", "adjudicate": "n", "exclude": "c"}[act])
        held = assign(item, at.validators[0])
        do, details = ACTS[act]
        item = do(lead=at.lead, item_id=item.pk, version=item.version, **details)
        held.refresh_from_db()
        assert (held.state, item.pending, item.slots_free) == (Assignment.State.EXPIRED, 0, 0)
        with pytest.raises(Conflict):
            cast_vote(held, "e")
    at.sound()


def test_approving_closes_flags_for_good(standing: SharedWorlds) -> None:
    at = standing(world)
    item = cast_votes(at, at.item(), "ee", unsure=True)
    raised = set(Flag.objects.filter(item=item).values_list("code", flat=True))
    assert raised == {"unsure", "too_fast"}  # nobody reads in no time
    assert item.doubt == doubt_of(raised)
    item = approve(at, item)
    assert item.doubt == 0
    assert {flag.closed_version for flag in Flag.objects.filter(item=item)} == {item.version}
    # returned, corrected, the same meaning: computed anew, and not flagged again for the same votes
    item = approve(at, resubmit(at, give_back(at, item)), "same")
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.doubt) == ("settled", 0)


def test_reopening_an_adjudication_brings_its_flags_back(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "adjudicated")
    assert (item.gold, item.gold_from, item.doubt) == ("c", "lead", 0)
    closed = set(Flag.objects.filter(item=item).values_list("code", flat=True))
    assert "no_consensus" in closed
    item = reopen(lead=at.lead, item_id=item.pk, version=item.version)
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.gold_from) == ("no_consensus", "", "")
    assert set(Flag.objects.filter(item=item, closed_at=None).values_list("code", flat=True)) == closed


def test_returned_twice_is_marked(standing: SharedWorlds) -> None:
    at = standing(world)
    item = give_back(at, item_at_stage(at, "settled"))
    assert (item.returns, item.gold) == (1, "")
    item = give_back(at, resubmit(at, item))
    assert item.returns == 2
    assert Flag.objects.filter(item=item, code="returned_twice", closed_at=None).exists()
    at.sound()


def test_nothing_is_returned_to_nobody(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    Annotator.objects.filter(pk=at.writer.pk).update(user=None, imported=True)
    with pytest.raises(Conflict) as refusal:
        give_back(at, item)
    assert refusal.value.code == "no_writer"


def test_a_voided_vote_is_asked_for_again(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    vote_void(lead=at.lead, item_id=item.pk, vote_n=1, version=item.version, reason="Not in good faith.")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.pending, item.slots_free, item.gold) == ("voting", 1, 1, "")
    at.sound()
    item = cast_votes(at, item, "e")
    assert (item.stage, item.gold) == ("settled", "e")
    at.sound()


def test_a_correction_by_the_writer_may_change_nothing(standing: SharedWorlds) -> None:
    at = standing(world)
    item = give_back(at, item_at_stage(at, "settled"))
    item = review_resubmit(
        writer=at.writer,
        item_id=item.pk,
        version=item.version,
        content=SlotIn(item.hypothesis.text),
        words="The verb is right: it is the passive.",
    )
    assert (item.stage, item.revision_n) == ("corrected", 1)
    assert Review.objects.get(item=item, event="resubmit").by == at.writer
    at.sound()


def test_a_writer_answers_only_what_was_returned_to_them(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    with pytest.raises(Conflict):
        resubmit(at, item)
    item = give_back(at, item)
    with pytest.raises(NotFound):
        review_resubmit(
            writer=factory.member(at.project, "writer"),
            item_id=item.pk,
            version=item.version,
            content=SlotIn("Ada mangga."),
        )
    with pytest.raises(Invalid) as refusal:
        resubmit(at, item, item.hypothesis.premise.text)
    assert refusal.value.code == "checks_block"
    with pytest.raises(Conflict) as stale:
        review_resubmit(writer=at.writer, item_id=item.pk, version=item.version - 1, content=SlotIn("Ada mangga."))
    assert stale.value.code == "stale"
