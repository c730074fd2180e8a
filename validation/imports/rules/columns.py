"""Which column of a file is which field of ours: the names that published files use, a guess, and a mapping by hand.

Each shape of contents has its own fields; here are those of premises and pairs.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from validation.imports.rules.problems import FileRefused, excerpt, gettext_noop

PLAIN_ID = "id"

Mapped = dict[str, str]


@dataclass(frozen=True)
class Columns:
    """The fields that files of one shape can hold.

    `aliases`: field of ours → what it is called elsewhere, the surest first; `help`: what it holds. `settle` ends a
    guess, given every column by its plain name; `needed` is why no row can be read under a mapping. A `silent` field
    is not offered beside a column: it is read off a column that is another field too. `read` are the fields that rows
    are read by under a mapping; a column that is taken for another one is left aside.
    """

    aliases: Mapping[str, tuple[str, ...]]
    help: Mapping[str, str]
    settle: Callable[[Mapped, Mapping[str, str]], None]
    needed: Callable[[Mapped, str], FileRefused | None]
    silent: tuple[str, ...] = ()
    read: Callable[[Mapped], Collection[str]] = tuple

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that a column can be taken for."""
        return tuple(field for field in self.aliases if field not in self.silent)

    def guess(self, columns: Sequence[str]) -> Mapped:
        """Field → column, by the names that are known."""
        by_name: dict[str, str] = {}
        for column in columns:
            by_name.setdefault(column.strip().casefold().replace(" ", "_").replace("-", "_"), column)
        found: Mapped = {}
        for field, names in self.aliases.items():
            name = next((name for name in names if name in by_name), None)
            if name is not None:
                found[field] = by_name[name]
        self.settle(found, by_name)
        return found

    def read_map(self, pairs: Iterable[str], columns: Sequence[str], guess: Mapped) -> Mapped:
        """`COLUMN=FIELD` by hand, over the guess; `COLUMN=` leaves a column out. Raises `FileRefused`."""
        chosen = dict(guess)
        for pair in pairs:
            column, mark, field = (part.strip() for part in pair.partition("="))
            if not mark or (field and field not in self.fields):
                message = gettext_noop("“%(pair)s” is no COLUMN=FIELD; the fields are %(fields)s.")
                listed = ", ".join(self.fields)
                raise FileRefused("mapping_unknown", message, pair=excerpt(pair, 60), fields=listed)
            if column not in columns:
                message = gettext_noop("The file has no column “%(column)s”.")
                raise FileRefused("column_missing", message, column=excerpt(column, 60))
            chosen = {ours: theirs for ours, theirs in chosen.items() if theirs != column and ours != field}
            if field:
                chosen[field] = column
        return chosen

    def checked(self, mapping: Mapping[str, str], columns: Sequence[str]) -> Mapped:
        """A mapping with which rows can be read. Raises `FileRefused`."""
        kept = {
            field: column for field, column in mapping.items() if field in self.aliases and column in columns
        }
        refused = self.needed(kept, excerpt(", ".join(columns) or "–", 200))
        if refused is not None:
            raise refused
        return kept

    def taken(self, mapping: Mapping[str, str]) -> set[str]:
        """The columns that rows are read by under this mapping."""
        read = self.read(dict(mapping))
        return {column for field, column in mapping.items() if field in read}


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
}
OF_PREMISES = ("premise_id", "premise", "sentence_class", "document", "genre", "source", "topics", "licence")
NUMBERED = ("label1", "label2", "label3", "label4")


def _settle(found: Mapped, by_name: Mapping[str, str]) -> None:
    """A plain `id` names what the rows are."""
    own = "pair_id" if "hypothesis" in found else "premise_id"
    if PLAIN_ID in by_name:
        found.setdefault(own, by_name[PLAIN_ID])
    if found.get("premise_id") == found.get("pair_id"):
        found.pop("premise_id" if "hypothesis" in found else "pair_id", None)


def _needed(mapping: Mapped, columns: str) -> FileRefused | None:
    if "premise" in mapping:
        return None
    message = gettext_noop(
        "No column is taken for the premise: say which one it is. The columns: %(columns)s."
    )
    return FileRefused("premise_unmapped", message, columns=columns)


def _read(mapping: Mapped) -> Collection[str]:
    if "hypothesis" not in mapping:
        return OF_PREMISES
    listed = "votes" in mapping or "annotator_labels" in mapping
    return [field for field in mapping if not (listed and field in NUMBERED)]


PAIRS = Columns(_ALIASES, _HELP, _settle, _needed, read=_read)
