"""The concepts of a project: counted by category, proposed by writers, reviewed and typed by leads (domain.md §5).

Writers see concepts and their states, never who writes for which.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.concepts.actions import (
    concept_change,
    concept_propose,
    concept_propose_again,
    concepts_take_over,
    concepts_type,
)
from annotation.concepts.actions import concept_review as actions_concept_review
from annotation.concepts.forms import AddForm, AgainForm, ChangeForm, ProposeForm, SureForm
from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.messages import problem_words
from annotation.elicitation.queries import has_elicitation, has_topics
from annotation.text.normalise import storable
from annotation.ui.navigation import link, rooms
from annotation.writing.views.slots import number

PAGE = 50
State = Concept.State


@dataclass(frozen=True)
class Category:
    """One category: how many concepts of each state, and how many are wanted."""

    name: str
    approved: int
    proposed: int
    returned: int
    target: int
    url: str


@dataclass(frozen=True)
class Filters:
    """What of the list is shown, from the address."""

    category: str
    state: str

    @classmethod
    def of(cls, request: HttpRequest) -> "Filters":
        category, state = request.GET.get("category", ""), request.GET.get("state", "")
        return cls("" if storable(category) else category, state if state in State.values else "")

    @property
    def query(self) -> str:
        """For links to other pages of the same list."""
        given = {"category": self.category, "state": self.state}
        plain = urlencode({name: value for name, value in given.items() if value})
        return f"{plain}&" if plain else ""

    @property
    def narrowed(self) -> bool:
        return bool(self.category or self.state)


def _categories(membership: Membership) -> list[Category]:
    address, target = link("concepts", membership.project.slug), membership.project.rules.category_target
    rows = (
        Concept.objects.filter(project=membership.project)
        .values_list("category")
        .annotate(
            approved=Count("pk", filter=Q(state=State.APPROVED)),
            proposed=Count("pk", filter=Q(state=State.PROPOSED)),
            returned=Count("pk", filter=Q(state=State.RETURNED)),
        )
        .order_by("category")
    )
    return [
        Category(name, approved, proposed, returned, target, f"{address}?{urlencode({'category': name})}")
        for name, approved, proposed, returned in rows
    ]


def _page(request: HttpRequest, membership: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    """The list with its forms; `more` may bring one of them back with what was typed."""
    filters, categories = Filters.of(request), _categories(membership)
    listed = (
        Concept.objects.filter(project=membership.project).select_related("target").order_by("category", "pk")
    )
    if filters.category:
        listed = listed.filter(category=filters.category)
    if filters.state:
        listed = listed.filter(state=filters.state)
    names, sourced = [category.name for category in categories], has_elicitation(membership.project)
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "concepts"),
        "kind": membership.project.kind_spec,
        "topics": has_topics(membership.project),
        "rules": membership.project.rules,
        "categories": categories,
        "filters": filters,
        "states": State.choices,
        "page": Paginator(listed, PAGE).get_page(request.GET.get("page")),
        "waiting": sum(category.proposed for category in categories),
        "propose": ProposeForm(categories=names, sourced=sourced) if membership.is_writer else None,
        "add": AddForm(categories=names, sourced=sourced, auto_id="add_%s") if membership.sees_all else None,
        "lists": access.concept_lists(membership) if membership.sees_all else [],
        **more,
    }
    return render(request, "annotation/concepts/concepts.html", context, status=status)


def _names(membership: Membership) -> list[str]:
    """The categories of the project."""
    rows = (
        Concept.objects.filter(project=membership.project)
        .order_by("category")
        .values_list("category", flat=True)
    )
    return list(rows.distinct())


def _refused(form: SureForm, refusal: Invalid | Conflict) -> int:
    """Put a refusal into the form that was sent; the status of the answer."""
    if refusal.code == "concept_near":
        form.warn(refusal.details["near"])
        return 422
    form.add_error(refusal.field if refusal.field in form.fields else None, problem_words(refusal.code))
    return refusal.status if isinstance(refusal, Conflict) else 422


@login_required
@require_GET
def concepts(request: HttpRequest, slug: str) -> HttpResponse:
    """Categories with counts towards the target, and the list."""
    return _page(request, access.concepts_place(request.user, slug))


@login_required
@require_POST
def concepts_propose(request: HttpRequest, slug: str) -> HttpResponse:
    """A writer proposes a concept."""
    membership = access.concepts_place(request.user, slug)
    _, writer = access.member(request.user, slug, "writer")
    form = ProposeForm(
        request.POST, categories=_names(membership), sourced=has_elicitation(membership.project)
    )
    if not form.is_valid():
        return _page(request, membership, status=422, propose=form)
    try:
        concept_propose(
            writer=writer, target=access.only_target(membership.project), sure=form.sure, **form.cleaned_data
        )
    except (Invalid, Conflict) as refusal:
        return _page(request, membership, status=_refused(form, refusal), propose=form)
    messages.success(request, gettext("Your concept was proposed. A QC lead looks at it."))
    return redirect("concepts", slug=slug)


@login_required
@require_POST
def concepts_add(request: HttpRequest, slug: str) -> HttpResponse:
    """A lead types concepts, one a line."""
    membership = _overseer(request, slug)
    form = AddForm(
        request.POST,
        categories=_names(membership),
        sourced=has_elicitation(membership.project),
        auto_id="add_%s",
    )
    if not form.is_valid():
        return _page(request, membership, status=422, add=form)
    given = form.cleaned_data
    try:
        new, known = concepts_type(
            target=access.only_target(membership.project),
            category=given["category"],
            texts=given["text"].splitlines(),
            source=given.get("source", ""),
            by=membership.user,
            sure=form.sure,
        )
    except (Invalid, Conflict) as refusal:
        return _page(request, membership, status=_refused(form, refusal), add=form)
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
    membership = _overseer(request, slug)
    source = next((p for p in access.concept_lists(membership) if p.slug == request.POST.get("source")), None)
    if source is None:
        return _page(request, membership, status=422, take_problem="concepts_source_missing")
    try:
        n = concepts_take_over(source=source, into=membership.project, by=membership.user)
    except Conflict as refusal:
        return _page(request, membership, status=409, take_problem=refusal.code)
    if n:
        words = ngettext("%(n)d concept was taken over.", "%(n)d concepts were taken over.", n)
        messages.success(request, words % {"n": n})
    else:
        messages.info(request, gettext("Nothing was new: all its approved concepts are here already."))
    return redirect("concepts", slug=slug)


def _overseer(request: HttpRequest, slug: str) -> Membership:
    """The viewer as lead or administrator of a project that has concepts."""
    access.concepts_place(request.user, slug)
    return access.overseer(request.user, slug)


# --- one concept ------------------------------------------------------------------------


def _change_form(membership: Membership, found: Concept, data: Any = None, **initial: Any) -> SureForm:
    stands = {"text": found.text, "category": found.category, "parallel": found.parallel}
    values = {**stands, "source": found.extra.get("source", ""), "version": found.version, **initial}
    kind = ChangeForm if membership.sees_all else AgainForm
    sourced = membership.sees_all and has_elicitation(membership.project)
    return kind(data, initial=values, categories=_names(membership), sourced=sourced)


def _one(
    request: HttpRequest, membership: Membership, found: Concept, *, status: int = 200, **more: Any
) -> HttpResponse:
    own = found.proposed_by is not None and found.proposed_by.user_id == membership.user.pk
    used = found.allocations.exists() or found.questions.exists()
    context = {
        "project": membership.project,
        "membership": membership,
        "nav": rooms(membership, "concepts"),
        "concept": found,
        "categories": _names(membership),
        "can_review": membership.sees_all and not own,
        "can_return": membership.sees_all and not own and not used,
        "can_change": membership.sees_all or found.state != State.APPROVED,
        "own": own,
        "used": used,
        "form": _change_form(membership, found),
        **more,
    }
    return render(request, "annotation/concepts/concept.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def concept(request: HttpRequest, slug: str, concept_id: int) -> HttpResponse:
    """One concept; POST changes it, or proposes it again. A page that is behind gets 409 with both wordings."""
    membership = access.concepts_place(request.user, slug)
    found = access.concept(membership, concept_id)
    if request.method != "POST":
        return _one(request, membership, found)
    form = _change_form(membership, found, request.POST)
    if not form.is_valid():
        return _one(request, membership, found, status=422, form=form)
    try:
        if membership.sees_all:
            concept_change(
                project=membership.project,
                concept_id=concept_id,
                by=membership.user,
                sure=form.sure,
                **form.cleaned_data,
            )
        else:
            _, writer = access.member(request.user, slug, "writer")
            concept_propose_again(writer=writer, concept_id=concept_id, sure=form.sure, **form.cleaned_data)
    except Conflict as refusal:
        if refusal.code != "stale":
            return _one(request, membership, found, status=_refused(form, refusal), form=form)
        found = access.concept(membership, concept_id)
        typed = {**form.cleaned_data, "version": found.version}
        again = _change_form(membership, found, **typed)
        return _one(request, membership, found, status=409, form=again, problem="concept_stale")
    except Invalid as refusal:
        return _one(request, membership, found, status=_refused(form, refusal), form=form)
    messages.success(request, gettext("Saved.") if membership.sees_all else gettext("Proposed again."))
    return redirect("concepts", slug=slug)


@login_required
@require_POST
def concept_review(request: HttpRequest, slug: str, concept_id: int) -> HttpResponse:
    """A lead approves a concept, or returns it with words."""
    membership = _overseer(request, slug)
    found = access.concept(membership, concept_id)
    act, words = request.POST.get("act"), request.POST.get("words", "")
    if act not in ("approve", "return"):
        raise NotFound
    try:
        done = actions_concept_review(
            project=membership.project,
            concept_id=concept_id,
            by=membership.user,
            version=number(request, "version"),
            approve=act == "approve",
            words=words,
        )
    except (Conflict, Invalid) as refusal:
        found = access.concept(membership, concept_id)
        code = "concept_stale" if refusal.code == "stale" else refusal.code
        status = 409 if isinstance(refusal, Conflict) else 422
        return _one(request, membership, found, status=status, problem=code, words=words)
    approved = done.state == State.APPROVED
    messages.success(
        request, gettext("The concept was approved.") if approved else gettext("The concept was returned.")
    )
    more = Concept.objects.filter(project=membership.project, state=State.PROPOSED).exists()
    return redirect(link("concepts", slug) + (f"?state={State.PROPOSED.value}" if more else ""))
