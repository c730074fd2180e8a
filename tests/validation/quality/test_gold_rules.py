"""Standings, notes, pauses and intervals as tables, beside scipy's quantiles written down."""

import random

import pytest

from annotation.core.models.member import Annotator
from validation.quality.models import GoldStanding
from validation.quality.queries import PersonFigures
from validation.quality.rules import gold
from validation.quality.rules.intervals import interval, lower_bound, upper_bound
from validation.quality.rules.reopening import (
    BY_LEAD,
    OTHER_GOLD,
    REOPENS,
    STAYS,
    WAITS,
    count_outcomes,
    outcome_of,
)
from validation.quality.rules.signs import Signs, TimedAnswer, longest_run, signs_of


@pytest.mark.parametrize(
    ("right", "n", "upper"),
    # scipy.stats.beta.ppf(0.9, right + 1, n - right)
    [(0, 5, 0.36904), (1, 5, 0.58389), (2, 5, 0.75336), (11, 20, 0.70707), (10, 20, 0.66183), (20, 20, 1.0)],
)
def test_exact_upper_bounds(right: int, n: int, upper: float) -> None:
    assert upper_bound(right, n) == pytest.approx(upper, abs=1e-4)
    assert lower_bound(n - right, n) == pytest.approx(1 - upper, abs=1e-4)


def test_intervals_hold_the_share() -> None:
    assert interval(0, 0) is None
    for right in range(21):
        found = interval(right, 20)
        assert found is not None
        assert found[0] <= right / 20 <= found[1]


@pytest.mark.parametrize(
    ("right", "answered", "noted", "pauses"),
    [
        (0, 0, False, False),
        (5, 5, False, False),
        (4, 5, False, False),
        (3, 5, True, False),
        (0, 5, True, True),
        (1, 5, True, False),
        (2, 10, True, True),
        (3, 10, True, False),
        (15, 20, True, False),
        (16, 20, False, False),
        (10, 20, True, False),
        (9, 20, True, True),
    ],
)
def test_notes_and_pauses(right: int, answered: int, noted: bool, pauses: bool) -> None:
    standing = gold.Standing(answered, right, answered, right, answered, right)
    assert (standing.noted, standing.must_pause) == (noted, pauses)


def test_figures_are_of_whole_fives() -> None:
    assert gold.standing_of([True] * 4) is None
    nine = gold.standing_of([True] * 5 + [False] * 4)
    assert nine == gold.Standing(5, 5, 5, 5, 5, 5)
    assert gold.standing_of([False] * 10 + [True] * 20) == gold.Standing(20, 20, 30, 20, 30, 20)
    # What a pause is decided by begins anew after a hundred.
    assert gold.standing_of([False] * 100 + [True] * 5) == gold.Standing(20, 5, 105, 5, 5, 5)
    assert gold.standing_of([True] * 100) == gold.Standing(20, 20, 100, 100, 100, 100)
    # After a pause only what came since counts for the next one.
    assert gold.standing_of([False] * 5 + [True] * 5, since=5) == gold.Standing(5, 5, 10, 5, 5, 5)
    assert gold.standing_of([False] * 5 + [True] * 4, since=5) == gold.Standing(0, 0, 5, 0)


@pytest.mark.parametrize(("share", "least", "most"), [(0.7, 0.03, 0.05), (0.75, 0.0, 0.02), (0.5, 0.9, 1.0)])
def test_who_is_right_often_enough_is_hardly_ever_paused(share: float, least: float, most: float) -> None:
    """Over a hundred answers of 4,000 people each: what the rule promises, by the rule itself and not by its table."""
    draw, paused = random.Random(f"pauses-{share}"), 0
    for _ in range(4000):
        answers = [draw.random() < share for _ in range(gold.HORIZON)]
        paused += any(
            standing.must_pause
            for n in range(gold.ANSWERS_PER_STEP, gold.HORIZON + 1, gold.ANSWERS_PER_STEP)
            if (standing := gold.standing_of(answers[:n])) is not None
        )
    error = 2 * (most * (1 - most) / 4000) ** 0.5
    assert least - error <= paused / 4000 <= most + error


@pytest.mark.parametrize(
    ("team", "votes", "seen", "most"), [(30, 4, 2, 2), (5, 4, 2, 2), (3, 4, 0, 1), (9, 4, 4, 0), (9, 5, 9, 0)]
)
def test_nobody_sees_it_more_often_than_others(team: int, votes: int, seen: int, most: int) -> None:
    assert gold.most_asked(team=team, votes_at_most=votes, seen=seen) == most


@pytest.mark.parametrize(("answered", "wrong", "missed"), [(2, 2, False), (3, 1, False), (3, 2, True), (5, 2, False)])
def test_what_too_many_miss(answered: int, wrong: int, missed: bool) -> None:
    assert gold.is_missed(answered, wrong) is missed


@pytest.mark.parametrize(
    ("labels", "whole"), [(["e"] * 3, True), (["e"] * 2, False), (["e", "e", "n"], False), ([], False)]
)
def test_unanimous(labels: list[str], whole: bool) -> None:
    assert gold.is_unanimous(labels) is whole


@pytest.mark.parametrize(
    ("stage", "gold_label", "state", "label", "outcome"),
    [
        ("settled", "e", "open", "", REOPENS),
        ("settled", "e", "gold", "e", STAYS),
        ("settled", "e", "gold", "n", OTHER_GOLD),
        ("no_consensus", "", "no_consensus", "", STAYS),
        ("voting", "", "open", "", WAITS),
        ("adjudicated", "e", "open", "", BY_LEAD),
    ],
)
def test_what_becomes_of_an_item(stage: str, gold_label: str, state: str, label: str, outcome: str) -> None:
    assert outcome_of(stage, gold_label, state, label) == outcome
    assert count_outcomes([outcome, outcome]) == [(outcome, 2)]


def test_signs() -> None:
    assert longest_run("eennne") == 3
    few = signs_of([TimedAnswer("e", 1.0, 10)] * 19, base=1, word=0.1)
    assert (few.votes, few.median_seconds, few.fast, few.commonest, few.longest_run) == (
        19,
        None,
        None,
        None,
        None,
    )
    mixed = [TimedAnswer("e", 1.0, 10)] * 15 + [TimedAnswer("n", 9.0, 10)] * 5
    found = signs_of(mixed, base=1, word=0.1)
    assert (found.median_seconds, found.fast, found.commonest, found.longest_run) == (1.0, 0.75, 0.75, 15)
    unknown = signs_of([TimedAnswer("e", None, 10)] * 20, base=1, word=0.1)
    assert (unknown.median_seconds, unknown.fast, unknown.commonest) == (None, None, 1.0)


@pytest.mark.parametrize(
    ("right", "fast", "run", "first"),
    [(7, 0.2, 3, True), (7, 0.1, 20, True), (7, 0.1, 19, False), (8, 0.9, 99, False), (7, None, None, False)],
)
def test_whom_leads_look_at_first(right: int, fast: float | None, run: int | None, first: bool) -> None:
    signs = Signs(votes=50, median_seconds=3.0, fast=fast, commonest=0.4, longest_run=run)
    standing = GoldStanding(answered=10, right=right, all_answered=10, all_right=right)
    assert PersonFigures(Annotator(), 50, 10.0, 5, signs, standing).needs_attention is first
    assert not PersonFigures(Annotator(), 50, 10.0, 5, signs, None).needs_attention
