"""Flags: which ones votes raise, what is too fast, and the order of the desk."""

import pytest

from annotation.answers import Question
from annotation.answers.scale import points
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import PRESETS, Protocol
from validation.voting.rules.flags import (
    ANSWER_FLAGS,
    FLAG_NAMES,
    WEIGHTS,
    FlagSettings,
    FlagVote,
    RaisedFlag,
    answer_flags,
    doubt_of,
    flags_from_votes,
    is_too_fast,
)


def decision(labels: str):
    votes = [VoteIn(label, f"V{n}", 0, n) for n, label in enumerate(labels)]
    return decide(PRESETS["incremental-3-5"], "e", votes, ("e", "n", "c"))


@pytest.mark.parametrize(
    ("ballots", "labels", "raised"),
    [
        ([FlagVote("V1"), FlagVote("V2")], "ee", []),
        ([], "nccn", [("no_consensus", ())]),
        ([FlagVote("V1", ambiguous=True), FlagVote("V2", ambiguous=True)], "ee", [("ambiguous", ("V1", "V2"))]),
        ([FlagVote("V1", unsure=True), FlagVote("V2")], "en", [("unsure", ("V1",))]),
        ([FlagVote("V1", text_error=True), FlagVote("V2", proposed=True)], "ee",
         [("text_error", ("V1",)), ("proposed_correction", ("V2",))]),
        ([FlagVote("V1", seconds=0.9, words=0), FlagVote("V2", seconds=1.0)], "ee", [("too_fast", ("V1",))]),
        ([FlagVote("V1", unsure=True, ambiguous=True, seconds=0.1, words=30)], "nccn",
         [("no_consensus", ()), ("ambiguous", ("V1",)), ("unsure", ("V1",)), ("too_fast", ("V1",))]),
    ],
)  # fmt: skip
def test_what_votes_raise(ballots, labels, raised):
    assert flags_from_votes(ballots, decision(labels)) == tuple(RaisedFlag(*flag) for flag in raised)


@pytest.mark.parametrize(
    ("seconds", "words", "fast"),
    [
        (None, 30, False),
        (0.999, 0, True),
        (1.0, 0, False),
        (1.3, 3, False),
        (1.299, 3, True),
        (3.99, 30, True),
        (4.0, 30, False),
        (float("nan"), 3, False),
        (-5, 3, True),
    ],
)
def test_too_fast(seconds, words, fast):
    assert is_too_fast(seconds, words) is fast


def test_a_tie_that_a_rule_decided_is_flagged():
    def found(labels: str):
        votes = [VoteIn(label, f"V{n}", 1, n) for n, label in enumerate(labels)]
        return flags_from_votes([], decide(PRESETS["answers-5"], None, votes, "ABCDE"))

    assert found("BABAC") == (RaisedFlag("tied", ()),)
    assert found("AAABB") == found("AABCD") == ()
    # Without a rule for ties there is no gold label to doubt.
    assert flags_from_votes([], decide(Protocol("p", (4,), 2, author="none"), None, [], "AB")) == ()


def test_too_fast_is_a_setting():
    slow = FlagSettings(fast_base_seconds=5, fast_word_seconds=0)
    assert is_too_fast(4.9, 1, slow)
    assert flags_from_votes([FlagVote("V1", seconds=4.9)], decision("ee"), slow) == (RaisedFlag("too_fast", ("V1",)),)
    assert not is_too_fast(0, 30, FlagSettings(0, 0))


def test_a_heavier_flag_outweighs_all_lighter_ones():
    codes = list(FLAG_NAMES)
    assert list(WEIGHTS) == codes[::-1]
    for place, code in enumerate(codes):
        lighter = [each for each in codes[place + 1 :] if not {each, code} <= ANSWER_FLAGS.keys()]
        assert doubt_of([code]) > doubt_of(lighter)
    # What answers raise counts as one, however many questions there are; and all flags fit into the column.
    assert {WEIGHTS[code] for code in ANSWER_FLAGS} == {doubt_of(ANSWER_FLAGS)}
    assert doubt_of(codes) < 2**15


def test_what_answers_raise_together_says_who():
    questions = (
        Question("toxic", "?", "scale", points(5)),
        Question("rate", "?", "criteria", parts=(Question("a", "?", "scale", points(3)), Question("b", "?"))),
    )
    votes = [
        ("V3", {"toxic": "5", "a": "1", "b": "x"}),
        ("V1", {"toxic": "1", "a": "2", "b": "x"}),
        ("V2", {"toxic": "3", "a": "3"}),
    ]
    assert answer_flags(questions, votes) == (
        RaisedFlag("criteria_apart", ("V1", "V2", "V3")),
        RaisedFlag("both_ends", ("V1", "V2", "V3")),
    )
    assert answer_flags(questions[:1], votes) == (RaisedFlag("both_ends", ("V1", "V3")),)
    assert answer_flags((), votes) == answer_flags(questions, []) == ()


def test_doubt_counts_a_code_once_and_unknown_ones_never():
    assert doubt_of(["unsure", "unsure", "rained"]) == doubt_of(["unsure"]) == WEIGHTS["unsure"]
    assert doubt_of([]) == 0
