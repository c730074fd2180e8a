"""The shape of a row: a premise, or a pair with its author's label and the validators' votes.

Only what cannot be stored is refused here: a text that is missing, holds NUL or a lone surrogate, or is far too long;
an id that is no id; a label that the kind does not have. Texts pass through as they are, byte for byte.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any

from annotation.content.rules.premises import premise_class
from annotation.kinds.shapes import PUBLISHED_COLUMNS
from annotation.text import phenomena
from annotation.text.gettext import gettext_noop
from validation.imports.rules.cells import (
    LONGEST_ID,
    LONGEST_LABEL,
    LONGEST_NAME,
    MOST_VOTES,
    Cells,
    read_joined_text,
    read_list,
    read_person_name,
    read_short_text,
    read_whole_text,
    refuse_second_votes,
    same_hash,
)
from validation.imports.rules.columns import PLAIN_ID, SPLIT, SPLIT_HELP, SPLIT_NAMES, ColumnMapping, Columns
from validation.imports.rules.problems import FileRefused, RowRefused, excerpt

# IndoNLI, SNLI, MNLI, OCNLI and ChaosNLI among them.
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "premise_id": ("premise_id", "prem_id", "premise_key", "captionid", "promptid"),
    "premise": ("premise", "text", "sentence1", "premise_text"),
    "sentence_class": ("sentence_class", "sentence_size"),
    "document": ("document", "document_id", "doc_id"),
    "genre": ("genre",),
    "source": ("source",),
    "topics": ("topics", "topic"),
    "licence": ("licence", "license"),
    "pair_id": ("pair_id", "pairid", "uid"),
    "hypothesis": ("hypothesis", "sentence2", "hypothesis_text"),
    "author_label": ("author_label", "label0", "label"),
    "votes": ("votes",),
    "annotator_labels": ("annotator_labels", "old_labels"),
    "label1": ("label1",),
    "label2": ("label2",),
    "label3": ("label3",),
    "label4": ("label4",),
    "tags": ("tags", "inference_phenomena", "phenomena"),
    "author": ("author", "writer", "author_id", "writer_id"),
    SPLIT: SPLIT_NAMES,
    "annotator_type": ("annotator_type",),
}
_HELP: Mapping[str, str] = {
    "premise_id": gettext_noop("What the premise is called; made from its text where there is none."),
    "premise": gettext_noop("The text of the premise. Needed."),
    "sentence_class": gettext_noop("single, double, paragraph (or multiple); computed where it is missing."),
    "document": gettext_noop("Which document the premise is from."),
    "genre": gettext_noop("Kept with the premise."),
    "source": gettext_noop("Kept with the premise."),
    "topics": gettext_noop("Kept with the premise."),
    "licence": gettext_noop("Kept with the premise."),
    "pair_id": gettext_noop("What the pair is called; made from its texts where there is none."),
    "hypothesis": gettext_noop("The text of the hypothesis: with it the file holds pairs."),
    "author_label": gettext_noop("The label that the writer gave; unknown where there is none."),
    "votes": gettext_noop("The validators' votes in order: labels, or objects of annotator and label."),
    "annotator_labels": gettext_noop("The author's label and then the votes, in one list."),
    "label1": gettext_noop("The first validator's vote."),
    "label2": gettext_noop("The second validator's vote."),
    "label3": gettext_noop("The third validator's vote."),
    "label4": gettext_noop("The fourth validator's vote."),
    "tags": gettext_noop("Phenomenon tags."),
    "author": gettext_noop("Who wrote the hypothesis."),
    SPLIT: SPLIT_HELP,
    "annotator_type": gettext_noop("Who wrote the published pair, such as lay or expert; kept with it."),
}
PREMISE_FIELDS = (
    "premise_id",
    "premise",
    "sentence_class",
    "document",
    "genre",
    "source",
    "topics",
    "licence",
)
NUMBERED_LABELS = ("label1", "label2", "label3", "label4")


def _complete_mapping(found: ColumnMapping, by_name: Mapping[str, str]) -> None:
    """A plain `id` names what the rows are."""
    own = "pair_id" if "hypothesis" in found else "premise_id"
    if PLAIN_ID in by_name:
        found.setdefault(own, by_name[PLAIN_ID])
    if found.get("premise_id") == found.get("pair_id"):
        found.pop("premise_id" if "hypothesis" in found else "pair_id", None)


def _missing_field(mapping: ColumnMapping, columns: str) -> FileRefused | None:
    if "premise" in mapping:
        return None
    message = gettext_noop("No column is taken for the premise: say which one it is. The columns: %(columns)s.")
    return FileRefused("premise_unmapped", message, columns=columns)


def _fields_read(mapping: ColumnMapping) -> Collection[str]:
    if "hypothesis" not in mapping:
        return PREMISE_FIELDS
    listed = "votes" in mapping or "annotator_labels" in mapping
    return [field for field in mapping if not (listed and field in NUMBERED_LABELS)]


_IDS = ("premise_id", "pair_id", "document", "author")
PAIRS = Columns(_ALIASES, _HELP, _complete_mapping, _missing_field, fields_read=_fields_read, ids=_IDS)


# How SNLI and our releases write that there is no label.
UNKNOWN_LABEL = "-"
EXTRAS = ("genre", "source", "topics", "licence")


@dataclass(slots=True)
class PremiseRow:
    """A premise as the file gives it; `hash` is what makes two texts the same, `made` says that the key is ours."""

    n: int
    key: str
    text: str
    hash: str
    sentence_class: str
    document: str
    extra: dict[str, str]
    made: bool
    unread = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """That its text is there under another id."""
        return ("duplicate",) if "duplicate_of" in self.extra else ()


@dataclass(slots=True)
class PairRow:
    """A pair: its premise, its hypothesis, who wrote it, and its votes as (name or place-holder, label).

    `author_label` and `author` are empty where the file does not say; `same` is what makes two pairs the same texts.
    `words` that a validator is shown, checks that it `failed` and the places of `surplus` votes are found out later.
    """

    n: int
    key: str
    premise: PremiseRow
    hypothesis: str
    author_label: str
    author: str
    votes: tuple[tuple[str, str], ...]
    tags: tuple[str, ...]
    same: tuple[str, str]
    words: int = 0
    failed: tuple[str, ...] = ()
    surplus: frozenset[int] = frozenset()
    published: Mapping[str, str] = field(default_factory=dict)
    split: str = ""


class Reader(Cells[PremiseRow | PairRow]):
    """Reads records under one mapping. `read_label` gives a label's key, or None where the kind has no such label."""

    def __init__(self, mapping: Mapping[str, str], language: str, read_label: Callable[[str], str | None]) -> None:
        super().__init__(mapping)
        self._language, self._read_label = language, read_label
        self.whole = "hypothesis" in mapping
        self._extras = [(name, mapping[name]) for name in EXTRAS if name in mapping]
        self._published = [name for name in PUBLISHED_COLUMNS if name in mapping]
        self._numbered = [mapping[name] for name in NUMBERED_LABELS if name in mapping]
        self._votes_in = next((name for name in ("votes", "annotator_labels") if name in mapping), "")
        self._about = lru_cache(maxsize=512)(self._about_premise)

    def _source(self, n: int, data: Mapping[str, Any]) -> PremiseRow:
        text = read_whole_text(data.get(self.mapping["premise"]), "premise")
        given = self._short(data, "sentence_class", LONGEST_ID)
        # Pairs of one premise stand together.
        digest, named = self._about(text, given)
        if named is None:
            message = gettext_noop("There is no sentence class “%(given)s”: single, double, paragraph or multiple.")
            raise RowRefused("class_unknown", "sentence_class", message, given=excerpt(given, 40))
        extra = {name: value for name, column in self._extras if (value := read_joined_text(data.get(column), name))}
        key = self._id(data, "premise_id")
        made = not key
        document = self._id(data, "document", in_addresses=False)
        return PremiseRow(n, key or f"t-{digest[:20]}", text, digest, named, document, extra, made)

    def _about_premise(self, text: str, given: str) -> tuple[str, str | None]:
        return same_hash(text), premise_class(text, given, self._language)

    def _item(self, n: int, data: Mapping[str, Any]) -> PairRow:
        premise = self._source(n, data)
        hypothesis = read_whole_text(data.get(self.mapping["hypothesis"]), "hypothesis")
        author, author_label = self._person(data, "author"), self._author_label(data)
        votes = self._votes(data) if self._votes_in or self._numbered else ()
        names = [name for name, _ in votes]
        refuse_second_votes(names, "votes")
        if author and author in names:
            raise RowRefused("vote_own", "votes", gettext_noop("The author votes on the own pair."))
        same, key = same_hash(hypothesis), self._id(data, "pair_id")
        if not key:
            # The same pair has the same key in every file that gives it none.
            identity = f"{premise.hash}:{same}:{author_label}"
            key = f"p-{sha256(identity.encode()).hexdigest()[:20]}"
        tags = self._tags(data) if "tags" in self.mapping else ()
        row = PairRow(n, key, premise, hypothesis, author_label, author, votes, tags, (premise.hash, same))
        if self._published:
            found = {name: self._short(data, name, LONGEST_NAME) for name in self._published}
            row.published = {name: value for name, value in found.items() if value}
        return row

    def _author_label(self, data: Mapping[str, Any]) -> str:
        """The author's label; empty where the row has none, or says so with SNLI's `-`."""
        given: object = None
        if "annotator_labels" in self.mapping:
            labels = read_list(self._value(data, "annotator_labels"), "annotator_labels", self._is_label)
            given = labels[0] if labels else None
        if "author_label" in self.mapping and (own := self._value(data, "author_label")) is not None:
            given = own
        label = "" if given is None else read_short_text(given, "author_label", LONGEST_LABEL)
        if label in ("", UNKNOWN_LABEL):
            return ""
        key = self._read_label(label)
        if key is None:
            message = gettext_noop("“%(label)s” is no label here.")
            raise RowRefused("label_unknown", "author_label", message, label=excerpt(label, 40))
        return key

    def _is_label(self, text: str) -> bool:
        return self._read_label(text) is not None

    def _votes(self, data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        field = self._votes_in or "votes"
        if self._votes_in:
            given = read_list(self._value(data, field), field, self._is_label)[field == "annotator_labels" :]
        else:
            given = [data.get(column) for column in self._numbered]
        if len(given) > MOST_VOTES:
            message = gettext_noop("There are more than %(most)s votes on one pair.")
            raise RowRefused("votes_too_many", field, message, most=MOST_VOTES)
        votes = (self._vote(place, each, field) for place, each in enumerate(given, start=1))
        return tuple(vote for vote in votes if vote is not None)

    def _vote(self, place: int, given: object, field: str) -> tuple[str, str] | None:
        """A name and a label; nobody's name is `?1`, `?2`, … (ruling 3). A blank label is no vote."""
        name = ""
        if isinstance(given, dict):
            if given.get("annotator") is not None:
                name = read_person_name(given["annotator"], field)
            given = given.get("label")
        label = "" if given is None else read_short_text(given, field, LONGEST_LABEL)
        if not label:
            return None
        # A label outside the scheme is cast, and never makes gold.
        return name or f"?{place}", self._read_label(label) or label

    def _tags(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        given = read_list(self._value(data, "tags"), "tags")
        codes = [read_short_text(code, "tags", LONGEST_LABEL) for code in given]
        try:
            return phenomena.canonical(codes)
        except KeyError:
            return tuple(dict.fromkeys(code for code in codes if code))
