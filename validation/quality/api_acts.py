"""What leads do about people's work: pauses begun and decided, gold questions added, drawn and retired."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row
from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.errors import Conflict, NotFound, first_or_not_found
from annotation.core.models.member import Annotator
from validation.quality import queries
from validation.quality.actions import gold
from validation.quality.actions.set_aside import LONGEST
from validation.quality.api import GoldRow
from validation.quality.forms import MOST_GOLD
from validation.quality.models import GoldQuestion, Pause
from validation.quality.rules.accepted import MAY, MUST


class PauseRow(Row):
    """A time in which somebody is given nothing new. `by` is null where their gold questions began it; `decision` is
    empty until a lead decides, and `stay` until they go on."""

    id = serializers.IntegerField()
    member = serializers.IntegerField(source="annotator_id")
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    reason = serializers.CharField()
    by = serializers.CharField(source="by.email", default=None, allow_null=True)
    answered = serializers.IntegerField()
    right = serializers.IntegerField()
    decision = serializers.ChoiceField([*Pause.Decision.values, ""])
    words = serializers.CharField()
    at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)


class PauseIn(Body):
    """Why; leads read it, the person does not."""

    reason = serializers.CharField(max_length=LONGEST)


class PauseDecisionIn(Body):
    """Whether they go on, and why."""

    decision = serializers.ChoiceField(Pause.Decision.values)
    words = serializers.CharField(max_length=LONGEST)


class AcceptedField(serializers.JSONField):
    """Keys of labels, or an object: by question keys, of which any is right, or those that `must` and `may` stand."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises ValidationError for what is of another form; whether the item has it is for the action to say."""
        found = super().to_internal_value(data)
        parts = found.values() if isinstance(found, dict) else [found]
        if not all(_is_key_list(part) or _is_must_and_may(part) for part in parts) or _is_must_and_may(found):
            raise serializers.ValidationError("Give keys of labels, or by question what is right.", "invalid")
        return found


def _is_key_list(part: Any) -> bool:
    return isinstance(part, list) and all(isinstance(key, str) for key in part)


def _is_must_and_may(part: Any) -> bool:
    return isinstance(part, dict) and part.keys() == {MUST, MAY} and all(map(_is_key_list, part.values()))


class GoldQuestionIn(Body):
    """An item, by its key, with what counts as right: keys of labels, or where questions are asked an object."""

    item = serializers.CharField(max_length=220)
    accepted = AcceptedField()


class DrawIn(Body):
    """How many items are drawn at most, of those on which at least three people agree and nobody differs."""

    count = serializers.IntegerField(min_value=1, max_value=MOST_GOLD)


class AddedRow(Row):
    """How many were added."""

    added = serializers.IntegerField()


def known_item(membership: Membership, key: str) -> Item:
    """An item of the project by its key. Raises Conflict, as the page does."""
    try:
        return first_or_not_found(Item.objects.filter(project=membership.project, key=key.strip()))
    except NotFound as error:
        raise Conflict(field="item", code="gold_item_missing") from error


class Pauses(ApiView):
    """Who was given nothing new."""

    tag = "quality"

    @operation(scopes=[READ], gives=PauseRow, paged=True, since=("at", "decided_at"))
    def get(self, request: Request, slug: str) -> Response:
        """List the pauses of people with what was decided. For leads who do not vote, and administrators."""
        project = queries.overseer(self.user, slug).project
        rows = Pause.objects.filter(annotator__project=project)
        return self.page_response(rows.select_related("annotator", "by"))


class PauseApi(ApiView):
    """One member's pause."""

    tag = "quality"

    def voter(self, slug: str, annotator_id: int) -> Annotator:
        """The member, for leads who do not vote and administrators."""
        return queries.voter(queries.overseer(self.user, slug), annotator_id)

    def newest(self, annotator: Annotator) -> Response:
        """Their latest pause."""
        return self.row_response(first_or_not_found(queries.pauses(annotator).select_related("annotator")))


class MemberPause(PauseApi):
    """One member who is paused."""

    @operation(scopes=[MANAGE], takes=PauseIn, gives=PauseRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Give somebody nothing new until a lead decides; who is paused already stays so. For leads who do not vote,
        and administrators."""
        annotator = self.voter(slug, annotator_id)
        begun = gold.pause_begin(annotator_id=annotator.pk, by=self.user, reason=self.validated_body()["reason"])
        if not begun and annotator.left_at is not None:
            raise Conflict(code="pause_none")
        return self.newest(annotator)


class MemberDecide(PauseApi):
    """One member whose pause is decided."""

    @operation(scopes=[MANAGE], takes=PauseDecisionIn, gives=PauseRow, repeats=True)
    def post(self, request: Request, slug: str, annotator_id: int) -> Response:
        """Decide a pause: they go on, or stay paused. For leads who do not vote, and administrators."""
        annotator = self.voter(slug, annotator_id)
        gold.pause_decide(annotator=annotator, by=self.user, **self.validated_body())
        return self.newest(annotator)


class GoldApi(ApiView):
    """Gold questions of a project."""

    tag = "quality"

    def place(self, slug: str) -> Membership:
        """Whoever asks, as a lead who does not vote or an administrator. Raises NotFound where none can be asked."""
        membership = queries.overseer(self.user, slug)
        if not membership.project.kind_spec.can_ask_gold:
            raise NotFound
        return membership

    def row(self, pk: int, status: int = 200) -> Response:
        """One of them as it stands."""
        return self.row_response(GoldQuestion.objects.select_related("of_item").get(pk=pk), status)


class GoldAdd(GoldApi):
    """One item as a gold question."""

    @operation(scopes=[MANAGE], takes=GoldQuestionIn, gives=GoldRow, status=201, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Ask an item as a gold question, among ordinary cards. For leads who do not vote, and administrators."""
        membership, sent = self.place(slug), self.validated_body()
        given: dict[str, Any] = {"accepted": sent["accepted"], "by": self.user}
        item = known_item(membership, sent["item"])
        return self.row(gold.gold_add(project=membership.project, item_id=item.pk, **given).pk, status=201)


class GoldDraw(GoldApi):
    """Some items as gold questions."""

    @operation(scopes=[MANAGE], takes=DrawIn, gives=AddedRow, repeats=True)
    def post(self, request: Request, slug: str) -> Response:
        """Draw gold questions from what people agree on. For leads who do not vote, and administrators."""
        project, count = self.place(slug).project, self.validated_body()["count"]
        return self.row_response({"added": gold.gold_add_unanimous(project=project, count=count, by=self.user)})


class GoldRetire(GoldApi):
    """One gold question."""

    @operation(scopes=[MANAGE], gives=GoldRow)
    def post(self, request: Request, slug: str, question_id: int) -> Response:
        """Ask a gold question of nobody any more. For leads who do not vote, and administrators."""
        project = queries.overseer(self.user, slug).project
        found = first_or_not_found(GoldQuestion.objects.filter(project=project, pk=question_id))
        gold.gold_retire(question=found, by=self.user)
        return self.row(found.pk)
