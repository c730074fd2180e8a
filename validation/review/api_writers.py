"""One's own items, over the API: reading, revising, correcting returned ones, answering a reviewer's correction."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, READ, ApiView, operation
from annotation.api.wire import Body, ListQuery, Row, WholeNumberField
from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.content.models.item import Item, Revision
from annotation.core import access
from annotation.core.errors import Conflict, Invalid, NotFound, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.kinds import WHY_PREFIX, SlotIn, text_at
from annotation.writing.actions.revising import findings_about, item_revise, origin_of, siblings_of
from annotation.writing.api import LONGEST_TEXT, SlotBody, refused_by_checks
from annotation.writing.views.form import TAGS, Form, form_of_item, revised_content, without_stale_answers
from annotation.writing.views.submitted import as_form, may_revise
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.review.actions.answers import correction_accept, correction_dispute
from validation.review.actions.writers import resubmit, resubmit_findings
from validation.review.api import with_content
from validation.review.api_rows import OwnItemRow
from validation.review.queries import desk
from validation.review.queries.returned import feedback_of
from validation.voting.models.review import Review

REVISE, RESUBMIT, ANSWER = "revise", "resubmit", "answer"


class FeedbackRow(Row):
    """Why an item was returned; who returned it is not shown."""

    error = serializers.CharField()
    words = serializers.CharField()
    at = serializers.DateTimeField()


class ChangedText(Row):
    """A text before and after a reviewer's correction."""

    key = serializers.CharField()
    name = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()


class CorrectionRow(Row):
    """A reviewer's correction, without the reviewer. `revision` is the one that an answer to it names."""

    revision = serializers.IntegerField()
    words = serializers.CharField()
    texts = ChangedText(many=True)


class OwnItemWhole(OwnItemRow):
    """An item that one wrote, with what can be done about it now (`can`): `revise` until somebody is asked about it,
    `resubmit` where it came back, `answer` where a reviewer corrected it; empty where it is no longer the writer's.

    `version` is what revising and submitting name, null where neither can be done. `written` is what was typed, as
    drafts have it. `feedback` says why it was returned, the last time first."""

    source = serializers.CharField()  # type: ignore[assignment]
    language = serializers.CharField()
    can = serializers.ListField(child=serializers.ChoiceField([REVISE, RESUBMIT, ANSWER]))
    version = serializers.IntegerField(source="version_read", allow_null=True)
    written = SlotBody()
    feedback = FeedbackRow(many=True)
    correction = CorrectionRow(allow_null=True)


class OwnItemQuery(ListQuery):
    """What of one's own is listed."""

    returned = serializers.BooleanField(default=False, help_text="Only what came back to be corrected.")
    corrected = serializers.BooleanField(
        default=False, help_text="Only what a reviewer corrected and nobody has judged since."
    )


class Rewritten(Body):
    """The text as it is to be; what is left out stays as it was."""

    text = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, required=False)
    one_sentence = serializers.BooleanField(default=False)
    tags = serializers.ListField(child=serializers.CharField(max_length=40), required=False, max_length=100)
    more = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, allow_blank=True),
        required=False,
    )


class ReviseIn(Body):
    """One's own text, changed. `version` is that of the item that you read."""

    version = WholeNumberField()
    content = Rewritten()


class ResubmitIn(ReviseIn):
    """A returned item, corrected. `content` may be left out where the text is right as it is: then `words` say why, or
    `as_it_is` that nothing is to be said."""

    content = Rewritten(required=False)
    words = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    as_it_is = serializers.BooleanField(default=False)


class AcceptIn(Body):
    """A correction that is right."""

    revision = WholeNumberField()


class DisputeIn(AcceptIn):
    """A correction that is not right, and why."""

    words = serializers.CharField(max_length=LONGEST_TEXT)


def slot_as_typed(form: Form, slot: str, stored: SlotIn, given: Mapping[str, Any]) -> SlotIn:
    """The slot as its page would send it, where this was changed. Raises Invalid for what the form does not have."""
    fields = {each.key for each in form.fields}
    more = {**stored.more, **given.get("more", {})}
    says = {WHY_PREFIX + check for check in form.kind.authoring.checks} if form.asks_why else set()
    if strange := sorted(given.get("more", {}).keys() - fields - says):
        raise Invalid(field=f"content.more.{strange[0]}", code="slot_field_unknown")
    tags = given.get("tags", stored.tags)
    if strange := sorted(set(tags) - TAGS):
        raise Invalid(field="content.tags", code="tag_unknown")
    sent = QueryDict(mutable=True)
    sent[f"text_{slot}"] = given.get("text", stored.text)
    sent.setlist(f"tags_{slot}", list(tags))
    if given.get("one_sentence"):
        sent[f"one_{slot}"] = "on"
    for name, value in more.items():
        sent[f"more_{slot}_{name}"] = value
    return revised_content(stored, form.posted(sent, slot))


def _possible_acts(item: Item, corrected: bool) -> list[str]:
    if item.project.closed_at is not None:
        return []
    could = {REVISE: may_revise(item), RESUBMIT: item.stage == stages.RETURNED, ANSWER: corrected}
    return [name for name, there in could.items() if there]


def _correction(item: Item) -> dict[str, Any]:
    rows = Revision.objects.filter(item=item, n__in=(item.revision_n - 1, item.revision_n)).order_by("n")
    before, after = rows
    texts = [
        {
            "key": text.key,
            "name": text.name,
            "before": text_at(before.content, text.key),
            "after": text_at(after.content, text.key),
        }
        for text in item.project.kind_spec.presentation.texts_in(after.content)
    ]
    return {"revision": after.n, "words": after.why, "texts": texts}


def _with_writers_view(item: Item) -> Item:
    """The item with all that its writer reads of it."""
    content = content_queries.contents([item])[item.pk]
    corrected = desk.corrections_to_judge(Item.objects.filter(pk=item.pk)).exists()
    can, form = _possible_acts(item, corrected), form_of_item(item)
    returns = Review.objects.filter(item=item, event__in=stages.RETURNS).order_by("-version")
    vars(item).update(
        present=content,
        version_read=item.version if {REVISE, RESUBMIT} & set(can) else None,
        source=shapes.get(item.project.kind_spec.shape).source_of(item).as_source.text,
        language=form.language,
        can=can,
        written=item.project.kind_spec.authoring.slot_from_content(content),
        feedback=feedback_of(item.project, returns),
        correction=_correction(item) if corrected else None,
    )
    return item


class OwnItemApi(ApiView):
    """Common parts of the addresses of one's own items."""

    tag = "items"

    def own(self, slug: str, key: str) -> tuple[Annotator, Item]:
        """The writer, and the item that they wrote. Raises NotFound for others'."""
        _, writer = access.require_role(self.user, slug, "writer")
        rows = content_queries.own_items(writer).select_related("author", "project", "target")
        return writer, first_or_not_found(rows.filter(key=key))

    def as_it_stands(self, slug: str, key: str) -> Response:
        """The item as it stands."""
        return self.row_response(_with_writers_view(self.own(slug, key)[1]))


class OwnItems(ApiView):
    """What one wrote."""

    tag = "items"

    @operation(scopes=[READ], gives=OwnItemRow, query=OwnItemQuery, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List the items that you wrote. For writers."""
        _, writer = access.require_role(self.user, slug, "writer")
        rows = content_queries.own_items(writer).select_related("target", "project")
        if self.query_values["returned"]:
            rows = rows.filter(stage=stages.RETURNED)
        if self.query_values["corrected"]:
            rows = desk.corrections_to_judge(rows)
        return self.page_response(rows, lambda items: with_content(items, flags=False))


class OwnItem(OwnItemApi):
    """One item that one wrote."""

    @operation(scopes=[READ], gives=OwnItemWhole)
    def get(self, request: Request, slug: str, key: str) -> Response:
        """Read an item that you wrote: what you typed, why it came back, what a reviewer corrected. For writers."""
        return self.as_it_stands(slug, key)


class OwnItemRevise(OwnItemApi):
    """One item that its writer changes."""

    @operation(scopes=[ANNOTATE], takes=ReviseIn, gives=OwnItemWhole, repeats=True)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Change an item that you wrote, until somebody is asked about it. For writers."""
        (writer, item), sent = self.own(slug, key), self.validated_body()
        if item.project.closed_at is not None:
            raise Conflict(code="closed_writing")
        form = form_of_item(item)
        stored = as_form(item, content_queries.contents([item])[item.pk])
        typed = slot_as_typed(form, item.slot, stored, sent["content"])
        others, origin = siblings_of(item), origin_of(item)
        found = findings_about(item.slot, item.project, form.source, others, typed, origin, form.resources)
        with refused_by_checks(form.kind, form.slots):
            item_revise(
                writer=writer,
                item_id=item.pk,
                version=sent["version"],
                content=without_stale_answers(typed, found),
            )
        return self.as_it_stands(slug, key)


class OwnItemResubmit(OwnItemApi):
    """One returned item."""

    @operation(scopes=[ANNOTATE], takes=ResubmitIn, gives=OwnItemWhole, repeats=True)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Submit a returned item again, its text corrected, or unchanged with `words` that say why. For writers."""
        (writer, item), sent = self.own(slug, key), self.validated_body()
        form = form_of_item(item)
        stored = as_form(item, content_queries.contents([item])[item.pk])
        typed = slot_as_typed(form, item.slot, stored, sent.get("content", {}))
        found = resubmit_findings(item=item, content=typed)
        with refused_by_checks(form.kind, form.slots):
            resubmit(
                writer=writer,
                item_id=item.pk,
                version=sent["version"],
                content=without_stale_answers(typed, found),
                words=sent["words"],
                as_it_is=sent["as_it_is"],
            )
        return self.as_it_stands(slug, key)


class OwnItemAnswer(OwnItemApi):
    """One item that a reviewer corrected."""

    def corrected(self, slug: str, key: str) -> tuple[Annotator, Item]:
        """The writer and the item. Raises NotFound where reviewers correct nothing."""
        writer, item = self.own(slug, key)
        if reviewing.FEATURE not in item.project.kind_spec.features:
            raise NotFound
        return writer, item


class OwnItemAccept(OwnItemAnswer):
    """A correction that is right."""

    @operation(scopes=[ANNOTATE], takes=AcceptIn, gives=OwnItemWhole)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Accept a reviewer's correction of your text: the item is settled. For writers."""
        writer, item = self.corrected(slug, key)
        correction_accept(writer=writer, item_id=item.pk, revision=self.validated_body()["revision"])
        return self.as_it_stands(slug, key)


class OwnItemDispute(OwnItemAnswer):
    """A correction that is not right."""

    @operation(scopes=[ANNOTATE], takes=DisputeIn, gives=OwnItemWhole, repeats=True)
    def post(self, request: Request, slug: str, key: str) -> Response:
        """Say why a reviewer's correction of your text is not right: another reviewer decides. For writers."""
        (writer, item), sent = self.corrected(slug, key), self.validated_body()
        correction_dispute(writer=writer, item_id=item.pk, revision=sent["revision"], words=sent["words"])
        return self.as_it_stands(slug, key)
