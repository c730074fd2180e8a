"""What the pages of side studies share: pages of rows, states, and the loop of one card."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.kinds import Kind
from annotation.kinds.texts import text_at
from annotation.ui.tables import NUMBER, PERCENT, PERCENTS, Column, columns
from validation.voting.views.card_page import CardPage, ShownCard, is_script_request

ROWS_A_PAGE = 50
Texts = list[tuple[str, str, bool]]


def page_of(request: HttpRequest, rows: "Sequence[Any] | QuerySet[Any]") -> "Page[Any]":
    return Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get("page"))


def accuracy_columns() -> list[Column]:
    """How many are right of how many: `n`, `right`, `percent` and `percents` of Right."""
    numbers = columns(NUMBER, _("Items"), _("Right"))
    return [*numbers, *columns(PERCENT, _("Accuracy")), *columns(PERCENTS, _("95 % interval"))]


def state_tag(words: str, *, is_open: bool) -> SafeString:
    return format_html('<span class="tag{}">{}</span>', " tag--new" if is_open else "", words)


# --- one card a screen --------------------------------------------------------------------


def next_card_if_open(membership: Membership, card: Callable[[], ShownCard | None]) -> ShownCard | None:
    """The card that comes next; none in a closed project."""
    return None if membership.project.closed_at is not None else card()


def texts_shown(kind: Kind, content: Mapping[str, Any]) -> Texts:
    """What a card shows of an item: the name of each text, the text, and whether other items share it."""
    return [
        (text.name, text_at(content, text.key), text.shared)
        for text in kind.presentation.texts_in(content)
        if text.shown
    ]


def store_and_show_next(
    request: HttpRequest,
    membership: Membership,
    page: CardPage,
    store: Callable[[], object],
    again: Callable[[Invalid], ShownCard],
    following: Callable[[], ShownCard | None],
    kept: Callable[[], Mapping[str, Any]] = dict,
    beside: Callable[[ShownCard | None], Mapping[str, Any]] = lambda _: {},
) -> HttpResponse:
    """Store what was sent and answer with the next card. Nothing typed is lost: what cannot be stored stays on its card
    (`again`), what came too late is shown above the next one (`kept`). `beside` is what a card takes besides."""
    try:
        store()
    except Invalid as refusal:
        card = again(refusal)
        return page.render_page(request, membership, card, status=422, problem=refusal.code, **beside(card))
    except Conflict as refusal:
        more, following_card = {"problem": refusal.code, **kept()}, next_card_if_open(membership, following)
        return page.render_page(request, membership, following_card, status=409, **more, **beside(following_card))
    if not is_script_request(request):
        return redirect(page.room, slug=membership.project.slug)
    following_card = next_card_if_open(membership, following)
    return page.render_page(request, membership, following_card, **beside(following_card))
