"""Figures of all votes from votes that stopped early: right on average over the orders in which people come."""

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from validation.consensus.audit import AUDITED, DISAGREEMENT, PANEL, TWO_AGREE
from validation.consensus.completion import (
    Counts,
    Stopped,
    against_others,
    completed,
    entropy,
    figures_of_all_labels,
    places_in_any_case,
)
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import PRESETS, Protocol

LABELS = ("e", "n", "c")
INCREMENTAL, FIXED, AUDITS = (PRESETS[name] for name in ("incremental-3-5", "fixed-5", "two-agree-audit"))


def stopped(
    protocol: Protocol, author: str, votes: tuple[str, ...], route: str = "", q: float | None = None
) -> Stopped:
    """What is left of all these votes where people are asked as the protocol says."""
    given = [VoteIn(label, "", 1, n) for n, label in enumerate(votes)]
    counted = decide(protocol, author, given, LABELS, route=route).counted
    return Stopped(protocol, author, votes[: len(counted)], route, q)


def some_figure(counts: Counts) -> float:
    return entropy(counts) + 0.3 * counts[0] - 0.01 * counts[1] ** 3


@pytest.mark.parametrize(("protocol", "route"), [(INCREMENTAL, ""), (FIXED, ""), (AUDITS, AUDITED), (AUDITS, PANEL)])
@pytest.mark.parametrize("place", [None, 0, 1])
def test_over_all_orders_scores_are_the_figure(protocol: Protocol, route: str, place: int | None) -> None:
    """The definition: of every full set of votes the mean over its orders, one person's place held."""
    sums: dict[Any, float] = defaultdict(float)
    times: Counter[Any] = Counter()
    for votes in product(LABELS, repeat=4):
        others = [vote for n, vote in enumerate(votes) if n != place]
        key = tuple(others.count(label) for label in LABELS), votes[place] if place is not None else ""
        score = completed(stopped(protocol, "e", votes, route), LABELS, some_figure, place=place)
        assert score is not None
        sums[key] += score
        times[key] += 1
    for key, total in sums.items():
        assert total / times[key] == pytest.approx(some_figure(key[0])), key


def test_what_stopped_at_two_stands_for_nothing_and_audits_for_more() -> None:
    assert stopped(AUDITS, "e", ("e",), TWO_AGREE, 0.2).weight == 0
    assert completed(Stopped(AUDITS, "e", ("e",), TWO_AGREE, 0.2), LABELS, some_figure) is None
    assert stopped(AUDITS, "e", ("e",) * 4, AUDITED, 0.2).weight == 5
    assert stopped(AUDITS, "e", ("n",) * 4, DISAGREEMENT).weight == 1


@pytest.mark.parametrize(
    ("item", "place"),
    [
        (Stopped(INCREMENTAL, "e", ("e",)), 0),  # still being asked about
        (Stopped(INCREMENTAL, "e", ("e", "n", "e")), 2),  # asked for only because two disagreed
        (Stopped(INCREMENTAL, "e", ("e", "x")), 0),  # no label of the project
    ],
)
def test_what_cannot_be_compared_is_left_out(item: Stopped, place: int) -> None:
    assert against_others(item, LABELS, place) is None


@pytest.mark.parametrize(
    ("votes", "place", "gold", "agrees"),
    [
        (("e", "e", "n", "n"), 0, 0, 0),  # two of e are left, with the author's, and two of n
        (("n", "e", "e", "n"), 0, 1, 0),
        (("e", "e", "e", "n"), 0, 1, 1),
    ],
)
def test_where_all_are_asked_it_is_the_gold_of_the_rest(
    votes: tuple[str, ...], place: int, gold: float, agrees: float
) -> None:
    assert against_others(Stopped(FIXED, "e", votes), LABELS, place) == (gold, agrees)


def test_ties_go_by_the_names_of_the_others() -> None:
    item = Stopped(PRESETS["answers-5"], None, ("e", "e", "n", "n", "c"))
    assert against_others(item, LABELS, 4, ("W1", "W2", "W3", "W4", "W5")) == (1, 0)
    assert against_others(item, LABELS, 0, ("W1", "W2", "W3", "W4", "W5")) == (1, 0)
    assert against_others(item, LABELS, 2, ("W5", "W4", "W3", "W2", "W1")) == (1, 0)


def test_a_figure_that_the_protocol_hides_has_no_estimate() -> None:
    """Nobody is asked after one that does not accept: which other labels would have come together nobody knows."""
    protocol = Protocol("two-accept", rounds=(1, 1), quorum=2, author="none", target="accept", accept="e")
    assert completed(Stopped(protocol, None, ("n",)), LABELS, entropy) is None
    assert figures_of_all_labels(Stopped(protocol, None, ("e", "e")), LABELS) is None


# --- against a known truth ----------------------------------------------------------------

Team = Callable[[np.random.Generator], Any]
TEAMS: dict[str, Team] = {
    "even": lambda random: np.full(10, 0.88),
    "mixed": lambda random: np.clip(random.normal(0.86, 0.06, 10), 0.5, 0.99),
    "two careless": lambda random: np.where(np.arange(10) < 2, 0.55, 0.92),
}
FIGURES = ("vote = gold of the others", "author = gold of the votes", "unanimous", "entropy")
ROUTES = {True: AUDITED, False: TWO_AGREE}


def left(random: np.random.Generator, protocol: Protocol, author: str, votes: tuple[str, ...]) -> Stopped:
    """What the protocol leaves of all votes; under audits a panel of a twentieth, and some of those that agree."""
    if not protocol.alpha:
        return stopped(protocol, author, votes)
    q = float(random.choice([0.2, 0.4]))
    route = ROUTES[random.random() < q] if votes[0] == author else DISAGREEMENT
    return stopped(protocol, author, votes, PANEL if random.random() < 0.05 else route, q)


def figures(items: list[Stopped]) -> list[float]:
    """The four figures as pages show them, of items as a protocol left them."""
    sums = np.zeros((2, 4))
    for item in items:
        if not item.weight:
            continue
        own = [against_others(item, LABELS, n) for n in range(places_in_any_case(item.protocol, item.route))]
        told = figures_of_all_labels(item, LABELS)
        assert told is not None
        agrees, gold = (sum(getattr(one, name) for one in own if one) for name in ("agrees", "gold"))
        sums += item.weight * np.array([(agrees, told[0], told[2], told[3]), (gold, told[1], 1, 1)])
    return list(sums[0] / sums[1])


def simulated(random: np.random.Generator, team: Team, items: int) -> list[list[float]]:
    """The figures of all five labels, and as the three protocols show them; a fifth of items is harder for all."""
    accuracy, kept = team(random), [list[Stopped]() for _ in range(3)]
    for _ in range(items):
        true, hard = int(random.integers(3)), 0.3 * (random.random() < 0.2)
        right = random.random(5) < accuracy[random.permutation(10)[:5]] - hard
        said = np.where(right, true, (true + random.integers(1, 3, 5)) % 3)
        author, *votes = (LABELS[code] for code in said)
        for protocol, those in zip((FIXED, INCREMENTAL, AUDITS), kept, strict=True):
            those.append(left(random, protocol, author, tuple(votes)))
    return [figures(those) for those in kept]


@pytest.mark.parametrize(
    ("team", "runs", "items"),
    [
        ("mixed", 4, 300),
        *(pytest.param(name, 60, 600, marks=(pytest.mark.faults, pytest.mark.timeout(1200))) for name in TEAMS),
    ],
)
def test_estimates_are_without_bias(team: str, runs: int, items: int) -> None:
    """Against the same items with all labels: what stopping early hides, and the gold that a vote is part of."""
    random = np.random.default_rng(32)
    found = np.array([simulated(random, TEAMS[team], items) for _ in range(runs)])
    for n, name in enumerate(("incremental-3-5", "two-agree-audit"), start=1):
        gaps = found[:, n] - found[:, 0]
        bias, error = gaps.mean(axis=0), gaps.std(axis=0) / runs**0.5
        for figure, one, two in zip(FIGURES, bias, error, strict=True):
            assert abs(one) <= 0.01 + 2 * two, (name, figure, one)
