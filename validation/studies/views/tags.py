"""Going through the tags of a diagnostic set: one item a screen, with its gold label; the answer is the next item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.core.access import Membership
from annotation.core.models.member import Annotator
from annotation.kinds import Label
from annotation.text.phenomena import PHENOMENA, Phenomenon
from validation.studies.actions.diagnostic import LOOK, diagnostic_confirm
from validation.studies.models import DiagnosticRow
from validation.studies.queries import diagnostic as fetch
from validation.studies.views.pages import Texts, answered, texts_shown, upcoming
from validation.voting.views.card_page import CardPage, Shown

# The keys of the fifteen, in the order of Appendix F.
KEYS = (*"1234567890", *"qwert")


@dataclass(frozen=True)
class TagCard:
    """What an expert sees of an item; who wrote it and how many there are is not told.

    `ticks` are the tags with their keys, each with whether it is ticked and whether the author gave it.
    """

    token: str
    shown: str
    texts: Texts
    gold: Label | None
    language: str
    ticks: list[tuple[Phenomenon, str, bool, bool]]


PAGE = CardPage(
    room="tags",
    name=_("Phenomena"),
    page="validation/studies/tags.html",
    card="validation/studies/partials/tag_card.html",
    send="tags_row",
)


def _card(
    membership: Membership, expert: Annotator, row: DiagnosticRow, ticked: Sequence[str] | None = None
) -> TagCard:
    content, kind = fetch.content_of(row), membership.project.kind_spec
    chosen = fetch.tags_of(row, content) if ticked is None else ticked
    authors = fetch.author_tags(content)
    return TagCard(
        row.token,
        LOOK.mark(expert, row.token),
        texts_shown(kind, content),
        kind.label_in(content, row.gold),
        row.item.target.language,
        [
            (tag, key, tag.code in chosen, tag.code in authors)
            for tag, key in zip(PHENOMENA, KEYS, strict=True)
        ],
    )


def _next(membership: Membership, expert: Annotator) -> TagCard | None:
    row = fetch.next_row(expert)
    return _card(membership, expert, row) if row else None


def _back(expert: Annotator, card: Shown | None) -> dict[str, Any]:
    """The way back to what this expert went through last."""
    last = fetch.last_row(expert)
    return {"last": last.token if last and not (card and card.token == last.token) else ""}


@login_required
@require_GET
def tags(request: HttpRequest, slug: str) -> HttpResponse:
    """The item that this expert goes through next."""
    membership, expert = fetch.expert(request.user, slug)
    card = upcoming(membership, lambda: _next(membership, expert))
    return PAGE.show(request, membership, card, **_back(expert, card))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tags_row(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """One item again, as its expert left it; a POST stores its tags and answers with the next."""
    membership, expert = fetch.expert(request.user, slug)
    if request.method != "POST":
        card = _card(membership, expert, fetch.row_of(expert, token))
        return PAGE.show(request, membership, card, **_back(expert, card))
    sent, mark = request.POST.getlist("tag"), request.POST.get("shown", "")
    return answered(
        request,
        membership,
        PAGE,
        lambda: diagnostic_confirm(expert=expert, token=token, tags=sent, mark=mark),
        lambda _: _card(membership, expert, fetch.row_of(expert, token), sent),
        lambda: _next(membership, expert),
        beside=lambda card: _back(expert, card),
    )
