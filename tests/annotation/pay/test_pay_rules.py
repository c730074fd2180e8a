"""Rates, units, money and periods as tables and properties."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation import kinds
from annotation.pay import rules as money
from annotation.pay import rules as pay
from annotation.pay.rules import Counted, Span

# --- money ------------------------------------------------------------------------------

# ISO 4217 list one, minor units.
DECIMALS = [("USD", 2), ("IDR", 2), ("JPY", 0), ("KRW", 0), ("VND", 0), ("KWD", 3), ("TND", 3), ("CLF", 4)]


@pytest.mark.parametrize(("currency", "decimals"), DECIMALS)
def test_decimals_of_a_currency(currency: str, decimals: int) -> None:
    assert money.decimals_of(currency) == decimals


@pytest.mark.parametrize("code", ["XAU", "XXX", "XTS", "XDR", "usd", "", "DEM", "US", "USDX"])
def test_what_is_no_money(code: str) -> None:
    assert code not in money.CURRENCIES
    with pytest.raises(KeyError):
        money.decimals_of(code)


@pytest.mark.parametrize(
    ("amount", "currency", "paid"),
    [
        ("0.005", "USD", "0.01"),
        ("-0.005", "USD", "-0.01"),
        ("0.0049", "USD", "0.00"),
        ("-0.0049", "USD", "0.00"),
        ("2.5", "JPY", "3"),
        ("1234.5", "JPY", "1235"),
        ("0.0005", "KWD", "0.001"),
        ("0.12345", "CLF", "0.1235"),
        ("7", "IDR", "7.00"),
    ],
)
def test_rounded_once_to_the_decimals_of_its_currency(amount: str, currency: str, paid: str) -> None:
    assert str(money.rounded(Decimal(amount), currency)) == paid


amounts = some.decimals(-(10**9), 10**9, allow_nan=False, allow_infinity=False, places=4)
codes = some.sampled_from(["USD", "IDR", "JPY", "KWD", "CLF"])
RATES = some.decimals(0, pay.MOST, allow_nan=False, allow_infinity=False, places=4)


@given(amounts, codes)
def test_rounding_is_half_a_unit_off_at_most_and_stays(amount: Decimal, code: str) -> None:
    paid = money.rounded(amount, code)
    unit = Decimal(1).scaleb(-money.decimals_of(code))
    assert abs(paid - amount) * 2 <= unit
    assert money.rounded(paid, code) == paid
    assert money.rounded(-amount, code) == -paid
    assert paid == amount.quantize(unit, ROUND_HALF_UP)


@given(some.lists(some.tuples(codes, amounts)))
def test_currencies_are_never_added_together(pairs: list[tuple[str, Decimal]]) -> None:
    sums = money.sums(pairs)
    assert list(sums) == sorted({code for code, _ in pairs})
    for code, total in sums.items():
        assert total == sum((amount for other, amount in pairs if other == code), Decimal(0))
    assert money.payable(pairs) == {code: money.rounded(total, code) for code, total in sums.items()}


@given(some.lists(some.tuples(codes, amounts)), some.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order(pairs: list[tuple[str, Decimal]], chance: object) -> None:
    shuffled = list(pairs)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert money.sums(shuffled) == money.sums(pairs)


# --- what an action is worth ------------------------------------------------------------


@given(RATES, some.integers(0, 32767), some.integers(0, 32767))
def test_worth_is_exact(rate: Decimal, one: int, more: int) -> None:
    """No float ever: what is counted in two parts is worth what it is in one, and fits the ledger's column."""
    assert pay.worth(one, rate) + pay.worth(more, rate) == pay.worth(one + more, rate)
    assert isinstance(pay.worth(one, rate), Decimal)
    assert pay.worth(one, rate) == pay.worth(one, rate).quantize(Decimal("0.0001"))
    assert len(pay.worth(one, rate).as_tuple().digits) <= 20


@given(RATES, some.integers(1, 100))
def test_an_entry_and_its_reversal_are_nothing(rate: Decimal, units: int) -> None:
    earned = pay.worth(units, rate)
    assert money.payable([("USD", earned), ("USD", -earned)]) == {"USD": Decimal("0.00")}


NLI, MCQ, TRANSLATION = kinds.get("nli"), kinds.get("mcq"), kinds.get("translation")
QUESTION = {
    "concept": "tikar",
    "category": "culture",
    "question": "Untuk apa tikar dipakai? Pilih satu.",
    "options": [{"key": key, "text": f"pilihan {key}", "role": ""} for key in "ABCDE"],
}


@pytest.mark.parametrize(
    ("kind", "contents", "expected"),
    [
        (NLI, [{"premise": "A. B. C.", "hypothesis": "Satu kalimat."}], Counted(1, 1, 1)),
        (NLI, [{"premise": "A.", "hypothesis": "Ini satu. Itu dua."}] * 2, Counted(4, 2, 2)),
        (NLI, [{"premise": "A.", "hypothesis": "tanpa titik"}], Counted(1, 1, 1)),
        (NLI, [], Counted()),
        (MCQ, [QUESTION], Counted(7, 6, 1)),
        (
            TRANSLATION,
            [
                {
                    "shape": "pair",
                    "source": [{"key": "premise", "role": "premise", "text": "A. B."}],
                    "fields": [{"key": "premise", "role": "premise", "text": "Satu iki. Loro iku."}],
                    "whys": {"numbers": "It is right."},
                }
            ],
            Counted(2, 1, 1),
        ),
    ],
    ids=["a pair", "two sentences, twice", "no mark", "nothing", "a question", "a translation"],
)
def test_units(kind: kinds.Kind, contents: list[dict[str, object]], expected: Counted) -> None:
    assert pay.counted(kind, contents, "id") == expected


def test_votes_and_sets_are_counted_beside() -> None:
    made = pay.counted(NLI, [{"premise": "A.", "hypothesis": "B."}], "id", votes=1, sets=2)
    assert [made.of(unit) for unit in ("sentence", "field", "item", "vote", "set")] == [1, 1, 1, 1, 2]


def test_every_action_is_paid_by_units_that_it_has() -> None:
    every = Counted(1, 1, 1, 1, 1)
    assert set(pay.UNITS_OF) == {"write", "correct", "vote", "rate", "assess", "compare"}
    assert all(every.of(unit) == 1 for units in pay.UNITS_OF.values() for unit in units)


# --- which rate -------------------------------------------------------------------------

MORNING = datetime(2026, 5, 1, 8, tzinfo=UTC)


@dataclass
class R:
    pk: int
    action: str
    target_id: int | None
    at: datetime


ALL = [
    R(1, "write", None, MORNING),
    R(2, "write", 7, MORNING + timedelta(hours=1)),
    R(3, "write", None, MORNING + timedelta(hours=2)),
    R(4, "vote", None, MORNING + timedelta(hours=3)),
    R(5, "write", 7, MORNING + timedelta(hours=4)),
]


@pytest.mark.parametrize(
    ("action", "target", "hours", "expected"),
    [
        ("write", 7, None, 5),
        ("write", 8, None, 3),
        ("write", None, None, 3),
        ("vote", 7, None, 4),
        ("correct", 7, None, None),
        ("write", 7, -1, None),
        ("write", 7, 0, 1),
        ("write", 7, 3, 2),
        ("write", 8, 1, 1),
    ],
)
def test_in_force(action: str, target: int | None, hours: int | None, expected: int | None) -> None:
    at = None if hours is None else MORNING + timedelta(hours=hours)
    found = pay.in_force(ALL, action, target, at)
    assert (found and found.pk) == expected


# --- periods ----------------------------------------------------------------------------


def test_months_follow_each_other() -> None:
    span = pay.month_of(date(2026, 1, 31))
    assert span == Span(date(2026, 1, 1), date(2026, 1, 31))
    assert pay.before(span) == Span(date(2025, 12, 1), date(2025, 12, 31))
    assert pay.behind(span) == Span(date(2026, 2, 1), date(2026, 2, 28))


@given(some.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_every_day_is_in_one_month(day: date) -> None:
    span = pay.month_of(day)
    assert span.start <= day <= span.end
    assert pay.before(span).end == span.start - timedelta(days=1)
    assert pay.behind(span).start == span.end + timedelta(days=1)
    assert pay.before(pay.behind(span)) == span


@pytest.mark.parametrize(
    ("zone", "begin", "over"),
    [
        ("UTC", "2026-03-29T00:00:00+00:00", "2026-03-30T00:00:00+00:00"),
        ("Asia/Jakarta", "2026-03-28T17:00:00+00:00", "2026-03-29T17:00:00+00:00"),
        ("Europe/Berlin", "2026-03-28T23:00:00+00:00", "2026-03-29T22:00:00+00:00"),
    ],
)
def test_a_day_is_that_of_the_sites_time_zone(zone: str, begin: str, over: str) -> None:
    """Also where the clock is put forward: that day is an hour short."""
    day = date(2026, 3, 29)
    found = Span(day, day).moments(ZoneInfo(zone))
    assert [each.astimezone(UTC).isoformat() for each in found] == [begin, over]
