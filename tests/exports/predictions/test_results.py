"""What a result on hidden answers gives away: nothing of what is coded into its digits, or the rows that it is over."""

from collections import Counter
from dataclasses import replace
from math import exp, log
from typing import Any

import numpy as np
import pytest

from exports.predictions.results import results
from exports.predictions.rules import LABEL, PROBABILITIES, SOFT_MEASURES, Answer, AskedRow, stopped_of
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import PRESETS, Protocol

LABELS = ("entailment", "neutral", "contradiction")
GOLD = [LABELS[n * n % 7 % 3] for n in range(24)]
ASKED = [AskedRow(f"p{n}", "test", gold, LABELS, people={gold: 5}) for n, gold in enumerate(GOLD)]


def coded(n: int) -> dict[str, float]:
    """Probabilities whose logarithms differ, label by label, in a digit (base 3) that belongs to this row alone."""
    weights = [exp(-k * 3.0**-n) for k in range(3)]
    return {label: weight / sum(weights) for label, weight in zip(LABELS, weights, strict=True)}


def read(mean: float) -> list[str]:
    """The labels that a mean cross-entropy says, row by row."""
    rest = len(GOLD) * mean - sum(-log(coded(n)[LABELS[0]]) for n in range(len(GOLD)))
    found = []
    for n in range(len(GOLD)):
        digit = min(2, max(0, int((rest + 1e-12) * 3.0**n)))
        rest -= digit * 3.0**-n
        found.append(LABELS[digit])
    return found


def told(given: dict[str, Answer], *, hidden: bool) -> dict[str, dict[str, float]]:
    found = results(ASKED, given, [], labels=LABELS, seed="s", hidden=["test"] if hidden else [])
    figures: dict[str, dict[str, float]] = found["splits"]["test"]["figures"]
    return figures


def test_labels_cannot_be_read_from_the_digits_of_a_mean() -> None:
    given: dict[str, Answer] = {each.id: {LABEL: LABELS[0], PROBABILITIES: coded(n)} for n, each in enumerate(ASKED)}
    assert read(told(given, hidden=False)["cross_entropy"]["value"]) == GOLD
    shown = told(given, hidden=True)["cross_entropy"]["value"]
    assert shown == round(shown, 3)
    assert sum(one == other for one, other in zip(read(shown), GOLD, strict=True)) < 18


def test_no_figure_is_over_rows_that_a_file_picks() -> None:
    given: dict[str, Answer] = {each.id: {LABEL: LABELS[0]} for each in ASKED}
    given["p7"][PROBABILITIES] = {LABELS[0]: 1.0}
    assert told(given, hidden=False)["jsd"]["n"] == 1
    assert set(told(given, hidden=True)) == {"accuracy", "macro_f1"}


# --- distributions of labels where a protocol stops early ----------------------------------


def rows_of(protocol: Protocol, seed: int, items: int) -> tuple[list[AskedRow], list[AskedRow], dict[str, Answer]]:
    """The same rows with all labels and as the protocol leaves them, and a model that knows some of them."""
    random, full, left, answers = np.random.default_rng(seed), list[AskedRow](), list[AskedRow](), dict[str, Answer]()
    for n in range(items):
        true, easy = int(random.integers(3)), random.random() < 0.8
        right = random.random(5) < (0.93 if easy else 0.6)
        labels = [LABELS[code] for code in np.where(right, true, (true + random.integers(1, 3, 5)) % 3)]
        agrees, q = labels[0] == labels[1], float(random.choice([0.2, 0.4]))
        route = ("audited" if random.random() < q else "two_agree") if agrees else "disagreement"
        votes = [VoteIn(label, "", 1, place) for place, label in enumerate(labels[1:])]
        used = 1 + len(decide(protocol, labels[0], votes, LABELS, route=route if protocol.alpha else "").counted)
        shown: dict[str, Any] = {"label": labels[0], "annotator_labels": labels[:used], "n_labels": used, "q": q}
        shown["stop_reason"] = route if protocol.alpha else "quorum"
        row = AskedRow(f"r{n}", "test", labels[0], LABELS, people=Counter(labels))
        full.append(row)
        stopped = stopped_of(shown, [protocol])
        left.append(replace(row, people=Counter(labels[:used]), stopped=stopped, stops_early=True))
        model = random.dirichlet([8 if code == true and easy else 2 for code in range(3)])
        answers[f"r{n}"] = {LABEL: labels[0], PROBABILITIES: dict(zip(LABELS, model.tolist(), strict=True))}
    return full, left, answers


@pytest.mark.parametrize("name", ["incremental-3-5", "two-agree-audit"])
def test_soft_scores_are_those_of_all_labels(name: str) -> None:
    """Not of the disputed rows, which alone have five labels where people stop early."""
    gaps, disputed = [], []
    for seed in range(100, 104):
        full, left, answers = rows_of(PRESETS[name], seed, 300)
        five = [row for row, one in zip(full, left, strict=True) if sum(one.people.values()) == 5]
        figures = [
            results(asked, answers, [], labels=LABELS, seed="s", over="x")["splits"]["test"]["figures"]
            for asked in (full, left, five)
        ]
        gaps.append([figures[1][measure]["value"] - figures[0][measure]["value"] for measure in SOFT_MEASURES])
        disputed.append([figures[2][measure]["value"] - figures[0][measure]["value"] for measure in SOFT_MEASURES])
        assert all(figures[1][measure]["low"] < figures[1][measure]["value"] for measure in SOFT_MEASURES)
    error = np.std(gaps, axis=0) / len(gaps) ** 0.5
    assert (np.abs(np.mean(gaps, axis=0)) <= 0.01 + 2 * error).all()
    assert np.mean(disputed, axis=0)[0] > 0.2  # the cross-entropy


def test_rows_of_protocols_that_differ_have_no_soft_scores() -> None:
    row = {"annotator_labels": [LABELS[0]] * 3, "n_labels": 3}
    assert stopped_of(row, [PRESETS["incremental-3-5"]]) is not None
    assert stopped_of(row, [PRESETS["incremental-3-5"], PRESETS["two-agree-audit"]]) is None
    asked = [AskedRow("p", "test", LABELS[0], LABELS, people={LABELS[0]: 5}, stops_early=True)]
    answers: dict[str, Answer] = {"p": {LABEL: LABELS[0], PROBABILITIES: {LABELS[0]: 1.0}}}
    found = results(asked, answers, [], labels=LABELS, seed="s", over="x")["splits"]["test"]
    assert set(found["figures"]) == {"accuracy", "macro_f1"}
    assert "soft_over" not in found
