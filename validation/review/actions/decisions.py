"""What a QC lead decides about an item (domain.md §8): each a new row, nothing is deleted."""

from collections.abc import Mapping

from django.db import transaction

from annotation.answers import Answer, Posted
from annotation.content.models.item import Item, Revision
from annotation.content.queries import current_content
from annotation.core.errors import Conflict, Invalid, NotFound, first_or_not_found
from annotation.core.models.member import Annotator
from annotation.elicitation.queries import second_look_standing
from validation.consensus import engine as consensus
from validation.consensus import stages
from validation.consensus import translation_review as reviewing
from validation.review.models.assessment import Assessment
from validation.review.models.comment import Comment
from validation.voting.actions import steps
from validation.voting.actions.ballots import Ballot, with_canonical_answers
from validation.voting.actions.flags import flag_raise
from validation.voting.actions.marked_places import keeps_places
from validation.voting.actions.verdicts import (
    decided_by_votes,
    decision_of,
    is_reviewed,
    questions_of,
    standing_votes,
)
from validation.voting.models.review import Flag, Review


def approve(
    *, lead: Annotator, item_id: int, version: int, meaning: str = "", words: str = "", unseen: bool = False
) -> Item:
    """Close the item's flags; no label changes. What a writer corrected needs `meaning`: `same` or `new`.

    An item that nobody was asked about yet has no votes to keep, so there `meaning` is not asked for. What waits for
    its first check is offered to voters from now on, where it is sampled (domain.md §5). Where writers have a second
    pass, one that nobody has looked through as it stands is refused, unless the lead says so (`unseen`).
    """
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        comment = steps.checked_words(words, field="words", required=False)
        event = stages.APPROVE_WRITTEN if item.stage == stages.SUBMITTED else stages.APPROVE
        if item.stage == stages.CORRECTED:
            in_validation = steps.has_validation_begun(item)
            same = not in_validation or steps.checked_meaning(meaning) == steps.SAME_MEANING
            # Words that were marked and are gone are asked about anew.
            same = same and keeps_places(item, current_content(item))
            event = stages.approval_event(in_validation=in_validation, same_meaning=same)
        if event == stages.APPROVE_WRITTEN and lacks_verdicts(item):
            raise Conflict(code="verdicts_missing")
        if event == stages.APPROVE_WRITTEN and not unseen and _lacks_second_look(item):
            raise Invalid(field="unseen", code="second_look_missing")
        approve_locked_item(item, event, lead, comment)
        return steps.save_standing(item)


def _lacks_second_look(item: Item) -> bool:
    """Whether the kind has a second pass, and nobody has made it for the text as it stands now."""
    standing = second_look_standing(item)
    return standing is not None and not standing.looks


def lacks_verdicts(item: Item) -> bool:
    """Whether a machine wrote the item, and nobody has said yet what is wrong with it (domain.md §5)."""
    return item.origin == Item.Origin.MACHINE and not Assessment.objects.filter(item=item).exists()


def approve_locked_item(item: Item, event: str, lead: Annotator, words: str) -> None:
    """Approve an item that the caller holds, by an event that its stage knows."""
    old_epoch = item.epoch
    if event in stages.STARTS_EPOCH:
        item.epoch += 1
    steps.record(item=item, event=event, by=lead, words=words)
    steps.close_flags(item)
    if event == stages.APPROVE_NEW:
        steps.restart_validation(item, old_epoch)
    elif event == stages.APPROVE_SAME or (event == stages.APPROVE_WRITTEN and item.sampled):
        steps.request_decision(item)


def return_item(*, lead: Annotator, item_id: int, version: int, error_type: str, words: str) -> Item:
    """Give the item back to its writer with an error type and feedback; a second time marks it."""
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        if error_type not in dict(item.project.error_types):
            raise Invalid(field="error_type", code="error_type_missing")
        comment = steps.checked_words(words, field="words")
        if not steps.is_writer_active(item):
            raise Conflict(code="no_writer")
        steps.record(item=item, event=stages.RETURN, by=lead, error_type=error_type, words=comment)
        steps.give_back(item, lead)
        return steps.save_standing(item)


def adjudicate(
    *,
    lead: Annotator,
    item_id: int,
    version: int,
    words: str,
    label: str = "",
    answers: Mapping[str, Answer] | None = None,
    posted: Posted | None = None,
) -> Item:
    """Settle the item by the lead's own label, with a reason; its flags are answered by that.

    Where voters answer questions the lead does: `answers` by the questions' keys, or the fields of a form.
    """
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        asked = questions_of(item)
        given: dict[str, Answer] | None = None
        if asked:
            content = Revision.objects.get(item=item, n=item.revision_n).content
            shown = item.project.kind_spec.card_view(content)
            ballot = with_canonical_answers(Ballot("", answers=answers or {}, posted_form=posted or {}), asked, shown)
            label, given = ballot.label, {each.key: ballot.answers.get(each.key) for each in asked}
        elif label not in gold_labels(item):
            raise Invalid(field="label", code="label_unknown")
        if item.stage == stages.EXCLUDED and not steps.has_validation_begun(item):
            raise Conflict(code="not_from_here", stage=item.stage)
        comment = steps.checked_words(words, field="words")
        steps.record(item=item, event=stages.ADJUDICATE, by=lead, label=label, answers=given, words=comment)
        steps.stop_asking(item)
        item.gold, item.gold_from, item.gold_answers = label, "lead", given
        steps.close_flags(item)
        return steps.save_standing(item)


def gold_labels(item: Item) -> tuple[str, ...]:
    """The labels that a lead may settle an item by: where it is reviewed, only that it is approved."""
    return (reviewing.APPROVE,) if is_reviewed(item) else item.project.kind_spec.question.label_keys


def reopen(*, lead: Annotator, item_id: int, version: int, words: str = "") -> Item:
    """Undo an exclusion, an adjudication, or a return: the item is computed again from its standing votes.

    The flags that the undone action closed are raised again. What was never approved waits for its check again. Raises
    Conflict `still_ambiguous` or `still_sent_back` where the votes would lead back at once.
    """
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        comment = steps.checked_words(words, field="words", required=False)
        in_validation = steps.has_validation_begun(item)
        if in_validation and item.pk in decided_by_votes([item]):
            _refuse_leading_back(item)
        event = stages.reopening_event(in_validation=in_validation, unchecked=steps.awaits_first_approval(item))
        undone = Review.objects.filter(item=item).order_by("-version").first()
        steps.record(item=item, event=event, by=lead, words=comment)
        steps.clear_gold(item)
        if in_validation or (item.sampled and event == stages.REOPEN_WRITTEN):
            steps.request_decision(item)
        if undone is not None:
            _raise_again(item, undone)
        return steps.save_standing(item)


def flag_close(*, lead: Annotator, item_id: int, version: int, flag: str, words: str = "") -> Item:
    """Close one open flag and leave the others; Conflict `many_no_flag` where it is not open."""
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        comment = steps.checked_words(words, field="words", required=False)
        if not Flag.objects.filter(item=item, code=flag, closed_at=None).exists():
            raise Conflict(code="many_no_flag")
        steps.record(item=item, event=stages.CLOSE_FLAG, by=lead, words=comment)
        steps.close_flags(item, {flag})
        return steps.save_standing(item)


def approval_undo(*, lead: Annotator, item_id: int, version: int) -> Item:
    """Take back that the item was approved, or a flag of it closed; `version` is the one that this led to.

    Raises Conflict `stale` where anything happened since. What waited for its first check waits for it again.
    """
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        undone = first_or_not_found(Review.objects.filter(item=item, version=version))
        if undone.event == stages.APPROVE_WRITTEN:
            steps.record(item=item, event=stages.UNAPPROVE, by=lead)
            steps.stop_asking(item)
        else:
            steps.record(item=item, event=stages.RAISE_FLAGS, by=lead)
        _raise_again(item, undone)
        return steps.save_standing(item)


def _refuse_leading_back(item: Item) -> None:
    """Raise Conflict where the votes by which the system excluded or returned the item say so still."""
    state = decision_of(item, standing_votes([item])[item.pk]).state
    if state == consensus.EXCLUDED:
        raise Conflict(code="still_ambiguous")
    if item.stage == stages.RETURNED and state == consensus.NO_CONSENSUS:
        raise Conflict(code="still_sent_back")


def _raise_again(item: Item, undone: Review) -> None:
    open_now = set(Flag.objects.filter(item=item, closed_at=None).values_list("code", flat=True))
    for flag in Flag.objects.filter(item=item, closed_version=undone.version):
        if flag.code not in open_now:
            flag_raise(item=item, code=flag.code, detail=flag.detail, by_id=flag.by_id)


def comment_add(*, lead: Annotator, item_id: int, text: str) -> Comment:
    """Add a comment; it changes nothing about the item, so no version is needed."""
    comment = steps.checked_words(text, field="text")
    with transaction.atomic():
        item = Item.objects.filter(pk=item_id, project=lead.project_id).first()
        if item is None:
            raise NotFound
        steps.check_lead_may_act(lead, item)
        return Comment.objects.create(project_id=item.project_id, item=item, by=lead, text=comment)
