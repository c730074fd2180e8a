"""Finding stored texts that a form damaged, and making them again what somebody gave."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from django.db import transaction

from annotation.content.models.item import Item, Revision
from annotation.content.queries import current_content
from annotation.core.database import locked
from annotation.core.models.project import Project
from annotation.kinds import text_at, with_text
from annotation.writing.actions.revising import revise
from validation.consensus import stages
from validation.review.rules.damaged_texts import undamaged
from validation.voting.actions import steps
from validation.voting.actions.marked_places import carry_gold, keeps_places

LEAD_CORRECTIONS = (stages.CORRECT_SAME, stages.CORRECT_NEW)
REASON = "repair_texts: blanks and line breaks that a form put in"
CHUNK = 500


class DamagedText(NamedTuple):
    """A text of an item as it stands, and as it was before a form damaged it."""

    item: Item
    field: str
    found: str
    expected: str


def damaged_texts(project: Project | None = None, key: str = "") -> Iterator[list[DamagedText]]:
    """Every item with damaged texts, each with all of them. Only what a lead corrected can be damaged."""
    corrected = Revision.objects.filter(event__in=LEAD_CORRECTIONS)
    rows = Item.objects.select_related("project").filter(pk__in=corrected.values("item")).order_by("pk")
    if project is not None:
        rows = rows.filter(project=project)
    if key:
        rows = rows.filter(key=key)
    last = 0
    while items := list(rows.filter(pk__gt=last)[:CHUNK]):
        revisions = defaultdict(list)
        for row in Revision.objects.filter(item__in=items).order_by("n").values("item_id", "content", "event"):
            revisions[row["item_id"]].append((row["event"], row["content"]))
        yield from filter(None, (_damaged(item, revisions[item.pk]) for item in items))
        last = items[-1].pk


def _damaged(item: Item, revisions: list[tuple[str, dict[str, object]]]) -> list[DamagedText]:
    """Its texts since the writer, or whoever else made it, last had a hand in it."""
    begins = max(n for n, (event, _) in enumerate(revisions) if n == 0 or event not in LEAD_CORRECTIONS)
    contents = [content for _, content in revisions[begins:]]
    texts = item.project.kind_spec.correctable_texts(contents[-1])
    fields = [text.key for text in texts if not text.derived and not text.shared and not text.is_shared_in_family]
    found = []
    for field in fields:
        now, right = text_at(contents[-1], field), undamaged([text_at(content, field) for content in contents])
        if now != right and right.strip():
            found.append(DamagedText(item, field, now, right))
    return found


def texts_repair(texts: list[DamagedText]) -> bool:
    """Store an item's texts as they were: a revision of the same meaning, so that votes stay.

    False where the item has another text by now, or where words that somebody marked would not stand in it once.
    """
    with transaction.atomic():
        item = locked(Item.objects.select_related("project", "author").filter(pk=texts[0].item.pk)).get()
        if item.revision_n != texts[0].item.revision_n:
            return False
        before = content = current_content(item)
        for text in texts:
            content = with_text(content, text.field, text.expected)
        new = item.project.kind_spec.authoring.derive(content)
        if not keeps_places(item, new):
            return False
        steps.move_stage(item, stages.CORRECT_SAME, None)
        revise(item=item, content=new, by=None, event=stages.CORRECT_SAME, meaning=steps.SAME_MEANING, why=REASON)
        if not carry_gold(item, before):
            steps.request_decision(item)
        steps.save_standing(item)
        return True
