"""Intervals where little is known: bounds of shares, few people, nothing spread; intervals over people cover."""

from typing import Any

import numpy as np
import pytest

from tests.review import cast_votes, world
from tests.validation.insights.test_agreement_insight import computed
from validation.insights.reports.others import over_people
from validation.insights.rules.agreement import FEW_PEOPLE
from validation.insights.rules.clusters import Ends, Estimate, ratio, share_ratio
from validation.insights.rules.tallies import Ballots
from validation.insights.rules.weighted import agreement


def test_shares_and_entropy_stay_within_what_they_can_be() -> None:
    estimate = Estimate(-1.0, Ends(-2.0, 1.5), Ends(-0.5, 0.4)).within(0.0, 1.0)
    assert estimate == (0.0, (0.0, 1.0), (0.0, 0.4), False)
    entropy = Estimate(1.371, Ends(1.2, 1.6)).within(0.0, np.log2(3))
    assert entropy.items is not None
    assert (entropy.value, entropy.items.low, round(entropy.items.high, 3)) == (1.371, 1.2, 1.585)


def ballots(units: list[str]) -> Ballots:
    cells = [(item, person, "en".index(label)) for item, unit in enumerate(units) for person, label in enumerate(unit)]
    item, person, label = (np.array(column) for column in zip(*cells, strict=True))
    return Ballots(item, person, label, len(units), max(map(len, units)), 2)


def test_items_that_are_all_alike_have_an_interval_that_says_how_few_they_are() -> None:
    two = share_ratio(np.ones(2), np.ones(2), np.arange(2)).items
    assert two is not None
    assert two.low < 0.1 < two.high == 1.0
    votes = ballots(["eee", "nnn", "eee", "nnn"])
    found = agreement(votes, np.ones(12), np.arange(4))
    for ends in (found.alpha.items, found.percent.items, found.kappa.items):
        assert ends is not None
        assert ends.low < 0.5 < ends.high == 1.0


@pytest.mark.django_db
def test_two_voters_have_no_interval() -> None:
    at = world(2, settings={"spacing": 0})
    for item in at.items:
        cast_votes(at, item, item.author_label * 2)
    found = computed(at.project, "agreement")
    for row in (found["overall"][0], *found["complete"]):
        assert row["value"] is not None
        assert (row["low"], row["high"], row.get("why")) == (None, None, FEW_PEOPLE), row
    assert found["overall"][0]["items_low"] is not None


@pytest.mark.parametrize(
    ("people", "runs"),
    [(10, 100), *(pytest.param(n, 1000, marks=pytest.mark.faults) for n in (8, 12, 20))],
)
def test_unanimity_covers_over_people(people: int, runs: int) -> None:
    """Items of three of a team whose accuracy differs: what is true of all teams is inside 93 % and more."""
    random, held = np.random.default_rng(36), list[Any]()
    accuracy_of = lambda size: np.clip(random.normal(0.85, 0.12, size), 0.34, 1.0)  # noqa: E731
    triples = accuracy_of((200_000, 3))
    truth = float((triples.prod(axis=1) + 2 * ((1 - triples) / 2).prod(axis=1)).mean())
    for _ in range(runs):
        accuracy = accuracy_of(people)
        who = np.argsort(random.random((300, people)), axis=1)[:, :3]
        said = np.where(random.random((300, 3)) < accuracy[who], 0, random.integers(1, 3, (300, 3)))
        alike = (said == said[:, :1]).all(axis=1).astype(float)
        estimate = ratio(alike, np.ones(300), np.arange(300))
        places = [np.flatnonzero((who == person).any(axis=1)) for person in range(people)]
        ends = over_people(estimate, alike, np.ones(300), places).within(0.0, 1.0).ends
        held.append(ends is not None and ends.low <= truth <= ends.high)
    assert np.mean(held) >= 0.93 - 2 * (0.93 * 0.07 / runs) ** 0.5
