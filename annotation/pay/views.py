"""Pay: a project's ledger, rates, approval and disputes for administrators, units for leads; everybody's own pay."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import get_default_timezone, get_default_timezone_name
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from annotation.pay import actions
from annotation.pay import queries as fetch
from annotation.pay.forms import AnswerForm, DisputeForm, RateForm, ReasonForm, span_of
from annotation.pay.models import Dispute, LedgerEntry
from annotation.pay.rules import Span, before, behind
from annotation.ui.csv_files import Cells, csv_streamed
from annotation.ui.pages import page, submit


def _moment(moment: datetime) -> str:
    return moment.astimezone(get_default_timezone()).isoformat(timespec="seconds")


def _last_dispute(entry: LedgerEntry) -> Dispute | None:
    return max(entry.disputes.all(), key=lambda each: each.pk, default=None)


COLUMNS: Mapping[str, Callable[[LedgerEntry], object]] = {
    "entry": lambda entry: str(entry.token),
    "at": lambda entry: _moment(entry.at),
    "person": lambda entry: entry.annotator.pseudonym,
    "project": lambda entry: entry.project.name,
    "action": lambda entry: entry.action,
    "target": lambda entry: entry.target.key if entry.target else "",
    "item": lambda entry: entry.item.key if entry.item else "",
    "unit": lambda entry: entry.unit,
    "units": lambda entry: -entry.units if entry.reverses else entry.units,
    "rate": lambda entry: entry.rate.amount,
    "amount": lambda entry: entry.amount,
    "currency": lambda entry: entry.currency,
    "reverses": lambda entry: str(entry.reverses.token) if entry.reverses else "",
    "reason": lambda entry: entry.reason,
    "by": lambda entry: entry.by.email if entry.by else "",
    "approved_until": lambda entry: (
        entry.approved.period.end.isoformat() if hasattr(entry, "approved") else ""
    ),
    "disputed": lambda entry: getattr(_last_dispute(entry), "words", ""),
    "answer": lambda entry: getattr(_last_dispute(entry), "answer", ""),
}
LEDGER = (
    *("entry", "at", "person", "action", "target", "item", "unit", "units", "rate", "amount", "currency"),
    *("reverses", "reason", "by", "approved_until"),
)
# No item is named, so that nothing is told of others.
OWN_LEDGER = (
    *("entry", "at", "project", "action", "target", "unit", "units", "amount", "currency"),
    *("reverses", "reason", "approved_until", "disputed", "answer"),
)


def _rows(columns: tuple[str, ...], entries: Iterable[LedgerEntry]) -> Iterator[Cells]:
    yield columns
    for entry in entries:
        yield tuple(COLUMNS[name](entry) for name in columns)


def _periods(membership: Membership, span: Span) -> Iterator[Cells]:
    """Every period that was approved, whatever days are shown, one line a currency."""
    yield "person", "from", "until", "amount", "currency", "approved_at", "approved_by"
    for period in fetch.periods(membership).order_by("pk").iterator(chunk_size=fetch.CHUNK):
        who, days = period.annotator.pseudonym, (period.start.isoformat(), period.end.isoformat())
        for currency, amount in sorted(period.totals.items()):
            yield who, *days, Decimal(amount), currency, _moment(period.at), period.by.email


TABLES: Mapping[str, Callable[[Membership, Span], Iterator[Cells]]] = {
    "ledger": lambda membership, span: _rows(LEDGER, fetch.ledger_of(membership, span)),
    "periods": _periods,
}


ROWS_A_PAGE = 50
ENTRIES_A_PAGE = 25
ANSWERS_SHOWN = 20
PERIODS_SHOWN = 50


@login_required
@require_GET
def pay(request: HttpRequest, slug: str) -> HttpResponse:
    """What was done and what it comes to; `person` shows one person's entries."""
    return _page(request, access.overseer(request.user, slug))


def days(span: Span) -> str:
    """A span as a query string."""
    return urlencode({"start": span.start.isoformat(), "end": span.end.isoformat()})


def span_context(request: HttpRequest) -> tuple[Span, dict[str, Any]]:
    """The days that a page is about, with its form, the months around them, and the time zone that makes days."""
    today = fetch.today()
    span, form = span_of(request.GET, today)
    return span, {
        "span": span,
        "span_form": form,
        "span_query": days(span),
        "earlier": days(before(span)),
        "later": days(behind(span)) if behind(span).start <= today else "",
        "zone": get_default_timezone_name(),
        "today": today,
    }


def _page(request: HttpRequest, membership: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    span, about = span_context(request)
    ways, by = {"person": gettext("person"), "action": gettext("what was done")}, request.GET.get("by", "")
    if access.has_targets(membership.project):
        ways = {"person": ways["person"], "target": gettext("target"), "action": ways["action"]}
    by = by if by in ways else "person"
    totals = Paginator(fetch.totals(membership, span, by), ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        **about,
        "by": by,
        "by_name": {"person": gettext("Person"), "target": gettext("Target")}.get(by, ""),
        "ways": ways,
        "totals_query": f"{days(span)}&by={by}&",
        "totals": totals,
        **(_amounts(request, membership, span, about["today"]) if membership.is_administrator else {}),
        **more,
    }
    return page(request, membership, "pay", "annotation/pay/pay.html", status=status, **context)


def _amounts(request: HttpRequest, membership: Membership, span: Span, today: date) -> dict[str, Any]:
    """What administrators see beside units: rates, what waits for approval, disputes, one person's entries."""
    end, person = min(span.end, today), request.GET.get("person", "")
    people, every = fetch.waiting_for_approval(membership, end), fetch.rates(membership)
    entries = Paginator(fetch.entries_of(membership, span, person), ENTRIES_A_PAGE) if person else None
    return {
        "rates": fetch.current(every),
        "history": every,
        "rate_form": rate_form(membership),
        "end": end,
        "waiting": people,
        "to_pay": fetch.to_pay(people),
        "disputes": fetch.disputes(membership, answered=False),
        "answers": fetch.disputes(membership, answered=True)[:ANSWERS_SHOWN],
        "periods": fetch.periods(membership)[:PERIODS_SHOWN],
        "person": person,
        "entries": entries and entries.get_page(request.GET.get("entries")),
    }


def rate_form(membership: Membership, data: Any = None) -> RateForm:
    """The form of a rate, with the targets and actions that the project has."""
    targets = membership.project.targets.order_by("key") if access.has_targets(membership.project) else []
    newest = membership.project.rates.order_by("-pk").values_list("currency", flat=True).first()
    return RateForm(
        data,
        targets=list(targets),
        rated="rating" in membership.project.kind_spec.features,
        initial={"currency": newest or "USD"},
    )


@login_required
@require_POST
def pay_rate(request: HttpRequest, slug: str) -> HttpResponse:
    """A new rate, from now on; what was finished before keeps what it earned."""
    membership = access.administrator(request.user, slug)
    form = rate_form(membership, request.POST)

    def act(given: dict[str, Any]) -> None:
        key = given.get("target", "")
        target = access.target(membership, key) if key else None
        actions.rate_set(**{**given, "target": target}, project=membership.project, by=membership.user)

    if status := submit(form, act):
        return _page(request, membership, status=status, rate_form=form)
    messages.success(request, gettext("The rate holds from now on."))
    return redirect("pay", slug=slug)


@login_required
@require_POST
def pay_approve(request: HttpRequest, slug: str) -> HttpResponse:
    """Approve what one person or everybody earned up to a day, all that nobody approved and nobody disputes."""
    membership = access.administrator(request.user, slug)
    span, form = span_of({"start": request.POST.get("end"), "end": request.POST.get("end")}, fetch.today())
    if not form.is_bound or not form.is_valid():
        return _page(request, membership, status=422, problem="period_unknown")
    name = request.POST.get("person", "")
    if not name and "everybody" not in request.POST:
        return _page(request, membership, status=422, problem="person_missing")
    people = list(Annotator.objects.filter(project=membership.project, pseudonym=name)) if name else None
    if people == []:
        raise NotFound
    try:
        made = actions.period_approve(
            project=membership.project, end=span.end, by=membership.user, people=people
        )
    except Invalid as refusal:
        return _page(request, membership, status=422, problem=refusal.code)
    if not made:
        messages.info(request, gettext("There was nothing to approve any more."))
    else:
        words = ngettext("Approved for one person.", "Approved for %(n)d people.", len(made))
        messages.success(request, words % {"n": len(made)})
    return redirect("pay", slug=slug)


@login_required
@require_GET
def pay_csv(request: HttpRequest, slug: str, table: str) -> StreamingHttpResponse:
    """The ledger of some days, or every approved period, as CSV."""
    membership = access.administrator(request.user, slug)
    if table not in TABLES:
        raise NotFound
    span, _ = span_context(request)
    return csv_streamed(TABLES[table](membership, span), f"{slug}-{table}-{span.start}-{span.end}.csv")


def _attempt(request: HttpRequest, form: Form, act: Callable[[dict[str, Any]], object]) -> tuple[int, str]:
    """Do what was sent, if anything was: the status and the problem of the page; 0 where it was done."""
    if request.method != "POST":
        return 200, ""
    if not form.is_valid():
        return 422, ""
    try:
        act(form.cleaned_data)
    except (Invalid, Conflict) as refusal:
        return refusal.page_status, refusal.code
    return 0, ""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pay_reverse(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    """One entry; POST takes it back with a reason, by an entry of its own."""
    membership = access.administrator(request.user, slug)
    entry = fetch.entry(membership, token)
    form = ReasonForm(request.POST or None)
    act = partial(actions.entry_reverse, entry=entry, by=membership.user)
    status, problem = _attempt(request, form, lambda sent: act(**sent))
    if not status:
        messages.success(request, gettext("The entry was taken back."))
        return redirect("pay", slug=slug)
    context = {
        "entry": fetch.entry(membership, token) if problem else entry,
        "form": form,
        "problem": problem,
    }
    return page(request, membership, "pay", "annotation/pay/pay_entry.html", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pay_dispute_answer(request: HttpRequest, slug: str, dispute_id: int) -> HttpResponse:
    """One dispute; POST answers it, and leaves the entry, takes it back, or counts it anew."""
    membership = access.administrator(request.user, slug)
    dispute = fetch.dispute(membership, dispute_id)
    form = AnswerForm(request.POST or None, initial={"outcome": "keep"})
    act = partial(actions.dispute_answer, dispute=dispute, by=membership.user)
    status, problem = _attempt(request, form, lambda sent: act(**sent))
    if not status:
        messages.success(request, gettext("Answered."))
        return redirect("pay", slug=slug)
    context = {
        "dispute": fetch.dispute(membership, dispute_id),
        "entry": fetch.entry(membership, dispute.entry.token),
        "form": form,
        "problem": problem,
    }
    return page(request, membership, "pay", "annotation/pay/pay_dispute.html", status=status, **context)


# --- one's own --------------------------------------------------------------------------

OWN_PERIODS_SHOWN = 24


@login_required
@require_GET
def my_pay(request: HttpRequest) -> HttpResponse:
    """One's own statement of some days: sums by currency, every entry, what was approved, what work is worth."""
    user = cast(User, request.user)
    span, about = span_context(request)
    context = {
        **about,
        "sums": fetch.own_sums(user, span),
        "page": Paginator(fetch.own_entries(user, span), ENTRIES_A_PAGE).get_page(request.GET.get("page")),
        "periods": fetch.own_periods(user)[:OWN_PERIODS_SHOWN],
        "rates": fetch.own_rates(user),
    }
    return render(request, "annotation/pay/my_pay.html", context)


@login_required
@require_GET
def my_pay_csv(request: HttpRequest) -> StreamingHttpResponse:
    """One's own entries of some days as CSV."""
    span, _ = span_context(request)
    entries = fetch.own_ledger(cast(User, request.user), span)
    return csv_streamed(_rows(OWN_LEDGER, entries), f"my-pay-{span.start}-{span.end}.csv")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_pay_dispute(request: HttpRequest, token: UUID) -> HttpResponse:
    """One entry of one's own; POST says what is wrong with it, and waits for an answer."""
    entry = fetch.own_entry(cast(User, request.user), token)
    form = DisputeForm(request.POST or None)
    act = partial(actions.dispute_open, entry=entry)
    status, problem = _attempt(request, form, lambda sent: act(**sent))
    if not status:
        messages.success(request, gettext("Sent. The answer will stand beside the entry."))
        return redirect("my_pay")
    context = {"entry": entry, "form": form, "problem": problem, "disputes": entry.disputes.order_by("pk")}
    return render(request, "annotation/pay/my_pay_entry.html", context, status=status)
