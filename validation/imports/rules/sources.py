"""Rows of a source set, read from records: texts by role, the label, the split, and every further column as it is."""

from collections.abc import Mapping
from typing import Any

from annotation import kinds
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import storage_problem
from annotation.translation.rules.clean_up import LONGEST_SPLIT, LONGEST_TEXT
from annotation.translation.rules.source_units import SHAPES, Row
from validation.imports.rules.cells import (
    LONGEST_LABEL,
    Cells,
    check_storable,
    read_short_text,
    read_whole_text,
)
from validation.imports.rules.json_values import WrittenNumber, to_json
from validation.imports.rules.problems import RowRefused, excerpt
from validation.imports.rules.prompts import parse_responses
from validation.imports.rules.questions import choices_by_key, parse_choices
from validation.imports.rules.source_columns import (
    CHOICES,
    IRRELEVANT,
    KEY,
    LABEL,
    LETTERS,
    RELEVANT,
    SPLIT,
    choice_field,
)

LONGEST_DATA = 50_000
MOST_DEPTH = 20


class SourceReader(Cells[Row]):
    """Reads records of one shape under one mapping, field → column."""

    def __init__(self, shape: str, mapping: Mapping[str, str]) -> None:
        super().__init__(mapping)
        self._shape = SHAPES[shape]
        self._taken = frozenset(mapping.values())
        self._several = next((role.key for role in self._shape.roles if role.several), "")
        self._kind = None if self._several else kinds.judging_kind(shape)

    def _item(self, n: int, data: Mapping[str, Any]) -> Row:
        data = self._unfolded(data)
        texts = {
            role.key: self._single(data, role.key) for role in self._shape.roles if not role.several
        } | self._choices(data)
        return Row(
            key=self._id(data, KEY),
            texts=texts,
            label=self._label(data, texts),
            split=self._short(data, SPLIT, LONGEST_SPLIT),
            data=self._further(data),
            number=n,
        )

    def _single(self, data: Mapping[str, Any], field: str) -> str:
        """A text; of answers in SQuAD's form (a list, or an object that holds one) the first."""
        value = self._value(data, field)
        if isinstance(value, dict):
            value = value.get("text")
        if isinstance(value, list):
            value = value[0] if value else None
        return read_whole_text(value, field)

    def _unfolded(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """CommonsenseQA keeps stem and choices inside `question`."""
        column = self.mapping.get("question", "")
        inner = data.get(column)
        if not self._several or type(inner) is not dict:
            return data
        self.mapping.setdefault(CHOICES, f"{column}.choices")
        return {**data, column: inner.get("stem"), self.mapping[CHOICES]: inner.get("choices")}

    def _choices(self, data: Mapping[str, Any]) -> dict[str, str]:
        if RELEVANT in self.mapping:
            sides = {"R": parse_responses(self._value(data, RELEVANT), RELEVANT)}
            sides["I"] = parse_responses(self._value(data, IRRELEVANT), IRRELEVANT)
            return {
                choice_field(self._several, f"{side}{n}"): text
                for side, texts in sides.items()
                for n, text in enumerate(texts, start=1)
            }
        if CHOICES in self.mapping:
            pairs = list(parse_choices(self._value(data, CHOICES)))
        else:
            cells = [(letter, self._value(data, choice_field(self._several, letter))) for letter in LETTERS]
            pairs = [(letter, cell) for letter, cell in cells if cell is not None and cell != ""]
        found = choices_by_key(pairs, self._letter)
        return {choice_field(self._several, letter): text for letter, text in found.items()}

    def _letter(self, label: object) -> str:
        given = read_short_text(label, CHOICES, LONGEST_LABEL).upper()
        if given in LETTERS and len(given) == 1:
            return given
        message = gettext_noop("“%(label)s” names no choice here: they are called %(keys)s.")
        raise RowRefused("choice_unknown", CHOICES, message, label=excerpt(given, 40), keys=", ".join(LETTERS))

    def _label(self, data: Mapping[str, Any], texts: Mapping[str, str]) -> str:
        """A label by its key where a kind has it; where rows have choices, what names one, or its text's letter."""
        if RELEVANT in self.mapping:
            best = self._text(data, "best")
            key = next((key for key, text in texts.items() if text == best and "-R" in key), "")
            if not key:
                message = gettext_noop("The best response is not among the relevant ones.")
                raise RowRefused("best_missing", "best", message)
            return key.partition("-")[2]
        given = self._short(data, LABEL, LONGEST_TEXT) if LABEL in self.mapping else ""
        if self._kind is not None and given:
            known = self._kind.question.read_label(given)
            if known is None:
                message = gettext_noop("“%(label)s” is no label here; they are %(labels)s.")
                labels = ", ".join(self._kind.export.spell(key) for key in self._kind.question.label_keys)
                raise RowRefused("label_unknown", LABEL, message, label=excerpt(given, 40), labels=labels)
            return known
        letters = {key.partition("-")[2] for key in texts if "-" in key}
        if given.upper() in letters:
            return given.upper()
        same = [key for key, text in texts.items() if "-" in key and text.strip() == given]
        return same[0].partition("-")[2] if len(same) == 1 else given

    def _further(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Every column that is taken for nothing, as it is; refused where it could not be stored."""
        left = {name: value for name, value in data.items() if name not in self._taken and value != ""}
        further: dict[str, Any] = _storable(left, 0)
        if len(to_json(further)) > LONGEST_DATA:
            message = gettext_noop("The further columns hold more than %(most)s characters; leave some out.")
            raise RowRefused("data_too_long", "", message, most=LONGEST_DATA)
        return further


def _storable(value: Any, depth: int) -> Any:
    """A value as it can be stored: a number whose digits no float holds is a text. Raises RowRefused."""
    if isinstance(value, str):
        if storage_problem(value) is not None:
            check_storable(value, "", LONGEST_DATA)
        return value
    if isinstance(value, WrittenNumber):
        return str(value) if value.loses_digits else float(value)
    if depth > MOST_DEPTH and isinstance(value, (dict, list)):
        raise RowRefused("data_too_deep", "", gettext_noop("A further column is nested too deeply."))
    if isinstance(value, dict):
        return {_storable(name, depth): _storable(inner, depth + 1) for name, inner in value.items()}
    return [_storable(inner, depth + 1) for inner in value] if isinstance(value, list) else value
