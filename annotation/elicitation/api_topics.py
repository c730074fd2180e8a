"""`topics`, where writers begin prompts and variations, and the second pass over prompts."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, READ, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.content.models.source import Concept
from annotation.core import access
from annotation.core.errors import Forbidden, first_or_not_found
from annotation.elicitation import actions
from annotation.elicitation import queries as fetch
from annotation.elicitation.rules.sessions import TICKS


class OwnPromptRow(Row):
    """A prompt that you wrote on a topic, and which other one of yours it varies (its key, or empty)."""

    key = serializers.CharField(source="item.key")
    text = serializers.CharField()
    varies = serializers.CharField()
    excluded = serializers.BooleanField()


class TopicRow(Row):
    """An approved topic with what you have on it: `own` prompts, and tokens of the allocations that you began.
    `total` counts the prompts of everybody."""

    id = serializers.IntegerField(source="concept.pk")
    text = serializers.CharField(source="concept.text")
    category = serializers.CharField(source="concept.category")
    own = OwnPromptRow(many=True)
    begun = serializers.SerializerMethodField()
    total = serializers.IntegerField()

    def get_begun(self, topic: fetch.Topic) -> list[str]:
        """Their tokens, as `allocations` lists them."""
        return [allocation.token for allocation in topic.begun]


class BegunRow(Row):
    """The allocation to write on: `allocations/{token}/drafts` and `allocations/{token}/sets:submit` take its text."""

    token = serializers.CharField()


class Topics(ApiView):
    """The topics of a project."""

    tag = "elicitation"

    @operation(scopes=[ANNOTATE], gives=TopicRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the approved topics with your own prompts on each. For writers of projects with topics."""
        membership, writer = fetch.topics_membership(self.user, slug)
        rows = Concept.objects.filter(project=membership.project, state=Concept.State.APPROVED)
        return self.page_response(rows, lambda page: fetch.topics_of(writer, page))


class TopicBegin(ApiView):
    """One topic."""

    tag = "elicitation"

    @operation(scopes=[ANNOTATE], gives=BegunRow)
    def post(self, request: Request, slug: str, concept_id: int) -> Response:
        """Begin a prompt on a topic; one that you have not begun to write yet is given again. For writers."""
        _, writer = fetch.topics_membership(self.user, slug)
        return self.row_response(actions.prompt_new(writer=writer, concept_id=concept_id))


class OwnItemVary(ApiView):
    """One's own prompt."""

    tag = "elicitation"

    @operation(scopes=[ANNOTATE], gives=BegunRow)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Begin a variation of a prompt of yours; one that you have open already is given again. For writers."""
        _, writer = fetch.topics_membership(self.user, slug)
        item = first_or_not_found(Item.objects.filter(project=writer.project_id, author=writer, key=key))
        return self.row_response(actions.variation_new(writer=writer, item_id=item.pk))


# --- the second pass ----------------------------------------------------------------------


class ResponseRow(Row):
    """A response of a prompt, and what it is."""

    key = serializers.CharField()
    text = serializers.CharField()
    role = serializers.CharField()


class PromptRow(Row):
    """A prompt to be looked through, as its text stands in this `revision`."""

    key = serializers.CharField()
    revision = serializers.IntegerField()
    topic = serializers.CharField()
    text = serializers.CharField()
    responses = ResponseRow(many=True)


class StandingRow(Row):
    """How far the writers are with a prompt as it stands: how many have not looked yet (`waiting`), and how many did
    not give each tick (`missing`)."""

    key = serializers.CharField(source="item.key")
    revision = serializers.IntegerField(source="item.revision_n")
    done = serializers.BooleanField(source="standing.is_done")
    waiting = serializers.SerializerMethodField()
    missing = serializers.DictField(source="standing.missing", child=serializers.IntegerField())

    def get_waiting(self, row: fetch.SecondLookRow) -> int:
        """Writers who have not looked at this revision."""
        return len(row.standing.waiting)


class LookIn(Body):
    """The ticks that you give the text of this `revision`; `words` where one is missing."""

    revision = WholeNumberField()
    ticks = serializers.ListField(child=serializers.ChoiceField(list(TICKS)), max_length=len(TICKS))
    words = serializers.CharField(max_length=actions.LONGEST_WORDS, default="", allow_blank=True)


class LookRow(Row):
    """What was kept, and how many prompts are left for you."""

    key = serializers.CharField()
    left = serializers.IntegerField()


def prompt_rows(items: list[Item]) -> list[dict[str, Any]]:
    """Prompts with topic, whole text and responses: as many statements for one as for many."""
    present, made = content_queries.contents(items), []
    for item in items:
        content = present[item.pk]
        text, topic = item.project.kind_spec.presentation.headline(content)
        row = {"key": item.key, "revision": item.revision_n, "text": text}
        responses = list(content.get("options", ()))
        made.append({**row, "topic": str(content.get("concept", topic)), "responses": responses})
    return made


class SecondLook(ApiView):
    """What one has not looked through yet."""

    tag = "elicitation"

    @operation(scopes=[ANNOTATE], gives=PromptRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the prompts that you have not looked through as they stand; none before a group reviewed some. For
        writers."""
        fetch.second_look_place(self.user, slug)
        membership, writer = access.require_role(self.user, slug, "writer")
        left = (
            fetch.items_left_to_look_at(writer)
            if fetch.has_second_look_begun(membership.project)
            else Item.objects.none()
        )
        return self.page_response(left.select_related("project"), prompt_rows)


class SecondLookSave(ApiView):
    """One prompt that was looked through."""

    tag = "elicitation"

    @operation(scopes=[ANNOTATE], takes=LookIn, gives=LookRow, repeats=True)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Keep your ticks for a prompt; sending them again replaces them. A `revision` that is behind is answered with
        409. For writers."""
        fetch.second_look_place(self.user, slug)
        membership, writer = access.require_role(self.user, slug, "writer")
        found = first_or_not_found(fetch.second_look_items(membership.project).filter(key=key))
        item, sent = fetch.second_look_item(writer, found.pk), self.validated_body()
        given: dict[str, Any] = {
            "revision_n": sent["revision"],
            "ticks": sent["ticks"],
            "words": sent["words"],
        }
        actions.second_look_save(writer=writer, item_id=item.pk, **given)
        return self.row_response({"key": item.key, "left": fetch.items_left_to_look_at(writer).count()})


class SecondLooks(ApiView):
    """How far everybody is."""

    tag = "elicitation"

    @operation(scopes=[READ], gives=StandingRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the prompts with how many writers lack each tick. For leads and administrators."""
        membership = fetch.second_look_place(self.user, slug)
        if not membership.sees_all:
            raise Forbidden
        project = membership.project
        return self.page_response(
            fetch.second_look_items(project).select_related("project"),
            lambda rows: fetch.rows_with_standing(project, rows),
        )
