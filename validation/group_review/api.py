"""Group review: the prompts of a session, the group's proposals about them, and the leads' decisions."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, MANAGE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.content.models.item import Item
from annotation.core.access import Membership
from annotation.core.errors import Forbidden, Invalid
from annotation.core.models.member import Annotator
from annotation.elicitation.api_topics import PromptRow, prompt_rows
from annotation.elicitation.models import Remark, Session, Suggestion
from validation.group_review import actions, rules
from validation.group_review import queries as fetch

LONGEST_TEXT = 100_000


class GroupPromptRow(PromptRow):
    """A prompt as a group reads it, and how many proposals are open about it."""

    open = serializers.IntegerField()


class RemarkRow(Row):
    """One contribution to the thread of a proposal."""

    by = serializers.CharField(source="by.pseudonym")
    text = serializers.CharField()
    at = serializers.DateTimeField()


class SuggestionRow(Row):
    """A proposal about a prompt (`item`, by its key) as it stood in `revision`. `data` holds what it proposes by its
    form: texts by part (reword, rephrase), parts and `other` (combine), parts of both halves (split), or the personal
    situation and the responses that change (variation)."""

    id = serializers.IntegerField()
    item = serializers.CharField(source="item.key")
    form = serializers.ChoiceField(Suggestion.Form.values)
    data = serializers.DictField()  # type: ignore[assignment]
    words = serializers.CharField()
    revision = serializers.IntegerField(source="revision_n")
    by = serializers.CharField(source="by.pseudonym")
    state = serializers.ChoiceField(Suggestion.State.values)
    decided_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()
    remarks = RemarkRow(many=True, source="said")
    at = serializers.DateTimeField()


class SuggestionIn(Body):
    """A proposal. `texts`: by the names of the parts of the prompt, as the form of the page has them (`second-` before
    those of the second half of a split, `other` for the key of the prompt to combine with); `responses`: keys of the
    responses that a variation changes."""

    item = serializers.CharField(max_length=200)
    form = serializers.ChoiceField(list(rules.FORMS))
    texts = serializers.DictField(child=serializers.CharField(max_length=LONGEST_TEXT, allow_blank=True), default=dict)
    responses = serializers.ListField(child=serializers.CharField(max_length=20), default=list, max_length=100)
    words = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)


class RemarkIn(Body):
    """What is said in the thread."""

    text = serializers.CharField(max_length=LONGEST_TEXT)


class SuggestionAcceptIn(Body):
    """The `revision` of the prompt that you read; `meaning` where validation of it has begun."""

    revision = WholeNumberField()
    meaning = serializers.ChoiceField(["same", "new"], default="", allow_blank=True)
    words = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)


class SuggestionDeclineIn(Body):
    """Why the prompt stays as it is."""

    words = serializers.CharField(max_length=LONGEST_TEXT)


def _with_remarks(rows: list[Suggestion]) -> list[Suggestion]:
    said: dict[int, list[Remark]] = defaultdict(list)
    for each in Remark.objects.filter(suggestion__in=rows).select_related("by").order_by("pk"):
        said[each.suggestion_id].append(each)
    for row in rows:
        vars(row)["said"] = said[row.pk]
    return rows


class GroupApi(ApiView):
    """Group review in a session."""

    tag = "elicitation"

    def session(self, slug: str, session_id: int) -> tuple[Membership, Session]:
        """Whoever asks, as reviewer, lead or administrator, and the session."""
        membership = fetch.group_membership(self.user, slug)
        return membership, fetch.session_in(membership, session_id)

    def row(self, suggestion: Suggestion, status: int = 200) -> Response:
        """A proposal as it stands now."""
        rows = Suggestion.objects.select_related("item", "by").filter(pk=suggestion.pk)
        return self.row_response(_with_remarks(list(rows))[0], status)


class GroupPrompts(GroupApi):
    """What a group looks at."""

    @operation(scopes=[READ], gives=GroupPromptRow, paged=True)
    def get(self, request: Request, slug: str, session_id: int) -> Response:
        """List the prompts, with how many proposals are open about each. For reviewers, leads and administrators."""
        membership, _ = self.session(slug, session_id)

        def prepare(items: list[Item]) -> list[dict[str, Any]]:
            waits = [getattr(item, "waits", 0) for item in items]
            return [{**row, "open": n} for row, n in zip(prompt_rows(items), waits, strict=True)]

        return self.page_response(fetch.with_open_counts(fetch.prompts(membership)), prepare)


class Suggestions(GroupApi):
    """The proposals of a session."""

    @operation(scopes=[READ], gives=SuggestionRow, paged=True, since=("at", "decided_at"))
    def get(self, request: Request, slug: str, session_id: int) -> Response:
        """List the proposals of a session with their threads. For reviewers, leads and administrators."""
        _, session = self.session(slug, session_id)
        return self.page_response(session.suggestions.select_related("item", "by"), _with_remarks)

    @operation(scopes=[ANNOTATE, MANAGE], takes=SuggestionIn, gives=SuggestionRow, status=201, repeats=True)
    def post(self, request: Request, slug: str, session_id: int) -> Response:
        """Propose something about a prompt; you are not asked to validate its family then. For reviewers, leads and
        administrators, who become leads by it."""
        membership, session = self.session(slug, session_id)
        _, who = fetch.participant(self.user, slug)
        sent = self.validated_body()
        item = Item.objects.filter(project=membership.project, key=sent["item"]).first()
        if item is None:
            raise Invalid(field="item", code="other_missing")
        typed = {**sent["texts"], "later": " ".join(sent["responses"])}
        here = {"session_id": session.pk, "item_id": item.pk}
        made = actions.suggest(by=who, **here, form=sent["form"], typed=typed, words=sent["words"])
        return self.row(made, status=201)


class SuggestionApi(GroupApi):
    """One proposal."""

    def at(
        self, slug: str, session_id: int, suggestion_id: int, *, leads: bool = False
    ) -> tuple[Annotator, Mapping[str, int], Suggestion]:
        """Whoever takes part, and the proposal of the session. Raises Forbidden where only leads may."""
        membership, session = self.session(slug, session_id)
        if leads and not membership.sees_all:
            raise Forbidden
        _, who = fetch.participant(self.user, slug)
        found = actions.suggestion_in(who, session.pk, suggestion_id)
        return who, {"session_id": session.pk, "suggestion_id": found.pk}, found


class SuggestionRemark(SuggestionApi):
    """The thread of a proposal."""

    @operation(scopes=[ANNOTATE, MANAGE], takes=RemarkIn, gives=SuggestionRow, repeats=True)
    def post(self, request: Request, slug: str, session_id: int, suggestion_id: int) -> Response:
        """Say something in the thread of an open proposal. For reviewers, leads and administrators."""
        who, here, found = self.at(slug, session_id, suggestion_id)
        actions.remark(by=who, **here, text=self.validated_body()["text"])
        return self.row(found)


class SuggestionTakeBack(SuggestionApi):
    """One's own proposal."""

    @operation(scopes=[ANNOTATE, MANAGE], gives=SuggestionRow)
    def post(self, request: Request, slug: str, session_id: int, suggestion_id: int) -> Response:
        """Take your own proposal back, as long as nobody decided it."""
        who, here, found = self.at(slug, session_id, suggestion_id)
        actions.take_back(by=who, **here)
        return self.row(found)


class SuggestionAccept(SuggestionApi):
    """A proposal that is done."""

    @operation(scopes=[MANAGE], takes=SuggestionAcceptIn, gives=SuggestionRow, repeats=True)
    def post(self, request: Request, slug: str, session_id: int, suggestion_id: int) -> Response:
        """Accept a proposal: the change is made. A `revision` that is behind is answered with 409. For leads and
        administrators who neither proposed it nor wrote the prompt."""
        who, here, found = self.at(slug, session_id, suggestion_id, leads=True)
        sent = self.validated_body()
        told: dict[str, Any] = {**here, "meaning": sent["meaning"], "reason": sent["words"]}
        actions.accept(lead=who, revision_n=sent["revision"], **told)
        return self.row(found)


class SuggestionDecline(SuggestionApi):
    """A proposal that is not done."""

    @operation(scopes=[MANAGE], takes=SuggestionDeclineIn, gives=SuggestionRow, repeats=True)
    def post(self, request: Request, slug: str, session_id: int, suggestion_id: int) -> Response:
        """Decline a proposal with a reason; the prompt stays as it is. For leads and administrators."""
        who, here, found = self.at(slug, session_id, suggestion_id, leads=True)
        actions.decline(lead=who, **here, reason=self.validated_body()["words"])
        return self.row(found)
