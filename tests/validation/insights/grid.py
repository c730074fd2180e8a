"""The grid: each headline figure by protocol and team, its bias and how often its intervals hold what is true.

`python -m tests.validation.insights.grid RUNS` prints the table of docs/statistics.md. The seed was fixed before the
first run.
"""

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from exports.scoring.measures import label_measures
from tests.validation.insights.simulated import PROTOCOLS, TEAMS, Collected, collect, population, truth_of
from validation.insights.rules import clusters, dawid_skene, pairwise, skene_accuracy, weighted
from validation.insights.rules.clusters import Ends, Estimate

SEED, RUNS = 2026, 2000
NAMES = ("e", "n", "c")
SMOOTHING = 0.1
# So many items stand for endlessly many, where there is no formula.
ENDLESS, TEAMS_FITTED = 10_000, 100
PLACES = np.arange(5)


def headline_votes(found: Collected, protocol: str) -> Any:
    """The places of labels that agreement rests on, as validation.consensus.design has them."""
    if protocol == "panel":
        return np.broadcast_to(PLACES > 0, found.label.shape)
    if protocol == "two-agree":
        return np.broadcast_to(PLACES < 2, found.label.shape)
    inside = found.asked[:, None] > PLACES
    both = found.asked > 2 if protocol == "two-agree-audit" else np.ones(len(found.asked), bool)
    return inside & both[:, None] & np.isin(PLACES, (1, 2))


def measured(found: Collected, protocol: str) -> dict[str, Estimate]:
    """The product's figures over one project."""
    votes = found.ballots(headline_votes(found, protocol))
    weight = found.weight[votes.item] if protocol == "two-agree-audit" else np.ones(len(votes.item))
    agreement = weighted.agreement(votes, weight, found.source)
    raters = found.ballots(found.asked[:, None] > PLACES)
    fitted = dawid_skene.fit(raters, smoothing=SMOOTHING)
    people = np.arange(found.people)
    figures = {
        "alpha": agreement.alpha,
        "percent agreement": agreement.percent,
        "kappa, pooled": agreement.kappa,
        "Dawid–Skene, mean accuracy": skene_accuracy.mean_accuracy(raters, fitted, found.source, people),
    }
    if protocol == "panel":
        figures["kappa, mean over pairs"] = pairwise.mean_estimate(pairwise.pair_votes(votes), found.source)
    return figures | by_gold(found)


def by_gold(found: Collected) -> dict[str, Estimate]:
    """The share of a label among gold, and a model's accuracy against gold."""
    has = found.gold >= 0
    gold, source = found.gold[has], found.source[has]
    share = gold == 0
    pairs = [(NAMES[right], NAMES[said]) for right, said in zip(gold.tolist(), found.model[has].tolist(), strict=True)]
    accuracy = label_measures(pairs, (), source)["accuracy"]
    ends = None if accuracy.low is None or accuracy.high is None else Ends(accuracy.low, accuracy.high)
    return {
        "share of a gold label": Estimate(float(share.mean()), clusters.share_interval(share, source)),
        "model's accuracy against gold": Estimate(accuracy.value, ends),
    }


class Outcome(NamedTuple):
    """One cell: bias (against the mean of all teams) with its standard error; the share of intervals over items that
    hold what is true of the team, of those over people, and of the wider, that hold what is true of all teams."""

    figure: str
    bias: float
    error: float
    items: float
    people: float | None
    wider: float | None


@cache
def _of_gold(protocol: str, team: str) -> Any:
    """How the share of a gold label and a model's accuracy follow from a team's: least squares over teams."""
    random = np.random.default_rng([SEED, 1])
    rows, truths = [], []
    for _ in range(TEAMS_FITTED):
        accuracy = TEAMS[team](random)
        endless = collect(random, accuracy, protocol, ENDLESS)
        has = endless.gold >= 0
        rows.append(_terms(accuracy))
        truths.append([(endless.gold[has] == 0).mean(), (endless.gold == endless.model)[has].mean()])
    return np.linalg.lstsq(np.array(rows), np.array(truths), rcond=None)[0]


def _terms(accuracy: Any) -> list[float]:
    return [1.0, float(accuracy.mean()), float((accuracy**2).mean())]


def _truths(accuracy: Any, protocol: str, team: str) -> dict[str, tuple[float, float]]:
    """Of each figure what is true of this team, and of all teams like it."""
    exact, mean = truth_of(accuracy), population(team)
    share, right = (np.array(_terms(accuracy)) @ _of_gold(protocol, team)).tolist()
    return {
        "alpha": (exact.alpha, mean.alpha),
        "percent agreement": (exact.percent, mean.percent),
        "kappa, pooled": (exact.kappa, mean.kappa),
        "kappa, mean over pairs": (exact.mean_kappa, mean.mean_kappa),
        "Dawid–Skene, mean accuracy": (exact.skene, mean.skene),
        "share of a gold label": (share, share),
        "model's accuracy against gold": (right, right),
    }


def simulate(protocol: str, team: str, runs: int) -> list[Outcome]:
    """One protocol and team."""
    random = np.random.default_rng([SEED, PROTOCOLS.index(protocol), list(TEAMS).index(team)])
    rows: dict[str, list[tuple[float, float, bool, bool | None, bool | None]]] = {}
    for _ in range(runs):
        accuracy = TEAMS[team](random)
        truths = _truths(accuracy, protocol, team)
        for name, estimate in measured(collect(random, accuracy, protocol), protocol).items():
            of_team, of_all = truths[name]
            value, over_people = estimate.value, estimate.people is not None
            assert value is not None
            held = (holds(estimate.items, of_team), holds(estimate.people, of_all), holds(estimate.ends, of_all))
            rows.setdefault(name, []).append(
                (value - of_all, value, held[0], *(held[1:] if over_people else (None, None)))
            )
    return [_outcome(name, found) for name, found in rows.items()]


def holds(ends: Ends | None, true: float) -> bool:
    """Whether an interval holds what is true; none does not."""
    return ends is not None and ends.low <= true <= ends.high


def _outcome(name: str, rows: list[Any]) -> Outcome:
    bias, _, items, people, wider = zip(*rows, strict=True)
    known = people[0] is not None
    return Outcome(
        name,
        float(np.mean(bias)),
        float(np.std(bias)) / len(rows) ** 0.5,
        float(np.mean(items)),
        float(np.mean(people)) if known else None,
        float(np.mean(wider)) if known else None,
    )


def lines(runs: int) -> Iterator[str]:
    """The table, in Markdown."""
    yield "| figure | protocol | team | bias | over items | over people | the wider |"
    yield "|---|---|---|---|---|---|---|"
    for protocol in PROTOCOLS:
        for team in TEAMS:
            for found in simulate(protocol, team, runs):
                shares = ("–" if share is None else f"{100 * share:.1f}" for share in found[3:])
                yield f"| {found.figure} | {protocol} | {team} | {found.bias:+.4f} | {' | '.join(shares)} |"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS):
        print(line, flush=True)
