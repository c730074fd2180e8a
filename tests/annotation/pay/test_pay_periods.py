"""Approving what people earned, and disputing it: each entry belongs to one period for ever, or waits."""

import ast
import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from django.utils.timezone import get_default_timezone, localdate, override

from annotation.content.models.source import Allocation
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.pay import queries as fetch
from annotation.pay.actions import dispute_answer, dispute_open, entry_reverse, pay_approve, pay_mark_paid
from annotation.pay.models import Adjustment, Approval, LedgerEntry, Rate
from annotation.pay.queries import Period
from annotation.pay.rules import month_of
from annotation.projects.actions.projects import project_settings_change
from tests import factory
from tests.conventions.sources import ROOT
from tests.pay import a_rate, an_administrator, entries, ledger_rows

pytestmark = pytest.mark.django_db


class At:
    """Two writers with entries of their own, and who pays them."""

    def __init__(self, sets: int = 2, amount: str = "1.005") -> None:
        self.project = factory.project()
        a_rate(self.project, "write", amount)
        self.ana, self.budi = (factory.member(self.project, "writer") for _ in range(2))
        for person in (self.ana, self.budi):
            factory.written_pairs(self.project, person, sets)
        self.by = an_administrator()

    @property
    def today(self) -> date:
        """Looked at each time: between what is earned and its approval a day may end."""
        return fetch.today()

    def entries(self, person: Annotator) -> list[LedgerEntry]:
        return entries(self.project, person)

    def approve(self, *people: Annotator, end: date | None = None) -> list[Period]:
        made = pay_approve(project=self.project, end=end or self.today, by=self.by, people=people or None)
        return fetch.periods_of(made) if made else []

    def waiting(self) -> dict[str, dict[str, Decimal]]:
        membership = Membership(self.by, self.project, None)
        _, waiting = fetch.totals_and_waiting(membership, month_of(self.today), "person", self.today)
        return {each.pseudonym: dict(each.amounts) for each in waiting}


@pytest.fixture
def at() -> At:
    return At()


def test_a_sum_is_rounded_once_not_entry_by_entry(at: At) -> None:
    """Twice 1.005 is 2.01; rounded one by one it would be 2.02."""
    end = at.today
    (period,) = at.approve(at.ana, end=end)
    assert period.totals == {"USD": Decimal("2.01")}
    start = localdate(at.entries(at.ana)[0].at, get_default_timezone())
    assert (period.annotator, period.start, period.approval.end) == (at.ana, start, end)
    assert all(each.approval == period.approval for each in at.entries(at.ana))


def test_everybody_at_once_and_nothing_twice(at: At) -> None:
    at.approve(at.ana)
    made = at.approve()
    assert [period.annotator for period in made] == [at.budi]
    assert at.approve() == []
    assert LedgerEntry.objects.count() == 4


def test_what_is_approved_stays_what_it_was(at: At) -> None:
    """A reversal after approval makes the next period less; the one that was approved does not change."""
    (period,) = at.approve(at.ana)
    entry_reverse(entry=at.entries(at.ana)[0], by=at.by, reason="Copied.")
    (second,) = at.approve(at.ana)
    assert fetch.periods_of(period.approval) == [period]
    assert period.totals == {"USD": Decimal("2.01")}
    assert second.totals == {"USD": Decimal("-1.01")}


def test_a_day_is_over_at_midnight_of_the_site(at: At, settings: object) -> None:
    zone = get_default_timezone()
    moment = datetime(2026, 3, 1, tzinfo=zone)
    Rate.objects.update(at=moment - timedelta(days=9))
    late, early = Allocation.objects.filter(writer=at.ana)
    Allocation.objects.filter(pk=late.pk).update(submitted_at=moment)
    Allocation.objects.filter(pk=early.pk).update(submitted_at=moment - timedelta(microseconds=1))
    (period,) = at.approve(at.ana, end=date(2026, 2, 28))
    assert list(period.approval.entries.values_list("key", flat=True)) == [f"set:{early.pk}"]
    assert period.start == period.approval.end == date(2026, 2, 28)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_a_day_is_that_of_the_projects_time_zone(at: At, zone: str) -> None:
    """At every hour one of these two is a day apart from the site: the first may end a day early, the other later."""
    project_settings_change(project=at.project, by=None, changes={"time_zone": zone})
    at.project.refresh_from_db()
    with override(ZoneInfo("Asia/Jakarta")):
        before, today = datetime.now(ZoneInfo(zone)).date(), fetch.today(at.project)
        assert before <= today <= datetime.now(ZoneInfo(zone)).date()
        with pytest.raises(Invalid):
            at.approve(end=fetch.today(at.project) + timedelta(days=1))
        (period, _) = at.approve(end=fetch.today(at.project))
        assert period.start == fetch.today(at.project)
        made = pay_mark_paid(project=at.project, approval=period.approval.pk, on=period.start, by=at.by)
    assert made.paid_on == period.start


def test_what_takes_back_what_was_paid_waits_for_no_day(at: At) -> None:
    """Whoever approves months that are over, late, deducts all the same."""
    at.approve(at.ana)
    entry_reverse(entry=at.entries(at.ana)[0], by=at.by, reason="Copied.")
    (period,) = at.approve(at.ana, end=at.today - timedelta(days=40))
    assert period.totals == {"USD": Decimal("-1.01")}
    assert period.start == period.approval.end


def test_a_day_to_come_cannot_be_approved(at: At) -> None:
    with pytest.raises(Invalid) as refused:
        at.approve(end=at.today + timedelta(days=1))
    assert refused.value.code == "period_not_begun"
    assert not Approval.objects.exists()


def test_currencies_stay_apart(at: At) -> None:
    a_rate(at.project, "write", "15000", currency="IDR")
    factory.written_pairs(at.project, at.ana)
    (period,) = at.approve(at.ana)
    assert period.totals == {"IDR": Decimal(15000), "USD": Decimal("2.01")}


# --- disputes ---------------------------------------------------------------------------


def test_a_disputed_entry_is_left_out_until_somebody_answers(at: At) -> None:
    entry = at.entries(at.ana)[0]
    dispute = dispute_open(entry=entry, words="I wrote two.")
    assert at.waiting()[at.ana.pseudonym] == {"USD": Decimal("1.01")}
    at.approve()
    assert not LedgerEntry.objects.filter(key=entry.key).exists()
    dispute_answer(dispute=dispute, by=at.by, answer="You wrote one.")
    (period,) = at.approve()
    assert list(period.approval.entries.values_list("key", flat=True)) == [entry.key]


def test_what_is_taken_back_in_dispute_waits(at: At) -> None:
    entry = at.entries(at.ana)[0]
    dispute = dispute_open(entry=entry, words="Why?")
    entry_reverse(entry=entry, by=at.by, reason="Copied.")
    at.approve()
    assert LedgerEntry.objects.filter(annotator=at.ana).count() == 1
    dispute_answer(dispute=dispute, by=at.by, answer="Copied.")
    (period,) = at.approve()
    assert period.totals == {"USD": Decimal(0)}


@pytest.mark.parametrize(
    ("outcome", "units", "balance"),
    [("keep", None, "2.01"), ("reverse", None, "1.005"), ("again", 3, "4.02")],
)
def test_an_answer_leaves_the_entry_takes_it_back_or_counts_it_anew(
    at: At, outcome: str, units: int | None, balance: str
) -> None:
    entry = at.entries(at.ana)[0]
    dispute = dispute_open(entry=entry, words="I wrote three.")
    done = dispute_answer(dispute=dispute, by=at.by, answer="So.", outcome=outcome, units=units)
    assert (done.answer, done.answered_by) == ("So.", at.by)
    amounts = [amount for *_, amount, _ in ledger_rows(at.project, at.ana)]
    assert sum(amounts) == Decimal(balance)
    with pytest.raises(Conflict):
        dispute_answer(dispute=dispute, by=at.by, answer="Again.")


@pytest.mark.parametrize("words", ["", "  ", "a\0b", "x" * 2001])
def test_words_are_needed_on_both_sides(at: At, words: str) -> None:
    entry = at.entries(at.ana)[0]
    with pytest.raises(Invalid):
        dispute_open(entry=entry, words=words)
    dispute = dispute_open(entry=entry, words="Why?")
    with pytest.raises(Invalid):
        dispute_answer(dispute=dispute, by=at.by, answer=words)
    with pytest.raises(Invalid):
        dispute_answer(dispute=dispute, by=at.by, answer="So.", outcome="again", units=0)
    with pytest.raises(Invalid):
        dispute_answer(dispute=dispute, by=at.by, answer="So.", outcome="double")
    assert Adjustment.objects.get().answered_at is None


def test_one_open_dispute_an_entry(at: At) -> None:
    entry = at.entries(at.ana)[0]
    first = dispute_open(entry=entry, words="Why?")
    with pytest.raises(Conflict):
        dispute_open(entry=entry, words="Why, again?")
    dispute_answer(dispute=first, by=at.by, answer="So.")
    dispute_open(entry=entry, words="Still?")
    assert len(at.entries(at.ana)[0].said) == 2


def test_an_approved_entry_can_be_disputed(at: At) -> None:
    at.approve()
    entry = at.entries(at.ana)[0]
    dispute = dispute_open(entry=entry, words="I wrote two.")
    dispute_answer(dispute=dispute, by=at.by, answer="Yes.", outcome="again", units=2)
    (period,) = at.approve()
    assert period.totals == {"USD": Decimal("1.01")}


def test_the_database_refuses_what_would_pay_twice(at: At) -> None:
    """An action has one first entry, whatever code writes it; an adjusting one changes something."""
    at.approve()
    entry = LedgerEntry.objects.order_by("pk")[0]
    for n, units, amount, name in (
        (1, 1, "1.005", "ledger_action_once"),
        (2, 0, "0", "ledger_first_earns_others_adjust"),
        (2, 1, "-1.005", "ledger_amount_like_units"),
    ):
        entry.pk, entry.n, entry.units, entry.amount = None, n, units, Decimal(amount)
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            entry.save(force_insert=True)


# --- for ever ---------------------------------------------------------------------------


def test_no_code_changes_or_deletes_what_was_paid() -> None:
    """Entries, rates and approvals are only ever added: no update, no delete, no second save; only a day of payment."""
    tables = {"LedgerEntry", "Rate", "Approval"}
    found, seen = [], 0
    for path in sorted(ROOT.glob("*/**/*.py")):
        if path.relative_to(ROOT).parts[0] not in ("annotation", "validation", "exports", "config"):
            continue
        text = path.read_text()
        if "migrations" in path.parts or not any(name in text for name in tables):
            continue
        seen += 1
        for node in ast.walk(ast.parse(text)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            said = ast.unparse(node)
            changes = {"update", "delete", "update_or_create", "bulk_update"}
            touched = node.func.attr in changes and any(f"{name}.objects" in said for name in tables)
            saved = node.func.attr == "save" and "pay" in path.name and "force_insert=True" not in said
            if touched or saved:
                found.append(f"{path.name}:{node.lineno} {said}")
        statements = re.findall(r"(?:UPDATE|DELETE FROM) annotation_(?:ledgerentry|rate|approval)\b", text)
        found += [f"{path.name} {statement}" for statement in statements]
    assert seen > 5
    (day,) = found
    assert day.endswith("Approval.objects.filter(pk=made.pk).update(paid_on=on)")
