"""`sessions`, `group-questions`, `topics` and the second pass, as on their pages."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.actions.members import ensure_lead_place
from annotation.core.errors import NotFound
from annotation.elicitation import actions
from annotation.elicitation import queries as fetch
from annotation.elicitation.models import ElicitationAnswer, ElicitationQuestion, Session
from annotation.elicitation.rules.sessions import LONGEST_ANSWER, LONGEST_QUESTION
from annotation.presets.elicitation import KINDS


class SessionRow(Row):
    """A meeting of a group. `participants` describes it as a whole."""

    id = serializers.IntegerField()
    purpose = serializers.ChoiceField(Session.Purpose.values)
    name = serializers.CharField()
    held_on = serializers.DateField()
    participants = serializers.CharField()
    at = serializers.DateTimeField()


class SessionIn(Body):
    """A new session. No names of people: `participants` describes the group as a whole."""

    purpose = serializers.ChoiceField(Session.Purpose.values)
    name = serializers.CharField(max_length=actions.LONGEST_NAME)
    held_on = serializers.DateField()
    participants = serializers.CharField(max_length=actions.LONGEST_WORDS, default="", allow_blank=True)


class GroupAnswerRow(Row):
    """What a group, or one of its members (`by`), answered; for the group of a session where it has one."""

    id = serializers.IntegerField()
    text = serializers.CharField()
    topic = serializers.CharField(source="topic.text", default=None, allow_null=True)
    session = serializers.IntegerField(source="session_id", allow_null=True)
    by = serializers.CharField(source="by.pseudonym")
    at = serializers.DateTimeField()


class GroupQuestionRow(Row):
    """A question that groups answer before anybody writes, with their answers; leads see those taken out too."""

    id = serializers.IntegerField(source="question.pk")
    kind = serializers.ChoiceField(list(KINDS), source="question.sort")
    text = serializers.CharField(source="question.text")
    version = serializers.IntegerField(source="question.version")
    retired_at = serializers.DateTimeField(source="question.retired_at", allow_null=True)
    answers = GroupAnswerRow(many=True)


class GroupQuestionIn(Body):
    """A question of its kind."""

    kind = serializers.ChoiceField(list(KINDS))
    text = serializers.CharField(max_length=LONGEST_QUESTION)


class GroupQuestionChangeIn(GroupQuestionIn):
    """A question as it is asked from now on; the `version` that you read."""

    version = WholeNumberField()


class GroupQuestionRetireIn(Body):
    """Whether the question is out from now on, and the `version` that you read."""

    version = WholeNumberField()
    retired = serializers.BooleanField(default=True)


class GroupAnswerIn(Body):
    """An answer; `topic` is an approved topic by its text, `session` the number of the session it was given in."""

    text = serializers.CharField(max_length=LONGEST_ANSWER)
    topic = serializers.CharField(max_length=300, default="", allow_blank=True)
    session = serializers.IntegerField(min_value=1, max_value=2**53, default=None, allow_null=True)


class GroupAnswerChangeIn(Body):
    """What an answer says from now on."""

    text = serializers.CharField(max_length=LONGEST_ANSWER)
    topic = serializers.CharField(max_length=300, default="", allow_blank=True)


class SeededRow(Row):
    """How many questions are new."""

    added = serializers.IntegerField()


class Sessions(ApiView):
    """The sessions of a project."""

    tag = "elicitation"

    @operation(scopes=[READ], gives=SessionRow, paged=True, since=["at"])
    def get(self, request: Request, slug: str) -> Response:
        """List the sessions that you may see: writers those of elicitation, reviewers those of group review."""
        membership = fetch.sessions_membership(self.user, slug)
        rows = Session.objects.filter(project=membership.project, purpose__in=fetch.open_to(membership))
        return self.page_response(rows)

    @operation(scopes=[MANAGE], takes=SessionIn, gives=SessionRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Make a session. For leads and administrators, who become leads by it."""
        fetch.sessions_membership(self.user, slug)
        _, lead = ensure_lead_place(self.user, slug)
        made = actions.session_create(lead=lead, **self.validated_body())
        return self.row_response(Session.objects.get(pk=made.pk), status=201)


class GroupQuestionApi(ApiView):
    """What groups are asked."""

    tag = "elicitation"

    def overseer(self, slug: str) -> Membership:
        """Whoever asks, as lead or administrator. Raises NotFound where no groups are asked."""
        fetch.elicitation_membership(self.user, slug)
        return access.lead_membership(self.user, slug)

    def row(self, question_id: int, status: int = 200) -> Response:
        """One question as it stands now, with its answers."""
        return self.row_response(fetch.with_answers([ElicitationQuestion.objects.get(pk=question_id)])[0], status)


class GroupQuestions(GroupQuestionApi):
    """The questions."""

    @operation(scopes=[READ], gives=GroupQuestionRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the questions with the answers. For writers, leads and administrators; who only judges sees nothing."""
        membership = fetch.elicitation_membership(self.user, slug)
        return self.page_response(fetch.questions_of(membership), fetch.with_answers)

    @operation(scopes=[MANAGE], takes=GroupQuestionIn, gives=GroupQuestionRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Add a question behind the others. For leads and administrators."""
        membership, sent = self.overseer(slug), self.validated_body()
        given: dict[str, Any] = {"sort": sent["kind"], "text": sent["text"]}
        made = actions.elicitation_add(project=membership.project, by=self.user, **given)
        return self.row(made.pk, status=201)


class GroupQuestionsSeed(GroupQuestionApi):
    """The questions that come with the platform."""

    @operation(scopes=[MANAGE], gives=SeededRow)
    def post(self, request: Request, slug: str) -> Response:
        """Take over the questions that come with the platform; what is there already stays. For leads and
        administrators."""
        membership = self.overseer(slug)
        return self.row_response({"added": actions.elicitation_seed(project=membership.project, by=self.user)})


class GroupQuestionChange(GroupQuestionApi):
    """One question that is changed."""

    @operation(scopes=[MANAGE], takes=GroupQuestionChangeIn, gives=GroupQuestionRow, repeats=True)
    def post(self, request: Request, slug: str, question_id: int) -> Response:
        """Change a question; its answers stay with it. A stale `version` is answered with 409. For leads and
        administrators."""
        membership, sent = self.overseer(slug), self.validated_body()
        given: dict[str, Any] = {"version": sent["version"], "sort": sent["kind"], "text": sent["text"]}
        project = membership.project
        made = actions.elicitation_change(project=project, question_id=question_id, by=self.user, **given)
        return self.row(made.pk)


class GroupQuestionRetire(GroupQuestionApi):
    """One question that is not asked any more."""

    @operation(scopes=[MANAGE], takes=GroupQuestionRetireIn, gives=GroupQuestionRow, repeats=True)
    def post(self, request: Request, slug: str, question_id: int) -> Response:
        """Take a question out, or ask it again (`retired` false); its answers stay at hand. For leads and
        administrators."""
        project = self.overseer(slug).project
        made = actions.elicitation_retire(
            project=project, question_id=question_id, by=self.user, **self.validated_body()
        )
        return self.row(made.pk)


class GroupQuestionAnswer(GroupQuestionApi):
    """One question that is answered."""

    @operation(scopes=[ANNOTATE], takes=GroupAnswerIn, gives=GroupAnswerRow, status=201, repeats=True)
    def post(self, request: Request, slug: str, question_id: int) -> Response:
        """Answer a question, for yourself or for the group of a session. For writers and leads; administrators become
        leads by it."""
        sent = self.validated_body()
        by = fetch.answering_member(fetch.elicitation_membership(self.user, slug))
        if by is None:
            _, by = ensure_lead_place(self.user, slug)
        given: dict[str, Any] = {"text": sent["text"], "topic": sent["topic"], "session_id": sent["session"]}
        made = actions.elicitation_answer(annotator=by, question_id=question_id, **given)
        return self.row_response(_answers().get(pk=made.pk), status=201)


class GroupAnswerChange(GroupQuestionApi):
    """One's own answer."""

    @operation(scopes=[ANNOTATE], takes=GroupAnswerChangeIn, gives=GroupAnswerRow, repeats=True)
    def post(self, request: Request, slug: str, answer_id: int) -> Response:
        """Change what you answered. For whoever gave the answer."""
        by = fetch.answering_member(fetch.elicitation_membership(self.user, slug))
        if by is None:
            raise NotFound
        made = actions.elicitation_answer_change(annotator=by, answer_id=answer_id, **self.validated_body())
        return self.row_response(_answers().get(pk=made.pk))


def _answers() -> QuerySet[ElicitationAnswer]:
    return ElicitationAnswer.objects.select_related("topic", "by")
