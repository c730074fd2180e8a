"""What a writer answers to a returned item: corrected or not, with words, and back to who returned it."""

from typing import Any

from django.db import transaction

from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.content.queries import current_content
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.kinds import SlotIn
from annotation.text.checks import Finding, blocks
from annotation.writing.actions.revising import (
    findings_about,
    label_of,
    origin_of,
    resources_of_item,
    revise,
    siblings_of,
)
from annotation.writing.actions.writing import is_storable
from validation.consensus import stages
from validation.voting.actions import steps
from validation.voting.actions.check_findings import flag_findings
from validation.voting.models.review import Review
from validation.voting.rules import flags


def resubmit_findings(*, item: Item, content: SlotIn) -> list[Finding]:
    """What the checks say of one item's new text, beside the others of its set as they stand."""
    source = shapes.get(item.project.kind_spec.shape).source_of(item).as_source
    others, resources = siblings_of(item), resources_of_item(item)
    return findings_about(item.slot, item.project, source, others, content, origin_of(item), resources)


def resubmit(
    *,
    writer: Annotator,
    item_id: int,
    version: int,
    content: SlotIn,
    words: str = "",
    as_it_is: bool = False,
) -> Item:
    """Hand in a returned item again, its text changed or not, with words.

    What a lead returned comes back to the lead, who says whether it means the same; what reviewers sent back comes
    before reviewers again, in a new epoch, those who sent it back among them. A changed text is a revision, an
    unchanged one leaves a row of the review. Raises Invalid with the findings where a check blocks, and `unchanged`
    where neither a text was changed nor a reason given, unless `as_it_is` says that this is meant; Conflict `stale`
    where a lead acted meanwhile.
    """
    comment = steps.checked_words(words, field="words", required=False)
    with transaction.atomic():
        item = _lock_returned(writer, item_id, version)
        if content.is_blank:
            raise Invalid(field="text", code="text_missing")
        if not is_storable(content):
            raise Invalid(field="text", code="text_not_storable")
        kind, old_epoch = item.project.kind_spec, item.epoch
        event = stages.REVIEW_AGAIN if stages.is_sent_back_by_reviewers(_returns(item)) else stages.RESUBMIT
        source = shapes.get(kind.shape).source_of(item).as_source
        new = kind.authoring.content_from_slot(source, content)
        if new == current_content(item):
            if not comment and not as_it_is:
                raise Invalid(field="words", code="unchanged")
            if event in stages.STARTS_EPOCH:
                item.epoch += 1
            steps.record(item=item, event=event, by=writer, words=comment)
        else:
            _revise_text(item, writer, event, content, new, comment)
        if event in stages.STARTS_EPOCH:
            steps.restart_validation(item, old_epoch)
        return steps.save_standing(item)


def _lock_returned(writer: Annotator, item_id: int, version: int) -> Item:
    """Lock a returned item of this writer, at the version that they saw."""
    rows = Item.objects.select_related("project", "target")
    item = locked(rows.filter(pk=item_id, author=writer, project=writer.project_id)).first()
    if item is None:
        raise NotFound
    if item.project.closed_at is not None:
        raise Conflict(code="project_closed")
    steps.check_not_stale(item, version)
    if item.stage != stages.RETURNED:
        raise Conflict(code="not_from_here", stage=item.stage)
    return item


def _returns(item: Item) -> list[str]:
    """The returns of an item, in their order."""
    rows = Review.objects.filter(item=item, event__in=stages.RETURNS)
    return list(rows.order_by("version").values_list("event", flat=True))


def _revise_text(item: Item, writer: Annotator, event: str, content: SlotIn, new: dict[str, Any], words: str) -> None:
    """Write the writer's new text, unless a check blocks it."""
    findings = resubmit_findings(item=item, content=content)
    if blocks(findings):
        raise Invalid(field="text", code="checks_block", findings=findings)
    steps.move_stage(item, event, writer)
    starts = event in stages.STARTS_EPOCH
    item.epoch += starts
    # Where a lead approves it, they say whether it means the same; until then nobody has.
    revise(
        item=item,
        content=new,
        by=writer,
        event=event,
        meaning=steps.NEW_MEANING if starts else "",
        why=words,
        author_label=label_of(item, content),
    )
    if starts:
        # The text that the checks, a reviewer and the writer spoke of is no more.
        steps.close_flags(item, {flags.DISPUTED, flags.FAILED_CHECK})
        flag_findings([item.pk])
