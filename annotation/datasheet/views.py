"""About a project, for administrators; and about oneself in a project, for its members."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.core import access, declared
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.messages import problem_words
from annotation.core.models.member import Annotator
from annotation.datasheet import actions
from annotation.datasheet import queries as statement
from annotation.datasheet.forms import LICENCES, AboutForm, ConsentForm, DemographicsForm, initial_of
from annotation.datasheet.rules import CONDITIONS, FIELDS, THRESHOLD, canary
from annotation.text import markdown
from annotation.text.differences import text_parts
from annotation.text.line_breaks import plain_breaks
from annotation.ui.pages import differences, page, posted_number, show_refusal, submit


def _page(request: HttpRequest, membership: Membership, status: int = 200, **more: Any) -> HttpResponse:
    project, text = membership.project, statement.consent_text(membership.project)
    stands = {"seen": text.n, "text": text.text} if text else {"seen": 0, "text": ""}
    context = {
        "form": AboutForm(initial=initial_of(statement.about_of(project))),
        "consent_form": ConsentForm(initial={**stands, "asks": "again"}),
        "consent": text,
        "agreed": statement.standing_consents(project).count(),
        "licences": LICENCES,
        "canary": canary(project.seed, project.slug),
        "replaced": declared.attribute("about_notes", "releases")(project),
        **more,
    }
    return page(request, membership, "about", "annotation/datasheet/about.html", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def about(request: HttpRequest, slug: str) -> HttpResponse:
    """The statements of releases about the project; POST changes them, and keeps what was typed if it is refused."""
    membership = access.administrator_membership(request.user, slug)
    if request.method != "POST":
        return _page(request, membership)
    form = AboutForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, status=422, form=form)
    project, sent = membership.project, form.cleaned_data
    try:
        actions.about_change(project=project, by=membership.user, changes=form.changes(), version=sent["version"])
    except Invalid as refusal:
        names = [f"{prefix}{refusal.field}" for prefix in ("", "section-", "answer-")]
        name = next((name for name in names if name in form.fields), None)
        form.add_error(name, problem_words(refusal.code))
        return _page(request, membership, status=422, form=form)
    except Conflict:
        stands = initial_of(statement.about_of(project))
        again = AboutForm(initial={**sent, "version": stands["version"]})
        return _page(request, membership, 409, form=again, differences=differences(form, sent, stands))
    messages.success(request, gettext("Saved. Releases from now on tell it."))
    return redirect("about", slug=slug)


@login_required
@require_POST
def about_consent(request: HttpRequest, slug: str) -> HttpResponse:
    """A new version of what members agree to; a page that is behind gets what was typed, and what differs."""
    membership = access.administrator_membership(request.user, slug)
    form = ConsentForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, status=422, consent_form=form)
    sent = form.cleaned_data
    given = {"text": sent["text"], "asks_again": sent["asks"] == "again", "seen": sent["seen"]}
    try:
        actions.consent_publish(project=membership.project, by=membership.user, **given)
    except Invalid as refusal:
        return _page(request, membership, status=show_refusal(form, refusal), consent_form=form)
    except Conflict:
        newest = statement.consent_text(membership.project)
        again = ConsentForm(initial={**sent, "seen": newest.n if newest else 0})
        parts = text_parts(newest.text if newest else "", plain_breaks(sent["text"]))
        return _page(request, membership, status=409, consent_form=again, consent_parts=parts)
    messages.success(request, gettext("Published. Members read it before they say anything about themselves."))
    return redirect("about", slug=slug)


# --- about oneself ----------------------------------------------------------------------


def _form(annotator: Annotator, *sent: Any, **more: Any) -> DemographicsForm:
    return DemographicsForm(*sent, least=statement.about_of(annotator.project).threshold, **more)


def _initial(annotator: Annotator) -> dict[str, Any]:
    stored = statement.demographics_of(annotator)
    shown = {name: getattr(stored, name) for name in FIELDS if name != "region"}
    small = stored.least <= statement.about_of(annotator.project).threshold
    return shown | {"region": annotator.region, "small": stored.least < THRESHOLD and small}


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
        return _my_page(request, annotator)
    _refuse_left(annotator)
    form, threshold = _form(annotator, request.POST), statement.about_of(annotator.project).threshold

    def save(sent: dict[str, Any]) -> None:
        least = min(threshold, THRESHOLD) if sent.get("small") else THRESHOLD
        actions.demographics_save(annotator=annotator, answers=form.answers(), least=least)

    if status := submit(form, save):
        # Without a standing agreement there is no form: the page says why.
        more = {"problem": "consent_missing"} if status == 409 else {"form": form}
        return _my_page(request, annotator, status=status, **more)
    messages.success(request, gettext("Saved."))
    return redirect("my_about", slug=slug)


@login_required
@require_POST
def my_consent(request: HttpRequest, slug: str) -> HttpResponse:
    """Agree to the text that the page showed, or take the agreement back."""
    annotator = statement.own_place(request.user, slug)
    if request.POST.get("do") == "end":
        actions.consent_end(annotator=annotator)
        messages.success(request, gettext("Taken back. What you said about yourself in this project was deleted."))
        return redirect("my_about", slug=slug)
    _refuse_left(annotator)
    try:
        actions.consent_give(annotator=annotator, n=posted_number(request, "n"))
    except Conflict as refusal:
        return _my_page(request, annotator, status=409, problem=refusal.code)
    messages.success(request, gettext("Thank you. Say below what you like; all of it is optional."))
    return redirect("my_about", slug=slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's entry conditions, for a member who has not confirmed them; POST confirms."""
    membership = access.membership(request.user, slug)
    if membership.annotator is None:
        raise Forbidden
    if not access.owes_entry(membership.annotator):
        return redirect("project", slug=slug)
    status, problem = 200, ""
    if request.method == "POST":
        asked = {name: request.POST[name] for name in CONDITIONS if name in request.POST}
        try:
            if "true_of_me" not in request.POST:
                raise Invalid(code="entry_unticked")
            actions.entry_confirm(annotator=membership.annotator, asked=asked)
        except (Invalid, Conflict) as refusal:
            status, problem = refusal.page_status, refusal.code
        else:
            messages.success(request, gettext("Thank you. You can begin."))
            return redirect("project", slug=slug)
    conditions = access.entry_conditions(membership.annotator)
    # Who writes and votes is asked once for what both ask: one language, and the longer time.
    languages = {conditions[name]: None for name in conditions if name.endswith("native_language")}
    years = max((int(conditions[name]) for name in conditions if name.endswith("years")), default=0)
    context = {"conditions": conditions, "languages": list(languages), "years": years, "problem": problem}
    return page(request, membership, "", "annotation/datasheet/entry.html", status=status, **context)
