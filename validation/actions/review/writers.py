"""What a writer answers to a returned item: corrected or not, with words, and back to the lead."""

from django.db import transaction

from annotation import shapes
from annotation.actions import pay
from annotation.actions.writing import (
    content_now,
    findings_about,
    is_storable,
    label_of,
    origin_of,
    revise,
    siblings_of,
)
from annotation.db import locked
from annotation.errors import Conflict, Invalid, NotFound
from annotation.kinds import SlotIn
from annotation.models import Annotator, Item
from annotation.rules.checks import Finding, blocks
from validation.actions.review import steps
from validation.rules import stages


def resubmit_findings(*, item: Item, content: SlotIn) -> list[Finding]:
    """What the checks say of one item's new text, beside the others of its set as they stand."""
    source = shapes.get(item.project.kind_spec.shape).source_of(item).as_source
    return findings_about(item.slot, item.project, source, siblings_of(item), content, origin_of(item))


def resubmit(*, writer: Annotator, item_id: int, version: int, content: SlotIn, words: str = "") -> Item:
    """Send a returned item back to the lead, its text changed or not; whether it means the same is the lead's word.

    A changed text is a revision, an unchanged one leaves a row of the review. Raises Invalid with the findings
    where a check blocks, Conflict `stale` where a lead acted meanwhile.
    """
    said = steps.words_given(words, field="words", required=False)
    with transaction.atomic():
        rows = Item.objects.select_related("project").filter(
            pk=item_id, author=writer, project=writer.project_id
        )
        item = locked(rows).first()
        if item is None:
            raise NotFound
        if item.project.closed_at is not None:
            raise Conflict(code="project_closed")
        steps.not_stale(item, version)
        if not stages.can(item.stage, stages.RESUBMIT):
            raise Conflict(code="not_from_here", stage=item.stage)
        steps.text_given(content.text)
        if not is_storable(content):
            raise Invalid(field="text", code="text_not_storable")
        kind = item.project.kind_spec
        source = shapes.get(kind.shape).source_of(item).as_source
        before = content_now(item)
        new = kind.content(source, content)
        if new == before:
            steps.record(item=item, event=stages.RESUBMIT, by=writer, words=said)
            return steps.settle(item)
        findings = resubmit_findings(item=item, content=content)
        if blocks(findings):
            raise Invalid(field="text", code="checks_block", findings=findings)
        steps.move(item, stages.RESUBMIT)
        # The lead who approves says whether it means the same; until then nobody has.
        label = label_of(item, content)
        made = revise(
            item=item,
            content=new,
            by=writer,
            event=stages.RESUBMIT,
            meaning="",
            why=said,
            author_label=label,
        )
        pay.post_correction(item, made.pk, new)
        return steps.settle(item)
