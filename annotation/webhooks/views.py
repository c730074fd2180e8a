"""Webhooks of a project, and their deliveries, for its administrators."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.errors import Conflict, Invalid, first_or_not_found
from annotation.core.messages import problem_words
from annotation.ui.pages import page, show_refusal
from annotation.webhooks import actions, queries
from annotation.webhooks.forms import WebhookForm
from annotation.webhooks.models import Webhook

DELIVERIES_A_PAGE = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """The addresses that events are sent to; POST adds another one and shows its secret, only this once."""
    membership = access.administrator_membership(request.user, slug)

    def shown(form: WebhookForm, status: int = 200, **more: Any) -> HttpResponse:
        context = {"webhooks": queries.webhooks(membership), "form": form, **more}
        return page(request, membership, "settings", "annotation/webhooks/webhooks.html", status=status, **context)

    if request.method != "POST":
        return shown(WebhookForm())
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return shown(form, 422)
    try:
        opened = actions.webhook_create(project=membership.project, by=membership.user, **form.cleaned_data)
    except (Invalid, Conflict) as refusal:
        return shown(form, show_refusal(form, refusal))
    return _webhook_page(request, membership, opened.webhook, secret=opened.secret)


@login_required
@require_GET
def webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """One webhook with its deliveries."""
    membership = access.administrator_membership(request.user, slug)
    return _webhook_page(request, membership, queries.webhook(membership, webhook_id))


@login_required
@require_POST
def webhook_change(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Do with a webhook what the button says: `try`, `rotate`, `stop`, `start`, `end`, or `replay` a delivery."""
    membership = access.administrator_membership(request.user, slug)
    stands, by, do = queries.webhook(membership, webhook_id), membership.user, request.POST.get("do", "")
    try:
        if do == "rotate":
            made = actions.webhook_rotate(webhook=stands, by=by)
            return _webhook_page(request, membership, made.webhook, secret=made.secret, rotated=True)
        if do == "try":
            actions.webhook_try(webhook=stands, by=by)
            words = gettext("A test message is on its way; load this page again to see the result.")
        elif do == "replay":
            number = request.POST.get("delivery", "")
            rows = stands.deliveries.filter(
                pk=int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0
            )
            actions.delivery_replay(delivery=first_or_not_found(rows), by=by)
            words = gettext("It is sent once more.")
        elif do == "stop":
            actions.webhook_stop(webhook=stands, why=Webhook.Stopped.BY_HAND, by=by)
            words = gettext("Nothing is sent to it until you start it again.")
        elif do == "start":
            actions.webhook_start(webhook=stands, by=by)
            words = gettext("Messages are sent to it again, also those that waited.")
        elif do == "end":
            actions.webhook_end(webhook=stands, by=by)
            messages.success(request, gettext("The webhook was ended and its secret deleted."))
            return redirect("webhooks", slug=slug)
        else:
            raise Invalid(field="do", code="choice_unknown")
    except (Invalid, Conflict) as refusal:
        problem = refusal.code
        return _webhook_page(request, membership, stands, status=refusal.page_status, problem=problem_words(problem))
    messages.success(request, words)
    return redirect("webhook", slug=slug, webhook_id=webhook_id)


def _webhook_page(
    request: HttpRequest, membership: access.Membership, stands: Webhook, status: int = 200, **more: Any
) -> HttpResponse:
    rows = Paginator(queries.deliveries(stands), DELIVERIES_A_PAGE).get_page(request.GET.get("page"))
    context = {"webhook": stands, "deliveries": rows, **more}
    return page(request, membership, "settings", "annotation/webhooks/webhook.html", status=status, **context)
