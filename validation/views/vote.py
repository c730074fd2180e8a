"""Voting: one item a screen; the answer to a vote is the next item (screens.md 3)."""

from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation import access
from annotation.errors import Conflict, Invalid, Refusal
from annotation.kinds import Label
from annotation.models import Project, Revision
from validation import actions
from validation.actions.seats import seat_next
from validation.models import Seat

PASS_REASONS = ("not-my-field", "offensive", "cannot-read", "know-the-writer", "other")


@dataclass(frozen=True)
class Card:
    """What a validator sees of an item: its texts and the labels to choose from, and nothing about anybody."""

    token: str
    texts: list[tuple[str, str, str]]
    labels: tuple[Label, ...]
    question: str
    language: str
    typed: dict[str, Any] = field(default_factory=dict)


def card_of(seat: Seat, project: Project, typed: dict[str, Any] | None = None) -> Card:
    """The card of a seat; one statement."""
    content = Revision.objects.values_list("content", flat=True).get(
        item=seat.item_id, n=F("item__revision_n")
    )
    kind = project.kind_spec
    return Card(
        token=seat.token,
        texts=[(text.key, text.name, content.get(text.key, "")) for text in kind.texts],
        labels=kind.labels,
        question=kind.question,
        language=seat.lane.language,
        typed=typed or {},
    )


def _show(
    request: HttpRequest, project: Project, card: Card | None, *, status: int = 200, problem: str = ""
) -> HttpResponse:
    context = {
        "project": project,
        "card": card,
        "problem": problem,
        "pass_reasons": PASS_REASONS,
        "take_back_minutes": settings.TAKE_BACK_SECONDS // 60,
    }
    part = getattr(request, "htmx", False)
    template = "validation/partials/card.html" if part else "validation/vote.html"
    return render(request, template, context, status=status)


@login_required
@require_GET
def vote_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The seat that this person holds, or the next one."""
    spot, annotator = access.member(request.user, slug, "validator")
    seat = None
    if spot.project.closed_at is None:
        lane = access.lane(spot.project)
        seat = actions.seat_claim(annotator=annotator, lane=lane, spacing=spot.project.rules.spacing)
    return _show(request, spot.project, card_of(seat, spot.project) if seat else None)


def _ballot(request: HttpRequest) -> actions.Ballot:
    post = request.POST
    proposals = {
        name.removeprefix("propose_"): text
        for name, text in post.items()
        if name.startswith("propose_") and isinstance(text, str) and text.strip()
    }
    return actions.Ballot(
        label=post.get("label", ""),
        unsure="unsure" in post,
        ambiguous="ambiguous" in post,
        comment=post.get("comment", "").strip(),
        answers={"text_error": "yes"} if "text_error" in post else {},
        proposals=proposals,
    )


@login_required
@require_POST
def vote_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one ballot and answer with the next card."""
    assert request.user.pk is not None  # noqa: S101 - login_required
    try:
        cast = actions.vote_cast(user_id=request.user.pk, slug=slug, token=token, ballot=_ballot(request))
    except (Conflict, Invalid) as refusal:
        return _kept(request, slug, token, refusal)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("vote", slug=slug)
    seat, project = cast.seat, cast.seat.item.project
    following = seat_next(annotator=seat.annotator, lane=seat.lane, spacing=project.rules.spacing)
    return _show(request, project, card_of(following, project) if following else None)


def _kept(request: HttpRequest, slug: str, token: str, refusal: Refusal) -> HttpResponse:
    """Say what is wrong and show the card again with everything that was typed."""
    spot, annotator = access.member(request.user, slug, "validator")
    seat = Seat.objects.select_related("lane").filter(token=token, annotator=annotator).first()
    typed = {
        **request.POST.dict(),
        "unsure": "unsure" in request.POST,
        "ambiguous": "ambiguous" in request.POST,
    }
    card = card_of(seat, spot.project, typed) if seat else None
    return _show(request, spot.project, card, status=refusal.status, problem=refusal.code)


@login_required
@require_POST
def vote_pass(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Pass this item with a reason; it never comes back to this person."""
    spot, annotator = access.member(request.user, slug, "validator")
    reason = request.POST.get("reason", "")
    words = request.POST.get("words", "").strip()
    if reason not in PASS_REASONS:
        return _kept(request, slug, token, Invalid(code="reason_missing"))
    actions.seat_pass(annotator=annotator, token=token, reason=f"{reason}: {words}" if words else reason)
    return redirect("vote", slug=spot.project.slug)


@login_required
@require_POST
def vote_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back the last vote and show its card again."""
    spot, annotator = access.member(request.user, slug, "validator")
    try:
        seat = actions.vote_take_back(annotator=annotator)
    except Conflict as refusal:
        held = actions.seat_claim(
            annotator=annotator, lane=access.lane(spot.project), spacing=spot.project.rules.spacing
        )
        card = card_of(held, spot.project) if held else None
        return _show(request, spot.project, card, status=409, problem=refusal.code)
    seat.lane = access.lane(spot.project)
    if getattr(request, "htmx", False):
        return _show(request, spot.project, card_of(seat, spot.project))
    return redirect("vote", slug=slug)
