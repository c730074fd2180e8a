"""Win rates, intervals and draws of a blind comparison as tables (id-csqa Appendix A.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.studies.rules import comparisons as rules
from validation.studies.rules.comparisons import EQUAL, FIRST, SECOND, Choice, WinRate

KEYS = [f"k{n}" for n in range(400)]


def test_pairs_are_drawn_the_same_everywhere() -> None:
    once = rules.draw_pairs("seed", KEYS, 50)
    assert once == rules.draw_pairs("seed", reversed(KEYS), 50)
    assert len(set(once)) == 50
    assert once != rules.draw_pairs("another seed", KEYS, 50)
    assert rules.draw_pairs("seed", KEYS, 400)[:50] == once
    assert rules.draw_pairs("seed", ["a", "b", "c"], 9) == ["b", "a", "c"]


# The published win rates: 200 pairs and no ties (Table 8).
TABLE = [
    (WinRate(56, 144), 0.28, (0.2224, 0.3459)),
    (WinRate(17, 183), 0.085, (0.0537, 0.1319)),
    (WinRate(8, 192), 0.04, (0.0204, 0.0769)),
    (WinRate(21, 179, 0), 0.105, (0.0697, 0.1552)),
    (WinRate(0, 10), 0.0, (0.0, 0.2775)),
    (WinRate(10, 0), 1.0, (0.7225, 1.0)),
    (WinRate(1, 1, 98), 0.5, (0.0945, 0.9055)),
]


@pytest.mark.parametrize(("counted", "rate", "interval"), TABLE)
def test_win_rates(counted: WinRate, rate: float, interval: tuple[float, float]) -> None:
    assert counted.rate(FIRST) == pytest.approx(rate)
    assert counted.interval(FIRST) == pytest.approx(interval, abs=0.00006)
    other = counted.rate(SECOND)
    assert other == pytest.approx(1 - rate)
    assert counted.interval(SECOND) == pytest.approx((1 - interval[1], 1 - interval[0]), abs=0.00006)


def test_nothing_but_ties_has_no_winner() -> None:
    counted = WinRate(equal=7)
    assert (counted.rate(FIRST), counted.interval(SECOND)) == (None, None)
    assert (counted.decided, counted.total) == (0, 7)


@given(st.integers(0, 500), st.integers(0, 500))
def test_an_interval_ends_where_the_share_is_just_believed(wins: int, losses: int) -> None:
    """As Wilson defines it: the share is Z standard errors from either end, by the error that the end would have."""
    n = wins + losses
    found = rules.wilson(wins, n)
    if found is None:
        assert n == 0
        return
    assert (found.low == 0, found.high == 1) == (wins == 0, losses == 0), "no end at 2e-17"
    assert 0 <= found.low <= wins / n + 1e-12
    assert wins / n - 1e-12 <= found.high <= 1
    for end in found:
        assert (wins / n - end) ** 2 == pytest.approx(rules.Z**2 * end * (1 - end) / n, abs=1e-12)


def said(pair: str, person: str, question: str, options: str = EQUAL) -> Choice:
    return Choice(pair, person, {"question": question, "options": options})


def test_what_was_said_is_counted_by_part_pair_and_person() -> None:
    choices = [
        said("1", "V1", FIRST, FIRST),
        said("1", "V2", FIRST, SECOND),
        said("1", "V3", SECOND, EQUAL),
        said("2", "V1", SECOND),
        said("2", "V2", EQUAL),
        said("3", "V1", EQUAL),
    ]
    found = rules.tally(choices, ("question", "options"))
    assert found.single_choices == {
        "question": WinRate(2, 2, 2, by_pair=((2, 1), (0, 1))),
        "options": WinRate(1, 1, 4, by_pair=((1, 1),)),
    }
    assert found.pairs == {"question": WinRate(1, 1, 1), "options": WinRate(0, 0, 3)}
    assert found.people["V1"] == {"question": WinRate(1, 1, 1), "options": WinRate(1, 0, 2)}
    assert list(found.people) == ["V1", "V2", "V3"]


def test_nothing_said_counts_nothing() -> None:
    assert rules.tally([], ("question",)) == rules.Tally({"question": WinRate()}, {"question": WinRate()}, {})


def test_choices_of_several_people_of_one_pair_count_together() -> None:
    """Three people who say the same of each pair say no more than one: the interval is not that of three times more."""
    one = [said(str(n), "V1", FIRST if n % 3 else SECOND) for n in range(30)]
    three = [said(str(n), who, FIRST if n % 3 else SECOND) for n in range(30) for who in ("V1", "V2", "V3")]
    alone, together = (rules.tally(choices, ("question",)).single_choices["question"] for choices in (one, three))
    narrow, wide = alone.interval(FIRST), together.interval(FIRST)
    assert narrow is not None
    assert wide is not None
    assert wide.high - wide.low == pytest.approx(narrow.high - narrow.low, rel=0.06)
    other = together.interval(SECOND)
    assert other is not None
    assert other.low == pytest.approx(1 - wide.high)
