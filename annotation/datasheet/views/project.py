"""About the project, for administrators: licence, citation, data statement, and what members agree to."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import problem_words
from annotation.core.views.projects import differences
from annotation.datasheet import queries as statement
from annotation.datasheet.actions.statement import about_change, consent_publish
from annotation.datasheet.forms import LICENCES, AboutForm, ConsentForm, initial_of
from annotation.datasheet.rules.statement import canary
from annotation.text.differences import text_parts
from annotation.ui.navigation import rooms


def _page(request: HttpRequest, membership: Membership, status: int = 200, **more: Any) -> HttpResponse:
    project, text = membership.project, statement.consent_text(membership.project)
    context = {
        "project": project,
        "nav": rooms(membership, "about"),
        "form": AboutForm(initial=initial_of(statement.about_of(project))),
        "consent_form": ConsentForm(
            initial={"seen": text.n if text else 0, "text": text.text if text else "", "asks": "again"}
        ),
        "consent": text,
        "agreed": statement.standing(project).count(),
        "licences": LICENCES,
        "canary": canary(project.seed, project.slug),
        **more,
    }
    return render(request, "annotation/datasheet/about.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def about(request: HttpRequest, slug: str) -> HttpResponse:
    """What releases tell of the project; POST says it anew, and keeps what was typed where it cannot."""
    membership = access.administrator(request.user, slug)
    if request.method != "POST":
        return _page(request, membership)
    form = AboutForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, status=422, form=form)
    try:
        about_change(
            project=membership.project,
            by=membership.user,
            changes=form.changes(),
            version=form.cleaned_data["version"],
        )
    except Invalid as refusal:
        name = refusal.field if refusal.field in form.fields else f"section-{refusal.field}"
        form.add_error(name if name in form.fields else None, problem_words(refusal.code))
        return _page(request, membership, status=422, form=form)
    except Conflict:
        stands = initial_of(statement.about_of(membership.project))
        typed = {**form.cleaned_data, "version": stands["version"]}
        told = differences(form, form.cleaned_data, stands)
        return _page(request, membership, status=409, form=AboutForm(initial=typed), differences=told)
    messages.success(request, gettext("Saved. Releases from now on tell it."))
    return redirect("about", slug=slug)


@login_required
@require_POST
def about_consent(request: HttpRequest, slug: str) -> HttpResponse:
    """A new version of what members agree to; a page that is behind gets what was typed, and what differs."""
    membership = access.administrator(request.user, slug)
    form = ConsentForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, status=422, consent_form=form)
    sent = form.cleaned_data
    try:
        consent_publish(
            project=membership.project,
            text=sent["text"],
            asks_again=sent["asks"] == "again",
            by=membership.user,
            seen=sent["seen"],
        )
    except Invalid as refusal:
        form.add_error("text", problem_words(refusal.code))
        return _page(request, membership, status=422, consent_form=form)
    except Conflict:
        newest = statement.consent_text(membership.project)
        stands = newest.text if newest else ""
        again = ConsentForm(initial={**sent, "seen": newest.n if newest else 0})
        parts = text_parts(stands, sent["text"].replace("\r\n", "\n"))
        return _page(request, membership, status=409, consent_form=again, consent_parts=parts)
    messages.success(
        request, gettext("Published. Members read it before they say anything about themselves.")
    )
    return redirect("about", slug=slug)
