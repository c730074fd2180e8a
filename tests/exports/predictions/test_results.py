"""What a result on hidden answers gives away: nothing of what is coded into its digits, or the rows that it is over."""

from math import exp, log

from exports.predictions.results import results
from exports.predictions.rules import LABEL, PROBABILITIES, Answer, AskedRow

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
