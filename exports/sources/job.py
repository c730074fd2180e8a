"""Making a source set as a job: every row is read and judged, then all are stored at once, or nothing is."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.content.item_choice import reasons_in_words
from annotation.content.models.units import SourceSet
from annotation.core.errors import Invalid, Refusal
from annotation.core.messages import problem_words
from annotation.core.models.project import Project
from annotation.files import storage
from annotation.jobs.bulk import bulk_insert
from annotation.jobs.models import Import, ImportRow
from annotation.jobs.queue import Handle, handles
from annotation.translation.actions.source_sets import SetIn, check_set, source_set_create
from annotation.translation.rules.clean_up import split_rows
from annotation.translation.rules.source_units import SHAPES, Row, units_of
from exports.sources import reading
from exports.sources.selection import ItemSelection, locate_selection
from exports.sources.starting import KIND, rows_of
from validation.imports.actions import kept_source, sample_of, stored_name
from validation.imports.outcome import RefusedRow, problem_in_words, stored_notes
from validation.imports.rules import FileRefused, Problem
from validation.imports.rules.problems import LONGEST_REASON
from validation.imports.rules.sources import SourceReader

STEP = 2000


@dataclass
class _ReadRows:
    """The outcome of reading: rows, those refused, how many the filter left out, and what was noted of the file.

    `not_taken` are items that were not among those chosen, by reason.
    """

    origin: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    refused: list[RefusedRow] = field(default_factory=list)
    left_out: int = 0
    not_taken: dict[str, int] = field(default_factory=dict)
    notes: list[list[Any]] = field(default_factory=list)


@handles(KIND)
def run_source_set(handle: Handle) -> dict[str, Any]:
    """Make a set of what was sent or chosen; what it returns are the counts. A trial stores nothing."""
    taken = Import.objects.select_related("project").get(pk=handle.job.args["import"])
    dry_run = bool(handle.job.args.get("dry_run"))
    given = SetIn(**taken.mapping["set"])
    there = SourceSet.objects.filter(project=taken.project, key=given.key, origin__import=taken.pk).first()
    if there is not None:
        # Made by an attempt that died before it could say so.
        return _counts(taken, taken.accepted, there.units.count(), 0, dry_run)
    try:
        read = _read_file(handle, taken) if taken.path else _read_items(handle, taken)
        return _make(handle, taken, given, read, dry_run=dry_run)
    except FileRefused as refused:
        raise Invalid(problem_in_words(refused), code=refused.code) from None
    except Refusal as refusal:
        raise Invalid(refusal.message or problem_words(refusal.code), code=refusal.code) from None


def _read_file(handle: Handle, taken: Import) -> _ReadRows:
    try:
        with storage().local_copy(stored_name(taken)) as path:
            return _read_rows(handle, taken, path)
    except FileNotFoundError:
        raise Invalid(gettext("The file is missing; send it again."), code="file_gone") from None


def _read_rows(handle: Handle, taken: Import, path: Path) -> _ReadRows:
    source, mapping = kept_source(taken, path), taken.mapping
    values = mapping.get("values", ())
    reader = SourceReader(mapping["set"]["shape"], mapping["fields"])
    details = {name: mapping[name] for name in ("fields", "values", "documents") if mapping.get(name)}
    read = _ReadRows({"from": "file", "name": taken.name, "sha256": mapping["sha256"], **details})
    for n, row in rows_of(source, reader, mapping["where"], values):
        if n % STEP == 0:
            handle.progress(n, source.lines)
        if row is None:
            read.left_out += 1
        elif isinstance(row, Problem):
            read.refused.append(_refused(n, row))
        else:
            read.rows.append(row)
    handle.progress(source.lines, source.lines)
    read.notes = stored_notes(source.notes())
    return read


def _read_items(handle: Handle, taken: Import) -> _ReadRows:
    chosen = ItemSelection.from_dict(taken.mapping["chosen"])
    result = locate_selection(Project.objects.get(slug=chosen.project), chosen)
    origin: dict[str, Any] = {"from": "release" if result.release else "project", "project": chosen.project}
    read = _ReadRows(origin | ({"n": chosen.release} if result.release else {}))
    read.not_taken = reading.count_not_chosen(result)
    total = reading.count_rows(result)
    for row in reading.rows(result):
        read.rows.append(row)
        if len(read.rows) % STEP == 0:
            handle.progress(len(read.rows), max(total, len(read.rows)))
    handle.progress(len(read.rows), len(read.rows))
    return read


def _make(handle: Handle, taken: Import, given: SetIn, read: _ReadRows, *, dry_run: bool) -> dict[str, Any]:
    """Store the set, or count what it would hold; the report is written in the same transaction."""
    shape = SHAPES[given.shape]
    good, bad = split_rows(shape, read.rows)
    if (sample := sample_of(taken.mapping)) is not None:
        only, of = sample.draw_rows((row.number, row.key) for row in good)
        good, read.left_out = [row for row in good if row.number in only], read.left_out + of - len(only)
        read.origin["sample"] = {"n": sample.n, "seed": sample.seed, "of": of}
    # Who looks for a row of a project knows its id, not its place.
    read.refused += [_refused(row.number, problem, "" if taken.path else row.key) for row, problem in bad]
    with transaction.atomic():
        handle.lock_claim()
        _report(taken, len(good), read.refused)
    if not good:
        raise Invalid(_no_rows(read), code="source_rows_none")
    units = len(units_of(shape, good))
    with transaction.atomic():
        handle.lock_claim()
        if dry_run:
            check_set(taken.project, given)
        else:
            whole = SetIn(
                **taken.mapping["set"],
                origin={**read.origin, "import": taken.pk},
                filter=taken.mapping.get("chosen") or {"where": taken.mapping["where"]},
            )
            source_set_create(project=taken.project, given=whole, rows=good, by=taken.by)
    if not dry_run and taken.path:
        with contextlib.suppress(OSError):
            storage().delete(stored_name(taken))
    counts = _counts(taken, len(good), units, read.left_out, dry_run)
    further = {"notes": read.notes, "not_taken": read.not_taken}
    return counts | {name: value for name, value in further.items() if value}


def _no_rows(read: _ReadRows) -> str:
    """Why there is no row, with the reasons for those that were not chosen."""
    words = problem_words("source_rows_none")
    if not read.not_taken:
        return words
    return f"{words} {gettext('Not taken: %(reasons)s.') % {'reasons': reasons_in_words(read.not_taken)}}"


def _counts(taken: Import, accepted: int, units: int, left_out: int, dry_run: bool) -> dict[str, Any]:
    counts = {"accepted": accepted, "refused": taken.rows.count(), "left_out": left_out, "units": units}
    return {**counts, "dry_run": dry_run, "set": taken.mapping["set"]["key"]}


def _refused(n: int, problem: Problem, key: str = "") -> RefusedRow:
    reason = f"{key}: {problem.reason}" if key else problem.reason
    return RefusedRow(n, problem.field, reason[:LONGEST_REASON])


def _report(taken: Import, accepted: int, refused: Sequence[RefusedRow]) -> None:
    """The refused rows, each field of a row once; an earlier attempt may have reported them."""
    once = {(row.n, row.field): row.reason for row in sorted(refused, reverse=True)}
    rows = ((taken.pk, n, field, reason) for (n, field), reason in sorted(once.items()))
    ImportRow.objects.filter(source=taken).delete()
    bulk_insert(ImportRow, ("source_id", "n", "field", "reason"), rows)
    Import.objects.filter(pk=taken.pk).update(accepted=accepted, refused=len(refused))
