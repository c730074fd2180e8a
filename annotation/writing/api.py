"""A writer's work: sources, drafts, and submitted sets."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db.models import Prefetch
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.views import ANNOTATE, ApiView, operation
from annotation.api.wire import Body, Row, WholeNumberField
from annotation.content.models.source import Allocation, Draft
from annotation.core import access
from annotation.core.access import writer_at_work
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import finding_words, skip_words
from annotation.core.models.member import Annotator
from annotation.kinds import Kind, Slot, SlotIn
from annotation.writing.actions.writing import draft_save, set_submit, source_skip
from annotation.writing.queries import ALLOCATION_RELATIONS

LONGEST_TEXT = 100_000


class DraftRow(Row):
    """What stands in a slot and is not submitted."""

    slot = serializers.CharField()
    version = serializers.IntegerField()
    content = serializers.DictField()


class AllocationRow(Row):
    """Something to write from: its `slots` are submitted together."""

    token = serializers.CharField()
    text = serializers.CharField()
    language = serializers.CharField()
    slots = serializers.ListField(child=serializers.CharField())
    drafts = DraftRow(many=True)


class SlotBody(Body):
    """What is written into one slot; `more` by the names that the kind's form has."""

    text = serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, default="", allow_blank=True)
    one_sentence = serializers.BooleanField(default=False)
    tags = serializers.ListField(child=serializers.CharField(max_length=40), default=list, max_length=100)
    more = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_TEXT, trim_whitespace=False, allow_blank=True),
        default=dict,
    )


class DraftIn(Body):
    """A draft; `version` is that of the one that you read, 0 for the first."""

    slot = serializers.CharField(max_length=20)
    version = WholeNumberField(default=0)
    content = SlotBody()


class SetIn(Body):
    """A whole set: each slot by its name."""

    slots = serializers.DictField(child=SlotBody(), allow_empty=False)


class SubmittedRow(Row):
    """What was submitted."""

    items = serializers.IntegerField()


class SkippedIn(Body):
    """Why somebody does not write from this."""

    reason = serializers.CharField(max_length=40)
    words = serializers.CharField(max_length=250, default="", allow_blank=True)


def _slot(sent: dict[str, Any]) -> SlotIn:
    return SlotIn.from_dict(sent)


@contextmanager
def refused_by_checks(kind: Kind, slots: Mapping[str, Slot], before: str = "") -> Iterator[None]:
    """What checks do not let pass is refused in their words; the field is the slot's, with what stands `before` it."""
    try:
        yield
    except Invalid as refusal:
        findings = refusal.details.get("findings", ())
        blocking = [finding for finding in findings if finding.level == "block"]
        if not blocking:
            raise
        words = " ".join(finding_words(finding, kind, slots) for finding in blocking)
        field = f"{before}{blocking[0].slot}" if before else "content"
        raise Invalid(words, field=field, code=refusal.code) from refusal


def _row(allocation: Allocation) -> dict[str, Any]:
    project, target = allocation.project, allocation.target
    return {
        "token": allocation.token,
        "text": allocation.source.as_source.text,
        "language": target.language if target else project.language,
        "slots": [slot.key for slot in project.kind_spec.authoring.slots(project.rules)],
        "drafts": list(allocation.drafts.all()),
    }


class WriterView(ApiView):
    """What a writer does."""

    tag = "work"

    def writer(self, slug: str) -> Annotator:
        """Whoever asks, as a writer. Raises Conflict where the project is closed."""
        membership, annotator = access.require_role(self.user, slug, "writer")
        if self.request.method == "POST" and membership.project.closed_at is not None:
            raise Conflict(code="closed_writing")
        return annotator


class Allocations(WriterView):
    """What one writes from."""

    @operation(scopes=[ANNOTATE], gives=AllocationRow, paged=True)
    def get(self, request: Request, slug: str) -> Response:
        """List what you have to write from, with your drafts. For writers."""
        _, writer = writer_at_work(self.user, slug)
        mine = Allocation.objects.filter(writer=writer, state=Allocation.State.OPEN)
        rows = mine.select_related(*ALLOCATION_RELATIONS).prefetch_related(
            Prefetch("drafts", Draft.objects.order_by("pk"))
        )
        return self.page_response(rows, lambda page: [_row(allocation) for allocation in page])


class Drafts(WriterView):
    """The drafts of one allocation."""

    @operation(scopes=[ANNOTATE], takes=DraftIn, gives=DraftRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Keep what is written so far in one slot. A `version` that is behind is answered with 409."""
        writer, sent = self.writer(slug), self.validated_body()
        made = draft_save(
            writer=writer,
            token=token,
            slot=sent["slot"],
            content=_slot(sent["content"]),
            version=sent["version"],
        )
        return self.row_response(made)


class SetsSubmit(WriterView):
    """One set that is finished."""

    @operation(scopes=[ANNOTATE], takes=SetIn, gives=SubmittedRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Submit a whole set. What the checks do not let pass is refused in their words; the same set twice is
        submitted once."""
        writer, sent = self.writer(slug), self.validated_body()
        slots = {key: _slot(content) for key, content in sent["slots"].items()}
        project = writer.project
        known = {slot.key: slot for slot in project.kind_spec.authoring.slots(project.rules)}
        if strange := sorted(slots.keys() - known.keys()):
            raise Invalid(field=f"slots.{strange[0]}", code="slot_unknown")
        with refused_by_checks(project.kind_spec, known, "slots."):
            items = set_submit(writer=writer, token=token, slots=slots)
        return self.row_response({"items": len(items)})


class AllocationSkip(WriterView):
    """Something that one does not write from."""

    @operation(scopes=[ANNOTATE], takes=SkippedIn, gives=SubmittedRow)
    def post(self, request: Request, slug: str, token: str) -> Response:
        """Skip what you were given, with a reason; it goes to somebody else."""
        writer, sent = self.writer(slug), self.validated_body()
        reason, words = sent["reason"], sent["words"].strip()
        if reason not in skip_words(writer.project.kind_spec):
            raise Invalid(field="reason", code="reason_missing")
        source_skip(writer=writer, token=token, reason=f"{reason}: {words}" if words else reason)
        return self.row_response({"items": 0})
