"""What values of a file mean, said by hand; and which rows of it are drawn.

`COLUMN:PERSON:VALUE=VALUE` changes what stands in a cell before it is read: for one person in a column of names, or for
everybody where no person is named. Nothing behind `=` says that the value is unknown.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson

from annotation.core.rules.draws import FirstDrawn
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form, storage_problem
from validation.imports.rules.columns import named_column
from validation.imports.rules.json_values import WrittenNumber, parse_literal, to_json
from validation.imports.rules.problems import FileRefused, Problem, excerpt
from validation.imports.rules.records import Record

MOST_VALUES, LONGEST_VALUE, LONGEST_SEED = 200, 200, 100
MOST_DRAWN = 1_000_000
PURPOSE = "sample"

ValueRow = tuple[str, str, str, str]
"""Column, person (empty: everybody), the value in the file, and what it is taken for (empty: unknown)."""


def read_values(pairs: Iterable[str], columns: Sequence[str]) -> list[ValueRow]:
    """`COLUMN:PERSON:VALUE=VALUE` by hand, or `["COLUMN", "PERSON", "VALUE", "VALUE"]`. Raises FileRefused."""
    return checked_values((_read_value(pair, columns) for pair in pairs), columns)


def _read_value(pair: str, columns: Sequence[str]) -> Sequence[Any]:
    """One of them; as a JSON list of the four where person or values hold the signs themselves."""
    if pair.startswith("["):
        try:
            parts = json.loads(pair)
        except ValueError:
            parts = None
        if isinstance(parts, list):
            return parts
    left, mark, to = pair.rpartition("=")
    # A column's name may hold colons itself: the longest one that is there counts.
    cuts = [place for place, sign in enumerate(left) if sign == ":"]
    column, rest = next(
        ((name, left[cut + 1 :]) for cut in reversed(cuts) if (name := named_column(left[:cut], columns)) is not None),
        (left.partition(":")[0].strip(), left.partition(":")[2]),
    )
    person, second, value = rest.partition(":")
    if not (mark and second):
        message = gettext_noop("“%(pair)s” is no COLUMN:PERSON:VALUE=VALUE.")
        raise FileRefused("values_unlike", message, pair=excerpt(pair, 60))
    return column, person.strip(), value.strip(), to.strip()


def checked_values(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> list[ValueRow]:
    """The values as an import keeps them, each once. Raises FileRefused."""
    found: dict[tuple[str, str, str], str] = {}
    for row in rows:
        if len(row) != 4 or not all(isinstance(each, str) and _is_fitting_text(each) for each in row):
            raise FileRefused("values_unlike", gettext_noop("A value is a column, a person, a value, a value."))
        column, person, value, to = row[0], key_form(row[1]), row[2], row[3]
        if column not in columns:
            message = gettext_noop("The file has no column “%(column)s”.")
            raise FileRefused("column_missing", message, column=excerpt(column, 60))
        if found.setdefault((column, person, value), to) != to:
            message = gettext_noop("“%(value)s” in %(column)s is taken for two things; say one.")
            raise FileRefused("values_twice", message, value=excerpt(value, 40), column=excerpt(column, 60))
    if len(found) > MOST_VALUES:
        message = gettext_noop("More than %(most)s values are mapped; correct the file.")
        raise FileRefused("values_too_many", message, most=MOST_VALUES)
    return [(*key, to) for key, to in sorted(found.items())]


def _is_fitting_text(text: str) -> bool:
    return len(text) <= LONGEST_VALUE and not storage_problem(text)


class ValueReplacer:
    """Changes records as they come by; `used` counts how often each value was met."""

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        self._by_column: dict[str, dict[tuple[str, str], str]] = {}
        self.used: Counter[ValueRow] = Counter()
        for column, person, value, to in rows:
            self._by_column.setdefault(column, {})[person, value] = to

    def apply_to(self, records: Iterator[Record]) -> Iterator[Record]:
        """The records with what their values mean; as they are where no value is mapped."""
        return map(self._read, records) if self._by_column else records

    def _read(self, record: Record) -> Record:
        return record if record.data is None else Record(record.n, self._changed(record.data), record.problem)

    def _changed(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        changed = dict(data)
        for column, table in self._by_column.items():
            if column in changed:
                changed[column] = self._cell(changed[column], column, table)
        return changed

    def _cell(self, value: Any, column: str, table: Mapping[tuple[str, str], str]) -> Any:
        """A cell: one value, an object of names, or a list; a CSV cell holds these as JSON."""
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            try:
                value = parse_literal(value)
            except ValueError:
                return value
        if isinstance(value, dict):
            return {name: self._one(each, key_form(name), column, table) for name, each in value.items()}
        if not isinstance(value, list):
            return self._one(value, "", column, table)
        found = []
        for each in value:
            if isinstance(each, dict) and "label" in each:
                name = key_form(str(each.get("annotator") or ""))
                found.append({**each, "label": self._one(each["label"], name, column, table)})
            else:
                found.append(self._one(each, "", column, table))
        return found

    def _one(self, value: Any, person: str, column: str, table: Mapping[tuple[str, str], str]) -> Any:
        written = _value_as_text(value)
        for who in dict.fromkeys((person, "")):
            to = table.get((who, written))
            if to is not None:
                self.used[column, who, written, to] += 1
                return to or None
        if isinstance(value, list):
            return [self._one(each, person, column, table) for each in value]
        return value


def _value_as_text(value: Any) -> str:
    """A value as a mapping names it, and as reports show it."""
    if value is None or value == []:
        return ""
    if isinstance(value, (str, WrittenNumber)):
        return str(value).strip()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Sample:
    """So many rows are drawn, by this seed, of those that can be read; `readable_count` is how many these are, once it
    is known.
    """

    n: int
    seed: str
    readable_count: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Raise FileRefused for a sample that cannot be drawn."""
        if not 0 < self.n <= MOST_DRAWN or not self.seed or len(self.seed) > LONGEST_SEED or storage_problem(self.seed):
            message = gettext_noop("A sample is a number of rows from 1 on, and a seed of at most %(most)s characters.")
            raise FileRefused("sample_unlike", message, most=LONGEST_SEED)

    def draw_rows(self, rows: Iterable[tuple[int, str]]) -> tuple[frozenset[int], int]:
        """The numbers of the rows drawn, and of how many: rows are a number and what they are called.

        The draw is sha256("seed:sample:key"); of two rows of one name the number decides.
        """
        head, of = FirstDrawn[int](self.seed, PURPOSE, self.n), 0
        # By digest: a row without a key is called by all that stands in it, and a file may be larger than the memory.
        times: Counter[bytes] = Counter()
        for n, key in rows:
            of += 1
            name = sha256(key.encode("utf-8", "surrogatepass")).digest()[:16]
            times[name] += 1
            head.offer(key if times[name] == 1 else f"{key}#{times[name]}", n)
        return frozenset(head.rows()), of


def draw_key_of(row: Any, record: Record) -> str:
    """What a row is called for a draw: its key, or all that stands in it where it has none."""
    key = getattr(row, "key", "")
    return key or to_json(record.data, orjson.OPT_SORT_KEYS).decode()


def readable_rows(reader: Any, records: Iterable[Record]) -> Iterator[tuple[int, str]]:
    """The rows that can be read, by number and key."""
    for record in records:
        row = reader.read(record)
        if not isinstance(row, Problem):
            yield record.n, draw_key_of(row, record)
