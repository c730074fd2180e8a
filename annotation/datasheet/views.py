"""About a project, for administrators; and about oneself in a project, for its members."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.core.views.projects import differences
from annotation.datasheet import queries as statement
from annotation.datasheet.actions import (
    about_change,
    consent_end,
    consent_give,
    consent_publish,
    demographics_save,
    entry_confirm,
)
from annotation.datasheet.forms import LICENCES, AboutForm, ConsentForm, DemographicsForm, initial_of
from annotation.datasheet.rules import FIELDS, THRESHOLD, canary
from annotation.text import markdown
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


def _my_form(annotator: Annotator, *sent: Any, **more: Any) -> DemographicsForm:
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


def _my_page(request: HttpRequest, annotator: Annotator, status: int = 200, **more: Any) -> HttpResponse:
    text, given = statement.consent_text(annotator.project), statement.consent_of(annotator)
    context = {
        "project": annotator.project,
        "annotator": annotator,
        "text": text,
        "html": SafeString(markdown.render(text.text)) if text else "",
        "given": given,
        "form": _my_form(annotator, initial=_initial(annotator)) if given and not annotator.left_at else None,
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
        return _my_page(request, annotator)
    _refuse_left(annotator)
    form = _my_form(annotator, request.POST)
    if not form.is_valid():
        return _my_page(request, annotator, status=422, form=form)
    threshold = statement.about_of(annotator.project).threshold
    least = min(threshold, THRESHOLD) if form.cleaned_data.get("small") else THRESHOLD
    try:
        demographics_save(annotator=annotator, said=form.said(), least=least)
    except Invalid as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, problem_words(refusal.code))
        return _my_page(request, annotator, status=422, form=form)
    except Conflict as refusal:
        return _my_page(request, annotator, status=409, problem=refusal.code)
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
        return _my_page(request, annotator, status=409, problem=refusal.code)
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
