"""Topics: where writers begin a prompt, go on with one, or make a variation of one of their own (Kalahi §3.1)."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.source import Allocation, Concept
from annotation.core.access import Membership
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.elicitation.actions.prompts import prompt_new, variation_new
from annotation.elicitation.queries import prompts
from annotation.ui.navigation import rooms

PAGE = 25


@login_required
@require_GET
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The approved topics, each with one's own prompts."""
    membership, writer = prompts.topics_place(request.user, slug)
    return _page(request, membership, writer)


def _page(
    request: HttpRequest, membership: Membership, writer: Annotator, *, status: int = 200, problem: str = ""
) -> HttpResponse:
    approved = Concept.objects.filter(project=membership.project, state=Concept.State.APPROVED)
    page = Paginator(approved.order_by("text", "pk"), PAGE).get_page(request.GET.get("page"))
    kind = membership.project.kind_spec
    context = {
        "project": membership.project,
        "nav": rooms(membership, "topics"),
        "page": page,
        "topics": prompts.topics_of(writer, list(page)),
        "is_open": membership.project.closed_at is None,
        "source_plural": kind.source_plural,
        "item_name": kind.item_name,
        "problem": problem,
    }
    return render(request, "annotation/elicitation/topics.html", context, status=status)


@login_required
@require_POST
def topic_begin(request: HttpRequest, slug: str, concept_id: int) -> HttpResponse:
    """Begin a prompt on a topic."""
    membership, writer = prompts.topics_place(request.user, slug)
    try:
        allocation = prompt_new(writer=writer, concept_id=concept_id)
    except Conflict as refusal:
        return _page(request, membership, writer, status=409, problem=refusal.code)
    return _to(slug, allocation)


@login_required
@require_POST
def topic_vary(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Begin a variation of one of one's own prompts."""
    membership, writer = prompts.topics_place(request.user, slug)
    try:
        allocation = variation_new(writer=writer, item_id=item_id)
    except Conflict as refusal:
        return _page(request, membership, writer, status=409, problem=refusal.code)
    return _to(slug, allocation)


def _to(slug: str, allocation: Allocation) -> HttpResponse:
    return redirect("write_set", slug=slug, token=allocation.token)
