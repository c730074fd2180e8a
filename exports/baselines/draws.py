"""Draws of human baselines from releases and diagnostic sets: the items in order, and the examples (IndoNLI C)."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.db.models.fields.json import KT

from annotation.content.models.item import Item, Revision
from annotation.core.rules.draws import FirstDrawn
from annotation.jobs.bulk import any_of
from annotation.kinds import Kind
from annotation.kinds.texts import text_at
from exports.baselines import rules
from exports.releases.models import Release, ReleaseRow
from exports.releases.rules.settings import TEST
from exports.releases.rules.splits import GOLD
from validation.consensus.stages import SETTLED
from validation.studies.models import Study, StudyRow

AT_ONCE = 5000
# So many are looked at to find examples that share no text with what is asked.
LOOKED_AT = 2_000


class SourceIn(NamedTuple):
    """So many items of a release's test rows, or of a diagnostic set."""

    source: Release | Study
    size: int


class Candidate(NamedTuple):
    """An item with gold: its key, id and revision."""

    key: str
    gold: str
    item: int
    revision_n: int


class DrawnItem(NamedTuple):
    """One item of the baseline, and of which source it is."""

    source: int
    candidate: Candidate

    @property
    def key(self) -> str:
        return f"{self.source}:{self.candidate.key}"


class Sample(NamedTuple):
    """What is asked and the examples, each in its turn; and the label that most rows of each source have."""

    asked: Sequence[DrawnItem]
    examples: Sequence[DrawnItem]
    frequent: Sequence[str]


@dataclass(frozen=True)
class CandidatePool:
    """Rows of items with gold, and the columns in which they have a candidate's key, label and item."""

    rows: QuerySet[Any]
    key: str
    gold: str
    item: str

    def counts(self) -> Counter[str]:
        """How many rows have each gold label; one statement."""
        return Counter(dict(self.rows.order_by().values_list(self.gold).annotate(items=Count("pk"))))

    def among(self, items: Collection[int]) -> "CandidatePool":
        """Of these items alone."""
        return replace(self, rows=self.rows.filter(**{f"{self.item}__in": any_of(items)}))

    def without(self, others: Iterable["CandidatePool"]) -> "CandidatePool":
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


def askable_items(of: Release | Study) -> CandidatePool:
    """What can be asked: a release's test rows whose label votes settled on, or all of a set."""
    if isinstance(of, Release):
        return _of_release(of, split=TEST)
    rows = StudyRow.objects.filter(study=of).annotate(gold=KT("data__gold"))
    return CandidatePool(rows, "of_item__key", "gold", "of_item")


def example_pool(of: Release | Study) -> list[CandidatePool]:
    """What examples may be of: gold of the same release in whatever split; the set, then gold of its project."""
    if isinstance(of, Release):
        return [_of_release(of)]
    gold = Item.objects.filter(project=of.derived_from_id, stage=SETTLED).exclude(gold="")
    return [askable_items(of), CandidatePool(gold, "key", "gold", "pk")]


def _of_release(release: Release, **which: str) -> CandidatePool:
    rows = ReleaseRow.objects.filter(release=release, label_source=GOLD, **which).exclude(split="")
    return CandidatePool(rows, "key", "label", "item")


def draw_sample(seed: str, kind: Kind, sources: Sequence[SourceIn], examples: int) -> Sample:
    """Draw from each source in turn, then examples from what is left."""
    asked: list[DrawnItem] = []
    frequent = []
    for n, each in enumerate(sources, start=1):
        pool, taken = askable_items(each.source), {one.candidate.item for one in asked}
        counts = pool.counts()
        left = counts - pool.among(taken).counts() if taken else counts
        asked += [DrawnItem(n, row) for row in rules.sample_source(seed, n, left, pool.each(but=taken), each.size)]
        frequent.append(rules.most_frequent_label(counts, kind.question.label_keys))
    shown = _examples(seed, kind, asked, sources, examples) if asked and examples else []
    turn = {one.key: one for one in asked}
    return Sample([turn[key] for key in rules.asking_order(seed, turn)], shown, frequent)


def _examples(
    seed: str, kind: Kind, asked: Sequence[DrawnItem], sources: Sequence[SourceIn], size: int
) -> list[DrawnItem]:
    """Examples that are not asked, first of all such as share no premise or other text with what is."""
    looked = _looked(seed, {one.candidate.item for one in asked}, sources)
    by_key = {one.key: one for one in looked}
    shared = [text.key for text in kind.presentation.texts if text.shared]
    # The texts that items share with others, as they were.
    contents = contents_of([*asked, *looked]) if shared else {}
    texts = {item: {text_at(content, key) for key in shared} for item, content in contents.items()}
    known = {text for one in asked for text in texts.get(one.candidate.item, ())}
    fresh = {one.key: one.candidate.gold for one in looked if not known.intersection(texts.get(one.candidate.item, ()))}
    others = {one.key: one.candidate.gold for one in looked}
    return [by_key[key] for key in rules.draw_examples(seed, fresh, others, size)]


def _looked(seed: str, taken: Collection[int], sources: Sequence[SourceIn]) -> list[DrawnItem]:
    """Drawn from what no source asks, each item as the first source has it that does."""
    head: FirstDrawn[DrawnItem] = FirstDrawn(seed, f"{rules.PURPOSE}-look", LOOKED_AT)
    before: list[CandidatePool] = []
    for n, each in enumerate(sources, start=1):
        for pool in example_pool(each.source):
            for row in pool.without(before).each(but=taken):
                one = DrawnItem(n, row)
                head.offer(one.key, one)
            before.append(pool)
    return head.rows()


def contents_of(drawn: Sequence[DrawnItem]) -> dict[int, dict[str, Any]]:
    """The texts of these items as they were in what they were drawn from; one statement."""
    wanted = {one.candidate.item: one.candidate.revision_n for one in drawn}
    rows = Revision.objects.filter(item__in=any_of(wanted)).values_list("item", "n", "content")
    return {item: content for item, n, content in rows if wanted[item] == n}
