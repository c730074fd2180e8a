"""My pay: what I earned, entry by entry, what is approved of it, and a way to say that an entry is wrong."""

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.user import User
from annotation.pay import queries as fetch
from annotation.pay.actions.periods import dispute_open
from annotation.pay.forms import DisputeForm
from annotation.pay.views.files import own_ledger
from annotation.pay.views.project import span_context
from annotation.ui.csv_files import csv_streamed

ENTRIES_A_PAGE = 25
PERIODS_SHOWN = 24


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
        "periods": fetch.own_periods(user)[:PERIODS_SHOWN],
        "rates": fetch.own_rates(user),
    }
    return render(request, "annotation/pay/my_pay.html", context)


@login_required
@require_GET
def my_pay_csv(request: HttpRequest) -> StreamingHttpResponse:
    """One's own entries of some days as CSV."""
    span, _ = span_context(request)
    return csv_streamed(own_ledger(cast(User, request.user), span), f"my-pay-{span.start}-{span.end}.csv")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_pay_dispute(request: HttpRequest, token: UUID) -> HttpResponse:
    """One entry of one's own; POST says what is wrong with it, and waits for an answer."""
    user = cast(User, request.user)
    entry = fetch.own_entry(user, token)
    form = DisputeForm(request.POST or None)
    status, problem = 200, ""
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                dispute_open(entry=entry, words=form.cleaned_data["words"])
            except (Invalid, Conflict) as refusal:
                status, problem = (409 if isinstance(refusal, Conflict) else 422), refusal.code
            else:
                messages.success(request, gettext("Sent. The answer will stand beside the entry."))
                return redirect("my_pay")
    said = entry.disputes.order_by("pk")
    context = {"entry": entry, "form": form, "problem": problem, "disputes": said}
    return render(request, "annotation/pay/my_pay_entry.html", context, status=status)
