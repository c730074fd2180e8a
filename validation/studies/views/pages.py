"""What the pages of side studies share: context, refusals, tables and figures in words, and the loop of one card."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.defaultfilters import floatformat
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.kinds import Kind
from annotation.kinds.base import text_at
from validation.studies.rules.comparisons import Interval
from validation.voting.views.card_page import CardPage, Shown, by_script

ROWS_A_PAGE = 50
Texts = list[tuple[str, str, bool]]


def page_of(request: HttpRequest, rows: "Sequence[Any] | QuerySet[Any]") -> "Page[Any]":
    return Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get("page"))


# --- tables and figures -------------------------------------------------------------------


class Number(str):
    """The name of a column of numbers."""

    number = True


@dataclass(frozen=True)
class Table:
    """Columns by name and rows of as many cells, the first of them the row's heading.

    It scrolls sideways as a region of the name `label`; without one it becomes cards on narrow screens.
    """

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]
    label: str = ""
    foot: Sequence[object] = ()

    def body(self) -> list[list[tuple[str, object]]]:
        return [self._line(row) for row in self.rows]

    def last(self) -> list[tuple[str, object]]:
        return self._line(self.foot) if self.foot else []

    def _line(self, row: Sequence[object]) -> list[tuple[str, object]]:
        return [(name, _cell(value)) for name, value in zip(self.columns, row, strict=True)]


def _cell(value: object) -> object:
    """A cell as people read it: a dash for nothing, numbers with their separators."""
    if value is None or value == "":
        return "–"
    return intcomma(value) if isinstance(value, int) else value


def bdi(text: object) -> SafeString:
    """Text of whatever direction."""
    return format_html("<bdi>{}</bdi>", text)


def linked(url: str, text: object) -> SafeString:
    return format_html('<a href="{}"><bdi>{}</bdi></a>', url, text)


def state_tag(words: str, *, is_open: bool) -> SafeString:
    return format_html('<span class="tag{}">{}</span>', " tag--new" if is_open else "", words)


def percent(share: float | None) -> str | None:
    return None if share is None else f"{floatformat(100 * share, 1)} %"


def percents(of: Interval | None) -> str | None:
    """Where a share lies, in percent."""
    return None if of is None else f"{floatformat(100 * of.low, 1)}–{floatformat(100 * of.high, 1)} %"


# --- one card a screen --------------------------------------------------------------------


def chosen_in(post: QueryDict, prefix: str, known: Collection[str]) -> dict[str, str]:
    """What a form says in fields of this prefix, by the rest of their names; only answers that there are."""
    return {
        name.removeprefix(prefix): str(value)
        for name, value in post.items()
        if name.startswith(prefix) and value in known
    }


def upcoming(membership: Membership, card: Callable[[], Shown | None]) -> Shown | None:
    """The card that comes next; none in a closed project."""
    return None if membership.project.closed_at is not None else card()


def texts_shown(kind: Kind, content: Mapping[str, Any]) -> Texts:
    """What a card shows of an item: the name of each text, the text, and whether other items share it."""
    return [
        (text.name, text_at(content, text.key), text.shared) for text in kind.texts_in(content) if text.shown
    ]


def answered(
    request: HttpRequest,
    membership: Membership,
    page: CardPage,
    store: Callable[[], object],
    again: Callable[[Invalid], Shown],
    following: Callable[[], Shown | None],
    kept: Callable[[], Mapping[str, Any]] = dict,
    beside: Callable[[Shown | None], Mapping[str, Any]] = lambda _: {},
) -> HttpResponse:
    """Store what was sent and answer with the next card. Nothing typed is lost: what cannot be stored stays on its card
    (`again`), what came too late is shown above the next one (`kept`). `beside` is what a card takes besides."""
    try:
        store()
    except Invalid as refusal:
        card = again(refusal)
        return page.show(request, membership, card, status=422, problem=refusal.code, **beside(card))
    except Conflict as refusal:
        more, following_card = {"problem": refusal.code, **kept()}, upcoming(membership, following)
        return page.show(request, membership, following_card, status=409, **more, **beside(following_card))
    if not by_script(request):
        return redirect(page.room, slug=membership.project.slug)
    following_card = upcoming(membership, following)
    return page.show(request, membership, following_card, **beside(following_card))
