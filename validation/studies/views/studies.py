"""The pages of studies, the same for every kind: the list, a new one, one with its progress and report, its files."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound, Refusal
from annotation.ui.csv_files import csv_answer
from annotation.ui.pages import page, show_refusal, words_of
from validation.studies.actions import studies as actions
from validation.studies.models import Study
from validation.studies.queries import studies as fetch
from validation.studies.study_types import StudyForm, StudyType, all_study_types, study_type_of
from validation.studies.views.pages import state_tag


def _overseer(request: HttpRequest, slug: str) -> Membership:
    """Leads and administrators; for others there are no such pages."""
    return access.lead_membership(request.user, slug)


@login_required
@require_safe
def studies(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's studies, and what can be drawn."""
    membership = _overseer(request, slug)
    kinds = [kind for kind in all_study_types().values() if kind.is_available(membership.project)]
    if not kinds:
        raise NotFound
    listed = [(each, _state(each.study)) for each in fetch.studies_of(membership, kinds)]
    drawn_by = [(kind, fetch.may_draw(membership, kind)) for kind in kinds]
    template = "validation/studies/studies.html"
    return page(request, membership, "studies", template, listed=listed, kinds=drawn_by)


def _state(study: Study) -> str:
    is_open = study.project.closed_at is None
    return state_tag(_("open") if is_open else _("closed"), is_open=is_open)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Draw a study of a kind."""
    membership = _overseer(request, slug)
    of = study_type_of(membership.project, kind)
    if not fetch.may_draw(membership, of):
        raise Forbidden
    people = of.eligible_members(membership.project)
    if request.method != "POST":
        form = of.form(initial=request.GET.dict(), people=people)
        return _form(request, membership, of, form)
    form = of.form(request.POST, request.FILES, people=people)
    prepared = of.prepare_form(membership.project, form)
    if not prepared or not form.is_valid():
        return _form(request, membership, of, form, status=422)
    try:
        sent = form.cleaned_data
        made = actions.study_create(
            kind=of,
            project=membership.project,
            slug=sent["slug"],
            by=membership.user,
            sent=sent,
            name=sent["name"],
            members=sent.get("members", ()),
        )
    except (Invalid, Conflict) as refusal:
        return _form(request, membership, of, form, status=show_refusal(form, refusal))
    messages.success(request, _("It is drawn. People answer it in a project of its own: invite them there."))
    return redirect("study", slug, kind, made.n)


def _form(
    request: HttpRequest, membership: Membership, kind: StudyType, form: StudyForm, *, status: int = 200
) -> HttpResponse:
    shown = {"kind": kind, "form": form, "prepared": kind.prepare_form(membership.project, form)}
    return page(request, membership, "studies", "validation/studies/study_new.html", status=status, **shown)


def _requested_study(request: HttpRequest, slug: str, kind: str, n: int) -> tuple[Membership, StudyType, Study]:
    membership = _overseer(request, slug)
    of = study_type_of(membership.project, kind)
    return membership, of, fetch.study_of(membership, of, n)


@login_required
@require_safe
def study(request: HttpRequest, slug: str, kind: str, n: int) -> HttpResponse:
    """One study: how far it is, who answers, and its report once that may be read."""
    return _study_page(request, *_requested_study(request, slug, kind, n))


def _study_page(
    request: HttpRequest,
    membership: Membership,
    of: StudyType,
    found: Study,
    refusal: Refusal | None = None,
) -> HttpResponse:
    people = fetch.people(found)
    grouped = any(each.group for each in people)
    reports = fetch.shows_report(found, of)
    shown = {
        "kind": of,
        "study": found,
        "state": _state(found),
        "size": found.rows.count(),
        "people": people,
        "groups": [(group.key.removeprefix("group-"),) * 2 for group in fetch.groups_of(found)] if grouped else [],
        "without": [(each.pseudonym,) * 2 for each in people if grouped and not each.group],
        "may_draw": fetch.may_draw(membership, of),
        "refusal": refusal and words_of(refusal),
        "field": refusal and refusal.field,
        "enters": fetch.can_open(membership, found.project),
        "reports": reports,
        "files": [(name, words) for name, (words, _file) in of.csv_files.items()] if reports else (),
        **(of.report(request, found) if reports else {}),
    }
    status = refusal.page_status if refusal else 200
    return page(request, membership, "studies", "validation/studies/study.html", status=status, **shown)


@login_required
@require_POST
def study_close(request: HttpRequest, slug: str, kind: str, n: int) -> HttpResponse:
    """Close a study, so that nobody answers any more, or open it again."""
    membership, of, found = _requested_study(request, slug, kind, n)
    if not fetch.may_draw(membership, of):
        raise Forbidden
    closed = request.POST.get("closed") == "1"
    try:
        actions.study_close(study=found, by=membership.user, closed=closed, confirm=request.POST.get("confirm", ""))
    except Invalid as refusal:
        return _study_page(request, membership, of, found, refusal)
    messages.success(request, _("The study is closed.") if closed else _("The study is open again."))
    return redirect("study", slug, kind, n)


@login_required
@require_POST
def study_join(request: HttpRequest, slug: str, kind: str, n: int) -> HttpResponse:
    """Give somebody who joined the study's project later the items of a group."""
    membership, of, found = _requested_study(request, slug, kind, n)
    if not fetch.may_draw(membership, of):
        raise Forbidden
    member, group = request.POST.get("member", ""), request.POST.get("group", "")
    try:
        actions.study_group_join(study=found, member=member, group=group, by=membership.user)
    except (Invalid, Conflict) as refusal:
        return _study_page(request, membership, of, found, refusal)
    words = _("%(who)s answers the items of group %(group)s from now on.")
    messages.success(request, words % {"who": member, "group": group})
    return redirect("study", slug, kind, n)


@login_required
@require_safe
def study_file(request: HttpRequest, slug: str, kind: str, n: int, name: str) -> HttpResponse:
    """One of a study's files, once its report may be read."""
    _membership, of, found = _requested_study(request, slug, kind, n)
    if name not in of.csv_files:
        raise NotFound
    if not fetch.shows_report(found, of):
        raise Forbidden
    _words, rows = of.csv_files[name]
    return csv_answer(request, rows(found), f"{slug}-{kind}-{n}-{name}.csv")
