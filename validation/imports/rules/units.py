"""The shape of a row of finished translations: one source row in several targets, or one translation with its review.

Only what cannot be stored is refused here; which source row an id means is looked up later.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form
from validation.imports.rules.cells import LONGEST_ID, LONGEST_LABEL, Cells, read_whole_text
from validation.imports.rules.columns import ColumnMapping, Columns
from validation.imports.rules.problems import FileRefused, RowRefused, excerpt

TO_PREFIX, TEXT_PREFIX = "to:", "text:"
ROW, SET, SOURCE, TARGET = "row_id", "source_set", "source", "target"
# Of our own files: which text of a unit a row holds, and what the targets say, as one object.
FIELD, TARGETS = "field", "targets"

_ALIASES: Mapping[str, tuple[str, ...]] = {
    ROW: (ROW, "row", "id", "entry", "unit", "uid", "source_id"),
    SET: (SET, "set", "task"),
    FIELD: (FIELD,),
    TARGETS: (TARGETS,),
    TARGET: (TARGET, "target_language", "lang", "language"),
    "register": ("register", "target_register"),
    "translator": ("translator", "author", "writer"),
    "review": ("review", "verdict", "decision"),
    "reviewer": ("reviewer", "reviewed_by"),
    "reason": ("reason", "feedback", "comment"),
}
_HELP: Mapping[str, str] = {
    ROW: gettext_noop("The source row's id, as its source set has it. Needed."),
    SET: gettext_noop("The source set's short name, where several have rows of the same id."),
    SOURCE: gettext_noop("The source text. Compared; a row that no set has is stored with it."),
    TARGET: gettext_noop("The target of the row: its short name, or its language where that is clear."),
    FIELD: gettext_noop("Which text of its unit the row holds; the row's id is then the unit's."),
    TARGETS: gettext_noop("What each target says: an object of their short names."),
    "register": gettext_noop("The target's register, where the target is given by its language."),
    "translator": gettext_noop("Who translated it."),
    "review": gettext_noop("What the reviewer said: approve or return."),
    "reviewer": gettext_noop("Who reviewed it."),
    "reason": gettext_noop("What the reviewer said to the translator."),
}
# They stand in files with a target beside each row.
LONG_FILE_FIELDS = (TARGET, "register", "translator", "review", "reviewer", "reason")


@dataclass(frozen=True)
class NamedTarget:
    """A target as files name it: its key, how pages call it, and the further names that mean no other target."""

    key: str
    title: str
    register: str = ""
    names: tuple[str, ...] = ()


def plain_name(name: str) -> str:
    """A column's name as it is compared."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def unit_columns(aims: Sequence[NamedTarget], texts: Sequence[str], language: Sequence[str]) -> Columns:
    """The fields for these targets and keys of texts; `language` is what the source's own language is called."""
    aliases = dict(_ALIASES)
    aliases[SOURCE] = (SOURCE, "source_text", "text", "sentence", *map(plain_name, language))
    help = dict(_HELP)
    for aim in aims:
        aliases[TO_PREFIX + aim.key] = tuple(dict.fromkeys(map(plain_name, (aim.key, *aim.names))))
        help[TO_PREFIX + aim.key] = aim.title
    for key in texts:
        name = plain_name(key)
        aliases[TEXT_PREFIX + key] = (f"target_{name}", f"{name}_translation", f"translated_{name}", name)
        help[TEXT_PREFIX + key] = key
    if "text" in texts:
        aliases[f"{TEXT_PREFIX}text"] += ("translation",)
    return Columns(
        aliases, help, _complete_mapping, _missing_field_check(bool(aims)), ids=(ROW, SET, "translator", "reviewer")
    )


def is_wide(mapping: Mapping[str, str]) -> bool:
    """Whether a row holds what several targets say."""
    return TARGETS in mapping or any(field.startswith(TO_PREFIX) for field in mapping)


def _complete_mapping(found: ColumnMapping, by_name: Mapping[str, str]) -> None:
    """Columns of targets make the file wide; otherwise one column names the target."""
    wide = is_wide(found)
    drop = (
        [*LONG_FILE_FIELDS, *(field for field in found if field.startswith(TEXT_PREFIX))] if wide else [SOURCE, FIELD]
    )
    if wide and FIELD in found:
        # A unit's id says of which set it is; our files have the task beside it.
        drop.append(SET)
    for field in drop:
        found.pop(field, None)


def _missing_field_check(targets: bool) -> Callable[[ColumnMapping, str], FileRefused | None]:
    def needed(mapping: ColumnMapping, columns: str) -> FileRefused | None:
        wide = is_wide(mapping)
        long = TARGET in mapping and any(field.startswith(TEXT_PREFIX) for field in mapping)
        if not targets:
            return FileRefused("target_none", gettext_noop("The project has no target yet: name one first."))
        if ROW not in mapping:
            message = gettext_noop(
                "No column is taken for the source row's id: say which one it is. The columns: %(columns)s."
            )
            return FileRefused("row_unmapped", message, columns=columns)
        if wide == long:
            message = gettext_noop(
                "Say which columns hold the translations: one column for each target, or one that names the target "
                "and one for each text, not both. The columns: %(columns)s."
            )
            return FileRefused("target_unmapped", message, columns=columns)
        return None

    return needed


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


class UnitRow(NamedTuple):
    """Something of one row of the file: its number, and what there is or what is wrong with it."""

    n: int
    what: Any


class UnitReader(Cells[list[UnitRow]]):
    """Reads records under one mapping. `verdicts` reads a review's word to its label, None where it is none."""

    def __init__(
        self,
        mapping: Mapping[str, str],
        aims: Mapping[str, NamedTarget],
        verdicts: Callable[[str], str | None],
    ) -> None:
        super().__init__(mapping)
        self._verdicts = verdicts
        self._wide = [(field.removeprefix(TO_PREFIX), field) for field in mapping if field.startswith(TO_PREFIX)]
        self._is_wide = is_wide(mapping)
        self._texts = [(field.removeprefix(TEXT_PREFIX), field) for field in mapping if field.startswith(TEXT_PREFIX)]
        self._aims = {plain_name(name): aim for aim in aims.values() for name in (*aim.names, aim.key)}

    def _item(self, n: int, data: Mapping[str, Any]) -> list[UnitRow]:
        """The content of a row, by target."""
        return self._row(n, data) if self._is_wide else [self._one(n, data)]

    def _row(self, n: int, data: Mapping[str, Any]) -> list[UnitRow]:
        """One source row: a cell that is empty is no translation yet, a bad one is refused by itself."""
        row_id, set_key, name = self._row_id(data), self._id(data, SET), self._id(data, FIELD)
        if name:
            set_key = row_id.partition(":")[0]
        source = "" if self._value(data, SOURCE) in (None, "") else self._text(data, SOURCE)
        rows = []
        for key, field, given in self._cells(data):
            if given is None or (type(given) is str and not key_form(given)):
                continue
            try:
                texts = {name: read_whole_text(given, field)}
            except RowRefused as refused:
                rows.append(UnitRow(n, refused.problem))
                continue
            rows.append(UnitRow(n, TextsRow(n, row_id, set_key, key, texts, field, source, of_unit=bool(name))))
        if not rows:
            raise RowRefused("missing", "", gettext_noop("The row holds no translation."))
        return rows

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
            aim = self._aims.get(plain_name(name))
            if aim is None:
                message = gettext_noop("“%(target)s” is no target of this project.")
                raise RowRefused("target_unknown", TARGETS, message, target=excerpt(name, 40))
            yield aim.key, TO_PREFIX + aim.key, given

    def _one(self, n: int, data: Mapping[str, Any]) -> UnitRow:
        texts = {
            key: self._text(data, field)
            for key, field in self._texts
            if data.get(self.mapping[field]) not in (None, "")
        }
        if not texts:
            raise RowRefused("missing", self._texts[0][1], gettext_noop("The text is missing."))
        row = TextsRow(n, self._row_id(data), self._id(data, SET), self._target(data), texts, "")
        row.translator = self._person(data, "translator")
        row.review = self._review(data)
        if row.review:
            row.reviewer = self._person(data, "reviewer") or PLACE_HOLDER
            row.reason = self._line(data, "reason", LONGEST_REASON)
        if row.translator and row.translator == row.reviewer:
            message = gettext_noop("The translator reviews the own translation.")
            raise RowRefused("vote_own", "reviewer", message)
        return UnitRow(n, row)

    def _row_id(self, data: Mapping[str, Any]) -> str:
        found = self._id(data, ROW)
        if not found:
            raise RowRefused("missing", ROW, gettext_noop("The source row's id is missing."))
        return found

    def _target(self, data: Mapping[str, Any]) -> str:
        """A target by its key, or by its language, alone or with the register beside it."""
        given, register = self._short(data, TARGET, LONGEST_ID), self._short(data, "register", LONGEST_ID)
        for name in (f"{given}-{register}", given) if register else (given,):
            aim = self._aims.get(plain_name(name))
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
