"""Which column of a file is which field of ours: the names that published files use, a guess, and a mapping by hand.

Each shape of contents has its own fields; here are those of premises and pairs.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.text.gettext import gettext_noop
from validation.imports.rules.problems import FileRefused, excerpt

PLAIN_ID = "id"
# The split that an item was published in, a field of every form with splits; read where its items are.
SPLIT, SPLIT_NAMES = "data_split", ("data_split", "published_split")
SPLIT_HELP = gettext_noop("The published split of the item; a release can use it (deal=published).")

ColumnMapping = dict[str, str]


def split_pair(pair: str, columns: Collection[str]) -> tuple[str, bool, str]:
    """`COLUMN=WHAT`: the column, whether there is a sign, and what is said of it.

    A column's name may hold signs itself: the longest one that is there counts, else what stands before the last sign.
    """
    places = [place for place, mark in enumerate(pair) if mark == "="]
    for place in reversed(places):
        column = named_column(pair[:place], columns)
        if column is not None:
            return column, True, pair[place + 1 :].strip()
    left, _, right = pair.rpartition("=")
    return left.strip(), bool(places), right.strip()


def named_column(name: str, columns: Collection[str]) -> str | None:
    """The column of this name, as it is or without blanks around it."""
    return next((each for each in (name, name.strip()) if each in columns), None)


@dataclass(frozen=True)
class Columns:
    """The fields that files of one shape can hold.

    `aliases`: field of ours → what it is called elsewhere, the surest first; `help`: what it holds. `complete_guess`
    ends a guess, given every column by its plain name; `missing_columns_error` is why no row can be read under a
    mapping. A `hidden_fields` field is not offered beside a column: it is read off a column that is another field too.
    `fields_read` are the fields that rows are read by under a mapping; a column that is taken for another one is
    ignored. `ids` are the fields that hold what rows and people are called.
    """

    aliases: Mapping[str, tuple[str, ...]]
    help: Mapping[str, str]
    complete_guess: Callable[[ColumnMapping, Mapping[str, str]], None]
    missing_columns_error: Callable[[ColumnMapping, str], FileRefused | None]
    hidden_fields: tuple[str, ...] = ()
    fields_read: Callable[[ColumnMapping], Collection[str]] = tuple
    ids: tuple[str, ...] = ()

    def id_columns(self, mapping: Mapping[str, str]) -> set[str]:
        """The columns that hold what rows and people are called under this mapping."""
        return {mapping[field] for field in self.ids if field in mapping}

    def knows(self, column: str) -> bool:
        """Whether a column is taken for a field by its name alone."""
        return bool(self.guess([column]))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that a column can be taken for."""
        return tuple(field for field in self.aliases if field not in self.hidden_fields)

    def guess(self, columns: Sequence[str]) -> ColumnMapping:
        """Field → column, by the names that are known; what a row is called is no text too: `id` is also Indonesian."""
        by_name: dict[str, str] = {}
        for column in columns:
            by_name.setdefault(column.strip().casefold().replace(" ", "_").replace("-", "_"), column)
        found: ColumnMapping = {}
        called: set[str] = set()
        for field, names in self.aliases.items():
            name = next((name for name in names if name in by_name and name not in called), None)
            if name is not None:
                found[field] = by_name[name]
                called |= {name} if field in self.ids else set()
        self.complete_guess(found, by_name)
        return found

    def read_map(self, pairs: Iterable[str], columns: Sequence[str], guess: ColumnMapping) -> ColumnMapping:
        """`COLUMN=FIELD` by hand, over the guess; `COLUMN=` leaves a column out. Raises `FileRefused`."""
        chosen = dict(guess)
        for pair in pairs:
            column, mark, field = split_pair(pair, columns)
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

    def validated(self, mapping: Mapping[str, str], columns: Sequence[str]) -> ColumnMapping:
        """A mapping with which rows can be read. Raises `FileRefused`."""
        kept = {field: column for field, column in mapping.items() if field in self.aliases and column in columns}
        refused = self.missing_columns_error(kept, excerpt(", ".join(columns) or "–", 200))
        if refused is not None:
            raise refused
        return kept

    def columns_read(self, mapping: Mapping[str, str]) -> set[str]:
        """The columns that rows are read by under this mapping."""
        read = self.fields_read(dict(mapping))
        return {column for field, column in mapping.items() if field in read}
