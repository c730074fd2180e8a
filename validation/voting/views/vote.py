"""Voting: one item a screen; the answer to a vote is the next item (screens.md 3)."""

from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation import kinds
from annotation.answers import FIELD_PREFIX
from annotation.core import access, language
from annotation.core.access import Membership, owes_entry
from annotation.core.errors import Conflict, Invalid, NotFound, Refusal
from annotation.core.messages import PASS_REASONS, problem_words
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.elicitation.actions import no_part_sign, owes_signature
from annotation.ui.navigation import navigation_links
from validation.voting.actions.assignments import (
    assignment_claim,
    assignment_claim_among,
    assignment_extend,
    assignment_pass,
)
from validation.voting.actions.cards_ahead import held_until, show_next_card
from validation.voting.actions.votes import may_undo, parse_settings, vote_cast, vote_take_back
from validation.voting.models.assignment import Assignment
from validation.voting.sql import HeldAssignment
from validation.voting.views.card_page import CardPage, is_script_request
from validation.voting.views.cards import (
    PROBLEM_FIELD,
    ballot_from_post,
    card_of,
    kept_ballot_of,
    typed_fields,
    vote_taken_back,
)
from validation.voting.views.plain_cards import next_card_response
from validation.voting.views.queued import handle_queued, is_queued
from validation.voting.waiting_work import more_by

# Refusals that a word in the reason's box corrects.
REASON_MISSING_CODES = ("reason_missing_marked", "return_reason_missing")
# With a card that was fetched ahead: what gives it back unused says this.
UNTIL_HEADER = "Assigned-Until"
VOTE_PAGE = CardPage(
    room="vote",
    page_template="validation/voting/vote.html",
    card_template="validation/voting/partials/card.html",
    send_route="vote_send",
    take_back_route="vote_back",
    extra_context={"pass_reasons": PASS_REASONS},
)


def claim_assignment(annotator: Annotator, project: Project) -> Assignment | None:
    """The assignment that somebody holds, or the next one; None where nothing waits for them or they owe something."""
    closed = project.closed_at is not None or annotator.paused_at is not None
    if closed or owes_signature(annotator) or owes_entry(annotator):
        return None
    targets = access.targets_of(annotator)
    return assignment_claim_among(annotator=annotator, targets=targets, spacing=project.rules.spacing)


def _undo_context(annotator: Annotator) -> dict[str, Any]:
    """No address to take back at, where there is nothing to take back."""
    return {} if may_undo(annotator) else {"back_url": ""}


def _none_context(annotator: Annotator, following: object) -> dict[str, Any]:
    """Why there is no card, and by when there will be one, where nothing follows."""
    if following is not None:
        return {}
    return {
        "no_target": not access.targets_of(annotator),
        "paused": annotator.paused_at is not None,
        "more_by": more_by([annotator.pk]).get(annotator.pk),
    }


@login_required
@require_GET
def vote_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The assignment that this person holds, or the next one; first what they sign, where the kind asks for it."""
    membership, annotator = access.require_role(request.user, slug, "validator")
    if owes_signature(annotator):
        return _sign_page(request, membership)
    if annotator.owes_quiz("validator"):
        return redirect("quiz", slug=slug)
    assignment, undo = claim_assignment(annotator, membership.project), _undo_context(annotator)
    if assignment is None:
        return VOTE_PAGE.render_page(request, membership, None, **_none_context(annotator, None), **undo)
    card = card_of(assignment, membership.project, vote=vote_taken_back(assignment))
    return VOTE_PAGE.render_page(request, membership, card, **undo)


def _sign_page(request: HttpRequest, membership: Membership, *, status: int = 200, problem: str = "") -> HttpResponse:
    context = {"project": membership.project, "nav": navigation_links(membership, "vote"), "problem": problem}
    return render(request, "validation/voting/vote_sign.html", context, status=status)


@login_required
@require_POST
def vote_sign(request: HttpRequest, slug: str) -> HttpResponse:
    """Sign that one took no part in making what is judged here."""
    membership, annotator = access.require_role(request.user, slug, "validator")
    if owes_signature(annotator):
        if "no_part" not in request.POST:
            return _sign_page(request, membership, status=422, problem="no_part_missing")
        no_part_sign(annotator=annotator)
    return redirect("vote", slug=slug)


@login_required
@require_POST
def vote_send(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Store one ballot and answer with the next card."""
    assert request.user.pk is not None  # noqa: S101 - login_required
    cast_it = partial(vote_cast, user_id=request.user.pk, slug=slug, token=token, as_shown=True)
    if is_queued(request):
        return handle_queued(request, slug, lambda: cast_it(ballot=ballot_from_post(request.POST)))
    try:
        # A page that has fetched the next card shows it itself.
        following_token = request.POST.get("next", "")
        cast = cast_it(ballot=ballot_from_post(request.POST), go_on=is_script_request(request) and not following_token)
    except (Conflict, Invalid) as refusal:
        return _refusal_response(request, slug, token, refusal)
    if not is_script_request(request):
        return redirect("vote", slug=slug)
    language.apply_project_language(slug, partial(_language_of_work, cast.locked_assignment))
    if following_token and not cast.locked_assignment.target_ended:
        after = _card_after_fetched(request, slug, cast.locked_assignment, following_token)
        if after is not None:
            return after
    if cast.next_assignment is not None:
        return next_card_response(request, slug, cast.locked_assignment, cast.next_assignment, VOTE_PAGE)
    annotator = Annotator.objects.select_related("project").get(pk=cast.locked_assignment.annotator)
    project = annotator.project
    following, target = None, Target.objects.select_related("project").get(pk=cast.locked_assignment.target)
    if not cast.locked_assignment.target_ended:
        following = assignment_claim(annotator=annotator, target=target, spacing=project.rules.spacing)
    if following is None and target.members_only:
        # Nothing is left in this target: the person may have others.
        following = claim_assignment(annotator, project)
    card = card_of(following, project) if following else None
    return VOTE_PAGE.render_card(request, project, card, **_none_context(annotator, following))


def _language_of_work(held: HeldAssignment) -> str:
    """The language of the project of a vote, or of its voter's targets where texts are translated."""
    if "targets" not in kinds.get(held.project_kind).features:
        return held.project_language
    return access.language_of_work(Annotator.objects.select_related("project").get(pk=held.annotator))


def _card_after_fetched(request: HttpRequest, slug: str, held: HeldAssignment, token: str) -> HttpResponse | None:
    """The page shows what it had fetched (`token`): it is given the card after that, 202, or 204 where there is none.

    None where what it had fetched is no longer this person's: then it is given what is.
    """
    barring = kinds.get(held.project_kind).excludes_family_contributors
    shown, offer = show_next_card(held, parse_settings(held.project_settings), token=token, barring=barring)
    if not shown:
        return None
    if offer is None:
        return HttpResponse(status=204)
    answer = next_card_response(request, slug, held, offer, VOTE_PAGE)
    answer.status_code = 202
    answer[UNTIL_HEADER] = held_until(offer.token)
    return answer


def _refusal_response(request: HttpRequest, slug: str, token: str, refusal: Refusal) -> HttpResponse:
    """Say what is wrong; nothing typed is lost. An item that is still open to them stays, else the next is offered."""
    membership, annotator = access.require_role(request.user, slug, "validator")
    assignment = (
        Assignment.objects.select_related("target", "annotator").filter(token=token, annotator=annotator).first()
    )
    if assignment is None:
        raise NotFound
    if assignment.state == Assignment.State.OPEN and isinstance(refusal, Invalid):
        typed = {
            **typed_fields(request.POST),
            "passing": refusal.field == "reason",
            "reason_due": refusal.code in REASON_MISSING_CODES,
        }
        problem = refusal.code
        if refusal.field.startswith(FIELD_PREFIX):
            typed[PROBLEM_FIELD] = refusal.field, problem_words(refusal.code) % refusal.details
            problem = "question_problem"
        card = card_of(assignment, membership.project, typed)
        return VOTE_PAGE.render_page(request, membership, card, status=422, problem=problem, **_undo_context(annotator))
    kept = kept_ballot_of(request.POST, membership.project, ballot_from_post(request.POST), assignment)
    following = claim_assignment(annotator, membership.project)
    card_next = card_of(following, membership.project) if following else None
    status = 422 if isinstance(refusal, Invalid) else 409
    more = {"kept": kept, **_undo_context(annotator), **_none_context(annotator, following)}
    return VOTE_PAGE.render_page(request, membership, card_next, status=status, problem=refusal.code, **more)


@login_required
@require_POST
def vote_pass(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Pass this item with a reason; it never comes back to this person."""
    if is_queued(request):
        return handle_queued(request, slug, lambda: _pass(request, slug, token))
    membership, annotator = access.require_role(request.user, slug, "validator")
    try:
        _pass(request, slug, token)
    except (Conflict, Invalid) as refusal:
        return _refusal_response(request, slug, token, refusal)
    if not is_script_request(request):
        return redirect("vote", slug=slug)
    following = claim_assignment(annotator, membership.project)
    card = card_of(following, membership.project) if following else None
    more = {**_undo_context(annotator), **_none_context(annotator, following)}
    return VOTE_PAGE.render_card(request, membership.project, card, **more)


def _pass(request: HttpRequest, slug: str, token: str) -> None:
    _, annotator = access.require_role(request.user, slug, "validator")
    reason, words = request.POST.get("reason", ""), request.POST.get("words", "").strip()
    if reason not in PASS_REASONS:
        raise Invalid(field="reason", code="reason_missing")
    assignment_pass(annotator=annotator, token=token, reason=f"{reason}: {words}" if words else reason)


@login_required
@require_POST
def vote_back(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back the last vote and show its card again, as it was answered."""
    membership, annotator = access.require_role(request.user, slug, "validator")
    try:
        assignment = vote_take_back(annotator=annotator)
    except Conflict as refusal:
        held = claim_assignment(annotator, membership.project)
        mine = held is not None and request.POST.get("assignment") == held.token
        card = card_of(held, membership.project, typed_fields(request.POST) if mine else {}) if held else None
        more = {**_undo_context(annotator), **_none_context(annotator, held)}
        return VOTE_PAGE.render_page(request, membership, card, status=409, problem=refusal.code, **more)
    if not is_script_request(request):
        return redirect("vote", slug=slug)
    if assignment is None:
        # Decided without this vote: nobody is asked for another.
        assignment = claim_assignment(annotator, membership.project)
    card = card_of(assignment, membership.project, vote=vote_taken_back(assignment)) if assignment else None
    return VOTE_PAGE.render_card(request, membership.project, card, back_url="", **_none_context(annotator, assignment))


@login_required
@require_POST
def vote_stay(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Somebody is still typing: give the assignment its full time again, up to its cap."""
    _, annotator = access.require_role(request.user, slug, "validator")
    assignment = Assignment.objects.filter(token=token, annotator=annotator).first()
    if assignment is None:
        raise NotFound
    # What was asked while the vote was on its way is answered after it: nothing is wrong then.
    stays = (
        assignment_extend(assignment=assignment)
        or Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.DONE).exists()
    )
    return HttpResponse(status=204 if stays else 409)
