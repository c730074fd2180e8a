"""Comparing: two questions a screen, left and right; the answer to a preference is the next pair."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext_noop as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from validation.review.models.assessment import ComparisonPair
from validation.studies.actions.comparisons import LOOK, preference_cast
from validation.studies.actions.ratings import LONGEST_COMMENT
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
from validation.studies.views.pages import answered, chosen_in, upcoming
from validation.voting.views.card_page import CardPage

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
class CompareCard:
    """What somebody sees of a pair. Nothing of it says which run or model wrote what, or how many pairs there are.

    `sides` are the name and the content of each question, of which templates show neither key nor answer; `rows` the
    parts with their names, each with its answer and whether it was sent without one.
    """

    token: str
    shown: str
    sides: list[tuple[str, str, Mapping[str, Any]]]
    language: str
    rows: list[tuple[str, str, str, bool]]
    comment: str


class Sent(NamedTuple):
    """What a form says: a side by part, a comment, and when the pair was shown."""

    chosen: Mapping[str, str]
    comment: str
    shown: str


def _sent(post: QueryDict) -> Sent:
    comment = post.get("comment", "").replace("\r\n", "\n")
    return Sent(chosen_in(post, "better_", SIDES), comment, post.get("shown", ""))


def _side(side: str, content: Mapping[str, Any]) -> tuple[str, str, Mapping[str, Any]]:
    """One question by the side on which it stands; which choice is its answer is left out."""
    told = {name: str(content.get(name, "")) for name in ("concept", "question")}
    options = [(str(option["key"]), str(option["text"])) for option in content.get("options", ())]
    return side, SIDE_NAMES[side], {**told, "options": options}


def _card_of(
    pair: ComparisonPair, annotator: Annotator, sent: Sent | None = None, missing: tuple[str, ...] = ()
) -> CompareCard:
    left, right = (pair.second, pair.first) if pair.swapped else (pair.first, pair.second)
    chosen, comment, shown = sent or Sent({}, "", "")
    return CompareCard(
        pair.token,
        shown or LOOK.mark(annotator, pair.token),
        [_side(LEFT, left.content), _side(RIGHT, right.content)],
        pair.first.material.target.language,
        [(part, PART_NAMES[part], chosen.get(part, ""), part in missing) for part in pair.comparison.parts],
        comment,
    )


def _next(annotator: Annotator) -> CompareCard | None:
    pair = fetch.next_pair(annotator)
    return _card_of(pair, annotator) if pair else None


@login_required
@require_GET
def compare_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The pair that this person compares next."""
    membership, annotator = fetch.comparer(request.user, slug)
    return PAGE.show(request, membership, upcoming(membership, lambda: _next(annotator)))


@login_required
@require_POST
def compare_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one preference and answer with the next pair."""
    membership, annotator = fetch.comparer(request.user, slug)
    sent = _sent(request.POST)

    def store() -> object:
        return preference_cast(
            annotator=annotator, token=token, chosen=sent.chosen, comment=sent.comment, mark=sent.shown
        )

    def again(refusal: Invalid) -> CompareCard:
        missing = tuple(refusal.details.get("missing", ()))
        return _card_of(fetch.pair_of(annotator, token), annotator, sent, missing)

    def kept() -> dict[str, object]:
        parts = fetch.pair_of(annotator, token).comparison.parts
        answers = [(PART_NAMES[part], SIDE_NAMES.get(sent.chosen.get(part, ""), "")) for part in parts]
        return {"kept": answers, "kept_comment": sent.comment}

    return answered(request, membership, PAGE, store, again, lambda: _next(annotator), kept)
