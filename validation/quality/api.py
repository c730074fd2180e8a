"""People's work for leads: figures, setting all votes of a person aside, undoing it; gold questions."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from validation.quality import queries
from validation.quality.actions.set_aside import set_aside_begin, set_aside_undo
from validation.quality.models import GoldQuestion, SetAside


class PersonRow(Row):
    """One voter. Shares from 0 to 1; null with too few votes or answers. `gold_answered` is a multiple of five."""

    id = serializers.IntegerField(source="annotator.pk")
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    votes = serializers.IntegerField()
    today = serializers.IntegerField()
    median_seconds = serializers.FloatField(source="signs.median_seconds", allow_null=True)
    fast = serializers.FloatField(source="signs.fast", allow_null=True)
    commonest = serializers.FloatField(source="signs.commonest", allow_null=True)
    longest_run = serializers.IntegerField(source="signs.longest_run", allow_null=True)
    gold_answered = serializers.SerializerMethodField()
    gold_right = serializers.SerializerMethodField()
    paused_at = serializers.DateTimeField(source="annotator.paused_at", allow_null=True)

    def get_gold_answered(self, row: queries.PersonFigures) -> int:
        """Answers to gold questions, of the last twenty."""
        return row.standing.answered if row.standing else 0

    def get_gold_right(self, row: queries.PersonFigures) -> int:
        """Right ones among them."""
        return row.standing.right if row.standing else 0


class GoldRow(Row):
    """A gold question: which item, what counts as right, how many may be asked it, since when it is not asked."""

    id = serializers.IntegerField()
    item = serializers.CharField(source="of_item.key")
    accepted = serializers.JSONField(
        help_text="Labels, of which any is right; where questions are asked an object, by question: the keys of which "
        "any is right, or `must` and `may`, those that must and that may be chosen."
    )
    most = serializers.IntegerField()
    at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True)
    retired_why = serializers.CharField()


class SetAsideIn(Body):
    """Why all votes of a person stop counting."""

    reason = serializers.CharField(max_length=2000)


class SetAsideRow(Row):
    """An act on all votes of a person; done by a job where there are many."""

    id = serializers.IntegerField()
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    reason = serializers.CharField()
    items = serializers.SerializerMethodField()
    job = serializers.IntegerField(source="job_id", allow_null=True)
    at = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(allow_null=True)

    def get_items(self, row: SetAside) -> int:
        """How many items it concerns."""
        return len(row.items)


class Quality(ApiView):
    """What people do."""

    tag = "quality"

    @operation(scopes=[READ], gives=PersonRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the voters with speed, straight-lining and gold questions. For leads and administrators."""
        membership = queries.overseer(self.user, slug)

        def prepare(rows: list[Any]) -> list[queries.PersonFigures]:
            return queries.figures(membership.project, rows)

        return self.page_response(queries.voters(membership.project), prepare)


class GoldQuestions(ApiView):
    """Gold questions."""

    tag = "quality"

    @operation(scopes=[READ], gives=GoldRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the gold questions. For leads and administrators."""
        membership = queries.overseer(self.user, slug)
        rows = GoldQuestion.objects.filter(project=membership.project).select_related("of_item")
        return self.page_response(rows)


class MemberSetAside(ApiView):
    """All votes of one member."""

    tag = "quality"

    @operation(scopes=[MANAGE], takes=SetAsideIn, gives=SetAsideRow)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Set all standing votes of a member aside, with a reason: their items are decided anew. For leads."""
        membership = queries.overseer(self.user, slug)
        annotator = queries.voter(membership, annotator_id)
        return self.row_response(
            set_aside_begin(annotator=annotator, by=self.user, reason=self.validated_body()["reason"])
        )


class SetAsideUndo(ApiView):
    """An act undone."""

    tag = "quality"

    @operation(scopes=[MANAGE], gives=SetAsideRow)
    def post(self, request: Request, slug: str, act_id: int) -> Response:
        """Let the votes of an act count again, where the items still mean the same. For leads."""
        membership = queries.overseer(self.user, slug)
        return self.row_response(set_aside_undo(act=queries.act(membership, act_id), by=self.user))
