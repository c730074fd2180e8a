"""The funnel and its percentages, on small hand-counted sets."""

from fractions import Fraction

import pytest

from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import PRESETS
from validation.consensus.savings import Funnel, compute_saving, percent

NLI = ("e", "n", "c")


@pytest.mark.parametrize(
    ("part", "whole", "digits", "shown"),
    [
        (1, 3, 1, "33.3"),
        (2, 3, 1, "66.7"),
        (1, 8, 1, "12.5"),
        (1, 8, 0, "13"),
        (1, 16, 1, "6.3"),
        (5226, 15040, 1, "34.7"),
        (0, 4, 1, "0.0"),
        (4, 4, 2, "100.00"),
        (-1, 8, 1, "-12.5"),
    ],
)
def test_percent_rounds_half_up_once(part, whole, digits, shown):
    assert str(percent(part, whole, digits)) == shown


def test_percent_of_nothing_is_nothing():
    assert percent(0, 0) is None


def test_nothing_decided_saves_nothing():
    empty = compute_saving(PRESETS["incremental-3-5"], (), authoring=True)
    assert (empty.used, empty.fixed_5, empty.saved, empty.share) == (0, 0, 0, None)


def funnel_of(preset: str, *items: tuple[str | None, str], labels=NLI) -> Funnel:
    funnel = Funnel(PRESETS[preset])
    for author, given in items:
        votes = [VoteIn(label, f"V{n}", 0, n) for n, label in enumerate(given)]
        decision = decide(funnel.protocol, author, votes, labels)
        funnel.add(author, [votes[place].label for place in decision.counted], decision)
    return funnel


def test_a_funnel_by_hand():
    # gold in round 1, in round 2 (another label), in round 3, none, still open in round 2
    funnel = funnel_of("incremental-3-5", ("e", "ee"), ("e", "nnn"), ("e", "nccc"), ("e", "nccn"), ("n", "ec"))
    assert (funnel.items, funnel.gold, funnel.no_consensus, funnel.open, funnel.decided) == (5, 3, 1, 1, 4)
    assert funnel.by_round(funnel.entered_round) == {1: 5, 2: 4, 3: 2}
    assert funnel.by_round(funnel.settled_in_round) == {1: 1, 2: 1, 3: 1}
    assert funnel.cumulative() == {1: 1, 2: 2, 3: 3}
    assert funnel.gold_counts == {"e": 1, "n": 1, "c": 1}
    assert (funnel.gold_is_author, funnel.gold_differs) == (1, 2)
    # 3 + 4 + 5 + 5 decided labels, and 3 of the open one
    assert (funnel.individual, funnel.labels) == (17, 20)
    assert funnel.individual_is_gold == 3 + 3 + 3
    assert funnel.individual_is_author == 3 + 1 + 1 + 1
    both, votes = funnel.saving(authoring=True), funnel.saving(authoring=False)
    assert both is not None
    assert votes is not None
    assert (both.used, both.fixed_5, both.share) == (17, 20, Fraction(3, 20))
    assert (votes.used, votes.fixed_5, votes.saved) == (13, 16, 3)


def test_the_author_is_no_voice_where_it_does_not_count():
    funnel = funnel_of("best-of-3", ("A", "AAB"), ("A", "BBC"), labels=("A", "B", "C"))
    assert (funnel.individual, funnel.individual_is_author, funnel.labels) == (6, 2, 8)
    assert funnel.saving(authoring=True) is None


def test_no_author_no_comparison_with_one():
    funnel = funnel_of("answers-5", (None, "AAABB"), labels=("A", "B"))
    assert (funnel.gold_is_author, funnel.gold_differs, funnel.individual_is_author) == (0, 0, 0)
    assert (funnel.labels, funnel.individual_is_gold) == (5, 3)


def test_ratings_have_gold_but_no_one_label():
    funnel = Funnel(PRESETS["rating-3"])
    answers = dict.fromkeys(funnel.protocol.criteria, "yes")
    votes = [VoteIn(None, f"V{n}", 0, n, answers) for n in range(3)]
    funnel.add(None, [None] * 3, decide(funnel.protocol, None, votes, ("yes", "no")))
    assert (funnel.gold, funnel.settled_in_round[1], dict(funnel.gold_counts)) == (1, 1, {})
    assert (funnel.individual, funnel.individual_is_gold) == (3, 0)
