"""Import of premises and pairs: checked, compared with stored ones, stored with their flags and votes.

The same again changes nothing; there are at most so many premises of one document; ids stay unique.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Count

from annotation.content.models.item import Hypothesis
from annotation.content.models.source import Premise
from annotation.content.rules import premises
from annotation.content.rules.premises import DocumentCounter
from annotation.content.rules.released_ids import is_released, released_id
from annotation.content.shapes.pair import published_fields
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of, bulk_insert, look_up, reserve_ids
from annotation.text import checks
from annotation.text.phenomena import PHENOMENA
from annotation.text.sentences import CLASSES
from annotation.text.tokens import word_count
from validation.imports.outcome import id_taken
from validation.imports.pipeline import ImportFormat
from validation.imports.preview import PreviewRow, facts_of
from validation.imports.project_context import ProjectContext
from validation.imports.rules import PairRow, PremiseRow, Problem, Reader
from validation.imports.rules.cells import same_hash
from validation.imports.rules.pairs import NUMBERED_LABELS, PAIRS
from validation.imports.rules.problems import excerpt
from validation.imports.storage import ItemIn, store_items
from validation.imports.taker import HeldItem, Taker

SLOT = "pair"
TAGS = frozenset(phenomenon.code for phenomenon in PHENOMENA)
PREMISE_DIFFERS = "premise_differs"
PREMISE_COLUMNS = (
    "id",
    "project_id",
    "target_id",
    "key",
    "text",
    "text_hash",
    "sentence_class",
    "document",
    "extra",
)
HELD_PREMISE_COLUMNS = ("id", "key", "text_hash", "text")
HYPOTHESIS_COLUMNS = ("item_id", "project_id", "premise_id", "text", "tags", "more")

_words = lru_cache(maxsize=512)(word_count)


class PairPreparer:
    """All that can be said of one pair before the database is asked: its checks, words and surplus votes."""

    def __init__(self, frame: ProjectContext, mapping: Mapping[str, str]) -> None:
        self._frame = frame
        required = "tags" in mapping and frame.settings.get("tags") == "required"
        ids = [each for each in frame.block_checks if required or each != "tags_missing"]
        self._checks = [checks.get(each) for each in ids]

    def prepare(self, row: PairRow) -> PairRow:
        """The row with what is said of it."""
        row.words = _words(row.premise.text) + word_count(row.hypothesis)
        row.failed = self._failed(row)
        if row.votes:
            row.surplus, _ = self._frame.decide_votes(row.author_label, row.votes)
        return row

    def _failed(self, row: PairRow) -> tuple[str, ...]:
        text = checks.SlotText(SLOT, row.author_label, row.hypothesis, False, row.tags)
        context = self._frame.check_context(row.premise.text, text)
        found = [check.id for check in self._checks for _ in check.find(context)]
        if premises.refusal(row.premise.text, self._frame.rules.max_words) is not None:
            found.append("too_many_words")
        if row.tags and not TAGS.issuperset(row.tags):
            found.append("tags_unknown")
        return tuple(dict.fromkeys(found)) if found else ()


class HeldPremise(NamedTuple):
    """A premise that is there; `id` is None where it is not stored yet."""

    id: int | None
    key: str
    hash: str
    text: str


class PremiseTaker(Taker):
    """Takes batches of premises. `premises` are those of the target by key, `first` the first of each text."""

    def reset_lookups(self) -> None:
        """Begin a batch with nothing looked up."""
        super().reset_lookups()
        self.premises: dict[str, HeldPremise] = {}
        self.first: dict[str, HeldPremise] = {}
        self.documents: dict[str, int] = {}

    def load_existing(self, rows: Sequence[PremiseRow]) -> None:
        """The premises of these ids and texts, and how many there are of each document."""
        self.load_existing_premises({row.key for row in rows}, {row.hash for row in rows})
        documents = {row.document for row in rows if row.document}
        if documents:
            there = Premise.objects.filter(project=self.frame.project_id, document__in=any_of(documents))
            for document, count in there.values_list("document").annotate(n=Count("pk")):
                self.documents[document] = max(count, self.documents.get(document, 0))
        self._room = DocumentCounter(self.documents, self.frame.rules.per_document)

    def load_existing_premises(self, keys: Collection[str], hashes: Collection[str]) -> None:
        """The premises of these keys, and the first one of each of these texts under whatever id."""
        target, project = ("target_id", self.frame.target_id), ("project_id", self.frame.project_id)
        for pk, key, digest, text in look_up(Premise, target, "key", keys, HELD_PREMISE_COLUMNS):
            self.premises[key] = HeldPremise(pk, key, digest, excerpt(text))
        for pk, key, digest, text in sorted(
            look_up(Premise, project, "text_hash", hashes, HELD_PREMISE_COLUMNS), reverse=True
        ):
            self.first[digest] = HeldPremise(pk, key, digest, excerpt(text))

    def resolve(self, row: PremiseRow) -> PremiseRow | Problem | None:
        """The premise where it is new; the same text under any id is there already where the row gives none."""
        held = self.premises.get(row.key)
        if (row.made and row.hash in self.first) or (held is not None and held.hash == row.hash):
            return None
        if held is not None:
            return id_taken("premise_id", row.key, held.text, row.text)
        long = premises.refusal(row.text, self.frame.rules.max_words)
        if long is not None:
            return Problem(long.code, "premise", long.message, long.params)
        full = self._room.take(row.document)
        if full is not None:
            return Problem(full.code, "document", full.message, full.params)
        self.note(row)
        self.documents[row.document] = self.documents.get(row.document, 0) + 1
        return row

    def note(self, row: PremiseRow) -> None:
        """Remember a new premise for the rows behind it."""
        first = self.first.get(row.hash)
        if first is not None:
            row.extra = {**row.extra, "duplicate_of": first.key}
        self.premises[row.key] = held = HeldPremise(None, row.key, row.hash, row.text[:100])
        self.first.setdefault(row.hash, held)

    def store_new(self, new: Sequence[PremiseRow]) -> None:
        """Insert new premises."""
        self.store_premises(new)

    def store_premises(self, rows: Sequence[PremiseRow]) -> dict[str, int]:
        """Insert new premises; their primary keys by key."""
        ids, project, target = reserve_ids(Premise, len(rows)), self.frame.project_id, self.frame.target_id
        placed = list(zip(ids, rows, strict=True))
        made = (
            (pk, project, target, row.key, row.text, row.hash, row.sentence_class, row.document, row.extra)
            for pk, row in placed
        )
        bulk_insert(Premise, PREMISE_COLUMNS, made)
        return {row.key: pk for pk, row in placed}


class PairTaker(PremiseTaker):
    """Takes batches of pairs, with those of their premises that are new (`fresh`)."""

    def reset_lookups(self) -> None:
        """Begin a batch with nothing looked up."""
        super().reset_lookups()
        self.fresh: list[PremiseRow] = []

    def equality_key(self, content: Mapping[str, Any]) -> tuple[str, str]:
        """Both texts."""
        return same_hash(content["premise"]), same_hash(content["hypothesis"])

    def report_texts(self, content: Mapping[str, Any]) -> tuple[str, str]:
        """Both texts, cut short."""
        return excerpt(content["premise"]), excerpt(content["hypothesis"])

    def load_existing(self, rows: Sequence[Any]) -> None:
        """The premises and pairs of these ids and texts."""
        hashes = {row.premise.hash for row in rows}
        self.load_existing_premises({row.premise.key for row in rows}, hashes)
        self.load_existing_items({row.key for row in rows})
        there = [digest for digest in hashes if digest in self.first]
        if there:
            alike = Hypothesis.objects.filter(
                project=self.frame.project_id, premise__text_hash__in=any_of(there)
            ).order_by("-pk")
            for digest, text, key in alike.values_list("premise__text_hash", "text", "item__key"):
                self.twins[digest, same_hash(text)] = key
        self.load_existing_items({self._key(row) for row in rows if is_released(row.key)})
        if self.premises:
            other = [row.premise for row in rows if self._other_text(row)]
            self.load_existing_premises({other_premise(row) for row in other}, ())
        if self.items:
            # The same id and texts with another label have a key of their own.
            self.load_existing_items({other_key(row) for row in rows if self._other_label(row)})

    def _key(self, row: PairRow) -> str:
        """The pair's key: its id, or the key of the item of the same texts that a release gave under this id."""
        if is_released(row.key) and row.key not in self.items:
            there = self.twins.get(row.same)
            if there is not None and released_id(self.frame.secret, there) == row.key:
                return there
        return row.key

    def _other_label(self, row: PairRow) -> bool:
        held = self.items.get(row.key)
        # Not to say a label is not to say another one.
        return held is not None and bool(row.author_label) and row.author_label not in held.labels

    def _other_text(self, row: PairRow) -> bool:
        held = self.premises.get(row.premise.key)
        return held is not None and held.hash != row.premise.hash

    def resolve(self, row: Any) -> Any:
        """Where a pair goes, why it cannot, or None where it is there already (ruling 15)."""
        key = self._key(row)
        held = self.items.get(key)
        if held is not None and row.same not in held.equality_keys:
            return id_taken("pair_id", key, *_differing_texts(held, row))
        if held is not None and self._other_label(row):
            key = other_key(row)
            held = self.items.get(key)
        if held is not None:
            return None
        premise, failed = self._premise(row.premise), row.failed
        if premise != row.premise.key and premise == other_premise(row.premise):
            failed = (*failed, PREMISE_DIFFERS)
        content: dict[str, Any] = {"premise": row.premise.text, "hypothesis": row.hypothesis}
        if row.tags:
            content["tags"] = list(row.tags)
        content |= row.published
        self.items[key] = HeldItem({row.same}, {row.author_label}, (row.premise.text[:100], row.hypothesis[:100]))
        return ItemIn(
            key=key,
            author=row.author,
            author_label=row.author_label,
            source=premise,
            # A pair without the author's label gets its label from validators alone, so it is always asked for.
            sampled=bool(row.votes) or not row.author_label or self.frame.is_sampled(key, premise),
            content=content,
            words=row.words,
            votes=row.votes,
            surplus=row.surplus,
            split=row.split,
            flags=self.initial_flags(row.same, key, content, {"checks": list(failed)} if failed else {}),
        )

    def _premise(self, row: PremiseRow) -> str:
        """The key of the premise that the pair belongs to; a new one is planned with it.

        Published files hold ids with two texts. A finished pair is not refused for that: the second text becomes a
        premise of its own, and the pair is flagged.
        """
        if row.made and row.hash in self.first:
            there = self.first[row.hash]
            self.premises.setdefault(there.key, there)
            return there.key
        held = self.premises.get(row.key)
        if held is not None and held.hash != row.hash:
            row = replace(row, key=other_premise(row), extra={**row.extra, "premise_id": row.key})
            held = self.premises.get(row.key)
        if held is None:
            self.note(row)
            self.fresh.append(row)
        return row.key

    def store_new(self, new: Sequence[Any]) -> None:
        """Insert the new premises, then the pairs with their hypotheses."""
        ids = self.store_premises(self.fresh) if self.fresh else {}
        ids |= {held.key: held.id for held in self.premises.values() if held.id is not None}
        for each in new:
            each.family = ids[each.source]
        project, pks = self.frame.project_id, store_items(self.frame, new, ("label",))
        made = (
            (
                pk,
                project,
                each.family,
                each.content["hypothesis"],
                each.content.get("tags", []),
                published_fields(each.content),
            )
            for pk, each in zip(pks, new, strict=True)
        )
        bulk_insert(Hypothesis, HYPOTHESIS_COLUMNS, made)


def other_premise(row: PremiseRow) -> str:
    """The key of a premise whose id belongs to another text."""
    return f"{row.key}~{row.hash[:8]}"


def other_key(row: PairRow) -> str:
    """The key of a pair whose id belongs to the same texts with another label."""
    return f"{row.key}~{row.author_label}"


def _differing_texts(held: HeldItem, row: PairRow) -> tuple[str, str]:
    """The texts that differ: the hypotheses, unless they begin alike and the premises do not."""
    premise, hypothesis = held.texts
    alike = row.hypothesis.startswith(hypothesis.rstrip("…"))
    if alike and not row.premise.text.startswith(premise.rstrip("…")):
        return premise, row.premise.text
    return hypothesis, row.hypothesis


def _preview_rows(frame: ProjectContext, n: int, row: PremiseRow | PairRow) -> list[PreviewRow]:
    premise = row.premise if isinstance(row, PairRow) else row
    facts = facts_of(("", premise.sentence_class), ("", premise.document), *premise.extra.items())
    if row is premise:
        return [PreviewRow(n, None, row.key, facts, (premise.text,))]
    assert isinstance(row, PairRow)  # noqa: S101 - what is no premise
    return [
        PreviewRow(
            n,
            None,
            row.key,
            facts,
            (premise.text, row.hypothesis),
            label=frame.kind.question.label(row.author_label),
            author=row.author,
            votes=tuple((name, label, False, "") for name, label in row.votes),
            tags=row.tags,
            failed=row.failed,
        )
    ]


def _value_words(project: Project, field: str) -> Sequence[str]:
    """Labels as the kind calls them, and classes of premises."""
    if field == "sentence_class":
        return CLASSES
    labelled = field in ("author_label", "votes", "annotator_labels") or field in NUMBERED_LABELS
    return project.kind_spec.question.label_keys if labelled else ()


FORMAT = ImportFormat(
    make_reader=lambda frame, mapping, records: (
        Reader(mapping, frame.language, frame.kind.question.read_label),
        None,
    ),
    make_preparer=PairPreparer,
    item_taker=PairTaker,
    source_taker=PremiseTaker,
    preview_row=_preview_rows,
    columns=lambda project: PAIRS,
    cell_values=_value_words,
    allows_snippets=True,
)
