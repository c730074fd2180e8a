"""What human baselines draw from: gold of releases, sets and projects, read as it comes, never held whole."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.content.models.item import Item
from annotation.jobs.bulk import any_of
from exports.releases.models import Release, ReleaseRow
from exports.releases.rules.settings import TEST
from exports.releases.rules.splits import GOLD
from validation.consensus.stages import SETTLED
from validation.studies.models import DiagnosticRow, DiagnosticSet

AT_ONCE = 5000


class Candidate(NamedTuple):
    """An item with gold: its key, id and revision."""

    key: str
    gold: str
    item: int
    revision_n: int


@dataclass(frozen=True)
class Pool:
    """Rows of items with gold, and the columns in which they have a candidate's key, label and item."""

    rows: QuerySet[Any]
    key: str
    gold: str
    item: str

    def counts(self) -> Counter[str]:
        """How many rows have each gold label; one statement."""
        return Counter(dict(self.rows.order_by().values_list(self.gold).annotate(items=Count("pk"))))

    def among(self, items: Collection[int]) -> "Pool":
        """Of these items alone."""
        return replace(self, rows=self.rows.filter(**{f"{self.item}__in": any_of(items)}))

    def without(self, others: Iterable["Pool"]) -> "Pool":
        """All but the items that one of the others has."""
        rows = self.rows
        for other in others:
            rows = rows.filter(~Exists(other.rows.filter(**{other.item: OuterRef(self.item)})))
        return replace(self, rows=rows)

    def each(self, *, but: Collection[int]) -> Iterator[Candidate]:
        """Every row but those of these items, so many at once."""
        columns = self.rows.order_by().values_list(self.key, self.gold, self.item, "revision_n")
        for row in columns.iterator(chunk_size=AT_ONCE):
            if row[2] not in but:
                yield Candidate(*row)


def asked(of: Release | DiagnosticSet) -> Pool:
    """What can be asked: a release's test rows whose label votes settled on, or all of a set."""
    if isinstance(of, Release):
        return _of_release(of, split=TEST)
    return Pool(DiagnosticRow.objects.filter(diagnostic=of), "item__key", "gold", "item")


def spare(of: Release | DiagnosticSet) -> list[Pool]:
    """What examples may be of: gold of the same release in whatever split; the set, then gold of its project."""
    if isinstance(of, Release):
        return [_of_release(of)]
    gold = Item.objects.filter(project=of.project_id, stage=SETTLED).exclude(gold="")
    return [asked(of), Pool(gold, "key", "gold", "pk")]


def _of_release(release: Release, **which: str) -> Pool:
    rows = ReleaseRow.objects.filter(release=release, label_source=GOLD, **which).exclude(split="")
    return Pool(rows, "key", "label", "item")
