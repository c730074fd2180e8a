"""What the project holds already of the ids and texts of one batch; in a dry run also what would be stored by then."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from django.db.models import Count

from annotation.content.models.item import Hypothesis, Item, Revision
from annotation.content.models.source import Premise
from annotation.jobs.bulk import any_of
from validation.imports.prepare import Same
from validation.imports.project_context import Frame
from validation.imports.rules.cells import same_hash
from validation.imports.rules.problems import excerpt


@dataclass(slots=True)
class HeldPremise:
    """A premise that is there; `id` is None where a dry run would have stored it."""

    id: int | None
    key: str
    hash: str
    text: str


@dataclass(slots=True)
class HeldPair:
    """A pair that is there: its texts and labels, now and as they first came."""

    sames: set[Same]
    labels: set[str]
    premise: str
    hypothesis: str


@dataclass
class Known:
    """Looked up once a batch. `first` gives the key of the first premise of a text, `pairs` of a pair's texts."""

    frame: Frame
    premises: dict[str, HeldPremise] = field(default_factory=dict)
    first: dict[str, HeldPremise] = field(default_factory=dict)
    items: dict[str, HeldPair] = field(default_factory=dict)
    pairs: dict[Same, str] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)

    def look_premises(self, keys: Collection[str], hashes: Collection[str]) -> None:
        if not keys:
            return
        columns = ("pk", "key", "text_hash", "text")
        by_key = Premise.objects.filter(target=self.frame.target_id, key__in=any_of(keys))
        for pk, key, digest, text in by_key.values_list(*columns):
            self.premises[key] = HeldPremise(pk, key, digest, excerpt(text))
        if not hashes:
            return
        same = Premise.objects.filter(project=self.frame.project_id, text_hash__in=any_of(hashes)).order_by(
            "-pk"
        )
        for pk, key, digest, text in same.values_list(*columns):
            self.first[digest] = HeldPremise(pk, key, digest, excerpt(text))

    def look_items(self, keys: Collection[str]) -> None:
        """Pairs of these keys, as they first came and as they are now (a lead may have corrected one)."""
        if not keys:
            return
        found = Item.objects.filter(project=self.frame.project_id, key__in=any_of(keys))
        by_pk = dict(found.values_list("pk", "key"))
        if not by_pk:
            return
        now = Hypothesis.objects.filter(item__in=any_of(by_pk)).values_list(
            "item_id", "premise__text", "text", "item__author_label"
        )
        before = Revision.objects.filter(item__in=any_of(by_pk), n=1).values_list(
            "item_id", "content__premise", "content__hypothesis", "author_label"
        )
        for pk, premise, hypothesis, label in (*now, *before):
            held = self.items.setdefault(
                by_pk[pk], HeldPair(set(), set(), excerpt(premise), excerpt(hypothesis))
            )
            held.sames.add((same_hash(premise), same_hash(hypothesis)))
            held.labels.add(label)

    def look_pairs(self, hashes: Iterable[str]) -> None:
        """The pairs whose premise has one of these texts, under whatever id."""
        there = [digest for digest in hashes if digest in self.first]
        if not there:
            return
        rows = Hypothesis.objects.filter(
            project=self.frame.project_id, premise__text_hash__in=any_of(there)
        ).order_by("-pk")
        for digest, text, key in rows.values_list("premise__text_hash", "text", "item__key"):
            self.pairs[digest, same_hash(text)] = key

    def look_documents(self, documents: Collection[str]) -> None:
        """How many premises there are of each of these documents."""
        if not documents:
            return
        counts = (
            Premise.objects.filter(project=self.frame.project_id, document__in=any_of(documents))
            .values_list("document")
            .annotate(n=Count("pk"))
        )
        for document, count in counts:
            self.documents[document] = max(count, self.documents.get(document, 0))
