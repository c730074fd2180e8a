"""The quiz and the training round: a person's own attempts."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from annotation.core.errors import Invalid, NotFound, first_or_not_found
from annotation.core.models.member import QUALIFIED_COLUMNS, Annotator
from validation.qualification import actions, queries
from validation.qualification.api import RoleField
from validation.qualification.models import QuizAttempt, Role
from validation.voting.api_rows import AnswersField


class QuizTextRow(Row):
    """A text of an item as it is shown."""

    name = serializers.CharField()
    text = serializers.CharField()


class QuizChoiceRow(Row):
    """A label that can be chosen."""

    key = serializers.CharField()
    name = serializers.CharField()


class QuizQuestionRow(Row):
    """A question of an item, as `work:next` has it; answered by its key."""

    key = serializers.CharField()
    type = serializers.CharField()
    text = serializers.CharField()
    labels = QuizChoiceRow(many=True)


class QuizToldRow(Row):
    """What is right of one question, in words: what was chosen, what is right, what else may be chosen."""

    question = serializers.CharField()
    chosen = serializers.ListField(child=serializers.CharField())
    right = serializers.ListField(child=serializers.CharField())
    also = serializers.ListField(child=serializers.CharField())


class QuizAskedRow(Row):
    """An item of an attempt: it has `choices` of a label, or `questions`. `right`, `told` and `explanation` say what is
    right once it is answered (of the training round) or handed in (of the quiz); null and empty before."""

    id = serializers.IntegerField()
    language = serializers.CharField()
    texts = QuizTextRow(many=True)
    choices = QuizChoiceRow(many=True)
    questions = QuizQuestionRow(many=True)
    chosen = serializers.CharField()
    right = serializers.BooleanField(allow_null=True)
    told = QuizToldRow(many=True)
    explanation = serializers.CharField()


class OwnAttemptRow(Row):
    """An attempt of one's own with its items."""

    n = serializers.IntegerField()
    needed = serializers.IntegerField()
    right = serializers.IntegerField(allow_null=True)
    passed = serializers.BooleanField(allow_null=True)
    done_at = serializers.DateTimeField(allow_null=True)
    items = QuizAskedRow(many=True)


class QuizRow(Row):
    """One's quiz or training round: the attempts so far, the open one last; how many are left; whether one may do the
    work that it is for."""

    attempts = OwnAttemptRow(many=True)
    left = serializers.IntegerField()
    qualified = serializers.BooleanField()


class ItemAnswerField(serializers.JSONField):
    """The key of a choice, or an object with an answer to each question."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises ValidationError."""
        return AnswersField().run_validation(data) if isinstance(data, dict) else LABEL.run_validation(data)


LABEL = serializers.CharField(max_length=40, allow_blank=True)


class QuizAnswersIn(Body):
    """By the `id` of the item the key of a choice, or an object with an answer to each of its questions."""

    role = RoleField()
    answers = serializers.DictField(child=ItemAnswerField())

    def validate_answers(self, answers: dict[str, Any]) -> dict[int, Any]:
        """By number."""
        found = {int(pk): label for pk, label in answers.items() if pk.isascii() and pk.isdigit() and len(pk) < 19}
        if len(found) < len(answers):
            raise serializers.ValidationError("Name each item by its id.", "invalid")
        return found


class TrainingAnswerIn(Body):
    """The `label` chosen for one item of the training round, or `answers` to its questions."""

    role = RoleField()
    id = serializers.IntegerField(min_value=0, max_value=2**53)
    label = serializers.CharField(max_length=40, default="", allow_blank=True)  # type: ignore[assignment]
    answers = AnswersField(default=None, allow_null=True)


class RoleIn(Body):
    """Whose quiz it is: that of voters, or that of writers."""

    role = RoleField()


class OwnQuiz(ApiView):
    """One's own attempts."""

    tag = "work"
    training = False

    def person(self, slug: str, role: str) -> Annotator:
        """Whoever asks, in this role. Raises NotFound where there is no quiz, or no training round."""
        membership, annotator = access.require_role(self.user, slug, role)
        project = membership.project
        if not project.rules.quiz(role).questions:
            raise NotFound
        if self.training and not actions.quiz_bank(project, role=role, training=True).exists():
            raise NotFound
        return annotator

    def attempts(self, annotator: Annotator, role: str) -> QuerySet[QuizAttempt]:
        """Theirs, in their order."""
        made = QuizAttempt.objects.filter(annotator=annotator, role=role, training=self.training)
        return made.select_related("annotator__project").order_by("n")

    def shown(self, annotator: Annotator, role: str) -> Response:
        """Every attempt; results of an open quiz are not shown."""
        rows = [self._row(each) for each in self.attempts(annotator, role)]
        done = sum(1 for row in rows if row["done_at"] is not None)
        left = 0 if self.training else annotator.project.rules.quiz(role).attempts - done
        annotator.refresh_from_db(fields=list(QUALIFIED_COLUMNS.values()))
        return self.row_response({"attempts": rows, "left": max(left, 0), "qualified": not annotator.owes_quiz(role)})

    def _row(self, attempt: QuizAttempt) -> dict[str, Any]:
        over = attempt.done_at is not None
        answered = [pk for pk in attempt.items if str(pk) in attempt.answers]
        told = attempt.items if over else answered if self.training else []
        questions = queries.questions_of(attempt)
        items = [
            {
                "id": each.id,
                "language": each.language,
                "texts": [{"name": name, "text": text} for name, text in each.texts],
                "choices": each.labels,
                "questions": [
                    {"key": one.key, "type": one.answer_type, "text": one.text, "labels": labels}
                    for one, labels in questions[each.id]
                ],
                "chosen": each.chosen,
                "right": each.right,
                "told": each.told,
                "explanation": each.explanation,
            }
            for each in queries.items_asked(attempt, told=told)
        ]
        marked = {"right": attempt.right, "passed": attempt.passed} if over else {"right": None, "passed": None}
        return {
            "n": attempt.n,
            "needed": attempt.needed,
            "done_at": attempt.done_at,
            "items": items,
            **marked,
        }

    def read(self, slug: str) -> Response:
        """The attempts at the quiz that is asked for."""
        role = self.query_values["role"]
        return self.shown(self.person(slug, role), role)

    def sender(self, slug: str) -> tuple[Annotator, dict[str, Any]]:
        """Whoever asks, in the role that the body names, and the body: read once it is known that they may send it."""
        given = self.request.data
        said = given.get("role") if isinstance(given, dict) else None
        annotator = self.person(slug, said if said in Role.values else Role.VALIDATOR.value)
        return annotator, self.validated_body()

    def begin(self, slug: str) -> Response:
        """Begin an attempt, or go on with the open one."""
        annotator, sent = self.sender(slug)
        role = sent["role"]
        actions.attempt_begin(annotator=annotator, role=role, training=self.training)
        return self.shown(annotator, role)

    def attempt(self, annotator: Annotator, role: str) -> QuizAttempt:
        """The open one. Raises NotFound."""
        return first_or_not_found(self.attempts(annotator, role).filter(done_at=None))


class Quiz(OwnQuiz):
    """The quiz."""

    @operation(scopes=[ANNOTATE], gives=QuizRow, query=RoleIn)
    def get(self, request: Request, slug: str) -> Response:
        """Read your attempts at the quiz. For validators, or writers (`role`), of projects with a quiz."""
        return self.read(slug)


class QuizBegin(OwnQuiz):
    """A quiz that is begun."""

    @operation(scopes=[ANNOTATE], takes=RoleIn, gives=QuizRow)
    def post(self, request: Request, slug: str) -> Response:
        """Begin an attempt at the quiz, or go on with the open one. For validators and writers."""
        return self.begin(slug)


class QuizHandIn(OwnQuiz):
    """A quiz that is handed in."""

    @operation(scopes=[ANNOTATE], takes=QuizAnswersIn, gives=QuizRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Hand in the open attempt with an answer to each item; what was right is told then. For validators and
        writers."""
        annotator, sent = self.sender(slug)
        attempt = self.attempt(annotator, sent["role"])
        try:
            actions.attempt_hand_in(attempt=attempt, answers=queries.answers_from_script(attempt, sent["answers"]))
        except Invalid as refusal:
            raise Invalid(field=refusal.field.replace("answer-", "answers."), code=refusal.code) from refusal
        return self.shown(annotator, sent["role"])


class Training(OwnQuiz):
    """The training round."""

    training = True

    @operation(scopes=[ANNOTATE], gives=QuizRow, query=RoleIn)
    def get(self, request: Request, slug: str) -> Response:
        """Read your training round. For validators, or writers (`role`), of projects with one."""
        return self.read(slug)


class TrainingBegin(OwnQuiz):
    """A training round that is begun."""

    training = True

    @operation(scopes=[ANNOTATE], takes=RoleIn, gives=QuizRow)
    def post(self, request: Request, slug: str) -> Response:
        """Begin the training round, or go on with it. For validators and writers."""
        return self.begin(slug)


class TrainingAnswer(OwnQuiz):
    """An answer in the training round."""

    training = True

    @operation(scopes=[ANNOTATE], takes=TrainingAnswerIn, gives=QuizRow)
    def post(self, request: Request, slug: str) -> Response:
        """Answer one item of the training round; the answer says whether that is right and why. The first answer stays.
        For validators and writers."""
        annotator, sent = self.sender(slug)
        attempt = self.attempt(annotator, sent["role"])
        given = {sent["id"]: sent["label"] if sent["answers"] is None else sent["answers"]}
        answer = queries.answers_from_script(attempt, given).get(sent["id"])
        actions.training_answer(attempt=attempt, item=sent["id"], answer=answer)
        return self.shown(annotator, sent["role"])
