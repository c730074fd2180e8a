"""Common parts of every action on an item: lock, check, write one row, set the item's state.

The order of locks is always premise → items by id → assignments → votes, so that no two actions wait for each other.
"""

import secrets
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.content.queries import current_content
from annotation.core.database import locked, now
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.feed import FeedEvent
from annotation.core.models.member import Annotator
from annotation.core.rules import feed
from annotation.text.normalise import storage_problem
from annotation.writing.actions.revising import revise
from annotation.writing.actions.writing import LONGEST_TEXT
from validation.consensus import stages
from validation.voting import wake
from validation.voting.actions.asked_again import prepare_asking_again
from validation.voting.actions.flags import CODES_FROM_VOTES, flag_raise, update_doubt
from validation.voting.actions.marked_places import carry_gold, has_places, keeps_places
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag, Proposal, Review
from validation.voting.models.vote import Vote
from validation.voting.rules import flags

SAME_MEANING, NEW_MEANING = "same", "new"
MARKED_FROM = 2
_STANDING = (
    "version",
    "stage",
    "epoch",
    "round",
    "pending",
    "slots_free",
    "priority",
    "due_at",
    "gold",
    "gold_from",
    "gold_answers",
    "doubt",
    "returns",
)


def lead_item(*, lead: Annotator, item_id: int, version: int) -> Item:
    """Lock the item for a lead who may act on it, at the version that they saw.

    Raises NotFound, Forbidden for who is no lead or wrote the item, and Conflict `stale` when it went on meanwhile.
    """
    item = _locked_item(item_id, lead)
    check_lead_may_act(lead, item)
    check_not_stale(item, version)
    if lead.is_validator:
        bar_person(item, lead)
    return item


def _locked_item(item_id: int, person: Annotator) -> Item:
    rows = Item.objects.select_related("project", "author").filter(pk=item_id, project=person.project_id)
    item = locked(rows).first()
    if item is None:
        raise NotFound
    return item


def check_lead_may_act(lead: Annotator, item: Item) -> None:
    """Refuse who is no lead (any more), and a lead who wrote the item: nobody reviews what they wrote."""
    if not lead.is_lead or lead.left_at is not None:
        raise Forbidden(code="not_a_lead")
    if item.author_id == lead.pk:
        raise Forbidden(code="own_item")


def check_not_stale(item: Item, version: int) -> None:
    """Refuse a form that was made before something else happened; votes do not count as that."""
    if item.version != version:
        raise Conflict(code="stale", seen=version, version=item.version, stage=item.stage)


def checked_words(text: str, *, field: str, required: bool = True) -> str:
    """What a person typed, stripped; Invalid where it is missing, too long, or cannot be stored."""
    given = text.strip()
    if required and not given:
        raise Invalid(field=field, code=f"{field}_missing")
    if storage_problem(given) or len(given) > LONGEST_TEXT:
        raise Invalid(field=field, code="text_not_storable")
    return given


def checked_text(text: str) -> str:
    """A text that is judged, as it was given; Invalid where it is empty, too long, or cannot be stored."""
    checked_words(text, field="text")
    return text


def checked_meaning(meaning: str) -> str:
    """`same` or `new`; there is no default (ruling 6)."""
    if meaning not in (SAME_MEANING, NEW_MEANING):
        raise Invalid(field="meaning", code="meaning_missing")
    return meaning


def move_stage(item: Item, event: str, by: Annotator | None) -> None:
    """Set the item's stage by the table; Conflict where the table does not know the step.

    Raises ClosesPages where the item comes before voters again, and a public page shows its votes.
    """
    before = item.stage
    try:
        item.stage = stages.next_stage(before, event)
    except stages.IllegalStep:
        raise Conflict(code="not_from_here", stage=before) from None
    if stages.comes_back(before, item.stage):
        prepare_asking_again([item], by=by)


def record(*, item: Item, event: str, by: Annotator, **details: Any) -> Review:
    """Move the item one step and write the row that accounts for it."""
    before = item.stage
    move_stage(item, event, by)
    item.version += 1
    if item.stage != before and item.stage in feed.TYPE_OF_STAGE:
        FeedEvent.record(item.project_id, feed.TYPE_OF_STAGE[item.stage], item.key, by=by.pseudonym)
        transaction.on_commit(wake.wake_worker)
    return Review.objects.create(
        project_id=item.project_id, item=item, version=item.version, event=event, by=by, **details
    )


def has_validation_begun(item: Item) -> bool:
    """Whether validation of the item ever began: the system opened it, or people voted."""
    return item.verdicts.filter(event=stages.OPEN).exists()


def awaits_first_approval(item: Item) -> bool:
    """Whether the item waits for its first approval still, wherever it stands."""
    handed_in = item.revisions.filter(event=stages.HAND_IN).values_list("event", flat=True)
    return stages.awaits_first_approval([*handed_in, *item.reviews.values_list("event", flat=True)])


def stop_asking(item: Item) -> None:
    """End the open assignments and ask for no vote any more; a vote sent from such an assignment is late (ruling 3)."""
    Assignment.objects.filter(item=item, state=Assignment.State.OPEN).update(state=Assignment.State.EXPIRED)
    item.pending = item.slots_free = 0
    item.due_at = None


def is_writer_active(item: Item) -> bool:
    """Whether the item's writer is somebody with an account who still works in the project."""
    author = item.author
    return author is not None and author.user_id is not None and author.left_at is None


def give_back(item: Item, by: Annotator | None = None) -> None:
    """The item waits for its writer: nobody is asked about it, and a second time marks it."""
    item.returns += 1
    stop_asking(item)
    clear_gold(item)
    if item.returns >= MARKED_FROM:
        detail = {"times": item.returns}
        flag_raise(item=item, code=flags.RETURNED_TWICE, detail=detail, by_id=by.pk if by else None)


def request_decision(item: Item) -> None:
    """Let the system decide the item anew, as soon as this is committed."""
    item.due_at = Now()
    transaction.on_commit(wake.wake_worker)


def clear_gold(item: Item) -> None:
    """Only a settled or adjudicated item carries a gold label."""
    item.gold = item.gold_from = ""
    item.gold_answers = None


def restart_validation(item: Item, old_epoch: int) -> None:
    """The text means something new: what was voted on the old one stops counting, and round one is asked again.

    The item's version is that of the row that says so; its epoch is already the next one.
    """
    Vote.objects.filter(item=item, epoch=old_epoch, withdrawn_at=None).update(
        withdrawn_at=Now(), withdrawn_version=item.version, withdrawn_why=Vote.Withdrawn.NEW_MEANING
    )
    still_written = item.stage == stages.WRITTEN
    offered_at = item.due_at
    stop_asking(item)
    clear_gold(item)
    item.round = item.priority = 0
    if still_written:
        item.due_at = offered_at
    elif item.stage == stages.VOTING:
        request_decision(item)
    answered = {*CODES_FROM_VOTES, flags.NOBODY_LEFT}
    if item.proposals.filter(state=Proposal.State.OPEN).exists():
        answered.discard(flags.PROPOSED)
    close_flags(item, answered)


def close_flags(item: Item, codes: set[str] | None = None) -> None:
    """Close the item's open flags, or those of the codes, at its present version."""
    rows = Flag.objects.filter(item=item, closed_at=None)
    if codes is not None:
        rows = rows.filter(code__in=codes)
    rows.update(closed_at=Now(), closed_version=item.version)


def save_standing(item: Item) -> Item:
    """Write how the item stands now, with its doubt from the flags that are open."""
    update_doubt(item=item)
    item.save(update_fields=_STANDING)
    item.refresh_from_db(fields=["due_at"])
    return item


def bar_lead_from_voting(*, item_id: int, lead: Annotator) -> None:
    """A lead who votes has the item with its votes before them: they are never asked about it (domain.md §2)."""
    seen = Assignment.objects.filter(item=item_id, annotator=lead, state=Assignment.State.BARRED)
    if not lead.is_validator or seen.exists():
        return
    with transaction.atomic():
        item = _locked_item(item_id, lead)
        bar_person(item, lead)
        item.save(update_fields=["slots_free", "due_at"])


def bar_person(item: Item, person: Annotator) -> None:
    """Never offer the item to this person (again): they corrected it, or proposed what was accepted (ruling 6).

    An assignment that they hold is free for somebody else; the caller writes the item (`save_standing`).
    """
    if item.author_id == person.pk:
        return
    assignment = Assignment.objects.filter(item=item, annotator=person).first()
    if assignment is None:
        Assignment.objects.create(
            project_id=item.project_id,
            target_id=item.target_id,
            item=item,
            annotator=person,
            author_id=item.author_id,
            epoch=item.epoch,
            round=max(item.round, 1),
            state=Assignment.State.BARRED,
            token=secrets.token_urlsafe(18),
        )
        return
    if assignment.state == Assignment.State.OPEN:
        item.slots_free += 1
        # Where votes were withdrawn more may be held than is asked for.
        item.due_at = now()
    Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.BARRED)


@dataclass(frozen=True)
class Correction:
    """A text as it shall be, and whether it still means the same."""

    field: str
    text: str
    meaning: str
    words: str

    @property
    def event(self) -> str:
        return stages.CORRECT_SAME if self.meaning == SAME_MEANING else stages.CORRECT_NEW


def write_revision(
    lead: Annotator,
    item: Item,
    content: dict[str, object],
    change: Correction,
    proposal: Proposal | None,
    label: str | None = None,
) -> Item:
    """Write one item's revision and what follows from its meaning; the caller has locked the item.

    `label` is what the answer is now, where that was corrected too. Where words that somebody marked do not stand in
    the new text once, votes on the old one cannot be read in it: it is asked about anew, whatever it means.
    """
    if change.meaning == SAME_MEANING and not keeps_places(item, content):
        change = replace(change, meaning=NEW_MEANING)
    old_epoch, event, before = item.epoch, change.event, current_content(item) if has_places(item) else {}
    move_stage(item, event, lead)
    if event in stages.STARTS_EPOCH:
        item.epoch += 1
    revise(
        item=item,
        content=content,
        by=lead,
        event=event,
        meaning=change.meaning,
        why=change.words,
        author_label=label,
    )
    if event in stages.STARTS_EPOCH:
        restart_validation(item, old_epoch)
    elif not carry_gold(item, before):
        request_decision(item)
    close_flags(item, _answered_flags(item, proposal))
    for person in (lead, proposal.by if proposal else None):
        if person is not None:
            bar_person(item, person)
    return save_standing(item)


def _answered_flags(item: Item, proposal: Proposal | None) -> set[str]:
    """The flags that a correction answers: a text error, and the last proposal that was open."""
    others = item.proposals.filter(state=Proposal.State.OPEN)
    if proposal is not None:
        others = others.exclude(pk=proposal.pk)
    return {flags.TEXT_ERROR} if others.exists() else {flags.TEXT_ERROR, flags.PROPOSED}


def exclude(*, lead: Annotator, item_id: int, version: int, words: str) -> Item:
    """Leave the item out of every release to come, with a reason."""
    with transaction.atomic():
        item = lead_item(lead=lead, item_id=item_id, version=version)
        exclude_locked_item(item, lead, checked_words(words, field="words"))
        return save_standing(item)


def exclude_locked_item(item: Item, lead: Annotator, words: str) -> None:
    """Leave out an item that the caller holds."""
    record(item=item, event=stages.EXCLUDE, by=lead, words=words)
    stop_asking(item)
    clear_gold(item)
    close_flags(item)
