"""Going through the tags of a diagnostic set: one item a screen, with its gold label; the answer is the next item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.kinds import Label
from annotation.kinds.base import text_at
from annotation.text.phenomena import PHENOMENA, Phenomenon
from validation.studies.actions.diagnostic import LOOK, diagnostic_confirm
from validation.studies.models.diagnostic import DiagnosticRow
from validation.studies.queries import diagnostic as fetch
from validation.voting.views.card_page import CardPage, by_script

# The keys of the fifteen, in the order of Appendix F.
KEYS = (*"1234567890", *"qwert")
PAGE = CardPage(
    room="tags",
    name=_("Phenomena"),
    page="validation/studies/tags.html",
    card="validation/studies/partials/tag_card.html",
    send="tags_row",
)


@dataclass(frozen=True)
class Tick:
    """One tag on the card: whether it is ticked, and whether the author gave it."""

    tag: Phenomenon
    key: str
    ticked: bool
    authors: bool


@dataclass(frozen=True)
class TagCard:
    """What an expert sees of an item; who wrote it and how many there are is not told."""

    token: str
    shown: str
    texts: list[tuple[str, str, bool]]
    gold: Label | None
    language: str
    ticks: list[Tick]


def _card(
    membership: Membership, expert: Annotator, row: DiagnosticRow, ticked: Sequence[str] | None = None
) -> TagCard:
    content, kind = fetch.content_of(row), membership.project.kind_spec
    chosen = fetch.tags_of(row, content) if ticked is None else ticked
    authors = fetch.author_tags(content)
    return TagCard(
        token=row.token,
        shown=LOOK.mark(expert, row.token),
        texts=[
            (text.name, text_at(content, text.key), text.shared)
            for text in kind.texts_in(content)
            if text.shown
        ],
        gold=kind.label_in(content, row.gold),
        language=row.item.target.language,
        ticks=[
            Tick(tag, key, tag.code in chosen, tag.code in authors)
            for tag, key in zip(PHENOMENA, KEYS, strict=True)
        ],
    )


def _next(membership: Membership, expert: Annotator) -> TagCard | None:
    if membership.project.closed_at is not None:
        return None
    row = fetch.next_row(expert)
    return _card(membership, expert, row) if row else None


def _show(
    request: HttpRequest, membership: Membership, expert: Annotator, card: TagCard | None, **more: Any
) -> HttpResponse:
    """The page or its card, with the way back to what this expert went through last."""
    last = fetch.last_row(expert)
    back = last.token if last and not (card and card.token == last.token) else ""
    return PAGE.show(request, membership, card, last=back, **more)


@login_required
@require_GET
def tags(request: HttpRequest, slug: str) -> HttpResponse:
    """The item that this expert goes through next."""
    membership, expert = fetch.expert(request.user, slug)
    return _show(request, membership, expert, _next(membership, expert))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tags_row(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """One item again, as its expert left it; a POST stores its tags and answers with the next."""
    membership, expert = fetch.expert(request.user, slug)
    if request.method != "POST":
        return _show(request, membership, expert, _card(membership, expert, fetch.row_of(expert, token)))
    sent = request.POST.getlist("tag")
    try:
        diagnostic_confirm(expert=expert, token=token, tags=sent, mark=request.POST.get("shown", ""))
    except Invalid as refusal:
        card = _card(membership, expert, fetch.row_of(expert, token), sent)
        return _show(request, membership, expert, card, status=422, problem=refusal.code)
    except Conflict as refusal:
        return _show(request, membership, expert, _next(membership, expert), status=409, problem=refusal.code)
    if not by_script(request):
        return redirect("tags", slug=slug)
    return _show(request, membership, expert, _next(membership, expert))
