"""What a writer says to a reviewer's correction: that it is right, or why it is not (ruling 19)."""

from django.db import transaction

from annotation.content.models.item import Item, Revision
from annotation.core.database import locked
from annotation.core.errors import Conflict, NotFound
from annotation.core.models.member import Annotator
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.integrity.rules import AUTHOR
from validation.voting.actions import steps
from validation.voting.actions.flags import flag_raise
from validation.voting.models.review import Review
from validation.voting.models.vote import Vote
from validation.voting.rules import flags


def correction_accept(*, writer: Annotator, item_id: int, revision: int) -> Item:
    """Approve the reviewer's correction of one's own text: the item is settled, nobody else is asked.

    `revision` is the text that they saw. Accepting twice is accepting once. Raises Conflict `reviewed_meanwhile` where
    another reviewer was first, `correction_over` where the text is another by now, or was answered before.
    """
    with transaction.atomic():
        item = _lock_own(writer, item_id)
        if item.stage == stages.SETTLED and item.gold_from == AUTHOR and item.revision_n == revision:
            return item
        _check_answerable(item, revision)
        steps.record(item=item, event=stages.ACCEPT, by=writer, label=reviewing.APPROVE)
        steps.stop_asking(item)
        item.gold, item.gold_from = reviewing.APPROVE, AUTHOR
        steps.close_flags(item, {flags.NOBODY_LEFT, flags.FAILED_CHECK})
        return steps.save_standing(item)


def correction_dispute(*, writer: Annotator, item_id: int, revision: int, words: str) -> Item:
    """Say why the reviewer's correction is not right: another reviewer decides, a lead reads it on the desk.

    The words stay on the flag until a lead closes it or the text changes again. Raises as `correction_accept` does.
    """
    comment = steps.checked_words(words, field="words")
    with transaction.atomic():
        item = _lock_own(writer, item_id)
        _check_answerable(item, revision)
        steps.record(item=item, event=stages.DISPUTE, by=writer, words=comment)
        detail = {"words": comment, "by": [writer.pseudonym]}
        flag_raise(item=item, code=flags.DISPUTED, detail=detail, by_id=writer.pk)
        return steps.save_standing(item)


def _lock_own(writer: Annotator, item_id: int) -> Item:
    rows = Item.objects.select_related("project")
    item = locked(rows.filter(pk=item_id, author=writer, project=writer.project_id)).first()
    if item is None:
        raise NotFound
    return item


def _check_answerable(item: Item, revision: int) -> None:
    """Refuse where the present text is no reviewer's correction that waits for somebody's word."""
    if item.project.closed_at is not None:
        raise Conflict(code="project_closed")
    last = Revision.objects.get(item=item, n=item.revision_n)
    if last.n != revision or last.event != stages.TAKE_CORRECTION:
        raise Conflict(code="correction_over")
    voted = Vote.objects.filter(item=item, epoch=item.epoch, withdrawn_at=None)
    if item.stage != stages.VOTING or voted.exists():
        raise Conflict(code="reviewed_meanwhile")
    if Review.objects.filter(item=item, event=stages.DISPUTE, version__gt=last.version).exists():
        raise Conflict(code="correction_over")
