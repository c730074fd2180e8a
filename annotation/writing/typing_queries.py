"""How texts were typed, for leads and for releases: sums by writer, and texts that arrived in one insertion."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from annotation.core.models.project import Project
from annotation.writing.models import TypingRecord
from annotation.writing.rules.typing import TypedText, TypingSums, in_one_insertion, sum_typing

MOST_SHOWN = 200


@dataclass(frozen=True)
class Writer:
    """A writer's texts in sums; shares in percent, None where nothing was measured."""

    pseudonym: str
    sums: TypingSums

    @property
    def typed(self) -> float | None:
        """Percent of the characters that were typed."""
        return self._percent(self.sums.typed)

    @property
    def pasted(self) -> float | None:
        """Percent of the characters that were pasted."""
        return self._percent(self.sums.pasted)

    @property
    def inserted(self) -> float | None:
        """Percent of the characters that another program put in."""
        return self._percent(self.sums.inserted)

    def _percent(self, part: int) -> float | None:
        share = self.sums.share(part)
        return None if share is None else 100 * share


def as_typed_text(record: TypingRecord) -> TypedText:
    """A record as sums take it."""
    return record.typing, record.length, record.attested


def writers(project: Project) -> list[Writer]:
    """Every writer of submitted texts with their sums."""
    found: dict[str, list[TypedText]] = defaultdict(list)
    rows = TypingRecord.objects.filter(project=project).select_related("item__author")
    for record in rows.iterator(chunk_size=2000):
        found[record.item.author.pseudonym if record.item.author else "–"].append(as_typed_text(record))
    return [Writer(name, sum_typing(found[name])) for name in sorted(found)]


def texts_in_one_insertion(project: Project) -> list[TypingRecord]:
    """The newest texts of which most arrived in one insertion."""
    rows = TypingRecord.objects.filter(project=project, longest__gt=0).select_related("item__author")
    found = []
    for record in rows.order_by("-pk").iterator(chunk_size=2000):
        if in_one_insertion(record.typing, record.length):
            found.append(record)
        if len(found) == MOST_SHOWN:
            break
    return found


def records_of(project: Project, items: Collection[int] | None = None) -> dict[int, TypingRecord]:
    """The records of a project, by item."""
    rows = TypingRecord.objects.filter(project=project)
    return {record.item_id: record for record in (rows if items is None else rows.filter(item__in=items))}
