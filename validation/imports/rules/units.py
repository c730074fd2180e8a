"""The shape of a row of finished translations: one source row in several targets, or one translation with its review.

Only what cannot be stored is refused here; which source row an id means is looked up later.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.text.normalise import key_form
from validation.imports.rules.cells import (
    LONGEST_ID,
    LONGEST_LABEL,
    LONGEST_NAME,
    Cells,
    whole_text,
)
from validation.imports.rules.problems import Problem, RowRefused, excerpt, gettext_noop
from validation.imports.rules.records import Record
from validation.imports.rules.unit_columns import (
    FIELD,
    ROW,
    SET,
    SOURCE,
    TARGET,
    TARGETS,
    TEXT,
    TO,
    Aim,
    is_wide,
    plain,
)

LONGEST_REASON = 2000
PLACE_HOLDER = "?1"
# What a reviewer can have said, the hardest last; a correction is a text of its own.
REVIEWS = ("approve", "return")


@dataclass(slots=True)
class TextsRow:
    """What a row says in one target: texts by their key in the source row; `field` is where they stand.

    `of_unit`: `row_id` is the unit's own key, and the row holds one of its texts.

    `source` is the source text where the file has it; `review` a label's key, or empty where nobody reviewed it.
    """

    n: int
    row_id: str
    source_set: str
    target: str
    texts: Mapping[str, str]
    field: str
    source: str = ""
    translator: str = ""
    review: str = ""
    reviewer: str = ""
    reason: str = ""
    of_unit: bool = False


class Told(NamedTuple):
    """Something of one row of the file: its number, and what there is or what is wrong with it."""

    n: int
    what: Any


class UnitReader(Cells):
    """Reads records under one mapping. `verdicts` reads a review's word to its label, None where it is none."""

    whole = True

    def __init__(
        self, mapping: Mapping[str, str], aims: Mapping[str, Aim], verdicts: Callable[[str], str | None]
    ) -> None:
        super().__init__(mapping)
        self._verdicts = verdicts
        self._wide = [(field.removeprefix(TO), field) for field in mapping if field.startswith(TO)]
        self._is_wide = is_wide(mapping)
        self._texts = [(field.removeprefix(TEXT), field) for field in mapping if field.startswith(TEXT)]
        self._aims = {plain(name): aim for aim in aims.values() for name in (*aim.names, aim.key)}

    def read(self, record: Record) -> list[Told] | Problem:
        """What a row tells, target by target, or why it is refused; never raises."""
        if record.problem is not None or record.data is None:
            return record.problem or Problem("not_object", "", gettext_noop("The row holds nothing."))
        try:
            return self._row(record.n, record.data) if self._is_wide else [self._one(record.n, record.data)]
        except RowRefused as refused:
            return refused.problem

    def _row(self, n: int, data: Mapping[str, Any]) -> list[Told]:
        """One source row: a cell that is empty is no translation yet, a bad one is refused by itself."""
        row_id, set_key, name = self._row_id(data), self._id(data, SET), self._id(data, FIELD)
        if name:
            set_key = row_id.partition(":")[0]
        source = "" if self._value(data, SOURCE) in (None, "") else self._text(data, SOURCE)
        told = []
        for key, field, given in self._cells(data):
            if given is None or (type(given) is str and not key_form(given)):
                continue
            try:
                texts = {name: whole_text(given, field)}
            except RowRefused as refused:
                told.append(Told(n, refused.problem))
                continue
            told.append(Told(n, TextsRow(n, row_id, set_key, key, texts, field, source, of_unit=bool(name))))
        if not told:
            raise RowRefused("missing", "", gettext_noop("The row holds no translation."))
        return told

    def _cells(self, data: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
        """Each target with its field and what stands there."""
        for key, field in self._wide:
            yield key, field, data.get(self.mapping[field])
        inside = self._value(data, TARGETS)
        if inside is None:
            return
        if not isinstance(inside, dict):
            raise RowRefused("wrong_type", TARGETS, gettext_noop("This has to be an object of targets."))
        for name, given in inside.items():
            aim = self._aims.get(plain(name))
            if aim is None:
                message = gettext_noop("“%(target)s” is no target of this project.")
                raise RowRefused("target_unknown", TARGETS, message, target=excerpt(name, 40))
            yield aim.key, TO + aim.key, given

    def _one(self, n: int, data: Mapping[str, Any]) -> Told:
        texts = {
            key: self._text(data, field)
            for key, field in self._texts
            if data.get(self.mapping[field]) not in (None, "")
        }
        if not texts:
            raise RowRefused("missing", self._texts[0][1], gettext_noop("The text is missing."))
        row = TextsRow(n, self._row_id(data), self._id(data, SET), self._target(data), texts, "")
        row.translator = self._short(data, "translator", LONGEST_NAME)
        row.review = self._review(data)
        if row.review:
            row.reviewer = self._short(data, "reviewer", LONGEST_NAME) or PLACE_HOLDER
            row.reason = self._line(data, "reason", LONGEST_REASON)
        if row.translator and row.translator == row.reviewer:
            message = gettext_noop("The translator reviews the own translation.")
            raise RowRefused("vote_own", "reviewer", message)
        return Told(n, row)

    def _row_id(self, data: Mapping[str, Any]) -> str:
        found = self._id(data, ROW)
        if not found:
            raise RowRefused("missing", ROW, gettext_noop("The source row's id is missing."))
        return found

    def _target(self, data: Mapping[str, Any]) -> str:
        """A target by its key, or by its language, alone or with the register beside it."""
        given, register = self._short(data, TARGET, LONGEST_ID), self._short(data, "register", LONGEST_ID)
        for name in (f"{given}-{register}", given) if register else (given,):
            aim = self._aims.get(plain(name))
            if aim is not None and register in ("", aim.register):
                return aim.key
        message = gettext_noop("“%(target)s” is no target of this project.")
        raise RowRefused("target_unknown", TARGET, message, target=excerpt(given, 40))

    def _review(self, data: Mapping[str, Any]) -> str:
        given = self._short(data, "review", LONGEST_LABEL)
        if not given:
            return ""
        found = self._verdicts(given)
        if found not in REVIEWS:
            message = gettext_noop("“%(given)s” is no review: approve or return.")
            raise RowRefused("review_unknown", "review", message, given=excerpt(given, 40))
        return found
