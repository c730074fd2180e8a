"""Cells of a row, whatever shape it has: texts, ids, names and lists, each read or refused with its field.

Only what cannot be stored is refused: a text that is missing, holds NUL or a lone surrogate, or is far too long; an id
that is no id. Texts pass through as they are, byte for byte.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Generic, TypeVar, cast

from annotation.content.rules.keys import id_problem
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form, labels_shared_by, match_label, storage_problem, whole_number
from validation.imports.rules.columns import SPLIT
from validation.imports.rules.json_values import parse_literal
from validation.imports.rules.problems import Problem, RowRefused, excerpt
from validation.imports.rules.records import Record

LONGEST_TEXT = 10_000
LONGEST_ID = 190
LONGEST_NAME = 64
LONGEST_LABEL = 40
LONGEST_EXTRA = 500
MOST_VOTES = 200
# So many words can a label have that stands between blanks.
MOST_WORDS = 8
Read = TypeVar("Read")
# Most ids, at a glance.
_PLAIN_ID = re.compile(rf"[\w.-]{{0,{LONGEST_ID - 1}}}[\w-]", re.ASCII)
# Between labels in a cell: these, and blanks where no label has one.
_SEPARATORS = re.compile(r"[,;|\t\r\n]+")


def same_hash(text: str) -> str:
    """What makes two texts the same: NFC without default-ignorables (reliability F34)."""
    return sha256(key_form(text).encode("utf-8", "surrogatepass")).hexdigest()


class Cells(Generic[Read]):
    """Reads records under one mapping, field → column. `whole`: rows are items, not what writers start from.

    `left` is what rows hold within columns that are read, and nothing takes, by column and name.
    """

    whole = True

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self.mapping, self.left = dict(mapping), dict[str, None]()
        self.reads_split = SPLIT in mapping

    def read(self, record: Record) -> Read | Problem:
        """One row, or the Problem for which it is refused; never raises."""
        if record.problem is not None or record.data is None:
            return record.problem or Problem("not_object", "", gettext_noop("The row holds nothing."))
        try:
            if not self.whole:
                return self._source(record.n, record.data)
            row = self._item(record.n, record.data)
            if self.reads_split:
                cast(Any, row).split = self._short(record.data, SPLIT, LONGEST_NAME)
            return row
        except RowRefused as refused:
            return refused.problem

    def _item(self, n: int, data: Mapping[str, Any]) -> Read:
        """A finished item. Raises RowRefused."""
        raise NotImplementedError

    def _source(self, n: int, data: Mapping[str, Any]) -> Read:
        """What writers start from. Raises RowRefused."""
        raise NotImplementedError

    def _value(self, data: Mapping[str, Any], field: str) -> Any:
        column = self.mapping.get(field)
        return None if column is None else data.get(column)

    def _text(self, data: Mapping[str, Any], field: str) -> str:
        return read_whole_text(data.get(self.mapping[field]), field)

    def _id(self, data: Mapping[str, Any], field: str, *, in_addresses: bool = True) -> str:
        """What a row is called, in one form; `in_addresses`: it becomes a part of addresses."""
        column = self.mapping.get(field)
        value = None if column is None else data.get(column)
        if value is None:
            return ""
        if type(value) is not str:
            if (number := whole_number(value)) is not None:
                return str(number)
            message = gettext_noop("An id is a text or a whole number of at most 19 digits; put it in quotation marks.")
            raise RowRefused("wrong_type", field, message)
        if _PLAIN_ID.fullmatch(value):
            return value
        check_storable(value, field, LONGEST_ID)
        key = key_form(value)
        if in_addresses and key and (problem := id_problem(key)) is not None:
            raise RowRefused("id_unreachable", field, problem[0], **problem[1])
        return key

    def _short(self, data: Mapping[str, Any], field: str, most: int) -> str:
        column = self.mapping.get(field)
        value = None if column is None else data.get(column)
        return "" if value is None else read_short_text(value, field, most)

    def _person(self, data: Mapping[str, Any], field: str) -> str:
        """The name of a person, in one form; empty where the row has none."""
        value = self._value(data, field)
        return "" if value is None else read_person_name(value, field)

    def _line(self, data: Mapping[str, Any], field: str, most: int, *, needed: bool = False) -> str:
        """A short text, kept as it is."""
        value = self._value(data, field)
        if value is None or value == "":
            if needed:
                raise RowRefused("missing", field, gettext_noop("The text is missing."))
            return ""
        text = read_whole_text(str(value) if type(value) is int else value, field)
        check_storable(text, field, most)
        return text


def read_whole_text(text: Any, field: str) -> str:
    """A text that is there and can be seen, as it is."""
    # Most texts, at a glance.
    if type(text) is str and text.isascii() and len(text) <= LONGEST_TEXT and "\x00" not in text and text.strip():
        return text
    if text is None or text == "":
        raise RowRefused("missing", field, gettext_noop("The text is missing."))
    if type(text) is not str:
        raise RowRefused("wrong_type", field, gettext_noop("This has to be a text in quotation marks."))
    check_storable(text, field, LONGEST_TEXT)
    if not key_form(text):
        raise RowRefused("missing", field, gettext_noop("The text holds nothing that can be seen."))
    return text


def check_storable(text: str, field: str, most: int) -> None:
    """Raise RowRefused for a text that cannot be stored."""
    if len(text) <= most and text.isascii() and "\x00" not in text:
        return
    bad = storage_problem(text)
    if bad is not None:
        message = gettext_noop("The text holds a character that no database can store (%(what)s).")
        raise RowRefused("not_storable", field, message, what={"nul": "NUL", "surrogate": "half a surrogate pair"}[bad])
    if len(text) > most:
        message = gettext_noop("The text has %(count)s characters; at most %(most)s can be stored.")
        raise RowRefused("too_long", field, message, count=len(text), most=most)


def read_short_text(value: object, field: str, most: int) -> str:
    """A short text without blanks around it; a number may stand for one."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = whole_number(value)
        value = str(value if number is None else number)
    if not isinstance(value, str):
        raise RowRefused("wrong_type", field, gettext_noop("This has to be a text in quotation marks."))
    check_storable(value, field, most)
    return value.strip()


def read_label(text: str, by_form: Mapping[str, str], field: str) -> str | None:
    """The key of the label that a file means; None where there is none. Raises RowRefused where several fit."""
    key = match_label(text, by_form)
    if key is None and (several := labels_shared_by(text, by_form)):
        message = gettext_noop("“%(answer)s” fits several labels; write the key of one of them: %(labels)s.")
        raise RowRefused("label_unclear", field, message, answer=excerpt(text, 40), labels=", ".join(several))
    return key


def read_person_name(value: object, field: str) -> str:
    """The name of a person in the form of ids: the same however its accents are stored."""
    name = read_short_text(value, field, LONGEST_NAME)
    return name if name.isascii() else key_form(name)


def refuse_second_votes(names: Iterable[str], field: str) -> None:
    """Raise RowRefused where a name stands twice among those who vote on one item."""
    voters = list(names)
    if len(set(voters)) < len(voters):
        message = gettext_noop(
            "“%(name)s” votes twice on this item; names are the same however their accents are stored. Keep one vote "
            "of each."
        )
        raise RowRefused("vote_twice", field, message, name=excerpt(Counter(voters).most_common(1)[0][0], 40))


def read_joined_text(value: object, field: str) -> str:
    """What is kept beside a text: a list becomes one text with commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(read_short_text(each, field, LONGEST_EXTRA) for each in value[:50])[:LONGEST_EXTRA]
    return read_short_text(str(value) if isinstance(value, float) else value, field, LONGEST_EXTRA)


def read_literal(text: str, field: str) -> Any:
    """A list or an object that a cell holds as JSON, pandas or numpy write it."""
    check_storable(text, field, 10 * LONGEST_TEXT)
    try:
        return parse_literal(text)
    except ValueError:
        message = gettext_noop("This is not a complete list or object. Write it as JSON.")
        raise RowRefused("wrong_type", field, message) from None


def read_list(value: object, field: str, is_known: Callable[[str], bool] | None = None) -> list[object]:
    """A list; a CSV cell holds one as JSON, pandas or numpy write it, or as labels between commas, semicolons or bars.

    Blanks separate labels too, unless they are within one: `is_known` says what is a label.
    """
    if value is None:
        return []
    if isinstance(value, str):
        check_storable(value, field, LONGEST_TEXT)
        if not value.lstrip().startswith(("[", "array(")):
            return list(_labels_in(value, is_known))
        value = read_literal(value, field)
    if not isinstance(value, list):
        raise RowRefused("wrong_type", field, gettext_noop("This has to be a list."))
    return value


def _labels_in(cell: str, is_known: Callable[[str], bool] | None) -> Iterator[str]:
    parts = [part.strip() for part in _SEPARATORS.split(cell)]
    for part in filter(None, parts):
        words = part.split()
        if len(words) == 1 or is_known is None:
            yield from words
        elif is_known(part):
            yield part
        else:
            labels = list(_longest_labels(words, is_known))
            # Between commas stands one label: where it is none that is known, it is not to be taken apart.
            yield from labels if len(parts) == 1 or all(map(is_known, labels)) else [part]


def _longest_labels(words: list[str], is_known: Callable[[str], bool]) -> Iterator[str]:
    """Words put together to the longest labels that are known; what is in none stands alone."""
    start = 0
    while start < len(words):
        ends = range(min(len(words), start + MOST_WORDS), start + 1, -1)
        end = next((end for end in ends if is_known(" ".join(words[start:end]))), start + 1)
        yield " ".join(words[start:end])
        start = end
