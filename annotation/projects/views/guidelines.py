"""Guidelines: everybody in the project reads them, leads and administrators publish new versions."""

from itertools import pairwise
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import guidelines_read
from annotation.core.errors import Conflict, Invalid, NotFound, first_or_not_found
from annotation.core.models.project import GuidelineVersion
from annotation.projects.actions.projects import guideline_publish
from annotation.projects.forms import GuidelineForm
from annotation.text import markdown
from annotation.text.differences import text_parts
from annotation.text.line_breaks import typed_text
from annotation.ui.pages import page, show_refusal

Role = GuidelineVersion.Role
VERSIONS_A_PAGE = 10


class Sheet(NamedTuple):
    """The guidelines of one role as the page shows them."""

    role: str
    name: str
    version: GuidelineVersion
    html: SafeString
    sections: list[markdown.Section]
    unread: bool


def _sheet(membership: Membership, version: GuidelineVersion) -> Sheet:
    concerned = membership.is_writer if version.role == Role.WRITING else membership.is_validator
    read = membership.annotator.read_guidelines.get(version.role, 0) if membership.annotator else 0
    unread = concerned and read < version.n
    html, sections = html_of(version, version.role), markdown.sections(version.text, version.role)
    return Sheet(version.role, version.get_role_display(), version, html, sections, unread)


def html_of(version: GuidelineVersion, name: str = "") -> SafeString:
    """Guidelines as markup, cleaned by text.markdown: nothing but a short list of elements is left.

    With a `name` their sections can be linked to.
    """
    return SafeString(markdown.render(version.text, name))


def _newest(membership: Membership, role: str) -> GuidelineVersion:
    return first_or_not_found(membership.project.guidelines.filter(role=role).order_by("-n"))


@login_required
@require_GET
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """The current guidelines of voting, and of writing where people write, what concerns the reader first."""
    membership = access.membership(request.user, slug)
    written = Role.values if membership.project.kind_spec.has_writers else [Role.VALIDATION.value]
    roles = sorted(written, key=lambda role: role == Role.WRITING and not membership.is_writer)
    sheets = [_sheet(membership, _newest(membership, role)) for role in roles]
    return page(request, membership, "guidelines", "annotation/projects/guidelines.html", sheets=sheets)


@login_required
@require_POST
def guidelines_mark(request: HttpRequest, slug: str, role: str) -> HttpResponse:
    """The reader says that they read this version."""
    membership = access.membership(request.user, slug)
    if membership.annotator is None:
        raise NotFound
    try:
        n = int(request.POST.get("n", ""))
    except ValueError as error:
        raise Invalid(field="n", code="number_wrong") from error
    guidelines_read(annotator=membership.annotator, role=role, n=n)
    return redirect("guidelines", slug=slug)


@login_required
@require_GET
def guidelines_versions(request: HttpRequest, slug: str, role: str) -> HttpResponse:
    """The versions of one role, newest first, each with its differences from the one before."""
    membership = access.membership(request.user, slug)
    role_name = _newest(membership, role).get_role_display()
    versions = membership.project.guidelines.filter(role=role).order_by("-n")
    shown = Paginator(versions, VERSIONS_A_PAGE).get_page(request.GET.get("page"))
    before = versions.filter(n__lt=shown[-1].n).first()
    with_one_before = [*shown, before] if before else list(shown)
    context: dict[str, Any] = {
        "role": role_name,
        "page": shown,
        "history": [(new, text_parts(old.text, new.text)) for new, old in pairwise(with_one_before)],
        "first": None if before else shown[-1],
    }
    return page(request, membership, "guidelines", "annotation/projects/guidelines_versions.html", **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def guidelines_edit(request: HttpRequest, slug: str, role: str) -> HttpResponse:
    """Publish a new version. A page that is behind gets 409, what was typed, and what differs."""
    membership = access.lead_membership(request.user, slug)
    newest = _newest(membership, role)
    initial = {"role": role, "version": membership.project.version, "text": newest.text}
    if request.method != "POST":
        return _edit(request, membership, newest, GuidelineForm(initial=initial))
    form = GuidelineForm(request.POST)
    if not form.is_valid():
        return _edit(request, membership, newest, form, status=422)
    sent = form.cleaned_data
    text = typed_text(sent["text"], newest.text)
    given = {"role": role, "text": text, "note": sent["note"], "version": sent["version"]}
    try:
        guideline_publish(project=membership.project, by=membership.user, **given)
    except Invalid as refusal:
        return _edit(request, membership, newest, form, status=show_refusal(form, refusal))
    except Conflict:
        membership.project.refresh_from_db()
        newest = _newest(membership, role)
        form = GuidelineForm(initial={**initial, **sent, "version": membership.project.version})
        parts = text_parts(newest.text, text)
        return _edit(request, membership, newest, form, status=409, difference=parts)
    return redirect("guidelines", slug=slug)


def _edit(
    request: HttpRequest, membership: Membership, newest: GuidelineVersion, form: GuidelineForm, **more: Any
) -> HttpResponse:
    template = "annotation/projects/guidelines_edit.html"
    return page(request, membership, "guidelines", template, newest=newest, form=form, **more)
