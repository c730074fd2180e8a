"""The second pass: one prompt a screen with four ticks for writers, and what is missing for leads (domain.md §6)."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.elicitation.actions.second_pass import second_look_save as actions_second_look_save
from annotation.elicitation.queries import prompts
from annotation.elicitation.rules.second_pass import COLUMNS, TICKS
from annotation.ui.navigation import rooms
from annotation.writing.views.form import form_of_item
from annotation.writing.views.slots import number
from annotation.writing.views.source_text import Reading, reading_of

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
