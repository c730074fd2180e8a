"""The card that follows a vote, without rendering it: all cards of a kind are the same markup around an item's texts
(not where an item is reviewed, only some of its options are voted on, or more is asked than a label).

The template renders the first card of a kind with a mark in the place of each text. Later cards are that markup with
the escaped texts in their places, character for character what the template would make of them.
"""

import re
import secrets
from collections.abc import Mapping
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.translation import get_language

from annotation import kinds
from annotation.kinds import Kind
from annotation.kinds.texts import option_field, text_at, with_text
from validation.consensus import translation_review as reviewing
from validation.voting.actions.votes import parse_criteria, parse_settings
from validation.voting.queries import SeenItem, offered_card_version, seen_item_of_offer
from validation.voting.rules.option_order import Order, order_shown
from validation.voting.sql import HeldAssignment, Offer
from validation.voting.views.card_page import CardPage
from validation.voting.views.cards import build_card

MOST = 500
# Drawn for each process, so that no text of an item holds one; also what an address can hold.
_PLACEHOLDER = f"m{secrets.token_hex(12)}"
_PLACEHOLDERS = re.compile(f"{_PLACEHOLDER}n([0-9]+)m")
_pieces_cache: dict[tuple[Any, ...], list[str]] = {}


def next_card_response(
    request: HttpRequest, slug: str, held: HeldAssignment, offer: Offer, page: CardPage
) -> HttpResponse:
    """The card of an item that was just assigned after a vote (`held`), with nothing typed into it."""
    kind, content = kinds.get(held.project_kind), orjson.loads(offer.slot.content)
    order = order_shown(kind, content, drawn_with=offer.drawn_with, item=offer.slot.key, annotator=offer.annotator)
    posed = kind.question.card_questions(parse_criteria(offer.slot.protocol))
    if (
        reviewing.FEATURE not in kind.features
        and not kind.question.voted_roles
        and not posed
        and not kind.presentation.widgets
    ):
        return HttpResponse(_fill_pieces(request, slug, kind, held, offer, content, order, page))
    card = build_card(seen_item_of_offer(held, offer), {})
    return render(request, page.card_template, {"project": {"slug": slug}, **page.context(slug, card, closed=False)})


def _fill_pieces(
    request: HttpRequest,
    slug: str,
    kind: Kind,
    held: HeldAssignment,
    offer: Offer,
    content: Mapping[str, Any],
    order: Order,
    page: CardPage,
) -> str:
    fields = kind.presentation.texts_in(content)
    names = [field.key for field in fields if field.shown]
    if kind.question.own_options:
        names += [option_field(key) for key in order.keys]
    corrects = parse_settings(held.project_settings).corrections
    likeness = (
        slug,
        kind.slug,
        offer.language,
        get_language(),
        settings.TAKE_BACK_SECONDS,
        fields,
        len(order.keys),
        kind.question.judged_option(content),
        corrects,
    )
    pieces = _pieces_cache.get(likeness)
    if pieces is None:
        if len(_pieces_cache) >= MOST:
            _pieces_cache.clear()
        pieces = _pieces_cache[likeness] = _card_pieces(
            slug, kind, content, order, names, offer.language, corrects, page
        )
    values = [
        offer.token,
        offered_card_version(held, offer),
        get_token(request),
        *(escape(text_at(content, name)) for name in names),
    ]
    filled = pieces.copy()
    filled[1::2] = [values[int(number)] for number in pieces[1::2]]
    return "".join(filled)


def _card_pieces(
    slug: str,
    kind: Kind,
    content: Mapping[str, Any],
    order: Order,
    names: list[str],
    language: str,
    corrects: bool,
    page: CardPage,
) -> list[str]:
    """The markup of such cards in pieces; every second one is the number of the value that stands there."""
    token, version, csrf, *texts = (f"{_PLACEHOLDER}n{number}m" for number in range(len(names) + 3))
    for name, mark in zip(names, texts, strict=True):
        content = with_text(content, name, mark)
    card = build_card(SeenItem(kind, content, order, token, language, version=version, allows_corrections=corrects), {})
    context = page.context(slug, card, closed=False) | {"project": {"slug": slug}, "csrf_token": csrf}
    return _PLACEHOLDERS.split(render_to_string(page.card_template, context))
