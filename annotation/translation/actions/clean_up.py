"""Cleaning a source set: one step a row or text, append-only, each with its reason (LoraxBench §3.4, Table 2).

Removing a row, fixing a typo, improving a distractor, marking a row as unanswerable without its passage, and taking
any of these back. Whoever is behind the unit's revision raises Conflict, and nothing is changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceUnit
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, NotFound, clean_typed, first_or_not_found
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.text.normalise import key_form, storage_problem
from annotation.translation.actions.source_sets import search_text
from annotation.translation.models import CleanUp, SourceEntry
from annotation.translation.rules.clean_up import LONGEST_TEXT, SPELLING, reasons_of
from annotation.translation.rules.source_units import (
    SHAPES,
    SourceShape,
    distractors,
    fields_that_are_no_spans,
    same_choice,
    size_of,
    split_living_fields,
)

LONGEST_WORDS = 1000
What = CleanUp.What


@dataclass(frozen=True)
class StepIn:
    """Who does what to which row, why, and which revision of the unit their page showed."""

    entry_id: int
    revision: int
    by: User | None
    reason: str = ""
    words: str = ""


@dataclass(frozen=True)
class CleanUpResult:
    """What was written, and the units whose texts or rows are others now."""

    steps: Sequence[CleanUp]
    units: Sequence[SourceUnit]
    frozen: bool


class _Unit:
    """A unit under its lock, with its rows, and what a step makes of it."""

    def __init__(self, unit: SourceUnit) -> None:
        self.unit, self.shape = unit, SHAPES[unit.source_set.shape]
        self.entries = list(unit.entries.order_by("position"))

    @property
    def living(self) -> list[SourceEntry]:
        return [entry for entry in self.entries if not entry.removed]

    @property
    def texts(self) -> dict[str, str]:
        """Every text, those that no living row needs among them."""
        return {each["key"]: each["text"] for each in (*self.unit.fields, *self.unit.dropped)}

    def entry(self, pk: int) -> SourceEntry:
        row = next((entry for entry in self.entries if entry.pk == pk), None)
        if row is None:
            raise NotFound
        return row

    def set_text(self, key: str, text: str) -> None:
        for each in (*self.unit.fields, *self.unit.dropped):
            if each["key"] == key:
                each["text"] = text

    def store(self) -> None:
        """Part the texts by what living rows need, count anew, and go on to the next revision."""
        unit, rows = self.unit, [entry.fields for entry in self.living]
        kept, dropped = split_living_fields(self.shape, (*unit.fields, *unit.dropped), rows)
        unit.fields, unit.dropped = [dict(each) for each in kept], [dict(each) for each in dropped]
        size = size_of(unit.fields, unit.source_set.project.language)
        unit.sentences, unit.words, unit.body = size.sentences, size.words, search_text(unit.fields)
        unit.removed, unit.revision = not rows, unit.revision + 1
        unit.save(update_fields=["fields", "dropped", "sentences", "words", "body", "removed", "revision"])
        if unit.removed:
            # Nobody goes on with what is not wanted any more; what they typed stays theirs.
            Allocation.objects.filter(unit=unit, state=Allocation.State.OPEN).update(
                state=Allocation.State.LAPSED, touched_at=Now()
            )

    def step(self, what: str, given: StepIn, entry: SourceEntry | None, **more: object) -> CleanUp:
        return CleanUp(
            project_id=self.unit.project_id,
            unit=self.unit,
            entry=entry,
            what=what,
            by=given.by,
            **{"reason": given.reason, "words": given.words.strip(), "revision": self.unit.revision, **more},
        )


def _lock_unit(unit_id: int, project: Project, revision: int) -> _Unit:
    """Lock project and unit, in that order as whoever deals units does. Conflict where the page is behind."""
    fresh = Project.lock(project.pk, closed="source_closed")
    rows = SourceUnit.objects.select_related("source_set__project").filter(pk=unit_id, project=fresh)
    unit = first_or_not_found(locked(rows))
    if unit.revision != revision:
        raise Conflict(code="source_stale", revision=unit.revision)
    return _Unit(unit)


def _with_reason(project: Project, given: StepIn, what: str) -> StepIn:
    """The step with its reason: one of the project's, or the words of whoever does it."""
    words = clean_typed(given.words, "words", LONGEST_WORDS)
    known = dict(reasons_of(project.rules.clean_up_reasons))
    if given.reason and given.reason not in known and given.reason != SPELLING:
        raise Invalid(field="reason", code="clean_reason_unknown")
    reason = given.reason or ("" if words else SPELLING if what == What.TYPO else "")
    if not reason and not words:
        raise Invalid(field="reason", code="clean_reason_missing")
    return StepIn(given.entry_id, given.revision, given.by, reason, words)


def _finish_steps(of: Sequence[_Unit], steps: Sequence[CleanUp]) -> CleanUpResult:
    CleanUp.objects.bulk_create(steps)
    units = [each.unit for each in of]
    return CleanUpResult(steps, units, units[0].source_set.frozen_at is not None)


def row_remove(*, project: Project, unit_id: int, given: StepIn) -> CleanUpResult:
    """Take a row out; with its last row the unit goes, and texts that no row needs are not translated."""
    with transaction.atomic():
        unit = _lock_unit(unit_id, project, given.revision)
        given, entry = _with_reason(project, given, What.REMOVED), unit.entry(given.entry_id)
        if entry.removed:
            raise Conflict(code="row_removed")
        entry.removed = True
        entry.save(update_fields=["removed"])
        unit.store()
        return _finish_steps([unit], [unit.step(What.REMOVED, given, entry)])


def row_unanswerable(*, project: Project, unit_id: int, given: StepIn) -> CleanUpResult:
    """Mark a question that cannot be answered without its passage: open-domain QA leaves it out (§3.4)."""
    with transaction.atomic():
        unit = _lock_unit(unit_id, project, given.revision)
        given, entry = _with_reason(project, given, What.UNANSWERABLE), unit.entry(given.entry_id)
        if not any(role.contained_in for role in unit.shape.roles):
            raise Invalid(code="no_passage")
        if entry.unanswerable or entry.removed:
            raise Conflict(code="row_removed" if entry.removed else "row_unanswerable")
        entry.unanswerable = True
        entry.save(update_fields=["unanswerable"])
        unit.store()
        return _finish_steps([unit], [unit.step(What.UNANSWERABLE, given, entry)])


def texts_change(
    *, project: Project, unit_id: int, what: str, texts: Mapping[str, str], given: StepIn
) -> CleanUpResult:
    """Fix typos (`typo`) or improve distractors (`distractor`) of a row: field key to the whole new text.

    A shared text is changed once for all rows that have it. Raises Invalid for what is no text, for a distractor that
    is the answer or reads like another choice, and for an answer that is no span of its passage any more.
    """
    with transaction.atomic():
        unit = _lock_unit(unit_id, project, given.revision)
        given, entry = _with_reason(project, given, what), unit.entry(given.entry_id)
        if entry.removed:
            raise Conflict(code="row_removed")
        before = unit.texts
        changes = {key: text for key, text in texts.items() if key in before and text != before[key]}
        if not changes or changes.keys() != {k for k in texts if texts[k] != before.get(k)}:
            raise Invalid(code="text_same" if not changes else "field_unknown")
        _check(unit, entry, what, changes)
        steps, touched = _change(unit, what, changes, given, entry)
        for each in touched:
            each.store()
        for step in steps:
            step.revision = step.unit.revision
        return _finish_steps(touched, steps)


def _check(unit: _Unit, entry: SourceEntry, what: str, changes: Mapping[str, str]) -> None:
    texts = {**unit.texts, **changes}
    allowed = set(distractors(unit.shape, entry.label, entry.fields)) if what == What.DISTRACTOR else texts
    for key, text in changes.items():
        if key not in allowed:
            raise Invalid(field=key, code="no_distractor")
        if not key_form(text):
            raise Invalid(field=key, code="text_missing")
        if storage_problem(text) or len(text) > LONGEST_TEXT:
            raise Invalid(field=key, code="text_not_storable")
        rows = [row.fields for row in unit.living if key in row.fields.values()]
        if any(same_choice(texts, unit.shape, row, key) for row in rows if _is_choice(unit.shape, row, key)):
            raise Invalid(field=key, code="choice_same")
    _refuse_no_spans(unit, texts)


def _is_choice(shape: SourceShape, row: Mapping[str, str], field: str) -> bool:
    return any(shape.role(key).distractors for key, name in row.items() if name == field)


def _refuse_no_spans(unit: _Unit, texts: Mapping[str, str]) -> None:
    broken = fields_that_are_no_spans(unit.shape, texts, [row.fields for row in unit.living])
    if broken:
        raise Invalid(field=broken[0][0], code="answer_no_span", answers=[texts[key] for key, _ in broken])


def _change(
    unit: _Unit, what: str, changes: Mapping[str, str], given: StepIn, entry: SourceEntry
) -> tuple[list[CleanUp], list[_Unit]]:
    """Write the new texts into this unit, and a shared one into the others that have it."""
    steps, touched = [], [unit]
    shared = unit.shape.shared
    for key, after in changes.items():
        before = unit.texts[key]
        holders = [unit]
        if shared is not None and key == shared.key:
            holders += _units_sharing_text(unit.unit, before)
            touched += holders[1:]
        for each in holders:
            each.set_text(key, after)
            own = None if shared is not None and key == shared.key else entry
            steps.append(each.step(what, given, own, field=key, before=before, after=after))
    for each in touched[1:]:
        _refuse_no_spans(each, each.texts)
    return steps, touched


def _units_sharing_text(unit: SourceUnit, text: str) -> list[_Unit]:
    """The set's other units with the same shared text: a premise with more rows than a form holds has several."""
    rows = SourceUnit.objects.select_related("source_set__project").filter(
        source_set=unit.source_set_id, fields__0__text=text
    )
    return [_Unit(each) for each in locked(rows.exclude(pk=unit.pk).order_by("pk"))]


def step_undo(*, project: Project, unit_id: int, step_id: int, revision: int, by: User | None) -> CleanUpResult:
    """Take a step back, with the same step of the units that allocation its text; each once.

    Conflict where it was taken back, or where a later step stands on the same text.
    """
    with transaction.atomic():
        unit = _lock_unit(unit_id, project, revision)
        step = first_or_not_found(CleanUp.objects.filter(pk=step_id, unit=unit.unit).exclude(what=What.UNDONE))
        given = StepIn(step.entry_id or 0, revision, by)
        touched = [unit]
        steps = [_undo_step(unit, step, given)]
        if step.entry_id is None:
            for other in _units_sharing_text(unit.unit, step.after):
                same = _same_step(other, step)
                if same is not None:
                    steps.append(_undo_step(other, same, given))
                    touched.append(other)
        for each in touched:
            _refuse_no_spans(each, each.texts)
            each.store()
        for each_step in steps:
            each_step.revision = each_step.unit.revision
        return _finish_steps(touched, steps)


def _same_step(other: _Unit, step: CleanUp) -> CleanUp | None:
    alike = CleanUp.objects.filter(
        unit=other.unit, what=step.what, field=step.field, before=step.before, after=step.after
    )
    return alike.filter(undone_by=None).order_by("-pk").first()


def _undo_step(unit: _Unit, step: CleanUp, given: StepIn) -> CleanUp:
    if CleanUp.objects.filter(undoes=step).exists():
        raise Conflict(code="clean_up_undone")
    entry = unit.entry(step.entry_id) if step.entry_id is not None else None
    if step.what in (What.TYPO, What.DISTRACTOR):
        if unit.texts.get(step.field) != step.after or _is_changed_later(step):
            raise Conflict(code="clean_up_covered")
        unit.set_text(step.field, step.before)
    elif entry is not None:
        name = "removed" if step.what == What.REMOVED else "unanswerable"
        setattr(entry, name, False)
        entry.save(update_fields=[name])
    return unit.step(What.UNDONE, given, entry, undoes=step, field=step.field, before=step.after, after=step.before)


def _is_changed_later(step: CleanUp) -> bool:
    """Whether the same text was changed again, and that still stands."""
    same = CleanUp.objects.filter(unit=step.unit, field=step.field, undone_by=None)
    newest = same.exclude(what=What.UNDONE).exclude(field="").aggregate(n=Max("pk"))["n"]
    return newest is not None and newest > step.pk
