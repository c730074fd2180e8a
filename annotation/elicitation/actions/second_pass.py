"""The second pass: after the group review every writer goes through all prompts once more (Kalahi §3.2)."""

from collections.abc import Collection

from django.db import transaction
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator
from annotation.elicitation.models.session import SecondLook
from annotation.elicitation.rules.second_pass import TICKS
from annotation.jobs.database import locked
from annotation.text.normalise import storable
from validation.consensus import stages

LONGEST_WORDS = 2000


def second_look_save(
    *, writer: Annotator, item_id: int, revision_n: int, ticks: Collection[str], words: str = ""
) -> SecondLook:
    """One writer's ticks for the text that they saw; sending them again replaces them.

    Raises Invalid where a tick is missing without words, Conflict `stale` where the text has changed since.
    """
    said = words.strip()
    given = {tick: tick in ticks for tick in TICKS}
    if storable(said) or len(said) > LONGEST_WORDS:
        raise Invalid(field="words", code="text_not_storable")
    if not all(given.values()) and not said:
        raise Invalid(field="words", code="look_words_missing")
    if writer.project.closed_at is not None:
        raise Conflict(code="closed_writing")
    with transaction.atomic():
        item = locked(
            Item.objects.filter(pk=item_id, project=writer.project_id).exclude(stage=stages.EXCLUDED)
        ).first()
        if item is None:
            raise NotFound
        if item.revision_n != revision_n:
            raise Conflict(code="stale")
        look, _ = SecondLook.objects.update_or_create(
            item=item,
            annotator=writer,
            revision_n=revision_n,
            defaults={"project_id": item.project_id, **given, "words": said, "at": Now()},
        )
    return look
