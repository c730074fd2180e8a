"""Source sets of a translation project: made of rows, frozen when translation starts (domain.md §7)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, clean_typed
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.bulk import bulk_insert, reserve_ids
from annotation.translation.models import SourceEntry
from annotation.translation.rules.clean_up import split_rows
from annotation.translation.rules.source_units import SHAPES, Row, SourceShape, Unit, size_of, units_of
from validation.imports.rules.problems import Problem

KEY = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
LONGEST_KEY, LONGEST_NAME, LONGEST_TASK = 40, 200, 40
_UNIT_COLUMNS = (
    "id",
    "project_id",
    "source_set_id",
    "key",
    "position",
    "fields",
    "sentences",
    "words",
    "body",
)
_ENTRY_COLUMNS = (
    *("source_set_id", "unit_id", "key", "position", "fields", "label", "split", "data"),
    *("upstream_id", "upstream_revision", "upstream_hash"),
)


@dataclass(frozen=True)
class SetIn:
    """What a source set is called, its task, its shape, where it comes from, and what was chosen of that."""

    key: str
    name: str
    shape: str
    task: str = ""
    origin: Mapping[str, Any] | None = None
    filter: Mapping[str, Any] | None = None


class NewSourceSet(NamedTuple):
    """A new source set, how many rows it has, and those that could not be taken."""

    source_set: SourceSet
    rows: int
    refused: Sequence[tuple[Row, Problem]]


def check_set(project: Project, given: SetIn) -> SetIn:
    """The set as it can be made. Raises Invalid by field, Conflict where the short name is taken."""
    if project.closed_at is not None:
        raise Conflict(code="source_closed")
    if given.shape not in SHAPES:
        raise Invalid(field="shape", code="source_shape_unknown")
    if not KEY.fullmatch(given.key) or len(given.key) > LONGEST_KEY:
        raise Invalid(field="key", code="source_key_wrong")
    task = given.task.strip() or SHAPES[given.shape].task
    if not KEY.fullmatch(task) or len(task) > LONGEST_TASK:
        raise Invalid(field="task", code="source_task_wrong")
    name = clean_typed(given.name, "name", LONGEST_NAME, wrong="source_name_wrong") or given.key
    if SourceSet.objects.filter(project=project, key=given.key).exists():
        raise Conflict(field="key", code="source_set_taken")
    return SetIn(given.key, name, given.shape, task, given.origin or {}, given.filter or {})


def source_set_create(*, project: Project, given: SetIn, rows: Iterable[Row], by: User | None) -> NewSourceSet:
    """Make a source set of rows: those that share a text become one unit.

    What cannot be taken comes back with its reason; Invalid where nothing can.
    """
    with transaction.atomic():
        fresh = Project.lock(project.pk)
        checked = check_set(fresh, given)
        shape = SHAPES[checked.shape]
        taken, refused = split_rows(shape, rows)
        if not taken:
            raise Invalid(code="source_rows_none", refused=refused)
        made = SourceSet.objects.create(project=fresh, by=by, **asdict(checked))
        _store(made, shape, units_of(shape, taken))
        Event.record(fresh, by, "source_set_made", set=made.key, rows=len(taken))
    return NewSourceSet(made, len(taken), refused)


def source_rows_add(*, source_set: SourceSet, rows: Iterable[Row]) -> dict[str, int]:
    """Put rows behind those of a set that grows with its translations, as they come in; the units' keys.

    In the caller's transaction, who has locked the project.
    """
    shape = SHAPES[source_set.shape]
    last = source_set.units.aggregate(most=Max("position"))["most"]
    units = units_of(shape, rows)
    return _store(source_set, shape, units, 0 if last is None else last + 1)


def _store(made: SourceSet, shape: SourceShape, units: Sequence[Unit], start: int = 0) -> dict[str, int]:
    """Units and rows in file order; a unit's key holds the set's, so that it is unique in the project."""
    ids, language = reserve_ids(SourceUnit, len(units)), made.project.language
    stored, entries = [], []
    for place, (pk, unit) in enumerate(zip(ids, units, strict=True), start):
        size = size_of(unit.fields, language)
        fields = [dict(each) for each in unit.fields]
        stored.append(
            (
                pk,
                made.project_id,
                made.pk,
                f"{made.key}:{unit.key}",
                place,
                fields,
                *size,
                search_text(fields),
            )
        )
        entries += [(pk, row, dict(names)) for row, names in unit.rows]
    bulk_insert(SourceUnit, _UNIT_COLUMNS, stored)
    first = made.entries.count() if start else 0
    bulk_insert(SourceEntry, _ENTRY_COLUMNS, (_entry(made, n, *each) for n, each in enumerate(entries, first)))
    return {key: pk for pk, _, _, key, *_ in stored}


def _entry(made: SourceSet, position: int, unit: int, row: Row, names: Mapping[str, str]) -> tuple[Any, ...]:
    own = (row.label, row.split, dict(row.data), row.upstream, row.upstream_revision, row.upstream_hash)
    return (made.pk, unit, row.key, position, names, *own)


def search_text(fields: Iterable[Mapping[str, str]]) -> str:
    """All texts of a unit, to be searched."""
    return "\n".join(each["text"] for each in fields)


def source_set_freeze(*, source_set: SourceSet, by: User | None) -> SourceSet:
    """Let translation begin: from now on the set's units are given to translators.

    Invalid where nothing is left of it; a set that is frozen stays as it is.
    """
    with transaction.atomic():
        project = Project.lock(source_set.project_id)
        fresh = locked(SourceSet.objects.filter(pk=source_set.pk)).get()
        if fresh.frozen_at is not None:
            return fresh
        if project.closed_at is not None:
            raise Conflict(code="source_closed")
        left = SourceEntry.objects.filter(source_set=fresh, removed=False).count()
        if not left:
            raise Invalid(code="source_set_empty")
        SourceSet.objects.filter(pk=fresh.pk).update(frozen_at=Now())
        Event.record(project, by, "source_set_frozen", set=fresh.key, rows=left)
        fresh.refresh_from_db()
    return fresh
