"""About me in one project: what a member agrees to, what they say about themselves, and what they confirm first."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core import access
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.datasheet import queries as statement
from annotation.datasheet.actions.demographics import (
    consent_end,
    consent_give,
    demographics_save,
    entry_confirm,
)
from annotation.datasheet.forms import DemographicsForm
from annotation.datasheet.rules.demographics import FIELDS, THRESHOLD
from annotation.text import markdown
from annotation.ui.navigation import rooms


def _form(annotator: Annotator, *sent: Any, **more: Any) -> DemographicsForm:
    least = statement.about_of(annotator.project).threshold
    return DemographicsForm(*sent, least=least, **more)


def _initial(annotator: Annotator) -> dict[str, Any]:
    said = statement.demographics_of(annotator)
    shown = {name: getattr(said, name) for name in FIELDS if name != "region"}
    small = said.least <= statement.about_of(annotator.project).threshold
    return shown | {"region": annotator.region, "small": said.least < THRESHOLD and small}


def _refuse_left(annotator: Annotator) -> None:
    """Who left takes back what they said, and says nothing new. Raises Forbidden."""
    if annotator.left_at is not None:
        raise Forbidden


def _page(request: HttpRequest, annotator: Annotator, status: int = 200, **more: Any) -> HttpResponse:
    text, given = statement.consent_text(annotator.project), statement.consent_of(annotator)
    context = {
        "project": annotator.project,
        "annotator": annotator,
        "text": text,
        "html": SafeString(markdown.render(text.text)) if text else "",
        "given": given,
        "form": _form(annotator, initial=_initial(annotator)) if given and not annotator.left_at else None,
        "threshold": max(statement.about_of(annotator.project).threshold, THRESHOLD),
        **more,
    }
    return render(request, "annotation/datasheet/my_about.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_about(request: HttpRequest, slug: str) -> HttpResponse:
    """What one agreed to and said; POST says it anew. Open also to those who left: it is theirs to take back."""
    annotator = statement.own_place(request.user, slug)
    if request.method != "POST":
        return _page(request, annotator)
    _refuse_left(annotator)
    form = _form(annotator, request.POST)
    if not form.is_valid():
        return _page(request, annotator, status=422, form=form)
    threshold = statement.about_of(annotator.project).threshold
    least = min(threshold, THRESHOLD) if form.cleaned_data.get("small") else THRESHOLD
    try:
        demographics_save(annotator=annotator, said=form.said(), least=least)
    except Invalid as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, problem_words(refusal.code))
        return _page(request, annotator, status=422, form=form)
    except Conflict as refusal:
        return _page(request, annotator, status=409, problem=refusal.code)
    messages.success(request, gettext("Saved."))
    return redirect("my_about", slug=slug)


@login_required
@require_POST
def my_consent(request: HttpRequest, slug: str) -> HttpResponse:
    """Agree to the text that the page showed, or take the agreement back."""
    annotator = statement.own_place(request.user, slug)
    if request.POST.get("do") == "end":
        consent_end(annotator=annotator)
        messages.success(
            request, gettext("Taken back. What you said about yourself in this project was deleted.")
        )
        return redirect("my_about", slug=slug)
    _refuse_left(annotator)
    n = request.POST.get("n", "")
    try:
        consent_give(annotator=annotator, n=int(n) if n.isascii() and n.isdigit() and len(n) < 8 else 0)
    except Conflict as refusal:
        return _page(request, annotator, status=409, problem=refusal.code)
    messages.success(request, gettext("Thank you. Say below what you like; all of it is optional."))
    return redirect("my_about", slug=slug)


def _entry(
    request: HttpRequest, membership: access.Membership, status: int = 200, problem: str = ""
) -> HttpResponse:
    context = {
        "project": membership.project,
        "nav": rooms(membership),
        "conditions": membership.project.rules.entry,
        "problem": problem,
    }
    return render(request, "annotation/datasheet/entry.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's entry conditions, for a member who has not confirmed them; POST confirms."""
    membership = access.membership(request.user, slug)
    if membership.annotator is None:
        raise Forbidden
    if not statement.owes_entry(membership.annotator):
        return redirect("project", slug=slug)
    if request.method != "POST":
        return _entry(request, membership)
    if "true_of_me" not in request.POST:
        return _entry(request, membership, status=422, problem="entry_unticked")
    asked = {name: request.POST[name] for name in ("native_language", "years") if name in request.POST}
    try:
        entry_confirm(annotator=membership.annotator, asked=asked)
    except Conflict as refusal:
        return _entry(request, membership, status=409, problem=refusal.code)
    messages.success(request, gettext("Thank you. You can begin."))
    return redirect("project", slug=slug)
