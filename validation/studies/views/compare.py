"""Comparing: two questions a screen, left and right; the answer to a preference is the next pair."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core.access import Membership
from annotation.core.errors import Conflict, Invalid, Refusal
from annotation.core.models.member import Annotator
from annotation.generation.models import Candidate
from validation.review.models.assessment import ComparisonPair
from validation.studies.actions.comparisons import LONGEST_COMMENT, LOOK, preference_cast
from validation.studies.queries import comparisons as fetch
from validation.studies.rules.comparisons import (
    CONCEPT,
    EQUAL,
    LEFT,
    OPTIONS,
    QUESTION,
    RIGHT,
    SIDES,
)
from validation.voting.views.card_page import CardPage, by_script

BETTER = "better_"
PART_NAMES: Mapping[str, str] = {CONCEPT: _("Concept"), QUESTION: _("Question"), OPTIONS: _("Choices")}
SIDE_NAMES: Mapping[str, str] = {LEFT: _("Left"), EQUAL: _("Equal"), RIGHT: _("Right")}
PAGE = CardPage(
    room="compare",
    name=_("Compare"),
    page="validation/studies/compare.html",
    card="validation/studies/partials/compare_card.html",
    send="compare_send",
    always={"longest_comment": LONGEST_COMMENT, "side_names": SIDE_NAMES},
)


@dataclass(frozen=True)
class Shown:
    """One question of a pair, by the side on which it stands; which choice is its answer is not told."""

    side: str
    name: str
    concept: str
    question: str
    options: list[tuple[str, str]]


@dataclass(frozen=True)
class Row:
    """One part of the question: which side is better there; `missing` where it was sent without an answer."""

    key: str
    place: int
    name: str
    answer: str
    missing: bool


@dataclass(frozen=True)
class CompareCard:
    """What somebody sees of a pair. Nothing of it says which run or model wrote what, or how many pairs there are."""

    token: str
    shown: str
    sides: list[Shown]
    language: str
    rows: list[Row]
    comment: str


@dataclass(frozen=True)
class Said:
    """What a form said: a side by part, a comment, and when the pair was shown."""

    chosen: Mapping[str, str]
    comment: str
    shown: str


def _said(post: QueryDict) -> Said:
    chosen = {
        name.removeprefix(BETTER): str(value)
        for name, value in post.items()
        if name.startswith(BETTER) and value in SIDES
    }
    return Said(chosen, post.get("comment", "").replace("\r\n", "\n"), post.get("shown", ""))


def _side(side: str, of: Candidate) -> Shown:
    content = of.content
    return Shown(
        side,
        SIDE_NAMES[side],
        str(content.get("concept", "")),
        str(content.get("question", "")),
        [(str(option["key"]), str(option["text"])) for option in content.get("options", ())],
    )


def _card_of(
    pair: ComparisonPair, annotator: Annotator, said: Said | None = None, missing: tuple[str, ...] = ()
) -> CompareCard:
    left, right = (pair.second, pair.first) if pair.swapped else (pair.first, pair.second)
    chosen: Mapping[str, str] = said.chosen if said else {}
    return CompareCard(
        token=pair.token,
        shown=(said.shown if said else "") or LOOK.mark(annotator, pair.token),
        sides=[_side(LEFT, left), _side(RIGHT, right)],
        language=pair.first.material.target.language,
        rows=[
            Row(part, place, PART_NAMES[part], chosen.get(part, ""), part in missing)
            for place, part in enumerate(pair.comparison.parts, start=1)
        ],
        comment=said.comment if said else "",
    )


def _next(membership: Membership, annotator: Annotator) -> CompareCard | None:
    if membership.project.closed_at is not None:
        return None
    pair = fetch.next_pair(annotator)
    return _card_of(pair, annotator) if pair else None


@login_required
@require_GET
def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The pair that this person compares next."""
    membership, annotator = fetch.comparer(request.user, slug)
    return PAGE.show(request, membership, _next(membership, annotator))


@login_required
@require_POST
def compare_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one preference and answer with the next pair."""
    membership, annotator = fetch.comparer(request.user, slug)
    said = _said(request.POST)
    try:
        preference_cast(
            annotator=annotator, token=token, chosen=said.chosen, comment=said.comment, mark=said.shown
        )
    except (Conflict, Invalid) as refusal:
        return _refused(request, membership, annotator, token, said, refusal)
    if not by_script(request):
        return redirect("compare", slug=slug)
    return PAGE.show(request, membership, _next(membership, annotator))


def _refused(
    request: HttpRequest,
    membership: Membership,
    annotator: Annotator,
    token: str,
    said: Said,
    refusal: Refusal,
) -> HttpResponse:
    """Say what is wrong; nothing typed is lost. What is still to be compared stays, else the next is shown."""
    pair = fetch.pair_of(annotator, token)
    if isinstance(refusal, Invalid):
        card = _card_of(pair, annotator, said, tuple(refusal.details.get("missing", ())))
        return PAGE.show(request, membership, card, status=422, problem=refusal.code)
    kept = [
        (PART_NAMES[part], SIDE_NAMES.get(said.chosen.get(part, ""), "")) for part in pair.comparison.parts
    ]
    more = {"problem": refusal.code, "kept": kept, "kept_comment": said.comment}
    return PAGE.show(request, membership, _next(membership, annotator), status=409, **more)
