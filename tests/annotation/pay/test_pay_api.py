"""Pay over the API: units for leads, amounts for administrators, one's own for everybody."""

from decimal import Decimal
from typing import Any

import orjson
import pytest
from django.core.cache import cache

from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.pay.earnings import EXACT
from tests.api import Script, assert_refused, script
from tests.pay import PaidProject, entries

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@pytest.fixture
def at() -> PaidProject:
    return PaidProject()


def asking(who: Annotator | User) -> Script:
    return script(who.user if isinstance(who, Annotator) else who)


def here(at: PaidProject, what: str = "pay") -> str:
    return f"projects/{at.project.slug}/{what}"


def totals(answer: Any) -> dict[tuple[str, str], tuple[int, str, str | None]]:
    return {
        (row["name"], row["action"]): (row["units"], row["currency"], row["amount"]) for row in answer.json()["totals"]
    }


def test_administrators_see_what_the_units_of_leads_come_to(at: PaidProject) -> None:
    amounts, units = totals(asking(at.by).get(here(at))), totals(asking(at.lead).get(here(at)))
    assert amounts[at.ana.pseudonym, "vote"] == (3, "USD", "0.9150")
    assert amounts[at.writer.pseudonym, "write"][1:] == ("IDR", f"{12500 * entry_units(at)}.0000")
    assert units == {name: (count, "", None) for name, (count, *_) in amounts.items()}


def entry_units(at: PaidProject) -> int:
    return sum(each.units for each in entries(at.project, at.writer))


def test_it_is_counted_by_what_is_asked_for_in_these_days(at: PaidProject) -> None:
    by_action = totals(asking(at.lead).get(here(at), {"by": "action"}))
    assert set(by_action) == {("vote", "vote"), ("write", "write")}
    long_ago = {"start": "2020-01-01", "end": "2020-01-31"}
    answer = asking(at.lead).get(here(at), long_ago)
    assert answer.json() == {**long_ago, "totals": []}


@pytest.mark.parametrize(
    ("days", "field"),
    [
        ({"start": "2026-01-02"}, "end"),
        ({"start": "2026-01-02", "end": "2026-01-01"}, "end"),
        ({"start": "0001-01-01", "end": "2026-01-01"}, "start"),
    ],
)
def test_days_that_are_none_are_refused(at: PaidProject, days: dict[str, str], field: str) -> None:
    answer = asking(at.lead).get(here(at), days)
    assert_refused(answer, 400, "period_unknown")
    assert answer.json()["field"] == field


def test_everybody_reads_their_own_and_nobody_elses(at: PaidProject) -> None:
    own = asking(at.ana).get(here(at, "my-pay")).json()["sums"]
    amounts = {"amount": "0.9150", "approved": "0.0000", "waiting": "0.9150", "disputed": "0.0000"}
    assert own == [{"currency": "USD", **amounts}]
    assert asking(at.budi).get(here(at, "my-pay")).json()["sums"] == []
    rows = [orjson.loads(line) for line in asking(at.ana).get(here(at, "my-pay:export")).getvalue().splitlines()]
    assert [row["entry"] for row in rows] == [str(each.token) for each in entries(at.project, at.ana)]
    assert {row["amount"] for row in rows} == {str(Decimal("0.305").quantize(EXACT))}
    assert not [name for row in rows for name in row if name in ("item", "person")]
    assert_refused(asking(at.ana).get(here(at)), 403, "forbidden")
    assert_refused(asking(at.by).get(here(at, "my-pay")), 403, "forbidden")
