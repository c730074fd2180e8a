"""Votes in columns: tallies, pairs of people, intervals and Table 3, each equal to the exact formulas over the rows."""

import json
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from tests.data import DATA, needs_data
from tests.validation.consensus.ballots import simulated, vote_columns
from validation.consensus.engine import VoteIn, decide
from validation.consensus.protocol import PRESETS
from validation.consensus.replay import RowError, read_rows
from validation.consensus.savings import Funnel
from validation.insights.rules import agreement, coefficients, pairwise
from validation.insights.rules.agreement import alpha_with_interval
from validation.insights.rules.individual_labels import (
    DecidedItems,
    IndividualCounts,
    count_individual_labels,
)
from validation.insights.rules.tallies import Ballots, Tally, tallies, tally

LABELS = "abc"
UNITS = ["aab", "bbb", "abb", "c", "ab", "ab", "cc", "aab"]


def of_units(units: Sequence[Sequence[str]], labels: str = LABELS) -> Tally:
    votes = [(item, labels.index(label)) for item, unit in enumerate(units) for label in unit]
    item, label = (np.array(column, np.int64) for column in zip(*votes, strict=True))
    return tally(item, label, len(labels))


# --- tallies ------------------------------------------------------------------------------


def test_equal_outcomes_are_counted_together() -> None:
    found = of_units(UNITS)
    assert found.units(LABELS) == {
        ("a", "a", "b"): 2,
        ("a", "b", "b"): 1,
        ("b", "b", "b"): 1,
        ("a", "b"): 2,
        ("c", "c"): 1,
        ("c",): 1,
    }
    assert (found.items, found.with_several_votes.items, found.with_votes(2).items) == (8, 7, 3)
    assert found.one_label_against_rest(2).units(("c", "other"))["c", "c"] == 1


@pytest.mark.parametrize("label", range(3))
def test_one_label_against_the_rest_is_the_units_relabelled(label: int) -> None:
    """Outcomes that differ in the other labels alone come together: (2, 1, 0) and (2, 0, 1) are both (2, 1)."""
    units = [*UNITS, "aac", "aac", "abc", "bbc", "acc", "ccb"]
    two = of_units(units).one_label_against_rest(label)
    relabelled = [["this" if given == LABELS[label] else "other" for given in unit] for unit in units]
    assert two.items == len(units)
    assert len(set(map(tuple, two.rows.tolist()))) == len(two.rows)
    found = agreement.krippendorff_alpha(two.units(("this", "other")))
    assert found == agreement.krippendorff_alpha(relabelled)
    assert agreement.percent_agreement(two.units(("this", "other"))) == agreement.percent_agreement(relabelled)


def test_parts_have_items_of_their_own() -> None:
    part, item, label = (np.array(column) for column in ([0, 0, 1, 1, -1, 1], [0, 0, 0, 1, 0, 1], [0, 1, 1, 1, 2, 0]))
    found = {place: each.units(LABELS) for place, each in tallies(part, item, label, 3).items()}
    assert found == {0: {("a", "b"): 1}, 1: {("b",): 1, ("a", "b"): 1}}
    assert tallies(np.full(2, -1), np.arange(2), np.arange(2), 3) == {}
    assert tally(np.zeros(0, np.int64), np.zeros(0, np.int64), 3).items == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_library_and_our_formula_give_the_same_alpha(seed: int) -> None:
    random = np.random.default_rng(seed)
    units = [[LABELS[n] for n in random.integers(0, 3, random.integers(1, 6))] for _ in range(60)]
    ours, theirs = agreement.krippendorff_alpha(units), agreement.alpha_by_library(units, LABELS)
    assert theirs._replace(exact=ours.exact) == ours
    assert theirs.value == pytest.approx(ours.value, abs=1e-12)


@pytest.mark.parametrize(("units", "reason"), [(["a", "b"], "no_pairs"), (["aa", "aa"], "one_label")])
def test_the_library_is_not_asked_for_what_is_undefined(units: list[str], reason: str) -> None:
    found = agreement.alpha_by_library(units, LABELS)
    assert (found.exact, found.reason) == (None, reason)


def test_too_many_for_the_library_are_counted_by_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "MOST_NUMBERS", 5)
    assert agreement.alpha_by_library(["aab", "bb"], LABELS).exact == Fraction(1, 3)


# --- pairs of people ----------------------------------------------------------------------


def rows_of(votes: Ballots) -> list[dict[str, str | None]]:
    rows: list[dict[str, str | None]] = [{} for _ in range(votes.items)]
    for item, person, label in zip(votes.item, votes.person, votes.label, strict=True):
        if person >= 0:
            rows[item][f"W{person}"] = str(label)
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_pairs_are_those_of_the_exact_formulas(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairwise, "AT_ONCE", 50)
    random, whole = np.random.default_rng(seed), simulated(seed, items=80)
    votes = whole.select(random.random(len(whole.item)) < 0.7)
    exact = agreement.pairwise_kappas(rows_of(votes))
    found = pairwise.kappas_of_pairs(pairwise.pair_votes(votes))
    assert [(f"W{a}", f"W{b}") for a, b in found.people.tolist()] == list(exact)
    assert found.items.tolist() == [figure.items for figure in exact.values()]
    assert found.kappas.tolist() == pytest.approx([figure.value for figure in exact.values()])
    assert found.mean == pytest.approx(agreement.mean_kappa(exact.values()).value)


def test_place_holders_meet_nobody_and_one_label_has_no_kappa() -> None:
    votes = vote_columns([(0, 0, 1), (0, -1, 1), (1, 0, 1), (1, 1, 1), (2, 1, 1), (2, 0, 1)], 3, 2, 2)
    found = pairwise.kappas_of_pairs(pairwise.pair_votes(votes))
    assert (found.people.tolist(), found.items.tolist(), found.agreeing.tolist()) == ([[0, 1]], [2], [2])
    assert (found.mean, found.defined) == (None, 0)
    assert pairwise.mean_estimate(pairwise.pair_votes(votes), np.arange(9)).ends is None


def test_nobody_met(monkeypatch: pytest.MonkeyPatch) -> None:
    crossed = pairwise.pair_votes(vote_columns([(0, 0, 1), (1, 1, 1)], 2, 2, 2))
    assert pairwise.kappas_of_pairs(crossed).mean is None
    assert pairwise.mean_estimate(crossed, np.arange(2)).ends is None
    monkeypatch.setattr(pairwise, "MOST_KEPT", 3)
    many = pairwise.pair_votes(simulated(1, items=30))
    assert pairwise.kappas_of_pairs(many).defined == 6
    estimate = pairwise.mean_estimate(many, np.arange(30))
    assert (estimate.items, estimate.people is None) == (None, False)


# --- intervals ----------------------------------------------------------------------------


def by_hand(units: list[str], seed: int, draws: int) -> dict[str, tuple[float, float]]:
    """Draw whole items, compute each coefficient by the exact formulas."""
    random = np.random.default_rng(seed)
    found: dict[str, list[float]] = {"percent": [], "alpha": [], "fleiss": []}
    measures = zip(
        found,
        (agreement.percent_agreement, agreement.krippendorff_alpha, agreement.fleiss_kappa),
        strict=True,
    )
    for name, measure in list(measures):
        for _ in range(draws):
            value = measure([units[n] for n in random.integers(0, len(units), len(units))]).value
            if value is not None:
                found[name].append(value)
    return {name: tuple(np.quantile(values, [0.025, 0.975])) for name, values in found.items() if values}


def test_intervals_are_those_of_drawn_items() -> None:
    units = ["aab", "bbb", "abb", "ccc", "aac", "abc"] * 12 + ["aaa"] * 40
    found = coefficients.intervals(of_units(units))
    for name, (low, high) in by_hand(units, 1, 1000).items():
        interval = found[name]
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.02), name


def test_items_of_one_source_are_left_out_together() -> None:
    """Each item four times, as four items of one source: they say no more than one does."""
    units = ["aab", "bbb", "abb", "ccc", "aac", "abc"] * 12
    once, fourfold = of_units(units), of_units([unit for unit in units for _ in range(4)])
    source = np.repeat(np.arange(len(units)), 4)
    for name, ends in coefficients.intervals(fourfold, source).items():
        alone, wide = coefficients.intervals(fourfold)[name], coefficients.intervals(once)[name]
        assert ends is not None
        assert alone is not None
        assert wide is not None
        assert ends.width == pytest.approx(wide.width, rel=0.03), name
        assert alone.width == pytest.approx(wide.width / 2, rel=0.03), name


def test_intervals_follow_from_the_votes_and_say_where_they_are_not() -> None:
    tallied = of_units(UNITS)
    found = coefficients.intervals(tallied)
    # In whatever order outcomes and labels were counted, the ends are the same: two pages show one interval.
    turned = coefficients.intervals(Tally(tallied.rows[::-1, ::-1], tallied.times[::-1]))
    assert turned["alpha"] == pytest.approx(found["alpha"])
    assert alpha_with_interval([tuple(unit) for unit in UNITS]).interval == pytest.approx(found["alpha"])
    assert found["fleiss"] is None  # three, two and one rating
    assert coefficients.intervals(of_units(["ab", "c"])) == {"percent": None, "alpha": None, "fleiss": None}
    assert coefficients.intervals(of_units(["aa", "aa"]))["alpha"] is None


def test_the_mean_of_pairs_has_an_interval_over_items_and_one_over_people() -> None:
    votes = simulated(5)
    crossed = pairwise.pair_votes(votes)
    estimate = pairwise.mean_estimate(crossed, np.arange(votes.items))
    assert estimate.value == pairwise.kappas_of_pairs(crossed).mean
    assert estimate.value is not None
    assert estimate.items is not None
    assert estimate.people is not None
    assert estimate.items.low < estimate.value < estimate.items.high < estimate.items.low + 0.15
    # By hand: the mean without each item in turn.
    without = []
    for item in range(votes.items):
        left = pairwise.kappas_of_pairs(pairwise.pair_votes(votes.select(votes.item != item))).mean
        assert left is not None
        without.append(left)
    n, spread = len(without), np.var(without)
    assert estimate.items.width / 2 == pytest.approx(1.96 * ((n - 1) * spread) ** 0.5, rel=0.03)


# --- Table 3 ------------------------------------------------------------------------------


def never(error: RowError) -> None:
    pytest.fail(str(error))


def decided_of(name: str, protocol: str) -> tuple[Funnel, IndividualCounts]:
    """The funnel that the replay counts, and the same rows grouped."""
    rules = PRESETS[protocol]
    funnel, groups = Funnel(rules), []
    with (DATA / name).open("rb") as lines:
        for row in read_rows(lines, never):
            labels = [label for _, label in row.votes]
            decision = decide(
                rules,
                row.author,
                [VoteIn(x, "", n, n) for n, x in enumerate(labels)],
                ("entailment", *"enc", *NAMES),
            )
            counted = [labels[place] for place in decision.counted]
            funnel.add(row.author, counted, decision)
            groups.append(DecidedItems(row.author, rules.author_counts, counted, decision.label))
    return funnel, count_individual_labels(groups)


NAMES = ("neutral", "contradiction")


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "protocol", "gold", "author"),
    [
        ("indonli/expert_replay.jsonl", "incremental-3-5", 92.7, 90.4),
        ("nli5/ocnli_dev_1000.jsonl", "fixed-5", 86.1, 83.3),
    ],
)
def test_table_3(name: str, protocol: str, gold: float, author: float) -> None:
    funnel, found = decided_of(name, protocol)
    assert (found.items, found.gold, found.no_gold) == (funnel.decided, funnel.gold, funnel.no_consensus)
    assert (found.labels, found.is_gold) == (funnel.individual, funnel.individual_is_gold)
    assert (found.authored_labels, found.is_author) == (funnel.individual, funnel.individual_is_author)
    assert (found.gold_is_author, found.gold_differs) == (funnel.gold_is_author, funnel.gold_differs)
    assert (round(100 * found.is_gold / found.labels, 1), round(100 * found.is_author / found.labels, 1)) == (
        gold,
        author,
    )


@needs_data
@pytest.mark.data
def test_table_3_of_the_expert_half() -> None:
    _, found = decided_of("indonli/expert_replay.jsonl", "incremental-3-5")
    assert (found.items, found.gold_is_author, found.gold_differs, found.no_gold) == (1489, 1421, 68, 0)
    assert (found.is_gold, found.labels) == (4467, 4818)


def test_groups_count_as_often_as_they_are() -> None:
    group = DecidedItems("a", True, ("a", "b"), "a", times=3)
    assert count_individual_labels([group]) == count_individual_labels([group._replace(times=1)] * 3)
    nobodys = count_individual_labels(
        [DecidedItems(None, True, ("a", "a"), "a"), DecidedItems("b", False, ("a",), None)]
    )
    assert (nobodys.items, nobodys.authored, nobodys.labels, nobodys.authored_labels) == (2, 1, 3, 1)
    assert (nobodys.is_gold, nobodys.is_author, nobodys.gold_is_author, nobodys.no_gold) == (2, 0, 0, 1)


@needs_data
@pytest.mark.data
def test_the_published_questions_by_columns() -> None:
    rows = json.loads((DATA / "idcsqa/human_gen_ind.json").read_text(encoding="utf-8"))
    votes = [
        (item, int(who[1:]) - 1, "ABCDE".index(label))
        for item, row in enumerate(rows)
        for who, label in row["answers"].items()
    ]
    columns = vote_columns(votes, len(rows), 6, 5)
    units = tally(columns.item, columns.label, 5).units("ABCDE")
    figures = (agreement.alpha_by_library(units, "ABCDE").value, agreement.fleiss_kappa(units).value)
    mean = pairwise.kappas_of_pairs(pairwise.pair_votes(columns)).mean
    assert [round(value or 0, 6) for value in (*figures, mean)] == [0.929515, 0.929506, 0.929550]
