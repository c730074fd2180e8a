"""Topics, where writers begin prompts and variations; and the second pass over prompts (Kalahi §3; domain.md §6)."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.elicitation import actions
from annotation.elicitation import queries as prompts
from annotation.elicitation.rules.sessions import TICK_COLUMNS, TICKS
from annotation.ui.pages import page, posted_number
from annotation.writing.views.form import form_of_item
from annotation.writing.views.source_text import reading_of

TOPICS_A_PAGE, PROMPTS_A_PAGE = 25, 50


@login_required
@require_GET
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The approved topics, each with one's own prompts."""
    membership, writer = prompts.topics_membership(request.user, slug)
    return _topics_page(request, membership, writer)


def _topics_page(
    request: HttpRequest, membership: Membership, writer: Annotator, *, status: int = 200, problem: str = ""
) -> HttpResponse:
    approved = Concept.objects.filter(project=membership.project, state=Concept.State.APPROVED)
    shown = Paginator(approved.order_by("text", "pk"), TOPICS_A_PAGE).get_page(request.GET.get("page"))
    kind = membership.project.kind_spec
    context = {
        "page": shown,
        "topics": prompts.topics_of(writer, list(shown)),
        "is_open": membership.project.closed_at is None,
        "source_plural": kind.source.plural,
        "item_name": kind.presentation.item_name,
        "problem": problem,
    }
    return page(request, membership, "topics", "annotation/writing/topics.html", status=status, **context)


@login_required
@require_POST
def topic_begin(request: HttpRequest, slug: str, concept_id: int) -> HttpResponse:
    """Begin a prompt on a topic."""
    membership, writer = prompts.topics_membership(request.user, slug)
    try:
        allocation = actions.prompt_new(writer=writer, concept_id=concept_id)
    except Conflict as refusal:
        return _topics_page(request, membership, writer, status=409, problem=refusal.code)
    return redirect("write_set", slug=slug, token=allocation.token)


@login_required
@require_POST
def topic_vary(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Begin a variation of one of one's own prompts."""
    membership, writer = prompts.topics_membership(request.user, slug)
    try:
        allocation = actions.variation_new(writer=writer, item_id=item_id)
    except Conflict as refusal:
        return _topics_page(request, membership, writer, status=409, problem=refusal.code)
    return redirect("write_set", slug=slug, token=allocation.token)


# --- the second pass --------------------------------------------------------------------


@login_required
@require_GET
def second_look(request: HttpRequest, slug: str) -> HttpResponse:
    """The next prompt that this writer has not looked through as it stands; leads get their table."""
    membership = prompts.second_look_place(request.user, slug)
    if not membership.is_writer:
        return _second_look_table(request, membership)
    membership, writer = access.require_role(request.user, slug, "writer")
    item = prompts.items_left_to_look_at(writer).first() if prompts.has_second_look_begun(membership.project) else None
    return _second_look_page(request, membership, writer, item)


@login_required
@require_GET
def second_looks(request: HttpRequest, slug: str) -> HttpResponse:
    """What every writer has not ticked yet, for leads."""
    return _second_look_table(request, prompts.second_look_place(request.user, slug))


@login_required
@require_POST
def second_look_save(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Keep one writer's ticks, and go on to the next prompt."""
    prompts.second_look_place(request.user, slug)
    membership, writer = access.require_role(request.user, slug, "writer")
    item = prompts.second_look_item(writer, item_id)
    given = [tick for tick in request.POST.getlist("tick") if tick in TICKS]
    words, revision = request.POST.get("words", ""), posted_number(request, "revision")
    try:
        actions.second_look_save(writer=writer, item_id=item.pk, revision_n=revision, ticks=given, words=words)
    except (Conflict, Invalid) as refusal:
        kept: dict[str, Any] = {"given": given, "words": words, "problem": refusal.code}
        return _second_look_page(request, membership, writer, item, status=refusal.page_status, **kept)
    return redirect("second_look", slug=slug)


def _second_look_page(
    request: HttpRequest,
    membership: Membership,
    writer: Annotator,
    item: Item | None,
    *,
    status: int = 200,
    given: list[str] | None = None,
    **more: Any,
) -> HttpResponse:
    total, left = (
        prompts.second_look_items(membership.project).count(),
        prompts.items_left_to_look_at(writer).count(),
    )
    context = {
        "keys_off": not membership.user.single_keys,
        "began": prompts.has_second_look_begun(membership.project),
        "shown": item and _shown_prompt(item),
        "ticks": [(place, tick, name, tick in (given or ())) for place, (tick, name) in enumerate(TICKS.items(), 1)],
        "total": total,
        "done": total - left,
        "is_open": membership.project.closed_at is None,
        **more,
    }
    template = "annotation/writing/second_look.html"
    return page(request, membership, "second_look", template, status=status, **context)


def _shown_prompt(item: Item) -> dict[str, Any]:
    """A prompt as its writers read it through: the whole text, and the responses with what they are."""
    kind, content = item.project.kind_spec, content_queries.contents([item])[item.pk]
    text, topic = kind.presentation.headline(content)
    reading = reading_of(form_of_item(item), kind.authoring.slot_from_content(content), options_only=True)
    return {"item": item, "text": text, "topic": str(content.get("concept", topic)), "reading": reading}


def _second_look_table(request: HttpRequest, membership: Membership) -> HttpResponse:
    shown = Paginator(prompts.second_look_rows(membership), PROMPTS_A_PAGE).get_page(request.GET.get("page"))
    texts, kind = content_queries.contents([row.item for row in shown]), membership.project.kind_spec
    context: dict[str, Any] = {
        "page": shown,
        "rows": [(row, kind.presentation.headline(texts[row.item.pk])[0]) for row in shown],
        "total": prompts.second_look_items(membership.project).count(),
        "began": prompts.has_second_look_begun(membership.project),
        "ticks": list(TICK_COLUMNS.values()),
    }
    return page(request, membership, "second_look", "annotation/writing/second_looks.html", **context)
