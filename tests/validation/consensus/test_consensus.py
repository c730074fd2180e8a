"""The consensus engine as one table: a row is a protocol, an author's label, votes, and what comes of them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import KALAHI_CRITERIA, PRESETS, Protocol

NLI = ("e", "n", "c")
CHOICES = ("A", "B", "C", "D", "E")
PATIENT = {name: replace(preset, stop_hopeless=False) for name, preset in PRESETS.items()}


def votes_of(text: str) -> list[VoteIn]:
    """Read `e n` as two votes, or `W2:e W1:n` where it matters who voted."""
    found = []
    for seq, word in enumerate(text.split()):
        who, _, label = word.rpartition(":")
        found.append(VoteIn(label, who or f"V{seq}", 0, seq))
    return found


# preset, labels, author, votes → state, round, missing, label, counted votes
TABLE = [
    # domain.md §3, the worked examples
    ("incremental-3-5", NLI, "e", "e e", "gold", 1, 0, "e", 2),
    ("incremental-3-5", NLI, "e", "e n", "open", 2, 1, None, 2),
    ("incremental-3-5", NLI, "e", "e n e", "gold", 2, 0, "e", 3),
    ("incremental-3-5", NLI, "e", "n n", "open", 2, 1, None, 2),
    ("incremental-3-5", NLI, "e", "n n n", "gold", 2, 0, "n", 3),
    ("incremental-3-5", NLI, "e", "n c", "open", 2, 1, None, 2),
    ("incremental-3-5", NLI, "e", "n c c", "open", 3, 1, None, 3),
    ("incremental-3-5", NLI, "e", "n c c c", "gold", 3, 0, "c", 4),
    ("incremental-3-5", NLI, "e", "n c c n", "no_consensus", 3, 0, None, 4),
    ("incremental-3-5", CHOICES, "A", "B C", "open", 2, 1, None, 2),
    ("incremental-3-5", CHOICES, "A", "B C D", "no_consensus", 2, 0, None, 3),
    # never in the middle of a round
    ("incremental-3-5", NLI, "e", "", "open", 1, 2, None, 0),
    ("incremental-3-5", NLI, "e", "e", "open", 1, 1, None, 1),
    ("fixed-5", NLI, "e", "e e", "open", 1, 2, None, 2),
    ("fixed-5", NLI, "e", "e e e", "open", 1, 1, None, 3),
    ("fixed-5", NLI, "e", "e e n c", "gold", 1, 0, "e", 4),
    ("fixed-5", NLI, "e", "n n n c", "gold", 1, 0, "n", 4),
    ("fixed-5", NLI, "e", "e n n c", "no_consensus", 1, 0, None, 4),
    # what stands beyond the stopping point is surplus
    ("incremental-3-5", NLI, "e", "e e n n n", "gold", 1, 0, "e", 2),
    ("incremental-3-5", NLI, "e", "n c c n n n", "no_consensus", 3, 0, None, 4),
    ("fixed-5", NLI, "e", "e e n c n", "gold", 1, 0, "e", 4),
    # a label outside the scheme is cast but makes no gold; no author's label is no vote
    ("incremental-3-5", NLI, "c", "e n unrelated", "no_consensus", 2, 0, None, 3),
    ("incremental-3-5", NLI, "x", "x x x x", "no_consensus", 1, 0, None, 2),
    ("incremental-3-5", NLI, "x", "e e e", "gold", 2, 0, "e", 3),
    ("incremental-3-5", NLI, None, "e e", "open", 2, 1, None, 2),
    ("incremental-3-5", NLI, None, "e e e", "gold", 2, 0, "e", 3),
    ("incremental-3-5", (), "e", "e e", "no_consensus", 1, 0, None, 2),
    # id-csqa: plurality of five, the tie to the lowest pseudonym, W2 before W10
    ("answers-5", CHOICES, "E", "A A A A A", "gold", 1, 0, "A", 5),
    ("answers-5", CHOICES, "A", "B B C D E", "gold", 1, 0, "B", 5),
    ("answers-5", CHOICES, "C", "W2:D W3:C W4:D W5:C W6:B", "gold", 1, 0, "D", 5),
    ("answers-5", CHOICES, "C", "W6:B W5:C W4:D W3:C W2:D", "gold", 1, 0, "D", 5),
    ("answers-5", CHOICES, "C", "W10:A W2:B W11:A W12:B W13:C", "gold", 1, 0, "B", 5),
    ("answers-5", CHOICES, "C", "W010:A W02:B W11:A W12:B W13:C", "gold", 1, 0, "B", 5),
    ("answers-5", CHOICES, "C", "x y z x y", "no_consensus", 1, 0, None, 5),
    ("answers-5", CHOICES, "C", "A A A A", "open", 1, 1, None, 4),
    # mCSQA: both say that the answer follows
    ("unanimous-2", ("yes", "no"), "A", "yes yes", "gold", 1, 0, "yes", 2),
    ("unanimous-2", ("yes", "no"), "A", "yes no", "no_consensus", 1, 0, None, 2),
    ("unanimous-2", ("yes", "no"), "A", "no no", "no_consensus", 1, 0, None, 2),
    ("unanimous-2", ("yes", "no"), "A", "yes", "open", 1, 1, None, 1),
    # Kalahi: two of three choose the writer's best
    ("best-of-3", CHOICES, "A", "A B A", "gold", 1, 0, "A", 3),
    ("best-of-3", CHOICES, "A", "A B B", "no_consensus", 1, 0, None, 3),
    ("best-of-3", CHOICES, "A", "B B B", "no_consensus", 1, 0, None, 3),
    ("best-of-3", CHOICES, "Z", "Z Z Z", "no_consensus", 1, 0, None, 3),
    ("best-of-3", CHOICES, None, "A A A", "no_consensus", 1, 0, None, 3),
    # LoraxBench: one approval
    ("review-1", ("approve", "return"), None, "approve", "gold", 1, 0, "approve", 1),
    ("review-1", ("approve", "return"), None, "return", "no_consensus", 1, 0, None, 1),
    ("review-1", ("approve", "return"), None, "", "open", 1, 1, None, 0),
]


@pytest.mark.parametrize(
    ("preset", "labels", "author", "votes", "state", "number", "missing", "label", "counted"), TABLE
)
def test_decisions(preset, labels, author, votes, state, number, missing, label, counted):
    cast = votes_of(votes)
    decision = decide(PRESETS[preset], author, cast, labels)
    assert (decision.state, decision.round, decision.missing, decision.label) == (
        state,
        number,
        missing,
        label,
    )
    assert decision.counted == tuple(range(counted))
    assert decision.surplus == tuple(range(counted, len(cast)))
    assert not decision.criteria


# author, votes → round, hopeless with the stop; state, round without it
HOPELESS = [
    (CHOICES, "A", "B C D", ("no_consensus", 2, True), ("open", 3, False)),
    (CHOICES, "A", "B C D D", ("no_consensus", 2, True), ("no_consensus", 3, False)),
    (NLI, "c", "e n unrelated n", ("no_consensus", 2, True), ("no_consensus", 3, False)),
    (NLI, "x", "y z", ("no_consensus", 1, True), ("open", 2, False)),
    (NLI, "e", "n c c n", ("no_consensus", 3, False), ("no_consensus", 3, False)),
    (NLI, "e", "n c", ("open", 2, False), ("open", 2, False)),
]


@pytest.mark.parametrize(("labels", "author", "votes", "stopped", "patient"), HOPELESS)
def test_the_hopeless_stop_is_a_field(labels, author, votes, stopped, patient):
    for protocol, expected in ((PRESETS, stopped), (PATIENT, patient)):
        decision = decide(protocol["incremental-3-5"], author, votes_of(votes), labels)
        assert (decision.state, decision.round, decision.hopeless) == expected


def test_votes_are_read_by_round_and_sequence_wherever_they_stand():
    votes = [VoteIn("n", "D", 2, 1), VoteIn("e", "B", 1, 9), VoteIn("n", "C", 3, 0), VoteIn("e", "A", 1, 2)]
    decision = decide(PRESETS["incremental-3-5"], "e", votes, NLI)
    assert (decision.label, decision.counted, decision.surplus) == ("e", (3, 1), (0, 2))


def test_a_vote_taken_back_makes_the_later_ones_move_up():
    votes = [VoteIn("n", "B", 1, 2), VoteIn("n", "C", 2, 3)]
    decision = decide(PRESETS["incremental-3-5"], "e", votes, NLI)
    assert (decision.state, decision.round, decision.missing) == ("open", 2, 1)


@pytest.mark.parametrize(
    ("votes", "share"), [("A A A", 1), ("A B A", "2/3"), ("A B B", "1/3"), ("B B B", 0), ("A B", "1/2")]
)
def test_the_share_of_best(votes, share):
    decision = decide(PRESETS["best-of-3"], "A", votes_of(votes), CHOICES)
    assert decision.share == Fraction(share)


def test_no_share_without_a_target_or_votes():
    assert decide(PRESETS["best-of-3"], "A", [], CHOICES).share is None
    assert decide(PRESETS["fixed-5"], "e", votes_of("e"), NLI).share is None


ODD: list[object] = [None, "", "\ud800", ["e"], {}, 7]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_votes_never_raise(preset, odd):
    criteria = dict.fromkeys(KALAHI_CRITERIA, odd)
    votes = [VoteIn(odd, "", -1, 0, criteria) for _ in range(7)]
    assert decide(PRESETS[preset], None, votes, NLI).state == "no_consensus"


# --- ties and pluralities over several rounds ---------------------------------------------------------------------

LONG = Protocol("long", rounds=(2, 2, 1), quorum=2, author="none", plurality=True)
# tie, votes → state, round, label
PLURALITY = [
    ("none", "A A", "open", 2, None),
    ("none", "A A A", "open", 2, None),
    ("none", "A A A B", "gold", 2, "A"),
    ("none", "A A B C", "open", 3, None),
    ("none", "A A B C B", "no_consensus", 3, None),
    ("none", "A B A B", "open", 3, None),
    ("none", "A B A B A", "gold", 3, "A"),
    ("none", "A B A B C", "no_consensus", 3, None),
    ("lowest-pseudonym", "A B A B C", "gold", 3, "A"),
    ("lowest-pseudonym", "Z:A B:B Z:A B:B C", "gold", 3, "B"),
    ("none", "A B C D E", "no_consensus", 3, None),
    ("none", "A B C D", "open", 3, None),
]


@pytest.mark.parametrize(("tie", "votes", "state", "number", "label"), PLURALITY)
def test_plurality_waits_until_no_other_label_can_catch_up(tie, votes, state, number, label):
    decision = decide(replace(LONG, tie=tie), None, votes_of(votes), CHOICES)
    assert (decision.state, decision.round, decision.label) == (state, number, label)


def test_one_label_alone_cannot_be_caught_up_with():
    decision = decide(replace(LONG, quorum=1), None, votes_of("A x"), ("A",))
    assert (decision.state, decision.round) == ("open", 2)
    assert decide(replace(LONG, rounds=(2, 1)), None, votes_of("A A"), ("A",)).state == "gold"


def test_counting_the_creator_and_no_gold_on_ties_are_settings():
    """id-csqa, row orig_h_ind_57d4b3f8…: five answers tie for D by pseudonym, with the creator's C wins."""
    votes = votes_of("W2:D W3:C W4:D W5:C W6:B")
    answers = PRESETS["answers-5"]
    assert decide(answers, "C", votes, CHOICES).label == "D"
    assert decide(replace(answers, tie="none"), "C", votes, CHOICES).state == "no_consensus"
    assert decide(replace(answers, author="vote"), "C", votes, CHOICES).label == "C"


def test_a_label_of_the_author_alone_stands_behind_in_a_tie():
    protocol = Protocol("x", rounds=(2,), quorum=1, tie="lowest-pseudonym")
    assert decide(protocol, "A", votes_of("Z:B Y:C"), CHOICES).label == "C"


def test_two_labels_with_the_quorum_are_a_tie_too():
    protocol = Protocol("x", rounds=(4, 1), quorum=2, author="none")
    assert decide(protocol, None, votes_of("A A B B"), CHOICES).state == "open"
    assert decide(protocol, None, votes_of("A A B B A"), CHOICES).label == "A"
    assert decide(protocol, None, votes_of("A A B B C"), CHOICES).state == "no_consensus"
    drawn = replace(protocol, tie="lowest-pseudonym")
    assert decide(drawn, None, votes_of("V4:A V3:A V1:B V2:B"), CHOICES).label == "B"


# --- ratings ------------------------------------------------------------------------------------------------------


def ratings(*rows: str) -> list[VoteIn]:
    """Read `yes no` as one vote on the criteria `tone` and `fact`; `-` is no answer."""
    names = ("tone", "fact")
    return [
        VoteIn(None, f"V{seq}", 0, seq, {n: a for n, a in zip(names, row.split(), strict=True) if a != "-"})
        for seq, row in enumerate(rows)
    ]


RATING = Protocol("rating", rounds=(3,), quorum=2, author="none", criteria=("tone", "fact"))
SCALE = ("yes", "no")


@pytest.mark.parametrize(
    ("rows", "state", "tone", "fact"),
    [
        (("yes no", "yes no", "no yes"), "gold", "yes", "no"),
        (("yes no", "yes -", "no yes"), "no_consensus", "yes", None),
        (("yes no", "yes no"), "open", None, None),
        (("7 8", "7 8", "7 8"), "no_consensus", None, None),
    ],
)
def test_each_criterion_is_decided_by_itself(rows, state, tone, fact):
    decision = decide(RATING, None, ratings(*rows), SCALE)
    assert (decision.state, decision.label, decision.share) == (state, None, None)
    assert decision.criteria == (("tone", tone), ("fact", fact))


def test_a_settled_criterion_is_not_asked_again():
    protocol = replace(RATING, rounds=(2, 1))
    votes = ratings("yes no", "yes yes", "no no")
    assert decide(protocol, None, votes[:2], SCALE).criteria == (("tone", "yes"), ("fact", None))
    decision = decide(protocol, None, votes, SCALE)
    assert (decision.state, decision.round) == ("gold", 2)
    assert decision.criteria == (("tone", "yes"), ("fact", "no"))


def test_a_criterion_keeps_what_it_settled_on_while_another_is_asked():
    protocol = replace(RATING, rounds=(2, 3))
    decision = decide(protocol, None, ratings("yes yes", "no yes", "yes no", "yes no", "yes no"), SCALE)
    assert decision.criteria == (("tone", "yes"), ("fact", "yes"))


def test_ratings_may_have_one_accepting_answer():
    protocol = replace(RATING, target="accept", accept="yes")
    decision = decide(protocol, None, ratings("yes no", "yes no", "no yes"), SCALE)
    assert decision.state == "no_consensus"
    assert decision.criteria == (("tone", "yes"), ("fact", None))


# --- excluded as ambiguous (id-csqa §4.2) ---------------------------------------------------------------------------


def marked(text: str) -> list[VoteIn]:
    """Votes as `votes_of` reads them; a star behind the label marks the question or an option as ambiguous."""
    return [
        vote._replace(label=str(vote.label).rstrip("*"), ambiguous="*" in str(vote.label)) for vote in votes_of(text)
    ]


ROUNDS = replace(PRESETS["incremental-3-5"], most_ambiguous=1)
# protocol, votes → state, round, label
AMBIGUITY = [
    ("answers-5", "A A A* A* A*", "gold", 1, "A"),
    ("answers-5", "A A* A* A* A*", "excluded", 1, None),
    ("answers-5", "A* B* C* D* E*", "excluded", 1, None),
    # not before the last answer asked for is in, and surplus votes mark nothing
    ("answers-5", "A* A* A* A*", "open", 1, None),
    ("answers-5", "A A A* A* A* A*", "gold", 1, "A"),
    # who marks twice counts once
    ("answers-5", "W2:A* W2:A* W2:A* W2:A* W3:A", "gold", 1, "A"),
    # the round that would end the item: settled, hopeless, or the last
    (ROUNDS, "A* A*", "excluded", 1, None),
    (ROUNDS, "A* A", "gold", 1, "A"),
    (ROUNDS, "A* B*", "open", 2, None),
    (ROUNDS, "A* B* A", "excluded", 2, None),
    (ROUNDS, "B* C* D", "excluded", 2, None),
    (ROUNDS, "B C* B* C*", "excluded", 3, None),
    (ROUNDS, "B C* B C", "no_consensus", 3, None),
    # never, unless the protocol says so
    ("incremental-3-5", "A* A*", "gold", 1, "A"),
    ("fixed-5", "A* A* A* A*", "gold", 1, "A"),
]


@pytest.mark.parametrize(("protocol", "votes", "state", "number", "label"), AMBIGUITY)
def test_what_too_many_call_ambiguous_is_excluded(protocol, votes, state, number, label):
    found = decide(PRESETS.get(protocol, protocol), "A", marked(votes), CHOICES)
    assert (found.state, found.round, found.label) == (state, number, label)
    assert found.missing == (1 if state == "open" else 0)


def test_an_excluded_item_keeps_its_answers():
    found = decide(PRESETS["answers-5"], None, marked("A A* A* A* A* B"), CHOICES)
    assert (found.state, found.counted, found.surplus) == ("excluded", (0, 1, 2, 3, 4), (5,))
    assert decide(replace(ROUNDS, most_ambiguous=0), "A", marked("B C* D"), CHOICES).hopeless
