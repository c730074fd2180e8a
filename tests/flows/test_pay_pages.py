"""Pay over HTTP and in a browser: what each person sees of it, and that what they type is kept."""

import csv
import io
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.access import Membership
from annotation.core.models.member import Annotator, Event
from annotation.pay.actions import dispute_answer, dispute_open, entry_reverse, pay_approve
from annotation.pay.models import Adjustment, Approval, Rate
from annotation.pay.queries import periods, today
from tests import factory
from tests.conventions.table import read_whole
from tests.pay import PaidProject, a_rate, browser_of, entries, vote
from tests.questions import a_question, a_question_project
from tests.shared_worlds import SharedWorlds
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def words(answer: Any) -> str:
    """What stands on a page, without what differs between two equal ones: any three letters may be in that."""
    text = answer.content.decode()
    return re.sub(r'(csrfmiddlewaretoken" value=|X-CSRFToken": )"[^"]*"', "", text)


@pytest.fixture
def at(standing: SharedWorlds) -> PaidProject:
    return standing(PaidProject)


# --- who sees what ----------------------------------------------------------------------


def test_administrators_see_amounts_and_leads_only_count(at: PaidProject) -> None:
    for by in ("person", "action", "target"):
        told = browser_of(at.by).get(at.url("pay"), {"by": by}).content.decode()
        assert "25,000.00\u00a0IDR" in told
        assert "0.92\u00a0USD" in told
        counted = words(browser_of(at.lead).get(at.url("pay"), {"by": by}))
        assert "2 sets" in counted
        assert "3 votes" in counted
        assert not re.search(r"IDR|USD|12,?500|0\.30", counted)


def test_a_lead_sees_the_room_where_the_project_pays_only(at: PaidProject) -> None:
    other = factory.project()
    lead = factory.member(other, "lead", account=at.lead.user)
    assert at.url("pay") in browser_of(at.lead).get(at.url("project")).content.decode()
    page = browser_of(lead).get(reverse("project", args=[other.slug])).content.decode()
    assert reverse("pay", args=[other.slug]) not in page
    assert browser_of(at.by).get(reverse("pay", args=[other.slug])).status_code == 200


def test_my_pay_is_mine_and_names_no_item_of_others(at: PaidProject) -> None:
    mine = words(browser_of(at.ana).get(reverse("my_pay")))
    assert mine.count("Is this wrong?") == 3
    assert "0.305\u00a0USD" in mine
    assert "0.92\u00a0USD" in mine
    keys = at.project.items.values_list("key", flat=True)
    assert not any(key in mine for key in keys)
    assert not re.search(r"/item/|vote:\d|IDR", mine)
    assert "Nothing in these days" in browser_of(at.budi).get(reverse("my_pay")).content.decode()


def test_what_was_earned_in_all_is_summed(at: PaidProject) -> None:
    pay_approve(project=at.project, end=today(), by=at.by, people=[at.ana])
    vote(at.ana)
    (total,) = browser_of(at.ana).get(reverse("my_pay")).context["all"]
    assert (total.currency, total.amount, total.approved) == ("USD", Decimal("1.22"), Decimal("0.915"))
    assert total.waiting == Decimal("0.305")


def test_an_approval_is_marked_as_paid_and_its_people_see_that(at: PaidProject) -> None:
    """A day that cannot be is refused, and a mistake taken back."""
    pay_approve(project=at.project, end=today(), by=at.by, people=[at.ana])
    made = Approval.objects.get()
    admin, ana = browser_of(at.by), browser_of(at.ana)

    def paid() -> tuple[Decimal | None, bool]:
        page = ana.get(reverse("my_pay"))
        return page.context["all"][0].paid, "not known" in words(page)

    assert paid() == (None, True)
    for day in (today() - timedelta(days=1), today() + timedelta(days=1)):
        refused = admin.post(at.url("pay_paid"), {"approval": made.pk, "on": day.isoformat()})
        assert (refused.status_code, "today at the latest" in refused.text) == (422, True)
    assert admin.post(at.url("pay_paid"), {"approval": "x"}).status_code == 422
    assert admin.post(at.url("pay_paid"), {"approval": made.pk + 1, "on": ""}).status_code == 404
    for _ in range(2):
        assert admin.post(at.url("pay_paid"), {"approval": made.pk, "on": today().isoformat()}).status_code == 302
    assert paid() == (Decimal("0.915"), False)
    listed = admin.get(reverse("pay_csv", args=[at.project.slug, "periods"]))
    assert f",{today()}".encode() in read_whole(listed).content
    assert admin.post(at.url("pay_paid"), {"approval": made.pk, "on": ""}).status_code == 302
    assert paid() == (None, True)
    marked = Event.objects.filter(project=at.project, verb__contains="paid").order_by("pk")
    assert [event.verb for event in marked] == ["pay_paid", "pay_not_paid"]


def test_what_one_wrote_is_linked_for_its_writer_only() -> None:
    project = a_question_project()
    a_rate(project, "write", "2")
    a_rate(project)
    writer, person = (factory.member(project, role) for role in ("writer", "validator"))
    item = a_question(project, writer)
    while decide_due():
        pass
    vote(person, "A")
    link = reverse("write_item", args=[project.slug, item.pk])
    client = browser_of(writer)
    assert link in words(client.get(reverse("my_pay")))
    assert client.get(link).status_code == 200
    voted = words(browser_of(person).get(reverse("my_pay")))
    assert "1 vote" in voted
    assert f"/{item.pk}/" not in voted


def test_my_pay_tells_nothing_of_what_others_do(at: PaidProject) -> None:
    """Others' votes on the same items, their verdicts, what is said of a colleague's pay: not a byte differs."""
    client = browser_of(at.ana)

    def told() -> tuple[str, bytes]:
        return words(client.get(reverse("my_pay"))), read_whole(client.get(reverse("my_pay_csv"))).content

    before = told()
    for label in "enc":
        vote(at.budi, label)
    while decide_due():
        pass
    entry_reverse(entry=at.entry(at.budi), by=at.by, reason="Too fast.")
    assert told() == before


def test_another_persons_entry_is_none(at: PaidProject) -> None:
    url = reverse("my_pay_dispute", args=[at.entry(at.ana).token])
    for person in (at.budi, at.writer, at.lead, at.by):
        assert browser_of(person).get(url).status_code == 404
        assert browser_of(person).post(url, {"words": "Mine!"}).status_code == 404
    assert not Adjustment.objects.exists()


# --- rates and approval -----------------------------------------------------------------


def test_a_rate_is_set_and_a_wrong_one_stays_in_the_form(at: PaidProject) -> None:
    client = browser_of(at.by)
    given = {"action": "vote", "unit": "sentence", "amount": "0.3", "currency": "EUR"}
    for changed, told in (
        ({"unit": "set"}, "choose another one"),
        ({"amount": "-1"}, "greater than or equal to 0"),
        ({"amount": "0.00001"}, "4 decimal places"),
        ({"currency": "XAU"}, "XAU is not one of the available choices"),
        ({"action": "rate"}, "rate is not one of the available choices"),
    ):
        answer = client.post(at.url("pay_rate"), given | changed)
        assert answer.status_code == 422
        assert told in answer.content.decode()
        assert answer.context["rate_form"]["amount"].value() == (given | changed)["amount"]
    assert Rate.objects.count() == 2
    asked = client.post(at.url("pay_rate"), given)
    assert (asked.status_code, Rate.objects.count()) == (200, 2)
    given["confirmed"] = asked.context["rate_form"]["confirmed"].value()
    answer = client.post(at.url("pay_rate"), given | {"by": "1", "project": "1", "at": "2001-01-01"}, follow=True)
    assert "0.30\u00a0EUR" in answer.content.decode()
    made = Rate.objects.latest("pk")
    assert (made.by, made.project, made.at.year) == (at.by, at.project, today().year)


def test_what_is_approved_is_what_the_ledger_says_whatever_is_sent(at: PaidProject) -> None:
    client = browser_of(at.by)
    forged = {
        "amount": "9999",
        "totals": '{"USD": "9999"}',
        "USD": "9999",
        "entries": "1",
        "start": "2001-01-01",
    }
    sent = {"end": today().isoformat(), "person": at.ana.pseudonym}
    assert client.post(at.url("pay_approve"), sent | forged).status_code == 302
    membership = Membership(at.by, at.project, None)
    assert periods(membership)[0].totals == {"USD": Decimal("0.92")}
    client.post(at.url("pay_approve"), {"end": today().isoformat(), "everybody": "yes"})
    assert periods(membership)[0].totals == {"IDR": Decimal(25000)}
    again = client.post(at.url("pay_approve"), {"end": today().isoformat(), "everybody": "yes"}, follow=True)
    assert "nothing to approve any more" in again.content.decode()
    assert Approval.objects.count() == 2
    mine = browser_of(at.ana).get(reverse("my_pay")).content.decode()
    assert "Approved for payment" in mine


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 422),
        ({"end": "today", "everybody": "yes"}, 422),
        ({"end": "2026-02-30", "everybody": "yes"}, 422),
        ({"end": "2026-01-31"}, 422),
        ({"end": "2026-01-31", "person": "W99"}, 404),
        ({"end": "2999-01-31", "everybody": "yes"}, 422),
    ],
)
def test_approval_says_who_and_until_when(at: PaidProject, sent: dict[str, str], status: int) -> None:
    assert browser_of(at.by).post(at.url("pay_approve"), sent).status_code == status
    assert not Approval.objects.exists()


def test_an_entry_is_taken_back_once_with_a_reason(at: PaidProject) -> None:
    client, entry = browser_of(at.by), at.entry(at.ana)
    url = at.url("pay_reverse", entry.token)
    assert "Undo" in client.get(url).content.decode()
    assert client.post(url, {"reason": " "}).status_code == 422
    assert client.post(url, {"reason": "Voted asleep."}).status_code == 302
    assert client.post(url, {"reason": "Voted asleep."}).status_code == 409
    mine = browser_of(at.ana).get(reverse("my_pay")).content.decode()
    assert "Voted asleep." in mine
    assert "0 votes" in mine
    assert "undone" in mine


def test_a_dispute_keeps_what_was_typed_and_shows_its_answer(at: PaidProject) -> None:
    client, entry = browser_of(at.ana), at.entry(at.ana)
    url = reverse("my_pay_dispute", args=[entry.token])
    long = "too long " * 300
    answer = client.post(url, {"words": long})
    assert answer.status_code == 422
    assert answer.context["form"]["words"].value() == long
    assert client.post(url, {"words": "I reviewed <b>two</b>."}).status_code == 302
    again = client.post(url, {"words": "Once more."})
    assert (again.status_code, again.context["form"]["words"].value()) == (409, "Once more.")
    told = browser_of(at.by).get(at.url("pay")).content.decode()
    assert "I reviewed &lt;b&gt;two&lt;/b&gt;." in told
    assert "1 in dispute is left out" in told
    admin, answering = browser_of(at.by), at.url("pay_dispute_answer", Adjustment.objects.get().pk)
    missing = admin.post(answering, {"answer": "Right.", "outcome": "again"})
    assert missing.status_code == 422
    assert missing.context["form"]["answer"].value() == "Right."
    assert admin.post(answering, {"answer": "Right.", "outcome": "again", "units": "2"}).status_code == 302
    assert admin.post(answering, {"answer": "Wrong.", "outcome": "keep"}).status_code == 409
    mine = client.get(reverse("my_pay")).content.decode()
    assert "Right." in mine
    assert "2 votes" in mine
    assert "counted anew" in mine


# --- days -------------------------------------------------------------------------------


def test_a_month_is_shown_unless_other_days_are_asked_for(at: PaidProject) -> None:
    client, month_ago = browser_of(at.ana), today().replace(day=1) - timedelta(days=1)
    moment = f"{month_ago.isoformat()}T12:00Z"
    Rate.objects.update(at=moment)
    first = Vote.objects.filter(annotator=at.ana).order_by("pk")[0]
    Vote.objects.filter(pk=first.pk).update(cast_at=moment)
    page = client.get(reverse("my_pay"))
    assert page.content.decode().count("Is this wrong?") == 2
    earlier = client.get(f"{reverse('my_pay')}?{page.context['earlier']}")
    assert earlier.content.decode().count("Is this wrong?") == 1
    assert "time zone UTC" in page.content.decode()
    both = {"start": month_ago.isoformat(), "end": today().isoformat()}
    assert client.get(reverse("my_pay"), both).content.decode().count("Is this wrong?") == 3


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "3000-01-01", "9999-12-31"])
def test_days_without_a_month_before_or_behind_them_are_refused(at: PaidProject, day: str) -> None:
    """A month before year 1, or a day behind year 9999, is no date at all: each page says so, none breaks."""
    asked = {"start": day, "end": day}
    for client, page in ((browser_of(at.by), at.url("pay")), (browser_of(at.ana), reverse("my_pay"))):
        answer = client.get(page, asked)
        assert answer.status_code == 200
        assert {*answer.context["span_form"].errors} == {"start", "end"}
    for client, page in (
        (browser_of(at.by), at.url("pay_csv", "ledger")),
        (browser_of(at.ana), reverse("my_pay_csv")),
    ):
        assert b"entry" in read_whole(client.get(page, asked)).content
    refused = browser_of(at.by).post(at.url("pay_approve"), {"end": day, "everybody": "1"})
    assert refused.status_code == 422
    assert not Approval.objects.exists()


@pytest.mark.parametrize("day", ["1970-01-01", "2999-12-31"])
def test_the_first_and_the_last_day_that_can_be_asked_for(at: PaidProject, day: str) -> None:
    asked = {"start": day, "end": day}
    for client, page in ((browser_of(at.by), at.url("pay")), (browser_of(at.ana), reverse("my_pay"))):
        answer = client.get(page, asked)
        assert (answer.status_code, answer.context["span_form"].errors) == (200, {})


@pytest.mark.parametrize("asked", [{"start": "x", "end": "y"}, {"start": "2026-02-01", "end": "2026-01-01"}])
def test_days_that_are_none_are_told_and_the_month_is_shown(at: PaidProject, asked: dict[str, str]) -> None:
    answer = browser_of(at.ana).get(reverse("my_pay"), asked)
    assert answer.status_code == 200
    assert answer.context["span_form"].errors
    assert answer.content.decode().count("Is this wrong?") == 3


# --- files ------------------------------------------------------------------------------

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", " =1")


def rows_of(answer: Any) -> list[dict[str, str]]:
    text = read_whole(answer).content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_is_a_formula(at: PaidProject, formula: str) -> None:
    """A49: in the copy for spreadsheets reasons, words, pseudonyms and names are guarded; amounts stay numbers, also
    below nothing."""
    at.project.name = formula
    at.project.save(update_fields=["name"])
    Annotator.objects.filter(pk=at.ana.pk).update(pseudonym=formula)
    entry = at.entry(at.ana)
    dispute = dispute_open(entry=entry, words=f"{formula} x")
    dispute_answer(dispute=dispute, by=at.by, answer=f"{formula} y", outcome="reverse")
    copy = {"copy": "spreadsheet"}
    ledger = rows_of(browser_of(at.by).get(at.url("pay_csv", "ledger"), copy))
    mine = rows_of(browser_of(at.ana).get(reverse("my_pay_csv"), copy))
    pay_approve(project=at.project, end=today(), by=at.by)
    approved = rows_of(browser_of(at.by).get(at.url("pay_csv", "periods"), copy))
    numbers = {"amount", "units", "rate"}
    for row in (*ledger, *mine, *approved):
        for name, cell in row.items():
            assert name in numbers or not re.match(r"\s*[=+\-@＝]", cell), (name, cell)
    assert sorted(row["amount"] for row in mine) == ["0.0000", "0.3050", "0.3050"]
    assert sum(Decimal(row["amount"]) for row in ledger if row["currency"] == "USD") == Decimal("0.61")


def test_files_hold_what_the_pages_show(at: PaidProject) -> None:
    ledger = rows_of(browser_of(at.by).get(at.url("pay_csv", "ledger")))
    assert len(ledger) == 5
    assert {row["item"] for row in ledger if row["action"] == "vote"} <= set(
        at.project.items.values_list("key", flat=True)
    )
    mine = rows_of(browser_of(at.ana).get(reverse("my_pay_csv")))
    assert [row["amount"] for row in mine] == ["0.3050"] * 3
    assert "item" not in mine[0]
    assert browser_of(at.by).get(at.url("pay_csv", "passwords")).status_code == 404
    assert browser_of(at.lead).get(at.url("pay_csv", "ledger")).status_code == 403


# --- statements -------------------------------------------------------------------------


def _many(at: PaidProject, count: int) -> None:
    """So many votes more, none of which is real enough to decide anything."""
    first = Vote.objects.filter(annotator=at.ana).order_by("pk")[0]
    last = Vote.objects.count()
    Vote.objects.bulk_create(
        Vote(
            project=at.project,
            item=first.item,
            annotator=at.ana,
            n=100 + last + number,
            epoch=100 + last + number,
            round=1,
            revision_n=1,
            label="e",
            unsure=False,
            ambiguous=False,
        )
        for number in range(count)
    )


def test_pages_ask_as_often_for_a_thousand_entries_as_for_ten(at: PaidProject) -> None:
    admin, ana = browser_of(at.by), browser_of(at.ana)
    pages = (
        lambda: admin.get(at.url("pay"), {"person": at.ana.pseudonym}),
        lambda: browser_of(at.lead).get(at.url("pay")),
        lambda: ana.get(reverse("my_pay")),
    )
    counts, dear = [], list[int]()  # a page of open entries has no approvals to look up
    for more in (7, 990):
        _many(at, more)
        dispute_open(entry=entries(at.project, at.ana)[-1], words="Why?")
        pay_approve(project=at.project, end=today(), by=at.by, people=[at.ana])
        _many(at, more)
        asked = []
        for page in pages:
            with CaptureQueriesContext(connection) as said:
                assert page().status_code == 200
            asked.append(len(said))
            dear.append(sum("earning AS (" in each["sql"] for each in said))
        counts.append(asked)
    assert all(after <= before for before, after in zip(*counts, strict=True)), counts
    # Of an administrator's page: all sums, how many entries the person has, and a page of them.
    assert dear[0] == 3
