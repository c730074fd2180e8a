"""The quiz and the training round for leads: results, items, people let in without."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, ListQuery, Row
from annotation.core.access import Membership
from annotation.core.errors import NotFound, first_or_not_found
from annotation.core.models.member import QUALIFIED_COLUMNS
from validation.qualification import actions, queries
from validation.qualification.actions import LONGEST
from validation.qualification.models import QuizItem, Role
from validation.quality.api_acts import AddedRow, DrawIn, GoldQuestionIn, known_item
from validation.quality.queries import overseer

USES = ("quiz", "training")


class RoleField(serializers.ChoiceField):
    """Whose quiz it is; that of voters where nothing is said."""

    def __init__(self, **more: Any) -> None:
        super().__init__(Role.values, default=Role.VALIDATOR.value, **more)


class AttemptRow(Row):
    """One attempt that was handed in: so many right of so many, and how many were needed."""

    n = serializers.IntegerField()
    asked = serializers.IntegerField()
    right = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.BooleanField()
    done_at = serializers.DateTimeField()


class QualificationRow(Row):
    """One person: since when they may do the work of the role (null: not yet, or no quiz was asked), their attempts,
    and the exact 90 % interval of their share of right answers in percent (null: no answer)."""

    id = serializers.IntegerField(source="annotator.pk")
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    role = serializers.ChoiceField(Role.values)
    qualified_at = serializers.DateTimeField(source="may_since", allow_null=True)
    bounds = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    attempts = AttemptRow(many=True)


class QualificationQuery(ListQuery):
    """Whose quiz."""

    role = RoleField()


class Qualification(ApiView):
    """The outcome of the quiz of a role."""

    tag = "quality"

    @operation(scopes=[READ], gives=QualificationRow, query=QualificationQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the voters, or the writers (`role`), with their attempts at the quiz. For leads who do not vote, and
        administrators."""
        project, role = overseer(self.user, slug).project, self.query_values["role"]

        def prepare(rows: list[Any]) -> list[queries.PersonResult]:
            return queries.results(project, rows, role=role)

        return self.page_response(queries.people_of(project, role), prepare)


class QuizItemRow(Row):
    """An item that is asked in the quiz of a role or its training round, what counts as right, and why."""

    id = serializers.IntegerField()
    item = serializers.CharField(source="item.key")
    role = serializers.ChoiceField(Role.values)
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
    role = RoleField()
    use = serializers.ChoiceField(USES, default="quiz")


class QuizDrawIn(DrawIn):
    """How many items are drawn at most, for whom, and what for."""

    role = RoleField()
    use = serializers.ChoiceField(USES, default="quiz")


class WaiveIn(Body):
    """Why somebody may do the work of a role without its quiz."""

    role = RoleField()
    reason = serializers.CharField(max_length=LONGEST)


class WaivedRow(Row):
    """Since when a member may do the work of the role."""

    id = serializers.IntegerField()
    pseudonym = serializers.CharField()
    role = serializers.ChoiceField(Role.values)
    qualified_at = serializers.DateTimeField()


class QuizApi(ApiView):
    """Items of the quiz."""

    tag = "quality"

    def place(self, slug: str) -> Membership:
        """Whoever asks, as a lead who does not vote or an administrator. Raises NotFound where no quiz can be."""
        membership = overseer(self.user, slug)
        if not membership.project.kind_spec.can_ask_gold:
            raise NotFound
        return membership


class QuizItems(QuizApi):
    """The items."""

    @operation(scopes=[READ], gives=QuizItemRow, paged=True, since=("at", "retired_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the items of the quizzes and training rounds. For leads who do not vote, and administrators."""
        rows = QuizItem.objects.filter(project=self.place(slug).project)
        return self.page_response(rows.select_related("item"))


class QuizItemsAdd(QuizApi):
    """One more item."""

    @operation(scopes=[MANAGE], takes=QuizItemIn, gives=QuizItemRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Ask an item in the quiz or the training round; whoever is shown it never votes on it. For leads who do not
        vote, and administrators."""
        membership, sent = self.place(slug), self.validated_body()
        item = known_item(membership, sent["item"])
        made = actions.quiz_item_add(
            project=membership.project,
            item_id=item.pk,
            accepted=sent["accepted"],
            by=self.user,
            explanation=sent["explanation"],
            role=sent["role"],
            training=sent["use"] == "training",
        )
        return self.row_response(QuizItem.objects.select_related("item").get(pk=made.pk), status=201)


class QuizItemsDraw(QuizApi):
    """Some more items."""

    @operation(scopes=[MANAGE], takes=QuizDrawIn, gives=AddedRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Draw items for the quiz or the training round from what people agree on. For leads who do not vote, and
        administrators."""
        project, sent = self.place(slug).project, self.validated_body()
        given: dict[str, Any] = {
            "count": sent["count"],
            "role": sent["role"],
            "training": sent["use"] == "training",
        }
        return self.row_response({"added": actions.quiz_items_draw(project=project, by=self.user, **given)})


class QuizItemRetire(QuizApi):
    """One item that is not asked any more."""

    @operation(scopes=[MANAGE], gives=QuizItemRow)
    def post(self, request: Request, slug: str, row_id: int) -> Response:
        """Ask an item in no further attempt. For leads who do not vote, and administrators."""
        rows = QuizItem.objects.filter(project=overseer(self.user, slug).project).select_related("item")
        actions.quiz_item_retire(row=first_or_not_found(rows.filter(pk=row_id)), by=self.user)
        return self.row_response(rows.get(pk=row_id))


class MemberWaiveQuiz(ApiView):
    """One member."""

    tag = "quality"

    @operation(scopes=[MANAGE], takes=WaiveIn, gives=WaivedRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Let somebody vote, or write, without the quiz, with a reason. For leads who do not vote, and
        administrators."""
        sent, place = self.validated_body(), overseer(self.user, slug)
        annotator = queries.person_of(place, annotator_id, sent["role"])
        actions.qualification_waive(annotator=annotator, by=self.user, **sent)
        annotator.refresh_from_db()
        since = getattr(annotator, QUALIFIED_COLUMNS[sent["role"]])
        row = {
            "id": annotator.pk,
            "pseudonym": annotator.pseudonym,
            "role": sent["role"],
            "qualified_at": since,
        }
        return self.row_response(row)
