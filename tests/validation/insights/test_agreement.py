"""Agreement: textbook cases by hand, undefined ones with their reason, and the published figures."""

import json
from collections import Counter
from fractions import Fraction

import pytest

from tests.data import DATA, needs_data
from validation.consensus.replay import RowError, read_rows
from validation.insights.rules.agreement import (
    REASONS,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    mean_pairwise_kappa,
    pairwise_kappas,
    percent_agreement,
)

UNITS = [krippendorff_alpha, fleiss_kappa, percent_agreement]


@pytest.mark.parametrize(
    ("measure", "units", "exact"),
    [
        (percent_agreement, ["aa", "ab"], Fraction(1, 2)),
        (percent_agreement, ["aab", "bb", "c"], (Fraction(1, 3) + 1) / 2),
        (krippendorff_alpha, ["aa", "bb"], Fraction(1)),
        (krippendorff_alpha, ["ab", "ab"], Fraction(-1, 2)),
        (krippendorff_alpha, ["aa", "ab", "bb", "c"], Fraction(4, 9)),
        (krippendorff_alpha, ["aab", "bb"], Fraction(1, 3)),
        (fleiss_kappa, ["aa", "bb"], Fraction(1)),
        (fleiss_kappa, ["ab", "ab"], Fraction(-1)),
        (fleiss_kappa, ["aab", "bbb", "a"], Fraction(1, 4)),
    ],
)
def test_by_hand(measure, units, exact):
    assert measure(units).exact == exact


def test_krippendorffs_own_example_with_missing_ratings():
    """Krippendorff 2011, section C: four observers, twelve units of which one has a single rating, alpha 0.743."""
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    units = [[None if mark == "." else mark for mark in column] for column in zip(*observers, strict=True)]
    figure = krippendorff_alpha(units)
    assert (figure.items, figure.ratings) == (11, 40)
    assert round(figure.value or 0, 3) == 0.743


@pytest.mark.parametrize("measure", UNITS)
@pytest.mark.parametrize("units", [[], ["a", "b"], [[None, "a"], []]])
def test_nobody_to_compare(measure, units):
    figure = measure(units)
    assert (figure.exact, figure.value, figure.items, figure.reason) == (None, None, 0, "no_pairs")


@pytest.mark.parametrize("measure", [krippendorff_alpha, fleiss_kappa])
def test_one_label_throughout_is_undefined_not_perfect(measure):
    figure = measure(["aa", "aa"])
    assert (figure.exact, figure.reason, figure.items, figure.ratings) == (None, "one_label", 2, 4)


def test_fleiss_wants_equal_numbers():
    assert fleiss_kappa(["aab", "bb"]).reason == "unequal"


def test_cohen_by_hand():
    figure = cohen_kappa([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b"), (None, "a")])
    assert (figure.exact, figure.items, figure.ratings) == (Fraction(1, 2), 4, 8)
    assert cohen_kappa([("a", None)]).reason == "no_pairs"
    assert cohen_kappa([("a", "a")]).reason == "one_label"


def test_pairs_of_annotators():
    rows: list[dict[str, str | None]] = [
        {"X": "a", "Y": "a", "Z": "a"},
        {"X": "b", "Y": "b", "Z": None},
        {"Y": "a"},
    ]
    assert list(pairwise_kappas(rows)) == [("X", "Y"), ("X", "Z"), ("Y", "Z")]
    mean = mean_pairwise_kappa(rows)
    assert (mean.exact, mean.pairs, mean.items) == (Fraction(1), 1, 2)
    assert mean_pairwise_kappa([{"X": "a", "Y": "a"}]).reason == "one_label"
    assert mean_pairwise_kappa([{"X": "a"}]).reason == "no_pairs"


def test_every_reason_has_words():
    assert set(REASONS) == {"no_pairs", "one_label", "unequal"}


def never(error: RowError) -> None:
    pytest.fail(str(error))


def labels_of(name: str) -> list[list[str]]:
    """Give the five labels of each row, the author's first."""
    with (DATA / name).open("rb") as lines:
        return [[row.author or "", *(label for _, label in row.votes)] for row in read_rows(lines, never)]


def known(name: str):
    return json.loads((DATA / "expected" / f"{name}.json").read_text(encoding="utf-8"))


def near(measure, units):
    return round(measure(units).value, 6)


@needs_data
@pytest.mark.data
@pytest.mark.parametrize("name", ["ocnli_dev_1000", "chaosnli_snli"])
def test_five_real_labels(name):
    units, expected = labels_of(f"nli5/{name}.jsonl"), known(f"nli5_{name}")
    five, four = expected["agreement_five_labels_incl_author"], expected["agreement_four_validators"]
    # Seven rows of ChaosNLI have four labels in all: alpha takes them in, Fleiss' kappa wants equal numbers.
    whole = [unit for unit in units if len(unit) == 5]
    assert len(whole) == five["rows"]
    assert near(krippendorff_alpha, units) == five["krippendorff_alpha_nominal"]
    assert near(fleiss_kappa, whole) == five["fleiss_kappa"]
    assert near(percent_agreement, whole) == five["observed"]
    assert near(krippendorff_alpha, [unit[1:] for unit in units]) == four["krippendorff_alpha_nominal"]
    assert near(fleiss_kappa, [unit[1:] for unit in whole]) == four["fleiss_kappa"]
    assert (fleiss_kappa(units).reason == "unequal") is (len(whole) < len(units))


@needs_data
@pytest.mark.data
def test_alpha_of_ocnli():
    assert near(krippendorff_alpha, labels_of("nli5/ocnli_dev_1000.jsonl")) == 0.668021


@needs_data
@pytest.mark.data
def test_id_csqa():
    rows = json.loads((DATA / "idcsqa/human_gen_ind.json").read_text(encoding="utf-8"))
    expected = known("idcsqa_human_gen_ind")["agreement"]
    answers = [row["answers"] for row in rows]
    units = [list(answer.values()) for answer in answers]
    assert near(krippendorff_alpha, units) == 0.929515
    assert near(fleiss_kappa, units) == 0.929506
    assert near(mean_pairwise_kappa, answers) == 0.929550
    assert near(percent_agreement, units) == expected["five_answers"]["mean_observed_agreement"]
    six = [[*unit, row["answer_creator"]] for unit, row in zip(units, rows, strict=True)]
    assert near(krippendorff_alpha, six) == 0.938878
    assert near(fleiss_kappa, six) == 0.938871
    for (a, b), figure in pairwise_kappas(answers).items():
        pair = expected["pairwise_cohen"][f"{a}-{b}"]
        assert (figure.items, round(figure.value or 0, 6)) == (pair["items"], pair["kappa"])


@pytest.mark.parametrize("measure", UNITS)
@pytest.mark.parametrize("units", [["ab", "ab", "aa", "bb", "ab"], ["aa", "aa"], ["a", "a"], []])
def test_equal_units_may_come_counted(measure, units):
    assert measure(Counter(tuple(unit) for unit in units)) == measure(units)


def test_equal_pairs_may_come_counted():
    pairs = [("a", "b"), ("a", "a"), ("a", "a"), ("b", "b"), (None, "a")]
    assert cohen_kappa(Counter(pairs)) == cohen_kappa(pairs)
