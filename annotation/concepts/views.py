"""The concepts of a project: counted by category, proposed by writers, reviewed and typed by leads (domain.md §5).

Writers see concepts and their states, never who writes for which.
"""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.concepts import actions, queries
from annotation.concepts.forms import AddForm, AgainForm, ChangeForm, ProposeForm, SureForm
from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.elicitation.queries import has_elicitation, has_topics
from annotation.text.normalise import storage_problem
from annotation.ui.navigation import page_url
from annotation.ui.pages import page, posted_number, show_refusal

CONCEPTS_A_PAGE = 50
State = Concept.State


class Filters(NamedTuple):
    """What of the list is shown, from the address, and the same for links to other pages of the list."""

    category: str
    state: str
    chosen: dict[str, str]
    narrowed: bool
    query: str


def _filters(request: HttpRequest) -> Filters:
    category, state = request.GET.get("category", ""), request.GET.get("state", "")
    category, state = "" if storage_problem(category) else category, state if state in State.values else ""
    chosen = {name: value for name, value in (("category", category), ("state", state)) if value}
    return Filters(category, state, chosen, bool(chosen), f"{urlencode(chosen)}&" if chosen else "")


class Category(NamedTuple):
    """One category: how many concepts of each state, and how many are wanted."""

    name: str
    approved: int
    proposed: int
    returned: int
    target: int
    url: str


def _categories(membership: Membership) -> list[Category]:
    address, target = page_url("concepts", membership.project.slug), membership.project.rules.category_target
    rows = (
        Concept.objects.filter(project=membership.project)
        .values_list("category")
        .annotate(
            approved=Count("pk", filter=Q(state=State.APPROVED)),
            proposed=Count("pk", filter=Q(state=State.PROPOSED)),
            returned=Count("pk", filter=Q(state=State.RETURNED)),
        )
    )
    return [
        Category(name, approved, proposed, returned, target, f"{address}?{urlencode({'category': name})}")
        for name, approved, proposed, returned in rows.order_by("category")
    ]


def _page(request: HttpRequest, membership: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    """The list with its forms; `more` may bring one of them back with what was typed."""
    filters, categories = _filters(request), _categories(membership)
    listed = Concept.objects.filter(project=membership.project, **filters.chosen)
    listed = listed.select_related("target").order_by("category", "pk")
    given: dict[str, Any] = {
        "categories": [row.name for row in categories],
        "sourced": has_elicitation(membership.project),
    }
    context = {
        "kind": membership.project.kind_spec,
        "topics": has_topics(membership.project),
        "rules": membership.project.rules,
        "categories": categories,
        "names": [(row.name, row.name) for row in categories],
        "filters": filters,
        "states": State.choices,
        "page": Paginator(listed, CONCEPTS_A_PAGE).get_page(request.GET.get("page")),
        "waiting": sum(row.proposed for row in categories),
        "propose": ProposeForm(**given) if _may_propose(membership) else None,
        "add": AddForm(auto_id="add_%s", **given) if membership.sees_all else None,
        "lists": queries.concept_source_projects(membership) if membership.sees_all else [],
        **more,
    }
    return page(request, membership, "concepts", "annotation/concepts/concepts.html", status=status, **context)


def _may_propose(membership: Membership) -> bool:
    """Writers, once they passed the quiz that they owe."""
    writer = membership.annotator
    return membership.is_writer and writer is not None and not writer.owes_quiz("writer")


def _category_names(membership: Membership) -> list[str]:
    """The categories of the project."""
    rows = Concept.objects.filter(project=membership.project).order_by("category")
    return list(rows.values_list("category", flat=True).distinct())


def _show_refusal(form: SureForm, refusal: Invalid | Conflict) -> int:
    """Put a refusal into the form that was sent; nearly equal concepts are shown and asked about. The page's status."""
    if refusal.code != "concept_near":
        return show_refusal(form, refusal)
    form.warn(refusal.details["near"])
    return 422


@login_required
@require_GET
def concepts(request: HttpRequest, slug: str) -> HttpResponse:
    """Categories with counts towards the target, and the list."""
    return _page(request, queries.concepts_membership(request.user, slug))


@login_required
@require_POST
def concepts_propose(request: HttpRequest, slug: str) -> HttpResponse:
    """A writer proposes a concept."""
    membership = queries.concepts_membership(request.user, slug)
    _, writer = access.writer_at_work(request.user, slug)
    given: dict[str, Any] = {
        "categories": _category_names(membership),
        "sourced": has_elicitation(membership.project),
    }
    form = ProposeForm(request.POST, **given)
    if not form.is_valid():
        return _page(request, membership, status=422, propose=form)
    target = access.only_target(membership.project)
    try:
        actions.concept_propose(writer=writer, target=target, sure=form.sure, **form.cleaned_data)
    except (Invalid, Conflict) as refusal:
        return _page(request, membership, status=_show_refusal(form, refusal), propose=form)
    messages.success(request, gettext("Your concept was proposed. A QC lead looks at it."))
    return redirect("concepts", slug=slug)


@login_required
@require_POST
def concepts_add(request: HttpRequest, slug: str) -> HttpResponse:
    """A lead types concepts, one a line."""
    membership = _lead_membership(request, slug)
    given: dict[str, Any] = {
        "categories": _category_names(membership),
        "sourced": has_elicitation(membership.project),
    }
    form = AddForm(request.POST, auto_id="add_%s", **given)
    if not form.is_valid():
        return _page(request, membership, status=422, add=form)
    sent = {**form.cleaned_data, "texts": form.cleaned_data["text"].splitlines(), "sure": form.sure}
    del sent["text"]
    try:
        target = access.only_target(membership.project)
        new, known = actions.concepts_add_typed(target=target, by=membership.user, **sent)
    except (Invalid, Conflict) as refusal:
        return _page(request, membership, status=_show_refusal(form, refusal), add=form)
    words = ngettext("%(n)d concept was added.", "%(n)d concepts were added.", new) % {"n": new}
    if known:
        there = ngettext("%(n)d was there already.", "%(n)d were there already.", known) % {"n": known}
        words = f"{words} {there}"
    messages.success(request, words)
    return redirect("concepts", slug=slug)


@login_required
@require_POST
def concepts_take(request: HttpRequest, slug: str) -> HttpResponse:
    """Take another project's approved concepts over, under the same shared keys."""
    membership = _lead_membership(request, slug)
    source = next(
        (p for p in queries.concept_source_projects(membership) if p.slug == request.POST.get("source")), None
    )
    if source is None:
        return _page(request, membership, status=422, take_problem="concepts_source_missing")
    try:
        n = actions.concepts_take_over(source=source, into=membership.project, by=membership.user)
    except Conflict as refusal:
        return _page(request, membership, status=409, take_problem=refusal.code)
    if n:
        words = ngettext("%(n)d concept was taken over.", "%(n)d concepts were taken over.", n)
        messages.success(request, words % {"n": n})
    else:
        messages.info(request, gettext("Nothing was new: all its approved concepts are here already."))
    return redirect("concepts", slug=slug)


def _lead_membership(request: HttpRequest, slug: str) -> Membership:
    """The viewer as lead or administrator of a project that has concepts."""
    queries.concepts_membership(request.user, slug)
    return access.lead_membership(request.user, slug)


# --- one concept ------------------------------------------------------------------------


def _change_form(membership: Membership, concept: Concept, data: Any = None, **initial: Any) -> SureForm:
    stands = {"text": concept.text, "category": concept.category, "parallel": concept.parallel}
    values = {**stands, "source": concept.extra.get("source", ""), "version": concept.version, **initial}
    kind = ChangeForm if membership.sees_all else AgainForm
    sourced = membership.sees_all and has_elicitation(membership.project)
    return kind(data, initial=values, categories=_category_names(membership), sourced=sourced)


def _concept_page(
    request: HttpRequest, membership: Membership, concept: Concept, *, status: int = 200, **more: Any
) -> HttpResponse:
    own = concept.proposed_by is not None and concept.proposed_by.user_id == membership.user.pk
    used = concept.allocations.exists() or concept.questions.exists()
    context = {
        "concept": concept,
        "categories": _category_names(membership),
        "can_review": membership.sees_all and not own,
        "can_return": membership.sees_all and not own and not used,
        "can_change": membership.sees_all or concept.state != State.APPROVED,
        "own": own,
        "used": used,
        "form": _change_form(membership, concept),
        **more,
    }
    return page(request, membership, "concepts", "annotation/concepts/concept.html", status=status, **context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def concept(request: HttpRequest, slug: str, concept_id: int) -> HttpResponse:
    """One concept; POST changes it, or proposes it again. A page that is behind gets 409 with both wordings."""
    membership = queries.concepts_membership(request.user, slug)
    one = queries.concept(membership, concept_id)
    if request.method != "POST":
        return _concept_page(request, membership, one)
    form = _change_form(membership, one, request.POST)
    if not form.is_valid():
        return _concept_page(request, membership, one, status=422, form=form)
    sent = {"concept_id": concept_id, "sure": form.sure, **form.cleaned_data}
    try:
        if membership.sees_all:
            actions.concept_change(project=membership.project, by=membership.user, **sent)
        else:
            _, writer = access.require_role(request.user, slug, "writer")
            actions.concept_propose_again(writer=writer, **sent)
    except Conflict as refusal:
        if refusal.code != "stale":
            return _concept_page(request, membership, one, status=_show_refusal(form, refusal), form=form)
        one = queries.concept(membership, concept_id)
        typed = {**form.cleaned_data, "version": one.version}
        again = _change_form(membership, one, **typed)
        return _concept_page(request, membership, one, status=409, form=again, problem="concept_stale")
    except Invalid as refusal:
        return _concept_page(request, membership, one, status=_show_refusal(form, refusal), form=form)
    messages.success(request, gettext("Saved.") if membership.sees_all else gettext("Proposed again."))
    return redirect("concepts", slug=slug)


@login_required
@require_POST
def concept_review(request: HttpRequest, slug: str, concept_id: int) -> HttpResponse:
    """A lead approves a concept, or returns it with words."""
    membership = _lead_membership(request, slug)
    one = queries.concept(membership, concept_id)
    act, words = request.POST.get("act"), request.POST.get("words", "")
    if act not in ("approve", "return"):
        raise NotFound
    try:
        actions.concept_review(
            project=membership.project,
            concept_id=concept_id,
            by=membership.user,
            version=posted_number(request, "version"),
            approve=act == "approve",
            words=words,
        )
    except (Conflict, Invalid) as refusal:
        one = queries.concept(membership, concept_id)
        code = "concept_stale" if refusal.code == "stale" else refusal.code
        return _concept_page(request, membership, one, status=refusal.page_status, problem=code, words=words)
    approved = act == "approve"
    messages.success(
        request, gettext("The concept was approved.") if approved else gettext("The concept was returned.")
    )
    more = Concept.objects.filter(project=membership.project, state=State.PROPOSED).exists()
    return redirect(page_url("concepts", slug) + (f"?state={State.PROPOSED.value}" if more else ""))
