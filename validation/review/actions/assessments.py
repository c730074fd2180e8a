"""Checking a machine-written item: a verdict on each part, corrections, and the decision (id-csqa §5.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from annotation.content.models.item import Item
from annotation.content.queries import current_content
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from validation.consensus import stages
from validation.review.actions import decisions as deciding
from validation.review.actions import rewording
from validation.review.models.assessment import Assessment
from validation.review.queries import assessments as assessed
from validation.review.rules.assessments import NONE, Part
from validation.voting.actions import steps
from validation.voting.models.review import Review

APPROVE, EXCLUDE = "approve", "exclude"
# What the machine wrote is the first text, and that is what verdicts are on.
RAW = 1


@dataclass(frozen=True)
class PartVerdict:
    """A verdict on one part: `none` or the main error type; nothing where none was given. Further ones in words."""

    error: str = ""
    notes: str = ""


@dataclass(frozen=True)
class ItemCheck:
    """All that a reviewer sends of an item: verdicts by part, the texts as they shall be, and the decision.

    `texts` are by field, `answer` is the key of the right choice (empty: as it is). `meaning` is asked for where people
    voted on the item; `words` are the reason of an exclusion.
    """

    verdicts: Mapping[str, PartVerdict]
    decision: str
    texts: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    meaning: str = ""
    words: str = ""


def item_assess(*, lead: Annotator, item_id: int, version: int, check: ItemCheck) -> Item:
    """Keep a verdict on each part, correct the item, and approve or exclude it: all of it, or nothing.

    A later check replaces the verdicts in the tables and deletes none. What is sent twice is done once. Raises Conflict
    `stale` where somebody else was first, Invalid with the field where something is missing or wrong.
    """
    with transaction.atomic():
        try:
            item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        except Conflict:
            item = Item.objects.select_related("project").get(pk=item_id, project=lead.project_id)
            if not _is_done_before(item, lead, check):
                raise
            return item
        parts = assessed.parts_of(item)
        answers = _checked_verdicts(parts, check)
        words = steps.checked_words(check.words, field="words", required=check.decision == EXCLUDE)
        if item.stage == stages.EXCLUDED:
            raise Conflict(code="not_from_here", stage=item.stage)
        _store_verdicts(item, lead, answers)
        rewording.reword(item=item, lead=lead, texts=check.texts, answer=check.answer, meaning=check.meaning)
        _decide(item, lead, check.decision, words)
        return steps.save_standing(item)


def _checked_verdicts(parts: Sequence[Part], check: ItemCheck) -> dict[str, PartVerdict]:
    """The verdicts with `none` as nothing; Invalid where one is missing, or is of no type of its part."""
    if not parts:
        raise Invalid(code="not_machine_written")
    if check.decision not in (APPROVE, EXCLUDE):
        raise Invalid(field="decision", code="decision_missing")
    found = {}
    for part in parts:
        given = check.verdicts.get(part.key, PartVerdict())
        if not given.error:
            raise Invalid(field=part.key, code="verdict_missing")
        if given.error not in (NONE, *part.codes):
            raise Invalid(field=part.key, code="verdict_unknown")
        notes = steps.checked_words(given.notes, field=f"{part.key}-notes", required=False)
        found[part.key] = PartVerdict("" if given.error == NONE else given.error, notes)
    return found


def _store_verdicts(item: Item, lead: Annotator, answers: Mapping[str, PartVerdict]) -> None:
    """Write the verdicts, numbered behind those that are there."""
    before = {part: row.n for part, row in assessed.verdicts_of(item).items()}
    Assessment.objects.bulk_create(
        [
            Assessment(
                project_id=item.project_id,
                item=item,
                part=part,
                n=before.get(part, 0) + 1,
                error=each.error,
                notes=each.notes,
                revision_n=RAW,
                by=lead,
            )
            for part, each in answers.items()
        ]
    )


def _decide(item: Item, lead: Annotator, decision: str, words: str) -> None:
    if decision == EXCLUDE:
        steps.exclude_locked_item(item, lead, words)
        return
    if rewording.extra_choices(item.project.kind_spec, current_content(item)):
        raise Invalid(field="options", code="choices_beyond")
    deciding.approve_locked_item(item, _approval_event(item), lead, words)


def _approval_event(item: Item) -> str:
    return stages.APPROVE_WRITTEN if item.stage == stages.SUBMITTED else stages.APPROVE


def _is_done_before(item: Item, lead: Annotator, check: ItemCheck) -> bool:
    """Whether the item stands as this very check left it, sent by this very person."""
    last = Review.objects.filter(item=item, version=item.version, by=lead).first()
    wanted = {stages.EXCLUDE} if check.decision == EXCLUDE else {stages.APPROVE_WRITTEN, stages.APPROVE}
    if last is None or last.event not in wanted or last.words != check.words.strip():
        return False
    try:
        answers = _checked_verdicts(assessed.parts_of(item), check)
        now = current_content(item)
        same = rewording.content_with(item.project.kind_spec, now, _texts_left(now, check.texts), check.answer) == now
    except Invalid:
        return False
    kept = {part: (row.error, row.notes, row.by_id) for part, row in assessed.verdicts_of(item).items()}
    return same and kept == {part: (each.error, each.notes, lead.pk) for part, each in answers.items()}


def _texts_left(content: Mapping[str, object], texts: Mapping[str, str]) -> dict[str, str]:
    """The texts but those of choices that the check took away."""
    gone = {field for field, text in texts.items() if field.startswith("option-") and not text.strip()}
    return {field: text for field, text in texts.items() if field not in gone}


def corrections_take(
    *,
    lead: Annotator,
    item_id: int,
    version: int,
    texts: Mapping[str, str],
    answer: str,
    meaning: str = "",
    words: str = "",
) -> bool:
    """Correct several texts of an item at once, as a file has them; whether anything changed."""
    with transaction.atomic():
        item = steps.lead_item(lead=lead, item_id=item_id, version=version)
        changed = rewording.reword(item=item, lead=lead, texts=texts, answer=answer, meaning=meaning, words=words)
        return changed
