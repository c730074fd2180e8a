"""Rating: one output a screen, a yes or no for every criterion; the answer to a rating is the next output."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.models.member import Annotator
from annotation.kinds.base import text_at
from validation.studies.actions.ratings import (
    LONGEST_COMMENT,
    rating_back,
    rating_next,
    rating_save,
)
from validation.studies.models.rating import Rating
from validation.studies.queries import ratings as fetch
from validation.studies.rules.ratings import NO, YES
from validation.voting.views.card_page import CardPage, by_script

ANSWER = "answer_"
PAGE = CardPage(
    room="rate",
    name=_("Rate"),
    page="validation/studies/rate.html",
    card="validation/studies/partials/rate_card.html",
    send="rate_send",
    back="rate_back",
    always={"longest_comment": LONGEST_COMMENT},
)


@dataclass(frozen=True)
class Row:
    """One criterion of the card, with the answer that stands there; `missing` where one was sent without."""

    key: str
    place: int
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


@dataclass(frozen=True)
class Said:
    """What a form said: an answer by criterion, and a comment."""

    answers: Mapping[str, str]
    comment: str


def _said(post: QueryDict) -> Said:
    answers = {
        name.removeprefix(ANSWER): str(value)
        for name, value in post.items()
        if name.startswith(ANSWER) and value in (YES, NO)
    }
    return Said(answers, post.get("comment", "").replace("\r\n", "\n"))


def _card_of(
    rating: Rating,
    membership: Membership,
    annotator: Annotator,
    said: Said | None = None,
    missing: tuple[str, ...] = (),
) -> RateCard:
    item = rating.generation.item
    item.project = membership.project
    content = access.contents([item])[item.pk]
    answers, comment = (said.answers, said.comment) if said else (rating.answers, rating.comment)
    return RateCard(
        token=rating.token,
        prompt=[
            (text.name, text_at(content, text.key))
            for text in membership.project.kind_spec.texts
            if text.shown
        ],
        output=rating.generation.text,
        language=item.target.language,
        rows=[
            Row(
                each.key,
                place,
                each.name,
                each.definition,
                str(answers.get(each.key, "")),
                each.key in missing,
            )
            for place, each in enumerate(fetch.criteria(rating.run), start=1)
        ],
        comment=comment,
        progress=fetch.own_progress(annotator, rating.run),
    )


def _next(membership: Membership, annotator: Annotator) -> RateCard | None:
    if membership.project.closed_at is not None:
        return None
    rating = rating_next(annotator=annotator)
    return _card_of(rating, membership, annotator) if rating else None


@login_required
@require_GET
def rate_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The output that this person rates next."""
    membership, annotator = fetch.rater(request.user, slug)
    return PAGE.show(request, membership, _next(membership, annotator))


@login_required
@require_POST
def rate_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one rating and answer with the next output."""
    membership, annotator = fetch.rater(request.user, slug)
    said = _said(request.POST)
    try:
        rating_save(annotator=annotator, token=token, answers=said.answers, comment=said.comment)
    except (Conflict, Invalid) as refusal:
        return _refused(request, membership, annotator, token, said, refusal)
    if not by_script(request):
        return redirect("rate", slug=slug)
    return PAGE.show(request, membership, _next(membership, annotator))


def _refused(
    request: HttpRequest,
    membership: Membership,
    annotator: Annotator,
    token: str,
    said: Said,
    refusal: Refusal,
) -> HttpResponse:
    """Say what is wrong; nothing typed is lost. What is still to be rated stays, else the next is shown."""
    rating = fetch.own(annotator, token)
    if isinstance(refusal, Invalid):
        missing = tuple(refusal.details.get("missing", ()))
        card = _card_of(rating, membership, annotator, said, missing)
        return PAGE.show(request, membership, card, status=422, problem=refusal.code)
    kept = [(each.name, said.answers.get(each.key, "")) for each in fetch.criteria(rating.run)]
    more = {"problem": refusal.code, "kept": kept, "kept_comment": said.comment}
    return PAGE.show(request, membership, _next(membership, annotator), status=409, **more)


@login_required
@require_POST
def rate_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back the last rating and show it again, as it was answered."""
    membership, annotator = fetch.rater(request.user, slug)
    try:
        rating = rating_back(annotator=annotator)
    except Conflict as refusal:
        return _not_back(request, membership, annotator, refusal)
    if not by_script(request):
        return redirect("rate", slug=slug)
    return PAGE.show(request, membership, _card_of(rating, membership, annotator))


def _not_back(
    request: HttpRequest, membership: Membership, annotator: Annotator, refusal: Conflict
) -> HttpResponse:
    """Nothing is taken back: what is being answered now stays as it was typed."""
    rating = None if membership.project.closed_at else rating_next(annotator=annotator)
    mine = rating is not None and request.POST.get("assignment") == rating.token
    said = _said(request.POST) if mine else None
    card = _card_of(rating, membership, annotator, said) if rating else None
    return PAGE.show(request, membership, card, status=409, problem=refusal.code)
