"""A validator's work: the next item, a vote, passing, undo. Nothing reveals others, author or key."""

from dataclasses import replace
from typing import Any

from django.http import QueryDict
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, ApiView, operation
from annotation.core import access
from annotation.core.errors import Conflict, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import owes_signature
from validation.voting.actions.assignments import assignment_extend, assignment_pass
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast, vote_take_back
from validation.voting.api_rows import SkipIn, StayRow, VoteIn, WorkRow, card_row, errors_named_as_sent
from validation.voting.models.assignment import Assignment
from validation.voting.queries import seen_item_of, seen_item_of_offer
from validation.voting.views.cards import (
    MARK_OPTION,
    MARK_QUESTION,
    PROPOSE_PREFIX,
    ballot_from_post,
    vote_taken_back,
)
from validation.voting.views.vote import claim_assignment
from validation.voting.waiting_work import more_by


class Work(ApiView):
    """What a validator does."""

    tag = "work"

    def following(self, annotator: Annotator, project: Project) -> Response:
        """The assignment that this person holds, or the next one."""
        assignment = claim_assignment(annotator, project)
        if assignment is None:
            more = more_by([annotator.pk]).get(annotator.pk)
            return self.row_response({"card": None, "owes": _unmet_duty(annotator), "more_by": more})
        return self.of_card(card_row(seen_item_of(assignment, project), vote_taken_back(assignment)))

    def of_card(self, card: dict[str, Any]) -> Response:
        """A card that is there: nothing has to come before it."""
        return self.row_response({"card": card, "owes": None, "more_by": None})


class WorkNext(Work):
    """The next item."""

    @operation(scopes=[ANNOTATE], gives=WorkRow)
    def post(self, request: Request, slug: str) -> Response:
        """Take the next item to judge, or the one that you hold. For validators."""
        membership, annotator = access.require_role(self.user, slug, "validator")
        return self.following(annotator, membership.project)


class AssignmentVote(Work):
    """A vote."""

    @operation(scopes=[ANNOTATE], takes=VoteIn, gives=WorkRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Send a vote; the answer is the next item. The same vote again is stored once."""
        ballot = _ballot(self.validated_body())
        with errors_named_as_sent():
            cast = vote_cast(user_id=self.user.pk, slug=slug, token=token, ballot=ballot, as_shown=True, go_on=True)
        if cast.next_assignment is not None:
            return self.of_card(card_row(seen_item_of_offer(cast.locked_assignment, cast.next_assignment)))
        membership, annotator = access.require_role(self.user, slug, "validator")
        return self.following(annotator, membership.project)


def _ballot(sent: dict[str, Any]) -> Ballot:
    """A vote: what stands beside the answers as the form of the page sends it, and the answers as they are."""
    form = QueryDict(mutable=True)
    marks = {"question_ambiguous": MARK_QUESTION}
    for name in ("unsure", "ambiguous", "text_error", "question_ambiguous"):
        if sent[name]:
            form[marks.get(name, name)] = "on"
    for name in ("label", "comment", "personal", "error"):
        form[name] = sent[name]
    form.setlist(MARK_OPTION, sent["options_ambiguous"])
    for name, text in sent["corrections"].items():
        form[PROPOSE_PREFIX + name] = text
    return replace(ballot_from_post(form), sent=sent["answers"])


class AssignmentSkip(Work):
    """An item that is passed."""

    @operation(scopes=[ANNOTATE], takes=SkipIn, gives=WorkRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Pass an item with a reason; it never comes back to you. The answer is the next item."""
        membership, annotator = access.require_role(self.user, slug, "validator")
        sent = self.validated_body()
        reason, words = sent["reason"], sent["words"].strip()
        assignment_pass(annotator=annotator, token=token, reason=f"{reason}: {words}" if words else reason)
        return self.following(annotator, membership.project)


class AssignmentStay(Work):
    """An item that takes longer."""

    @operation(scopes=[ANNOTATE], gives=StayRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Give the card that you hold its full time again, up to its cap; 409 where it ended. For validators."""
        _, annotator = access.require_role(self.user, slug, "validator")
        assignment = first_or_not_found(Assignment.objects.filter(token=token, annotator=annotator))
        if not assignment_extend(assignment=assignment):
            raise Conflict(code="assignment_over")
        assignment.refresh_from_db(fields=["until"])
        return self.row_response(assignment)


class WorkUndo(Work):
    """The last vote."""

    @operation(scopes=[ANNOTATE], gives=WorkRow)
    def post(self, request: Request, slug: str) -> Response:
        """Take back your last vote, within ten minutes, and answer its item again."""
        membership, annotator = access.require_role(self.user, slug, "validator")
        assignment = vote_take_back(annotator=annotator)
        if assignment is None:
            return self.following(annotator, membership.project)
        return self.of_card(card_row(seen_item_of(assignment, membership.project), vote_taken_back(assignment)))


def _unmet_duty(annotator: Annotator) -> str | None:
    """What somebody has to do, or to wait for, before there can be a card; None where nothing waits for them."""
    if owes_signature(annotator):
        return "signature"
    if annotator.owes_quiz("validator"):
        return "quiz"
    return "decision" if annotator.paused_at is not None else None
