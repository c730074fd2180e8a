"""Import of finished translations: matched with their source, combined by unit, checked (domain.md §7).

A unit of several rows (a premise with its hypotheses) is one translation: its rows are gathered, wherever they stand
in the file, and handed on with the last of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.kinds import SlotIn, field_name
from annotation.text.checks import WARN, Finding
from annotation.text.gettext import gettext_noop
from annotation.writing.actions.writing import set_findings
from validation.imports.project_context import ProjectContext
from validation.imports.rules import Problem
from validation.imports.rules.cells import same_hash
from validation.imports.rules.problems import excerpt
from validation.imports.rules.units import FIELD, REVIEWS, ROW, TEXT_PREFIX, TextsRow, UnitRow
from validation.imports.source_index import IndexedUnit
from validation.voting.actions.check_findings import findings_detail

SOURCE_DIFFERS = "source_differs"
Same = tuple[str, ...]


@dataclass(slots=True)
class UnitPart:
    """What one row says of a unit in a target: its texts by the unit's fields, and which row of the source it is."""

    row: TextsRow
    unit: IndexedUnit
    texts: Mapping[str, str]


@dataclass(slots=True)
class ReadyTranslation:
    """A translation that is ready: `same` makes two the same texts, `failed` is the detail of what is against it."""

    row: TextsRow
    unit: IndexedUnit
    content: dict[str, Any]
    same: Same
    words: int
    failed: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The item's key: the unit's, the same in every target, and the target's."""
        return f"{self.unit.key}~{self.row.target}"

    @property
    def twin(self) -> tuple[str, ...]:
        """What makes it a duplicate of another unit's translation: the target, every source, every text."""
        return (self.row.target, *sameness_key(self.content["source"]), *self.same)


NumberedBundle = tuple[int, "Problem | Bundle"]


@dataclass(slots=True)
class Bundle:
    """What one row of a file completes, or what is wrong with parts of it; each by its own row's number."""

    rows: list[UnitRow]


def sameness_key(fields: Iterable[Mapping[str, str]]) -> Same:
    """What makes the texts of two units the same."""
    return tuple(f"{each['key']}:{same_hash(each['text'])}" for each in fields)


class UnitPreparer:
    """All that can be said of translations before it is asked what is there already."""

    def __init__(self, frame: ProjectContext, mapping: Mapping[str, str]) -> None:
        self._frame, self._ground = frame, frame.source_index
        self._slot = frame.kind.authoring.slots(frame.rules)[0].key

    def prepare(self, rows: list[UnitRow]) -> Bundle:
        """Find the unit of each part of a row; errors of the row itself are reported once."""
        found = [UnitRow(n, self._part(row) if isinstance(row, TextsRow) else row) for n, row in rows]
        wrong = {(each.n, each.what.field) for each in found if isinstance(each.what, Problem)}
        return Bundle([each for each in found if not isinstance(each.what, Problem) or _is_first_problem(wrong, each)])

    def _part(self, row: TextsRow) -> UnitPart | Problem:
        unit = self._ground.find(row)
        if isinstance(unit, Problem):
            return unit
        if row.of_unit:
            (name,) = row.texts
            if name in unit.fields:
                return UnitPart(row, unit, row.texts)
            params = {"id": excerpt(row.row_id, 40), "key": excerpt(name, 40)}
            return Problem("text_strange", FIELD, _STRANGE, params)
        names = unit.rows.get(row.row_id)
        asked = names if names is not None else {key: key for key in unit.fields}
        texts = dict(row.texts)
        if "" in texts:
            if len(unit.fields) != 1:
                return Problem("texts_many", ROW, _SEVERAL, {"id": excerpt(row.row_id, 40)})
            return UnitPart(row, unit, {unit.fields[0]: texts[""]})
        missing = [key for key in asked if key not in texts]
        strange = [key for key in texts if key not in asked]
        if missing:
            return Problem("missing", TEXT_PREFIX + missing[0], gettext_noop("The text is missing."))
        if strange:
            params = {"id": excerpt(row.row_id, 40), "key": strange[0]}
            return Problem("text_strange", TEXT_PREFIX + strange[0], _STRANGE, params)
        return UnitPart(row, unit, {asked[key]: text for key, text in texts.items()})

    # --- gathering ------------------------------------------------------------------------

    def gather(self, rows: Iterable[tuple[int, Any]]) -> Iterator[NumberedBundle]:
        """Hand each translation on with the last of its rows; those that stay in parts are refused at the end."""
        parts: dict[tuple[str, str], list[UnitPart]] = {}
        n = 0
        for n, ready in rows:
            if isinstance(ready, Problem):
                yield n, ready
                continue
            joined = [UnitRow(each.n, self._joined(parts, each.what)) for each in ready.rows]
            if done := [each for each in joined if each.what is not None]:
                yield n, Bundle(done)
        rest = [UnitRow(part.row.n, self._alone(part, mine)) for mine in parts.values() for part in mine]
        if rest:
            # Behind every number that was handed on, so that who resumes there is told too.
            yield n + 1, Bundle(sorted(rest, key=lambda each: each.n))

    def _joined(
        self, parts: dict[tuple[str, str], list[UnitPart]], part: UnitPart | Problem
    ) -> ReadyTranslation | Problem | None:
        if isinstance(part, Problem):
            return part
        wanted = part.unit.fields
        if len(part.texts) == len(wanted):
            return self._whole([part])
        mine = parts.setdefault((part.unit.key, part.row.target), [])
        for other in mine:
            for key, text in part.texts.items():
                if other.texts.get(key, text) != text:
                    there, here = excerpt(other.texts[key]), excerpt(text)
                    params = {"row": other.row.n, "there": there, "here": here}
                    return Problem("shared_differs", TEXT_PREFIX + key, _SHARED, params)
        mine.append(part)
        if len({key for each in mine for key in each.texts}) < len(wanted):
            return None
        return self._whole(parts.pop((part.unit.key, part.row.target)))

    def _alone(self, part: UnitPart, mine: list[UnitPart]) -> Problem:
        there = {key for each in mine for key in each.texts}
        rows = [key for key, names in part.unit.rows.items() if not there.issuperset(names.values())]
        return Problem("unit_in_parts", ROW, _PARTS, {"rows": excerpt(", ".join(rows))})

    # --- a translation that is whole --------------------------------------------------------

    def _whole(self, parts: list[UnitPart]) -> ReadyTranslation:
        kind, unit, row = self._frame.kind, parts[0].unit, _merge_rows([part.row for part in parts])
        texts = {field_name(key): text for part in parts for key, text in part.texts.items()}
        typed = SlotIn("", more=texts)
        content = kind.authoring.content_from_slot(unit.source, typed)
        found = self._found(unit, row, typed)
        failed = findings_detail(found, content) if found else {}
        return ReadyTranslation(
            row, unit, content, sameness_key(content["fields"]), kind.count_shown_words(content), failed
        )

    def _found(self, unit: IndexedUnit, row: TextsRow, typed: SlotIn) -> list[Finding]:
        target, resources = self._ground.targets[row.target], self._ground.target_resources[row.target]
        found = list(set_findings(target.project, unit.source, {self._slot: typed}, resources=resources))
        if row.source and same_hash(row.source) != same_hash(_source_text_of(unit, row)):
            params = {"there": excerpt(row.source)}
            found.append(Finding(SOURCE_DIFFERS, self._slot, WARN, _DIFFERS, params))
        return found


def _source_text_of(unit: IndexedUnit, row: TextsRow) -> str:
    """The source text that stands beside what a row says."""
    if not row.of_unit:
        return unit.source.text
    return next((each["text"] for each in unit.source.extra["fields"] if each["key"] in row.texts), "")


def _is_first_problem(left: set[tuple[int, str]], row: UnitRow) -> bool:
    """Whether this is the first problem of its row and field."""
    place = (row.n, row.what.field)
    first = place in left
    left.discard(place)
    return first


def _merge_rows(rows: list[TextsRow]) -> TextsRow:
    """One row for all that make a translation: the last one, with who is named in any, and the hardest review."""
    last = rows[-1]
    last.translator = next((row.translator for row in rows if row.translator), "")
    if all(row.review for row in rows) or any(row.review == REVIEWS[-1] for row in rows):
        hardest = max(rows, key=lambda row: REVIEWS.index(row.review) if row.review else -1)
        last.review, last.reviewer, last.reason = hardest.review, hardest.reviewer, hardest.reason
    else:
        last.review = last.reviewer = last.reason = ""
    return last


_DIFFERS = gettext_noop("It was imported beside another source text: “%(there)s”")
_SEVERAL = gettext_noop("“%(id)s” has several texts: give a row for each target, and a column for each of its texts.")
_STRANGE = gettext_noop("“%(id)s” has no text “%(key)s”.")
_SHARED = gettext_noop(
    "Rows that share this text translate it once; row %(row)s has another: “%(there)s” Here: “%(here)s”"
)
_PARTS = gettext_noop("It is translated together with rows that the file does not have in this target: %(rows)s.")
