"""Pay: a project's ledger, rates, approval and disputes for administrators, units for leads; everybody's own pay."""

from collections.abc import Callable
from datetime import date
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
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.languages import interface_language
from annotation.pay import actions
from annotation.pay import queries as fetch
from annotation.pay.files import OWN_LEDGER_COLUMNS, TABLES, ledger_lines
from annotation.pay.forms import AnswerForm, DisputeForm, PaidForm, RateForm, ReasonForm, span_of
from annotation.pay.rules import CORRECT, WRITE, Span, month_after, month_before
from annotation.ui.csv_files import csv_streamed
from annotation.ui.pages import page, submit

ROWS_A_PAGE = 50
ENTRIES_A_PAGE = 25
ANSWERS_SHOWN = 20
PERIODS_SHOWN = 50
# A rate is repeated with what so many units come to.
MANY = 100


@login_required
@require_GET
def pay(request: HttpRequest, slug: str) -> HttpResponse:
    """What was done and what it comes to; `person` shows one person's entries."""
    return _page(request, access.lead_membership(request.user, slug))


def span_query(span: Span) -> str:
    """A span as a query string."""
    return urlencode({"start": span.start.isoformat(), "end": span.end.isoformat()})


def span_context(request: HttpRequest, project: Project | None = None) -> tuple[Span, dict[str, Any]]:
    """The days that a page is about, with its form, the months around them, and the time zone that makes days."""
    today = fetch.today(project)
    span, form = span_of(request.GET, today)
    return span, {
        "span": span,
        "span_form": form,
        "span_query": span_query(span),
        "earlier": span_query(month_before(span)),
        "later": span_query(month_after(span)) if month_after(span).start <= today else "",
        "zone": fetch.zone_of_pay(project).key,
        "today": today,
    }


def _page(request: HttpRequest, membership: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    span, about = span_context(request, membership.project)
    ways, by = {"person": gettext("person"), "action": gettext("what was done")}, request.GET.get("by", "")
    if access.has_targets(membership.project):
        ways = {"person": ways["person"], "target": gettext("target"), "action": ways["action"]}
    by = by if by in ways else "person"
    amounts: dict[str, Any] = {}
    if membership.is_administrator:
        totals, amounts = _amounts_context(request, membership, span, by, about["today"])
    else:
        totals = fetch.totals(membership, span, by)
    context = {
        **about,
        "by": by,
        "by_name": {"person": gettext("Person"), "target": gettext("Target")}.get(by, ""),
        "ways": ways,
        "totals_query": f"{span_query(span)}&by={by}&",
        "totals": Paginator(totals, ROWS_A_PAGE).get_page(request.GET.get("page")),
        **amounts,
        **more,
    }
    return page(request, membership, "pay", "annotation/pay/pay.html", status=status, **context)


def _amounts_context(
    request: HttpRequest, membership: Membership, span: Span, by: str, today: date
) -> tuple[list[fetch.Total], dict[str, Any]]:
    """What administrators see: totals with amounts; rates, what waits for approval, disputes, one person's entries."""
    end, person = min(span.end, today), request.GET.get("person", "")
    totals, people = fetch.totals_and_waiting(membership, span, by, end)
    every = fetch.rates(membership)
    entries = Paginator(fetch.entries_of(membership, span, person), ENTRIES_A_PAGE) if person else None
    return totals, {
        "rates": fetch.current_rates(every),
        "history": every,
        "rate_form": rate_form(membership),
        "end": end,
        "waiting": people,
        "gone": fetch.deleted_accounts(membership),
        "to_pay": fetch.amounts_to_pay(people),
        "disputes": fetch.disputes(membership, answered=False),
        "answers": fetch.disputes(membership, answered=True)[:ANSWERS_SHOWN],
        "periods": fetch.periods(membership, PERIODS_SHOWN),
        # All of them: the table shows the newest alone.
        "approvals": fetch.approvals(membership).order_by("-pk"),
        "person": person,
        "entries": entries and entries.get_page(request.GET.get("entries")),
    }


def rate_form(membership: Membership, data: Any = None) -> RateForm:
    """The form of a rate, with the targets and actions that the project has."""
    targets = membership.project.targets.order_by("key") if access.has_targets(membership.project) else []
    newest = membership.project.rates.order_by("-pk").values_list("currency", flat=True).first()
    local = interface_language(membership.project.language)
    return RateForm(
        data,
        targets=list(targets),
        written=membership.project.kind_spec.has_writers,
        initial={"currency": newest or ("IDR" if local in ("id", "su") else "USD")},
    )


@login_required
@require_POST
def pay_rate(request: HttpRequest, slug: str) -> HttpResponse:
    """A new rate, from now on, once it was repeated; what was finished before keeps what it earned."""
    membership = access.administrator_membership(request.user, slug)
    form, rate = rate_form(membership, request.POST), dict[str, Any]()

    def check(sent: dict[str, Any]) -> None:
        target = access.target(membership, sent["target"]) if sent.get("target") else None
        rate.update(sent, target=target, project=membership.project)
        del rate["confirmed"]
        actions.rate_check(**rate)

    if status := submit(form, check):
        return _page(request, membership, status=status, rate_form=form)
    words = " ".join(str(rate[name]) for name in ("action", "unit", "amount", "currency", "target"))
    if form.cleaned_data["confirmed"] != words:
        again = rate_form(membership, {**request.POST.dict(), "confirmed": words})
        context = {"rate": rate, "many": MANY, "many_amount": rate["amount"] * MANY, "rate_form": again}
        return page(request, membership, "pay", "annotation/pay/pay_rate.html", **context)
    actions.rate_set(**rate, by=membership.user)
    messages.success(request, gettext("The rate holds from now on."))
    return redirect("pay", slug=slug)


@login_required
@require_POST
def pay_approve(request: HttpRequest, slug: str) -> HttpResponse:
    """Approve what one person or everybody earned up to a day, all that nobody approved and nobody disputes."""
    membership = access.administrator_membership(request.user, slug)
    day = request.POST.get("end")
    span, form = span_of({"start": day, "end": day}, fetch.today(membership.project))
    if not form.is_bound or not form.is_valid():
        return _page(request, membership, status=422, problem="period_unknown")
    name = request.POST.get("person", "")
    if not name and "everybody" not in request.POST:
        return _page(request, membership, status=422, problem="person_missing")
    people = list(Annotator.objects.filter(project=membership.project, pseudonym=name)) if name else None
    if people == []:
        raise NotFound
    try:
        made = actions.pay_approve(project=membership.project, end=span.end, by=membership.user, people=people)
    except Invalid as refusal:
        return _page(request, membership, status=422, problem=refusal.code)
    if made is None:
        messages.info(request, gettext("There was nothing to approve any more."))
    else:
        n = len(fetch.periods_of(made))
        words = ngettext("Approved for one person.", "Approved for %(n)d people.", n)
        messages.success(request, words % {"n": n})
    return redirect("pay", slug=slug)


@login_required
@require_POST
def pay_paid(request: HttpRequest, slug: str) -> HttpResponse:
    """An approval was paid on a day, or was not after all."""
    membership = access.administrator_membership(request.user, slug)
    form = PaidForm(request.POST)

    def act(given: dict[str, Any]) -> None:
        actions.pay_mark_paid(**given, project=membership.project, by=membership.user)

    if status := submit(form, act):
        problem = "paid_day_wrong" if "on" in form.errors else "approval_unknown"
        return _page(request, membership, status=status, problem=problem)
    messages.success(request, gettext("Saved."))
    return redirect("pay", slug=slug)


@login_required
@require_GET
def pay_csv(request: HttpRequest, slug: str, table: str) -> StreamingHttpResponse:
    """The ledger of some days, or every approved period, as CSV."""
    membership = access.administrator_membership(request.user, slug)
    if table not in TABLES:
        raise NotFound
    span, _ = span_context(request, membership.project)
    return csv_streamed(request, TABLES[table](membership, span), f"{slug}-{table}-{span.start}-{span.end}.csv")


def _try_action(request: HttpRequest, form: Form, act: Callable[[dict[str, Any]], object]) -> tuple[int, str]:
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
    """One action's entry; POST takes it back with a reason."""
    membership = access.administrator_membership(request.user, slug)
    entry = fetch.entry(membership, token)
    form = ReasonForm(request.POST or None)
    act = partial(actions.entry_reverse, entry=entry, by=membership.user)
    status, problem = _try_action(request, form, lambda sent: act(**sent))
    if not status:
        messages.success(request, gettext("The entry was undone."))
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
    membership = access.administrator_membership(request.user, slug)
    dispute, entry = fetch.dispute(membership, dispute_id)
    form = AnswerForm(request.POST or None, initial={"outcome": "keep"})
    act = partial(actions.dispute_answer, dispute=dispute, by=membership.user)
    status, problem = _try_action(request, form, lambda sent: act(**sent))
    if not status:
        messages.success(request, gettext("Answered."))
        return redirect("pay", slug=slug)
    if problem:
        dispute, entry = fetch.dispute(membership, dispute_id)
    context = {
        "dispute": dispute,
        "entry": entry,
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
        "all": fetch.own_total(user),
        "sums": fetch.own_sums(user, span),
        "page": Paginator(fetch.own_entries(user, span), ENTRIES_A_PAGE).get_page(request.GET.get("page")),
        "periods": fetch.own_periods(user, OWN_PERIODS_SHOWN),
        "rates": fetch.own_rates(user),
        # Items of others are not named: the list reveals nothing that its reader must not know.
        "own_items": (WRITE, CORRECT),
    }
    return render(request, "annotation/pay/my_pay.html", context)


@login_required
@require_GET
def my_pay_csv(request: HttpRequest) -> StreamingHttpResponse:
    """One's own entries of some days as CSV."""
    span, _ = span_context(request)
    entries = fetch.own_ledger(cast(User, request.user), span)
    return csv_streamed(request, ledger_lines(OWN_LEDGER_COLUMNS, entries), f"my-pay-{span.start}-{span.end}.csv")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_pay_dispute(request: HttpRequest, token: UUID) -> HttpResponse:
    """One entry of one's own; POST says what is wrong with it, and waits for an answer."""
    entry = fetch.own_entry(cast(User, request.user), token)
    form = DisputeForm(request.POST or None)
    act = partial(actions.dispute_open, entry=entry)
    status, problem = _try_action(request, form, lambda sent: act(**sent))
    if not status:
        messages.success(request, gettext("Sent. The answer will be shown beside the entry."))
        return redirect("my_pay")
    context = {"entry": entry, "form": form, "problem": problem}
    return render(request, "annotation/pay/my_pay_entry.html", context, status=status)
