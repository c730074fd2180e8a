"""Rating: one output a screen, a yes or no for every criterion; the answer to a rating is the next output."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.kinds.base import text_at
from validation.studies.actions.ratings import (
    LONGEST_COMMENT,
    rating_back,
    rating_next,
    rating_save,
)
from validation.studies.models import Rating
from validation.studies.queries import ratings as fetch
from validation.studies.rules.ratings import NO, YES
from validation.studies.views.pages import answered, chosen_in, upcoming
from validation.voting.views.card_page import CardPage, by_script

YES_NO = {YES: _("yes"), NO: _("no")}
PAGE = CardPage(
    room="rate",
    name=_("Rate"),
    page="validation/studies/rate.html",
    card="validation/studies/partials/rate_card.html",
    send="rate_send",
    back="rate_back",
    always={"longest_comment": LONGEST_COMMENT},
)


class Row(NamedTuple):
    """One criterion with the answer that stands there; `missing` where it was sent without one."""

    key: str
    name: str
    definition: str
    answer: str
    missing: bool


@dataclass(frozen=True)
class RateCard:
    """What a rater sees of an output: the prompt, the text, the criteria, and how far they are themselves.

    Nothing of it says which model wrote the text, in which group or place it is, or what anybody else said.
    """

    token: str
    prompt: list[tuple[str, str]]
    output: str
    language: str
    rows: list[Row]
    comment: str
    progress: fetch.Progress


class Sent(NamedTuple):
    """What a form says: an answer by criterion, and a comment."""

    answers: Mapping[str, str]
    comment: str


def _sent(post: QueryDict) -> Sent:
    return Sent(chosen_in(post, "answer_", YES_NO), post.get("comment", "").replace("\r\n", "\n"))


def _card_of(
    rating: Rating, membership: Membership, sent: Sent | None = None, missing: tuple[str, ...] = ()
) -> RateCard:
    item = rating.generation.item
    item.project = membership.project
    content = access.contents([item])[item.pk]
    answers, comment = sent or (rating.answers, rating.comment)
    return RateCard(
        rating.token,
        [(text.name, text_at(content, text.key)) for text in item.project.kind_spec.texts if text.shown],
        rating.generation.text,
        item.target.language,
        [
            Row(*each, str(answers.get(each.key, "")), each.key in missing)
            for each in fetch.criteria(rating.run)
        ],
        comment,
        fetch.own_progress(rating.annotator_id, rating.run),
    )


def _next(membership: Membership, annotator: Annotator) -> RateCard | None:
    rating = rating_next(annotator=annotator)
    return _card_of(rating, membership) if rating else None


@login_required
@require_GET
def rate_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The output that this person rates next."""
    membership, annotator = fetch.rater(request.user, slug)
    return PAGE.show(request, membership, upcoming(membership, lambda: _next(membership, annotator)))


@login_required
@require_POST
def rate_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one rating and answer with the next output."""
    membership, annotator = fetch.rater(request.user, slug)
    sent = _sent(request.POST)

    def again(refusal: Invalid) -> RateCard:
        missing = tuple(refusal.details.get("missing", ()))
        return _card_of(fetch.own(annotator, token), membership, sent, missing)

    def kept() -> dict[str, object]:
        criteria = fetch.criteria(fetch.own(annotator, token).run)
        answers = [(each.name, YES_NO.get(sent.answers.get(each.key, ""), "")) for each in criteria]
        return {"kept": answers, "kept_comment": sent.comment}

    return answered(
        request,
        membership,
        PAGE,
        lambda: rating_save(annotator=annotator, token=token, answers=sent.answers, comment=sent.comment),
        again,
        lambda: _next(membership, annotator),
        kept,
    )


@login_required
@require_POST
def rate_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back the last rating and show it again, as it was answered; else what is being answered stays as typed."""
    membership, annotator = fetch.rater(request.user, slug)
    try:
        rating = rating_back(annotator=annotator)
    except Conflict as refusal:
        current = None if membership.project.closed_at else rating_next(annotator=annotator)
        mine = current is not None and request.POST.get("assignment") == current.token
        card = _card_of(current, membership, _sent(request.POST) if mine else None) if current else None
        return PAGE.show(request, membership, card, status=409, problem=refusal.code)
    if not by_script(request):
        return redirect("rate", slug=slug)
    return PAGE.show(request, membership, _card_of(rating, membership))
