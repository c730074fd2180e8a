"""The quiz and the training round: their items for leads, and the attempts of whoever is asked."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid, NotFound, one
from annotation.core.models.member import Annotator
from validation.qualification import actions, queries
from validation.qualification.actions import LONGEST
from validation.qualification.models import MOST_ATTEMPTS, QuizAttempt, QuizItem
from validation.quality.actions.gold import asks_gold
from validation.quality.api_acts import AddedRow, DrawIn, GoldQuestionIn, known_item
from validation.quality.queries import overseer, voter
from validation.voting.api_rows import AnswersField

USES = ("quiz", "training")


class QuizItemRow(Row):
    """An item that is asked in the quiz or the training round, what counts as right, and why."""

    id = serializers.IntegerField()
    item = serializers.CharField(source="item.key")
    use = serializers.SerializerMethodField()
    accepted = serializers.JSONField(help_text="As gold questions have it.")
    explanation = serializers.CharField()
    at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True)

    def get_use(self, row: QuizItem) -> str:
        """`quiz` or `training`."""
        return USES[row.training]


class QuizItemIn(GoldQuestionIn):
    """An item with what counts as right, and why: that is shown after the attempt, or after the answer."""

    explanation = serializers.CharField(max_length=LONGEST, default="", allow_blank=True)
    use = serializers.ChoiceField(USES, default="quiz")


class QuizDrawIn(DrawIn):
    """How many items are drawn at most, and what for."""

    use = serializers.ChoiceField(USES, default="quiz")


class WaiveIn(Body):
    """Why somebody may vote without the quiz."""

    reason = serializers.CharField(max_length=LONGEST)


class WaivedRow(Row):
    """Since when a member may vote."""

    id = serializers.IntegerField()
    pseudonym = serializers.CharField()
    qualified_at = serializers.DateTimeField()


class QuizApi(ApiView):
    """Items of the quiz."""

    tag = "quality"

    def place(self, slug: str) -> Membership:
        """Whoever asks, as a lead who does not vote or an administrator. Raises NotFound where no quiz can be."""
        membership = overseer(self.user, slug)
        if not asks_gold(membership.project):
            raise NotFound
        return membership


class QuizItems(QuizApi):
    """The items."""

    @operation(scopes=[READ], gives=QuizItemRow, paged=True, since=("at", "retired_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the items of quiz and training round. For leads who do not vote, and administrators."""
        rows = QuizItem.objects.filter(project=self.place(slug).project)
        return self.listed(rows.select_related("item"))


class QuizItemsAdd(QuizApi):
    """One more item."""

    @operation(scopes=[MANAGE], takes=QuizItemIn, gives=QuizItemRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Ask an item in the quiz or the training round; whoever is shown it never votes on it. For leads who do not
        vote, and administrators."""
        membership, sent = self.place(slug), self.sent()
        item = known_item(membership, sent["item"])
        made = actions.quiz_item_add(
            project=membership.project,
            item_id=item.pk,
            accepted=sent["accepted"],
            by=self.user,
            explanation=sent["explanation"],
            training=sent["use"] == "training",
        )
        return self.given(QuizItem.objects.select_related("item").get(pk=made.pk), status=201)


class QuizItemsDraw(QuizApi):
    """Some more items."""

    @operation(scopes=[MANAGE], takes=QuizDrawIn, gives=AddedRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Draw items for the quiz or the training round from what people agree on. For leads who do not vote, and
        administrators."""
        project, sent = self.place(slug).project, self.sent()
        given: dict[str, Any] = {"count": sent["count"], "training": sent["use"] == "training"}
        return self.given({"added": actions.quiz_items_draw(project=project, by=self.user, **given)})


class QuizItemRetire(QuizApi):
    """One item that is not asked any more."""

    @operation(scopes=[MANAGE], gives=QuizItemRow)
    def post(self, request: Request, slug: str, row_id: int) -> Response:
        """Ask an item in no further attempt. For leads who do not vote, and administrators."""
        rows = QuizItem.objects.filter(project=overseer(self.user, slug).project).select_related("item")
        actions.quiz_item_retire(row=one(rows.filter(pk=row_id)), by=self.user)
        return self.given(rows.get(pk=row_id))


class MemberWaiveQuiz(ApiView):
    """One member."""

    tag = "quality"

    @operation(scopes=[MANAGE], takes=WaiveIn, gives=WaivedRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Let somebody vote without the quiz, with a reason. For leads who do not vote, and administrators."""
        annotator = voter(overseer(self.user, slug), annotator_id)
        actions.qualification_waive(annotator=annotator, by=self.user, reason=self.sent()["reason"])
        annotator.refresh_from_db()
        return self.given(annotator)


# --- whoever is asked ---------------------------------------------------------------------


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
    """One's quiz or training round: the attempts so far, the open one last; how many are left; whether one may vote."""

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

    answers = serializers.DictField(child=ItemAnswerField())

    def validate_answers(self, answers: dict[str, Any]) -> dict[int, Any]:
        """By number."""
        found = {
            int(pk): label for pk, label in answers.items() if pk.isascii() and pk.isdigit() and len(pk) < 19
        }
        if len(found) < len(answers):
            raise serializers.ValidationError("Name each item by its id.", "invalid")
        return found


class TrainingAnswerIn(Body):
    """The `label` chosen for one item of the training round, or `answers` to its questions."""

    id = serializers.IntegerField(min_value=0, max_value=2**53)
    label = serializers.CharField(max_length=40, default="", allow_blank=True)  # type: ignore[assignment]
    answers = AnswersField(default=None, allow_null=True)


class OwnQuiz(ApiView):
    """One's own attempts."""

    tag = "work"
    training = False

    def voter(self, slug: str) -> Annotator:
        """Whoever asks, as a validator. Raises NotFound where there is no quiz, or no training round."""
        membership, annotator = access.member(self.user, slug, "validator")
        if not membership.project.rules.quiz_questions:
            raise NotFound
        if self.training and not actions.bank(membership.project, training=True).exists():
            raise NotFound
        return annotator

    def shown(self, annotator: Annotator) -> Response:
        """Every attempt; of an open quiz nothing is told."""
        attempts = QuizAttempt.objects.filter(annotator=annotator, training=self.training).order_by("n")
        rows = [self._row(each) for each in attempts.select_related("annotator__project")]
        done = sum(1 for row in rows if row["done_at"] is not None)
        left = 0 if self.training else MOST_ATTEMPTS - done
        annotator.refresh_from_db(fields=["qualified_at"])
        return self.given({"attempts": rows, "left": left, "qualified": annotator.qualified_at is not None})

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
                    {"key": one.key, "type": one.answer, "text": one.text, "labels": labels}
                    for one, labels in questions[each.id]
                ],
                "chosen": each.chosen,
                "right": each.right,
                "told": each.told,
                "explanation": each.explanation,
            }
            for each in queries.asked(attempt, told=told)
        ]
        marked = (
            {"right": attempt.right, "passed": attempt.passed} if over else {"right": None, "passed": None}
        )
        return {
            "n": attempt.n,
            "needed": attempt.needed,
            "done_at": attempt.done_at,
            "items": items,
            **marked,
        }

    def begin(self, slug: str) -> Response:
        """Begin an attempt, or go on with the open one."""
        annotator = self.voter(slug)
        actions.attempt_begin(annotator=annotator, training=self.training)
        return self.shown(annotator)

    def attempt(self, annotator: Annotator) -> QuizAttempt:
        """The open one. Raises NotFound."""
        rows = QuizAttempt.objects.filter(annotator=annotator, training=self.training, done_at=None)
        return one(rows.select_related("annotator__project"))


class Quiz(OwnQuiz):
    """The quiz."""

    @operation(scopes=[ANNOTATE], gives=QuizRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read your attempts at the quiz. For validators of projects with a quiz."""
        return self.shown(self.voter(slug))


class QuizBegin(OwnQuiz):
    """A quiz that is begun."""

    @operation(scopes=[ANNOTATE], gives=QuizRow)
    def post(self, request: Request, slug: str) -> Response:
        """Begin an attempt at the quiz, or go on with the open one. For validators."""
        return self.begin(slug)


class QuizHandIn(OwnQuiz):
    """A quiz that is handed in."""

    @operation(scopes=[ANNOTATE], takes=QuizAnswersIn, gives=QuizRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Hand in the open attempt with an answer to each item; what was right is told then. For validators."""
        annotator, sent = self.voter(slug), self.sent()
        attempt = self.attempt(annotator)
        try:
            actions.attempt_hand_in(attempt=attempt, answers=queries.answers_sent(attempt, sent["answers"]))
        except Invalid as refusal:
            raise Invalid(field=refusal.field.replace("answer-", "answers."), code=refusal.code) from refusal
        return self.shown(annotator)


class Training(OwnQuiz):
    """The training round."""

    training = True

    @operation(scopes=[ANNOTATE], gives=QuizRow)
    def get(self, request: Request, slug: str) -> Response:
        """Read your training round. For validators of projects with one."""
        return self.shown(self.voter(slug))


class TrainingBegin(OwnQuiz):
    """A training round that is begun."""

    training = True

    @operation(scopes=[ANNOTATE], gives=QuizRow)
    def post(self, request: Request, slug: str) -> Response:
        """Begin the training round, or go on with it. For validators."""
        return self.begin(slug)


class TrainingAnswer(OwnQuiz):
    """An answer in the training round."""

    training = True

    @operation(scopes=[ANNOTATE], takes=TrainingAnswerIn, gives=QuizRow)
    def post(self, request: Request, slug: str) -> Response:
        """Answer one item of the training round; the answer says whether that is right and why. The first answer stays.
        For validators."""
        annotator, sent = self.voter(slug), self.sent()
        attempt = self.attempt(annotator)
        given = {sent["id"]: sent["label"] if sent["answers"] is None else sent["answers"]}
        answer = queries.answers_sent(attempt, given).get(sent["id"])
        actions.training_answer(attempt=attempt, item=sent["id"], answer=answer)
        return self.shown(annotator)
