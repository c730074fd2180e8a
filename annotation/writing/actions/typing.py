"""Recording how texts were typed: only where the project asks for it and the writer agreed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotation.content.models.item import Item
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.kinds import SlotIn
from annotation.writing.models import TypingChoice, TypingRecord
from annotation.writing.rules.typing import Typing

OFF, SUMS, ROWS = "off", "sums", "rows"


class SentTyping(NamedTuple):
    """What came with a set: how each slot was typed, and whether its writer attests that they wrote it."""

    typing: Mapping[str, Typing | None]
    attested: bool | None


def asks_typing(project: Project) -> bool:
    """Whether the project records how texts are typed."""
    return project.rules.typing != OFF


def choice_of(writer: Annotator) -> bool | None:
    """Whether a writer agreed; None where they have not answered."""
    newest = TypingChoice.objects.filter(annotator=writer).order_by("-pk")
    return newest.values_list("agreed", flat=True).first()


def typing_choose(*, writer: Annotator, agreed: bool) -> None:
    """Store a writer's answer; the same one again changes nothing. Raises Invalid where nobody asks."""
    if not asks_typing(writer.project):
        raise Invalid(code="typing_not_asked")
    if choice_of(writer) is not agreed:
        TypingChoice.objects.create(annotator=writer, agreed=agreed)


def typing_store(*, items: Sequence[Item], slots: Mapping[str, SlotIn], sent: SentTyping | None) -> None:
    """Store how the texts of a set were typed, in the transaction that makes its items.

    Of a writer who did not agree nothing is kept but their attestation.
    """
    if sent is None or not items or not asks_typing(items[0].project):
        return
    agreed = items[0].author is not None and choice_of(items[0].author) is True
    made = []
    for item in items:
        content = slots.get(item.slot, SlotIn())
        length = len(content.text) + sum(len(text) for text in content.more.values())
        typing = sent.typing.get(item.slot) if agreed else None
        counts = typing.to_dict() if typing else {}
        made.append(TypingRecord(item=item, project=item.project, length=length, attested=sent.attested, **counts))
    TypingRecord.objects.bulk_create(made)
