"""Topics, where writers begin prompts and variations; and the second pass over prompts (Kalahi §3; domain.md §6)."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.elicitation import queries as prompts
from annotation.elicitation.actions import prompt_new, variation_new
from annotation.elicitation.actions import second_look_save as actions_second_look_save
from annotation.elicitation.rules.sessions import COLUMNS, TICKS
from annotation.ui.navigation import rooms
from annotation.writing.views.form import form_of_item
from annotation.writing.views.slots import number
from annotation.writing.views.source_text import Reading, reading_of

TOPICS_A_PAGE = 25


@login_required
@require_GET
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The approved topics, each with one's own prompts."""
    membership, writer = prompts.topics_place(request.user, slug)
    return _topics_page(request, membership, writer)


def _topics_page(
    request: HttpRequest, membership: Membership, writer: Annotator, *, status: int = 200, problem: str = ""
) -> HttpResponse:
    approved = Concept.objects.filter(project=membership.project, state=Concept.State.APPROVED)
    page = Paginator(approved.order_by("text", "pk"), TOPICS_A_PAGE).get_page(request.GET.get("page"))
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
        return _topics_page(request, membership, writer, status=409, problem=refusal.code)
    return _to(slug, allocation)


@login_required
@require_POST
def topic_vary(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Begin a variation of one of one's own prompts."""
    membership, writer = prompts.topics_place(request.user, slug)
    try:
        allocation = variation_new(writer=writer, item_id=item_id)
    except Conflict as refusal:
        return _topics_page(request, membership, writer, status=409, problem=refusal.code)
    return _to(slug, allocation)


def _to(slug: str, allocation: Allocation) -> HttpResponse:
    return redirect("write_set", slug=slug, token=allocation.token)


PAGE = 50


@dataclass(frozen=True)
class Shown:
    """A prompt as its writers read it through: the whole text, and the responses with what they are."""

    item: Item
    text: str
    topic: str
    reading: Reading


@login_required
@require_GET
def second_look(request: HttpRequest, slug: str) -> HttpResponse:
    """The next prompt that this writer has not looked through as it stands; leads get their table."""
    membership = prompts.second_place(request.user, slug)
    if membership.is_writer:
        membership, writer = access.member(request.user, slug, "writer")
        item = prompts.unseen(writer).first() if prompts.looking_began(membership.project) else None
        return _page(request, membership, writer, item)
    return _table(request, membership)


@login_required
@require_GET
def second_looks(request: HttpRequest, slug: str) -> HttpResponse:
    """What every writer has not ticked yet, for leads."""
    return _table(request, prompts.second_place(request.user, slug))


@login_required
@require_POST
def second_look_save(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Keep one writer's ticks, and go on to the next prompt."""
    membership = prompts.second_place(request.user, slug)
    membership, writer = access.member(request.user, slug, "writer")
    item = prompts.look_item(writer, item_id)
    given = [tick for tick in request.POST.getlist("tick") if tick in TICKS]
    words = request.POST.get("words", "")
    try:
        actions_second_look_save(
            writer=writer, item_id=item.pk, revision_n=number(request, "revision"), ticks=given, words=words
        )
    except (Conflict, Invalid) as refusal:
        status = 409 if isinstance(refusal, Conflict) else 422
        return _page(
            request, membership, writer, item, status=status, given=given, words=words, problem=refusal.code
        )
    return redirect("second_look", slug=slug)


def _page(
    request: HttpRequest,
    membership: Membership,
    writer: Annotator,
    item: Item | None,
    *,
    status: int = 200,
    given: list[str] | None = None,
    words: str = "",
    problem: str = "",
) -> HttpResponse:
    total, left = prompts.to_look(membership.project).count(), prompts.unseen(writer).count()
    context = {
        "project": membership.project,
        "nav": rooms(membership, "second_look"),
        "keys_off": not membership.user.single_keys,
        "membership": membership,
        "began": prompts.looking_began(membership.project),
        "shown": item and _shown(item),
        "ticks": [
            (place, tick, name, tick in (given or ())) for place, (tick, name) in enumerate(TICKS.items(), 1)
        ],
        "words": words,
        "total": total,
        "done": total - left,
        "is_open": membership.project.closed_at is None,
        "problem": problem,
    }
    return render(request, "annotation/elicitation/second_look.html", context, status=status)


def _shown(item: Item) -> Shown:
    kind, content = item.project.kind_spec, access.contents([item])[item.pk]
    text, topic = kind.headline(content)
    reading = reading_of(form_of_item(item), kind.written(content), options_only=True)
    return Shown(item, text, str(content.get("concept", topic)), reading)


def _table(request: HttpRequest, membership: Membership) -> HttpResponse:
    rows = prompts.second_rows(membership)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    kind = membership.project.kind_spec
    texts = access.contents([row.item for row in page])
    context = {
        "project": membership.project,
        "nav": rooms(membership, "second_look"),
        "page": page,
        "rows": [(row, kind.headline(texts[row.item.pk])[0]) for row in page],
        "total": prompts.to_look(membership.project).count(),
        "began": prompts.looking_began(membership.project),
        "ticks": list(COLUMNS.values()),
    }
    return render(request, "annotation/elicitation/second_looks.html", context)
