"""What is taken for a source set: a file kept, its first rows shown, a job begun."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from django.db import transaction

from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.files import storage
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, ImportRow, Job
from annotation.text.normalise import storage_problem
from annotation.translation.actions.source_sets import SetIn, check_set
from annotation.translation.rules.clean_up import problem_of
from annotation.translation.rules.source_units import SHAPES, Row, field_title, texts_in_order
from exports.sources.selection import RowSource
from validation.imports.actions import import_keep, kept_source, stored_name, values_and_sample
from validation.imports.outcome import problem_in_words
from validation.imports.rules import FileRefused, Problem, Source
from validation.imports.rules.source_columns import KEY, source_columns
from validation.imports.rules.sources import SourceReader
from validation.imports.rules.values import ValueReplacer

KIND = "source_set"
MOST_CONDITIONS, LONGEST_CONDITION = 5, 200
ROWS_SHOWN, MOST_ROWS_READ = 5, 500
Conditions = Sequence[tuple[str, str]]


def source_file_keep(
    *, project: Project, given: SetIn, by: User | None, name: str, chunks: Iterable[bytes], separator: str = ""
) -> Import:
    """Keep a file of rows; its columns are guessed by the shape. Invalid for what cannot be read or made."""
    checked = check_set(project, given)
    return import_keep(
        project=project,
        by=by,
        name=name,
        chunks=chunks,
        what=Import.What.SOURCE_SET,
        columns=source_columns(checked.shape),
        details={"set": _set_as_json(checked), "where": []},
        separator=separator,
    )


def _set_as_json(given: SetIn) -> dict[str, Any]:
    return {"key": given.key, "name": given.name, "shape": given.shape, "task": given.task}


def source_file_start(
    *,
    taken: Import,
    by: User | None,
    mapping: Mapping[str, str] | None = None,
    where: Conditions | None = None,
    values: Sequence[Sequence[str]] | None = None,
    sample: int | None = None,
    seed: str = "",
    dry_run: bool = False,
) -> Job:
    """Begin to make the set of the file's rows, those that fulfil every condition `(column, value)`; or try it out.

    `values`, `sample` and `seed` are those of `import_start`.
    """
    fields = dict(taken.mapping["fields"] if mapping is None else mapping)
    shape, columns = taken.mapping["set"]["shape"], taken.mapping["columns"]
    conditions = [list(each) for each in (taken.mapping["where"] if where is None else where)]
    sound = all(
        column in columns and not storage_problem(value) and len(value) <= LONGEST_CONDITION
        for column, value in conditions
    )
    if len(conditions) > MOST_CONDITIONS or not sound:
        raise Invalid(field="where", code="source_filter_wrong")
    try:
        fields = source_columns(shape).validated(fields, columns)
        more = values_and_sample(taken, values, sample, seed)
    except FileRefused as refused:
        raise Invalid(problem_in_words(refused), field="mapping", code=refused.code) from None
    return _start(taken, by, {**more, "fields": fields, "where": conditions}, dry_run)


def source_take(
    *, project: Project, given: SetIn, row_source: RowSource, by: User | None, dry_run: bool = False
) -> Import:
    """Begin to make a set of what was chosen in another project or a release of it."""
    if row_source.project.pk == project.pk:
        raise Invalid(field="project", code="source_project_own")
    checked = check_set(project, SetIn(given.key, given.name, row_source.shape, given.task))
    if checked.shape not in SHAPES:
        raise Invalid(field="project", code="source_project_missing")
    with transaction.atomic():
        taken = Import.objects.create(
            project=project,
            by=by,
            name=row_source.project.name[:255],
            path="",
            what=Import.What.SOURCE_SET,
            mapping={"set": _set_as_json(checked), "chosen": row_source.chosen.to_dict()},
        )
        _start(taken, by, {}, dry_run)
    return Import.objects.select_related("job").get(pk=taken.pk)


def _start(taken: Import, by: User | None, more: Mapping[str, Any], dry_run: bool) -> Job:
    """One job at a time; again after a trial, a failure or a cancellation."""
    with transaction.atomic():
        fresh = locked(Import.objects.select_related("job").filter(pk=taken.pk)).get()
        before = fresh.job
        if before is not None:
            made = before.state == Job.State.DONE and not before.args.get("dry_run")
            if made or before.state in jobs.UNFINISHED:
                raise Conflict(code="import_started")
        check_set(taken.project, SetIn(**fresh.mapping["set"]))
        ImportRow.objects.filter(source=fresh).delete()
        job = jobs.enqueue(kind=KIND, project=taken.project, by=by, args={"import": taken.pk, "dry_run": dry_run})
        fresh.job, fresh.mapping = job, {**fresh.mapping, **more}
        fresh.accepted = fresh.unchanged = fresh.refused = 0
        fresh.save(update_fields=["job", "mapping", "accepted", "unchanged", "refused"])
        data = {"import": taken.pk, "name": taken.name, "dry_run": dry_run}
        Event.record(taken.project, by, "import", **data)
    return job


class PreviewRow(NamedTuple):
    """One row: its texts as (name, letter, text), or what is wrong with it."""

    n: int
    key: str = ""
    label: str = ""
    split: str = ""
    texts: Sequence[tuple[str, str, str]] = ()
    further: Sequence[str] = ()
    field: str = ""
    reason: str = ""


class Preview(NamedTuple):
    """What a file looks like under a mapping; `problem` where it cannot be read so, `notes` what was passed over."""

    rows: Sequence[PreviewRow] = ()
    refused: Sequence[PreviewRow] = ()
    looked_at: int = 0
    left_out: int = 0
    gone: bool = False
    problem: str = ""
    notes: Sequence[str] = ()


def preview(taken: Import, mapping: Mapping[str, str], where: Sequence[Sequence[str]]) -> Preview:
    """Read the first rows that fulfil every condition; nothing is stored, and the database is not asked."""
    shape, values = taken.mapping["set"]["shape"], taken.mapping.get("values", ())
    try:
        with storage().local_copy(stored_name(taken)) as path:
            source = kept_source(taken, path)
            reader = SourceReader(shape, source_columns(shape).validated(mapping, source.columns))
            first = list(islice(rows_of(source, reader, where, values), MOST_ROWS_READ))
        good, bad, looked_at, left_out = [], [], 0, 0
        for n, row in first:
            looked_at += 1
            problem = problem_of(SHAPES[shape], row) if isinstance(row, Row) else row
            if problem is not None:
                bad.append(PreviewRow(n, field=problem.field, reason=problem_in_words(problem)))
            elif isinstance(row, Row):
                good.append(_preview_row(shape, row))
            else:
                left_out += 1
    except FileNotFoundError:
        return Preview(gone=True)
    except FileRefused as refused:
        return Preview(problem=problem_in_words(refused))
    notes = list(map(problem_in_words, source.notes()))
    return Preview(good[:ROWS_SHOWN], bad[:ROWS_SHOWN], looked_at, left_out, notes=notes)


def _preview_row(shape: str, row: Row) -> PreviewRow:
    texts = [(*field_title(SHAPES[shape], key), text) for key, text in texts_in_order(SHAPES[shape], row.texts)]
    return PreviewRow(row.number, row.key, row.label, row.split, texts, sorted(row.data))


def rows_of(
    source: Source, reader: SourceReader, where: Sequence[Sequence[str]], values: Sequence[Sequence[str]] = ()
) -> Iterator[tuple[int, Row | Problem | None]]:
    """The records of a file by number as rows, or what is wrong with them; None for those that the filter leaves out.

    A record fulfils every condition; a number is compared as it is written.
    """
    source.shorten_numbers([reader.mapping[KEY]] if KEY in reader.mapping else ())
    for record in ValueReplacer(values).apply_to(source.records()):
        data = record.data
        if data is not None and any(str(data.get(name, "")).strip() != value for name, value in where):
            yield record.n, None
        else:
            yield record.n, reader.read(record)
