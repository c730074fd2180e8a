"""`questions` to the leads, their answers, and the published ones."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.content import queries as content_queries
from annotation.core import access
from annotation.core.errors import Forbidden, Invalid, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.core.models.project import GuidelineVersion
from validation.questions import actions, queries
from validation.questions.models import Question

ROLES = GuidelineVersion.Role.values


class ThreadRow(Row):
    """A question. `by` is who asked, for leads; `answers` counts the leads' replies. It is about the text of an item, a
    `section` of the guidelines of a `role`, or the project."""

    id = serializers.IntegerField()
    mine = serializers.BooleanField()
    by = serializers.CharField(source="by.pseudonym")
    about = serializers.ChoiceField(["item", "guidelines", "project"])
    role = serializers.ChoiceField(ROLES, allow_blank=True)
    section = serializers.CharField()
    text = serializers.CharField()
    answers = serializers.IntegerField()
    at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)


class ReplyRow(Row):
    """One more message: of whoever asked, or of the leads."""

    by_asker = serializers.BooleanField()
    text = serializers.CharField()
    at = serializers.DateTimeField()


class AskedText(Row):
    """A text of the item, as whoever asked saw it."""

    name = serializers.CharField()
    text = serializers.CharField()


class ThreadWhole(ThreadRow):
    """A question with its thread."""

    texts = AskedText(many=True)
    replies = ReplyRow(many=True, source="thread")


class AnswerRow(Row):
    """A question with its answer, as a lead published them for everybody."""

    question = serializers.CharField(source="published_question")
    answer = serializers.CharField(source="published_answer")
    at = serializers.DateTimeField(source="published_at")


class AskIn(Body):
    """A question about the card that you hold (`assignment`, its token), an item that you wrote (`item`, its key), the
    guidelines of a `role` or a `section` of them, or, with none of these, the project."""

    text = serializers.CharField(max_length=actions.LONGEST)
    assignment = serializers.CharField(max_length=60, default="", allow_blank=True)
    item = serializers.CharField(max_length=200, default="", allow_blank=True)
    role = serializers.ChoiceField(ROLES, default="", allow_blank=True)
    section = serializers.CharField(max_length=queries.LONGEST_SECTION, default="", allow_blank=True)


class ReplyIn(Body):
    """One more message of a thread."""

    text = serializers.CharField(max_length=actions.LONGEST)


class PublishIn(Body):
    """A question and its answer as everybody is to read them, and the guidelines that they go into."""

    question = serializers.CharField(max_length=actions.LONGEST)
    answer = serializers.CharField(max_length=actions.LONGEST)
    roles = serializers.ListField(child=serializers.ChoiceField(ROLES), allow_empty=False)


def _checked_subject(annotator: Annotator, sent: Mapping[str, Any]) -> queries.QuestionSubject:
    """What a question is about. Raises NotFound for what is not theirs, Invalid for a section that is not there."""
    if sum(bool(sent[name]) for name in ("assignment", "item", "role")) > 1:
        raise Invalid(field="item", code="question_about_one")
    named = dict(sent)
    if sent["item"]:
        named["item"] = first_or_not_found(content_queries.own_items(annotator).filter(key=sent["item"])).pk
    if sent["section"]:
        newest = annotator.project.guidelines.filter(role=sent["role"]).order_by("-n").first()
        if sent["section"] not in queries.sections_of(newest):
            raise Invalid(field="section", code="guideline_section_unknown")
    return queries.subject_of(annotator, named)


class QuestionApi(ApiView):
    """What addresses of questions have alike."""

    tag = "questions"

    def prepared(self, rows: list[Question]) -> list[Question]:
        """With whether each is one's own, and what it is about."""
        for row in rows:
            about = "item" if row.revision_id else "guidelines" if row.role else "project"
            vars(row).update(mine=row.by.user_id == self.user.pk, about=about)
        return rows

    def whole(self, slug: str, question_id: int, status: int = 200) -> Response:
        """One thread as it stands."""
        found = queries.thread(access.membership(self.user, slug), question_id)
        texts = [{"name": name, "text": text} for name, text in queries.texts_of(found)]
        vars(found).update(texts=texts, thread=found.replies.order_by("pk"))
        return self.row_response(self.prepared([found])[0], status=status)


class Questions(QuestionApi):
    """The questions of a project."""

    @operation(scopes=[READ], gives=ThreadRow, paged=True, since=("at", "published_at", "replies__at"))
    def get(self, request: Request, slug: str) -> Response:
        """List your questions; for leads and administrators all that they may read."""
        return self.page_response(queries.threads(access.membership(self.user, slug)), self.prepared)

    @operation(scopes=[ANNOTATE], takes=AskIn, gives=ThreadWhole, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Ask the leads; only they and you can read it. For members."""
        membership, sent = access.membership(self.user, slug), self.validated_body()
        if membership.annotator is None:
            raise Forbidden
        about = _checked_subject(membership.annotator, sent)
        asked = actions.question_ask(annotator=membership.annotator, about=about, text=sent["text"])
        return self.whole(slug, asked.pk, 201)


class QuestionView(QuestionApi):
    """One question."""

    @operation(scopes=[READ], gives=ThreadWhole)
    def get(self, request: Request, slug: str, question_id: int) -> Response:
        """Read one question with its answers."""
        return self.whole(slug, question_id)


class QuestionReply(QuestionApi):
    """One more message."""

    @operation(scopes=[ANNOTATE, MANAGE], takes=ReplyIn, gives=ThreadWhole, repeats=True)
    def post(self, request: Request, slug: str, question_id: int) -> Response:
        """Answer a question, or say more about your own."""
        found = queries.thread(access.membership(self.user, slug), question_id)
        actions.question_reply(question=found, by=self.user, text=self.validated_body()["text"])
        return self.whole(slug, question_id)


class QuestionPublish(QuestionApi):
    """An answer for everybody."""

    @operation(scopes=[MANAGE], takes=PublishIn, gives=ThreadWhole, repeats=True)
    def post(self, request: Request, slug: str, question_id: int) -> Response:
        """Put a question and its answer into the guidelines, as a new version of each. For leads and administrators who
        did not ask it."""
        found, sent = (
            queries.thread(access.lead_membership(self.user, slug), question_id),
            self.validated_body(),
        )
        actions.question_publish(
            question=found,
            by=self.user,
            asked=sent["question"],
            answer=sent["answer"],
            roles=sent["roles"],
        )
        return self.whole(slug, question_id)


class Answers(QuestionApi):
    """What was answered for everybody."""

    @operation(scopes=[READ], gives=AnswerRow, paged=True, since=["published_at"])
    def get(self, request: Request, slug: str) -> Response:
        """List the questions that were answered for everybody. For members."""
        return self.page_response(queries.published(access.membership(self.user, slug)))
