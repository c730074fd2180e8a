"""The table of estimators in docs/insights.md: what is true, what pages show, and what all kept votes would show.

`main` prints it.
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from validation.consensus import audit
from validation.consensus.completion import (
    Stopped,
    against_others,
    figures_of_all_labels,
    places_in_any_case,
)
from validation.consensus.protocol import AUDIT_RULE, PRESETS
from validation.insights.reports.quality import SMOOTHING
from validation.insights.rules import dawid_skene
from validation.insights.rules.agreement import krippendorff_alpha, mean_pairwise_kappa, percent_agreement
from validation.insights.rules.tallies import Ballots
from validation.insights.rules.weighted import agreement

LABELS, PEOPLE = ("e", "n", "c"), 10
INCREMENTAL, FIXED, AUDITS = (PRESETS[name] for name in ("incremental-3-5", "fixed-5", "two-agree-audit"))
FIGURES = ("kappa", "alpha", "percent", "unanimous", "entropy", "gold", "skene")
NAMES = {
    "kappa": "Cohen's kappa",
    "alpha": "Krippendorff's alpha",
    "percent": "percent agreement",
    "unanimous": "unanimous items",
    "entropy": "entropy in bits",
    "gold": "vote = gold of the others",
    "skene": "mean accuracy (Dawid and Skene)",
}
Row = dict[str, float]


class Simulated:
    """Items with five labels by five of ten people each, the first the writer's; and what protocols keep of them."""

    def __init__(self, seed: int, items: int) -> None:
        self.random = np.random.default_rng(seed)
        self.accuracy = np.clip(self.random.normal(0.88, 0.05, PEOPLE), 0.5, 0.99)
        true = self.random.integers(0, 3, items)
        self.who = np.argsort(self.random.random((items, PEOPLE)), axis=1)[:, :5]
        right = self.random.random((items, 5)) < self.accuracy[self.who]
        self.labels = np.where(right, true[:, None], (true[:, None] + self.random.integers(1, 3, (items, 5))) % 3)
        self.words = [tuple(LABELS[code] for code in row) for row in self.labels.tolist()]

    def kept(self) -> dict[str, list[Stopped]]:
        """The items as fixed-5, 2+1+1 and two-agree-audit leave them."""
        found: dict[str, list[Stopped]] = {"true": [], "2+1+1": [], "two-agree": []}
        plan = audit.plan_of(replace(AUDITS, planned=len(self.words), audit_rule=AUDIT_RULE))
        state = audit.AuditState()
        for author, *votes in self.words:
            found["true"].append(Stopped(FIXED, author, tuple(votes)))
            used = stop(author, votes, 2)
            found["2+1+1"].append(Stopped(INCREMENTAL, author, tuple(votes[:used])))
            panel, draw = self.random.random() < AUDITS.panel, self.random.random()
            state, item = audit.apply_first_vote(
                plan, state, None, panel=panel, agrees=votes[0] == author, doubt=False, draw=draw
            )
            used = 4 if panel else 1 if item.route == audit.TWO_AGREE else stop(author, votes, 1)
            if item.route == audit.AUDITED:
                changed = Counter([author, *votes[:used]]).most_common(1)[0][0] != author
                state, item = audit.apply_outcome(plan, state, item, changed)
            found["two-agree"].append(Stopped(AUDITS, author, tuple(votes[:used]), item.route, item.q))
        return found

    def ballots(self, items: list[Stopped], most: int, *, author: bool = False) -> tuple[Ballots, Any]:
        """At most so many votes of each item that stands for some, with its weight; the writer's too."""
        cells = [
            (n, int(self.who[n, place]), int(self.labels[n, place]), item.weight if not author else 1.0)
            for n, item in enumerate(items)
            for place in range(0 if author else 1, 1 + min(most, len(item.votes)))
            if author or item.weight
        ]
        n, person, label, weight = (np.array(column) for column in zip(*cells, strict=True))
        return Ballots(n, person, label, len(items), PEOPLE, 3), weight


def stop(author: str, votes: list[str], first: int) -> int:
    """How many votes are asked for until three labels are alike."""
    return next(n for n in range(first, 5) if n == 4 or max(Counter([author, *votes[:n]]).values()) >= 3)


def as_shown(of: Simulated, items: list[Stopped], most: int) -> Row:
    """The figures as pages show them: agreement over at most so many votes an item, the others over all kept ones."""
    ballots, weight = of.ballots(items, most)
    figures = agreement(ballots, weight, np.arange(len(items)))
    sums, whole = np.zeros(3), np.zeros(3)
    for item in items:
        if item.weight and (told := _figures(item)) is not None:
            sums += item.weight * np.array(told[:3])
            whole += item.weight * np.array((1, 1, told[3]))
    skene = dawid_skene.fit(of.ballots(items, 4, author=True)[0], smoothing=SMOOTHING)
    row = {"kappa": figures.kappa.value, "alpha": figures.alpha.value, "percent": figures.percent.value}
    row |= dict(zip(("unanimous", "entropy", "gold"), (sums / whole).tolist(), strict=True))
    return {**{name: float(value or 0) for name, value in row.items()}, "skene": float(skene.accuracy.mean())}


_KNOWN: dict[Stopped, tuple[float, float, float, float] | None] = {}


def _figures(item: Stopped) -> tuple[float, float, float, float] | None:
    """Unanimity, entropy, how far its votes are the gold of the others, and how far there is one."""
    alike = item._replace(q=None if item.q is None else 1.0)
    if alike not in _KNOWN:
        places = range(min(len(item.votes), places_in_any_case(item.protocol, item.route)))
        beside = [one for one in (against_others(item, LABELS, n) for n in places) if one is not None]
        estimates = figures_of_all_labels(item, LABELS)
        agrees, gold = sum(one.agrees for one in beside), sum(one.gold for one in beside)
        _KNOWN[alike] = (estimates[2], estimates[3], agrees, gold) if estimates is not None else None
    return _KNOWN[alike]


def of_all_kept(of: Simulated, items: list[Stopped]) -> Row:
    """What all kept votes would show as they are: what was shown before, and gold with one's own vote in it."""
    units = [item.votes for item in items]
    names = [dict(zip(of.who[n, 1:].tolist(), unit, strict=False)) for n, unit in enumerate(units)]
    kappas = mean_pairwise_kappa([{str(who): label for who, label in row.items()} for row in names])
    every = [Counter([item.author, *item.votes]) for item in items]
    shares = [np.array(list(labels.values())) / labels.total() for labels in every]
    golds = [labels.most_common(1)[0] for labels in every]
    same = [
        (vote == gold) for item, (gold, n) in zip(items, golds, strict=True) for vote in item.votes
        if n >= (2 if item.route == audit.TWO_AGREE else 3)
    ]  # fmt: skip
    ballots = of.ballots([item._replace(route="", q=None) for item in items], 4)[0]
    return {
        "kappa": float(kappas.value or 0),
        "alpha": float(krippendorff_alpha(units).value or 0),
        "percent": float(percent_agreement(units).value or 0),
        "unanimous": float(np.mean([len(labels) == 1 for labels in every])),
        "entropy": float(np.mean([abs((share * np.log2(share)).sum()) for share in shares])),
        "gold": float(np.mean(same)),
        "skene": float(dawid_skene.fit(ballots, smoothing=SMOOTHING).accuracy.mean()),
    }


def table(seed: int, items: int) -> dict[str, Row]:
    """The columns of one run."""
    of = Simulated(seed, items)
    kept = of.kept()
    true = {**as_shown(of, kept["true"], 4), "skene": float(of.accuracy.mean())}
    first = [item._replace(votes=item.votes[:2]) for item in kept["2+1+1"]]
    return {
        "true": true,
        "2+1+1": as_shown(of, kept["2+1+1"], 2),
        "two-agree": as_shown(of, kept["two-agree"], 2),
        "all kept, 2+1+1": of_all_kept(of, kept["2+1+1"]),
        "all kept, two-agree": of_all_kept(of, kept["two-agree"]),
        "first round": of_all_kept(of, first),
    }


def means(runs: int, items: int) -> tuple[dict[str, Row], dict[str, Row]]:
    """The mean of every figure over runs, and the standard error of its gap to what is true."""
    found = [table(seed, items) for seed in range(32, 32 + runs)]
    columns = list(found[0])
    mean = {of: {name: float(np.mean([run[of][name] for run in found])) for name in FIGURES} for of in columns}
    gaps = {
        of: {name: float(np.std([run[of][name] - run["true"][name] for run in found]) / runs**0.5) for name in FIGURES}
        for of in columns
    }
    return mean, gaps


@pytest.mark.parametrize(
    ("runs", "items"), [(2, 500), pytest.param(40, 3000, marks=(pytest.mark.faults, pytest.mark.timeout(3600)))]
)
def test_what_is_shown_is_true(runs: int, items: int) -> None:
    mean, error = means(runs, items)
    for column in ("2+1+1", "two-agree"):
        for name in FIGURES:
            # Two runs say little of their own spread.
            noise = 2 * error[column][name] if runs > 10 else 0.05
            assert abs(mean[column][name] - mean["true"][name]) <= 0.01 + noise, (column, name)
    # The bias that all kept votes would have.
    assert mean["true"]["kappa"] - mean["all kept, two-agree"]["kappa"] > 0.1
    assert mean["all kept, 2+1+1"]["unanimous"] - mean["true"]["unanimous"] > 0.05
    assert mean["all kept, 2+1+1"]["gold"] > mean["true"]["gold"]


def main(runs: int = 20, items: int = 3000) -> None:
    """Print the table."""
    mean, _ = means(runs, items)
    print("| |", " | ".join(mean), "|")
    print("|---" * (len(mean) + 1) + "|")
    for name in FIGURES:
        print(f"| {NAMES[name]} |", " | ".join(f"{mean[column][name]:.3f}".lstrip("0") for column in mean), "|")
