"""What becomes of what reviewers did not approve: the rule as one table, and the steps that follow from it."""

import pytest

from annotation.kinds import all_kinds
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.consensus.advance import ItemStanding, advance
from validation.consensus.engine import Decision, VoteIn, decide
from validation.consensus.protocol import PRESETS, Protocol
from validation.consensus.translation_review import LABELS, ReviewVote

REVIEW_1 = PRESETS["review-1"]
TWO = Protocol("two", rounds=(2,), quorum=2, author="none", target="accept", accept="approve")
ANY = Protocol("any", rounds=(2, 1), quorum=2, author="none")

# protocol, votes (a, c: correct that changes something, o: correct that changes nothing, r), the translator is there
# → the event, empty where it is approved, still open, or a lead's
TABLE = [
    (REVIEW_1, "", True, ""),
    (REVIEW_1, "a", True, ""),
    (REVIEW_1, "c", True, "take_correction"),
    (REVIEW_1, "c", False, "take_correction"),
    (REVIEW_1, "r", True, "send_back"),
    (REVIEW_1, "r", False, ""),
    (REVIEW_1, "o", True, ""),
    (TWO, "a", True, ""),
    (TWO, "r", True, ""),
    (TWO, "aa", True, ""),
    (TWO, "ar", True, "send_back"),
    (TWO, "ac", True, "take_correction"),
    (TWO, "rc", True, "take_correction"),
    (TWO, "cr", False, "take_correction"),
    (TWO, "ro", True, "send_back"),
    (TWO, "oo", True, ""),
    # Where any label could be gold, none but an approval is.
    (ANY, "rr", True, "send_back"),
    (ANY, "cc", True, "take_correction"),
    (ANY, "ar", True, ""),
    (ANY, "ara", True, ""),
    (ANY, "arr", True, "send_back"),
]
MEANT = {
    "a": ReviewVote("approve"),
    "c": ReviewVote("correct", True),
    "o": ReviewVote("correct"),
    "r": ReviewVote("return"),
}


def decided(protocol: Protocol, votes: str) -> Decision:
    ballots = [VoteIn(MEANT[vote].label, f"W{n}", 1, n) for n, vote in enumerate(votes)]
    return reviewing.approved_only(decide(protocol, None, ballots, LABELS))


@pytest.mark.parametrize(("protocol", "votes", "there", "event"), TABLE)
def test_what_the_house_does(protocol, votes, there, event):
    said = [MEANT[vote] for vote in votes]
    assert reviewing.unapproved_event(decided(protocol, votes), said, writer_there=there) == event


def test_of_two_corrections_the_first_is_taken():
    assert reviewing.correction_position([MEANT[vote] for vote in "aocc"]) == 2
    assert reviewing.correction_position([MEANT[vote] for vote in "ro"]) is None


def test_only_an_approval_is_gold():
    assert decided(ANY, "aa").label == "approve"
    other = decided(ANY, "rr")
    assert (other.state, other.label) == ("no_consensus", None)


def test_kinds_under_review_have_these_labels():
    reviewed = [kind for kind in all_kinds() if reviewing.FEATURE in kind.features]
    assert reviewed
    assert {kind.question.label_keys for kind in reviewed} == {LABELS}


VOTING = ItemStanding("voting", 1, "", 0)
BACK = ItemStanding("returned", 1, "", 0, decided_by_votes=True)
# how it stands, the votes → events, stage, round, votes still asked for
STEPS = [
    (VOTING, "a", "settle", "settled", 1, 0),
    (VOTING, "r", "send_back", "returned", 1, 0),
    (VOTING, "c", "take_correction", "voting", 0, 0),
    (VOTING, "o", "end", "no_consensus", 1, 0),
    (ItemStanding("settled", 1, "approve", 0), "r", "recompute send_back", "returned", 1, 0),
    (ItemStanding("no_consensus", 1, "", 0), "", "recompute", "voting", 1, 1),
    (BACK, "r", "", "returned", 1, 0),
    (BACK, "", "recall", "voting", 1, 1),
    (BACK, "a", "recall settle", "settled", 1, 0),
    (BACK, "c", "recall take_correction", "voting", 0, 0),
]


@pytest.mark.parametrize(("standing", "votes", "events", "stage", "at_round", "pending"), STEPS)
def test_the_next_step(standing, votes, events, stage, at_round, pending):
    decision = decided(REVIEW_1, votes)
    event = reviewing.unapproved_event(decision, [MEANT[vote] for vote in votes], writer_there=True)
    step = advance(standing, decision, event)
    assert step is not None
    told = " ".join(happened.event for happened in step.events)
    assert (told, step.stage, step.round, step.pending, step.gold) == (
        events,
        stage,
        at_round,
        pending,
        "approve" if stage == "settled" else "",
    )
    assert stages.replay(["submit", "open", *_before(standing), *told.split()]) == stage


def _before(standing: ItemStanding) -> list[str]:
    """How an item came to stand so."""
    return {"voting": [], "settled": ["settle"], "no_consensus": ["end"], "returned": ["send_back"]}[standing.stage]


@pytest.mark.parametrize(
    "standing",
    [
        ItemStanding("settled", 1, "approve", 0, accepted=True),
        ItemStanding("returned", 1, "", 0),
        ItemStanding("corrected", 1, "", 0),
    ],
)
def test_a_persons_word_stands(standing):
    assert advance(standing, decided(REVIEW_1, "r"), "send_back") is None


# events → comes before reviewers again, is returned by votes that count, is settled by its writer
HISTORIES = [
    ("submit open send_back", True, True, False),
    ("submit open return", False, False, False),
    ("submit open send_back recall send_back", True, True, False),
    ("submit open send_back review_again return", False, False, False),
    ("submit open return resubmit approve_new send_back", True, True, False),
    ("submit open send_back correct_new", True, False, False),
    ("submit open take_correction accept", False, False, True),
    ("submit open settle recompute take_correction accept", False, False, True),
    ("submit open take_correction accept correct_new settle", False, False, False),
]


@pytest.mark.parametrize(("events", "again", "decided_by_votes", "accepted"), HISTORIES)
def test_what_a_history_says(events, again, decided_by_votes, accepted):
    told = events.split()
    assert stages.replay(told)
    assert (
        stages.is_sent_back_by_reviewers(told),
        stages.is_returned_by_votes(told),
        stages.is_settled_by_writer(told),
    ) == (
        again,
        decided_by_votes,
        accepted,
    )
