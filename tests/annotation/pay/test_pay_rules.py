"""Money and periods as tables and properties."""

from datetime import UTC, date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation.pay import rules as money
from annotation.pay import rules as pay
from annotation.pay.rules import Span

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
    assert str(money.round_amount(Decimal(amount), currency)) == paid


amounts = some.decimals(-(10**9), 10**9, allow_nan=False, allow_infinity=False, places=4)
codes = some.sampled_from(["USD", "IDR", "JPY", "KWD", "CLF"])
RATES = some.decimals(0, pay.MOST_AMOUNT, allow_nan=False, allow_infinity=False, places=4)


@given(amounts, codes)
def test_rounding_is_half_a_unit_off_at_most_and_stays(amount: Decimal, code: str) -> None:
    paid = money.round_amount(amount, code)
    unit = Decimal(1).scaleb(-money.decimals_of(code))
    assert abs(paid - amount) * 2 <= unit
    assert money.round_amount(paid, code) == paid
    assert money.round_amount(-amount, code) == -paid
    assert paid == amount.quantize(unit, ROUND_HALF_UP)


@given(some.lists(some.tuples(codes, amounts)))
def test_currencies_are_never_added_together(pairs: list[tuple[str, Decimal]]) -> None:
    sums = money.sum_by_currency(pairs)
    assert list(sums) == sorted({code for code, _ in pairs})
    for code, total in sums.items():
        assert total == sum((amount for other, amount in pairs if other == code), Decimal(0))
    assert money.payable_by_currency(pairs) == {code: money.round_amount(total, code) for code, total in sums.items()}


@given(some.lists(some.tuples(codes, amounts)), some.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order(pairs: list[tuple[str, Decimal]], chance: object) -> None:
    shuffled = list(pairs)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert money.sum_by_currency(shuffled) == money.sum_by_currency(pairs)


# --- periods ----------------------------------------------------------------------------


def test_months_follow_each_other() -> None:
    span = pay.month_of(date(2026, 1, 31))
    assert span == Span(date(2026, 1, 1), date(2026, 1, 31))
    assert pay.month_before(span) == Span(date(2025, 12, 1), date(2025, 12, 31))
    assert pay.month_after(span) == Span(date(2026, 2, 1), date(2026, 2, 28))


@given(some.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_every_day_is_in_one_month(day: date) -> None:
    span = pay.month_of(day)
    assert span.start <= day <= span.end
    assert pay.month_before(span).end == span.start - timedelta(days=1)
    assert pay.month_after(span).start == span.end + timedelta(days=1)
    assert pay.month_before(pay.month_after(span)) == span


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
