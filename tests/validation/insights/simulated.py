"""Projects with a known truth: sources of three items, some of them hard; four protocols and three teams."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from validation.insights.rules.tallies import Ballots

ITEMS, OF_SOURCE, LABELS, ASKED = 600, 3, 3, 5
PRIOR = np.array([0.45, 0.33, 0.22])
# A source is hard with this probability; people, and models, are then so much less often right.
HARD, LESS = 0.2, 0.12
MODEL = 0.78
PROTOCOLS = ("2+1+1", "two-agree", "two-agree-audit", "panel")

Random = np.random.Generator


def _homogeneous(random: Random) -> Any:
    return np.full(10, 0.9)


def _careless(random: Random) -> Any:
    return np.r_[0.6, np.clip(random.normal(0.91, 0.03, 9), 0.7, 0.99)]


def _few(random: Random) -> Any:
    return np.clip(random.normal(0.88, 0.04, ASKED), 0.6, 0.99)


TEAMS: dict[str, Callable[[Random], Any]] = {"homogeneous": _homogeneous, "careless": _careless, "few": _few}


class Collected(NamedTuple):
    """One project: who was asked and answered what (item, place; the author first), how many labels each item got,
    the weight of its first two, its source, gold (-1: none), and what a model says."""

    who: Any
    label: Any
    asked: Any
    weight: Any
    source: Any
    gold: Any
    model: Any
    people: int

    def ballots(self, wanted: Any) -> Ballots:
        """The labels at these places of items."""
        item, place = np.nonzero(wanted)
        return Ballots(
            item, self.who[item, place], self.label[item, place], len(self.label), people=self.people, labels=LABELS
        )


def _answers(random: Random, right: Any, truth: Any) -> Any:
    return np.where(
        random.random(right.shape) < right, truth, (truth + random.integers(1, LABELS, right.shape)) % LABELS
    )


def collect(random: Random, accuracy: Any, protocol: str, items: int = ITEMS) -> Collected:
    """A project of these people."""
    source = np.arange(items) // OF_SOURCE
    less = LESS * (random.random(source[-1] + 1) < HARD)[source]
    truth = random.choice(LABELS, items, p=PRIOR)
    who = np.argsort(random.random((items, len(accuracy))), axis=1)[:, :ASKED]
    label = _answers(random, accuracy[who] - less[:, None], truth[:, None])
    model = _answers(random, MODEL - less, truth)
    counts = np.cumsum(label[:, :, None] == np.arange(LABELS), axis=1)
    most, agree = counts.max(axis=2), label[:, 0] == label[:, 1]
    quorum, first = (2, 2) if protocol == "two-agree" else (3, 3 if protocol == "2+1+1" else 2)
    enough = most >= quorum
    enough[:, : first - 1] = False
    asked = np.where(enough.any(axis=1), enough.argmax(axis=1) + 1, ASKED)
    weight = np.ones(items)
    if protocol == "panel":
        asked[:] = ASKED
    elif protocol == "two-agree-audit":
        chance, panel = random.uniform(0.15, 0.6, items), random.random(items) < 0.05
        audited = random.random(items) < chance
        weight = np.where(agree & ~panel, 1 / chance, 1.0)
        asked = np.where(panel, ASKED, np.where(agree & ~audited, 2, asked))
        quorum = 3
    last = counts[np.arange(items), asked - 1]
    short = (asked == 2) & (protocol == "two-agree-audit")
    gold = np.where(short | (last.max(axis=1) >= quorum), last.argmax(axis=1), -1)
    return Collected(who, label, asked, weight, source, gold, model, len(accuracy))


class Truth(NamedTuple):
    """What figures are over endlessly many items of one team."""

    alpha: float
    percent: float
    kappa: float
    mean_kappa: float
    skene: float


def truth_of(accuracy: Any) -> Truth:
    """Exact: every two people meet equally often."""
    wrong = LABELS - 1
    agree, met = 0.0, 0.0
    for chance, less in ((HARD, LESS), (1 - HARD, 0.0)):
        right = accuracy - less
        pairs = np.outer(right, right) + np.outer(1 - right, 1 - right) / wrong
        agree += chance * (pairs.sum() - np.trace(pairs)) / (len(right) * (len(right) - 1))
    mean = accuracy - HARD * LESS
    shares = mean[:, None] * PRIOR + (1 - mean)[:, None] * (1 - PRIOR) / wrong
    pairs = shares @ shares.T
    met = (pairs.sum() - np.trace(pairs)) / (len(mean) * (len(mean) - 1))
    expected = 1 - (shares.mean(axis=0) ** 2).sum()
    kappas = _kappas(accuracy, pairs)
    return Truth(1 - (1 - agree) / expected, agree, (agree - met) / (1 - met), kappas, float(mean.mean()))


def _kappas(accuracy: Any, chance: Any) -> float:
    """The mean of Cohen's kappas of all pairs."""
    agree = np.zeros_like(chance)
    for share, less in ((HARD, LESS), (1 - HARD, 0.0)):
        right = accuracy - less
        agree += share * (np.outer(right, right) + np.outer(1 - right, 1 - right) / (LABELS - 1))
    kappas = (agree - chance) / (1 - chance)
    return float(kappas[~np.eye(len(accuracy), dtype=bool)].mean())


@cache
def population(team: str) -> Truth:
    """The mean over endlessly many teams."""
    random = np.random.default_rng(7)
    return Truth(*np.mean([truth_of(TEAMS[team](random)) for _ in range(4000)], axis=0).tolist())
