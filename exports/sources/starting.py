"""The only writers of what is taken for a source set: a file kept, a job begun."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.database import locked
from annotation.jobs.models import Import, ImportRow, Job
from annotation.text.normalise import storable
from annotation.translation.actions.source_sets import SetIn, set_checked
from annotation.translation.rules.source_units import SHAPES
from exports.sources.chosen import Found
from validation.imports.actions import import_keep
from validation.imports.outcome import words
from validation.imports.rules import FileRefused
from validation.imports.rules.source_columns import source_columns

KIND = "source_set"
MOST_CONDITIONS, LONGEST_CONDITION = 5, 200
Where = Sequence[tuple[str, str]]


def source_file_keep(
    *, project: Project, given: SetIn, by: User | None, name: str, chunks: Iterable[bytes]
) -> Import:
    """Keep a file of rows; its columns are guessed by the shape. Invalid for what cannot be read or made."""
    checked = set_checked(project, given)
    return import_keep(
        project=project,
        by=by,
        name=name,
        chunks=chunks,
        what=Import.What.SOURCE_SET,
        columns=source_columns(checked.shape),
        told={"set": _plain(checked), "where": []},
    )


def _plain(given: SetIn) -> dict[str, Any]:
    return {"key": given.key, "name": given.name, "shape": given.shape, "task": given.task}


def source_file_start(
    *,
    taken: Import,
    by: User | None,
    mapping: Mapping[str, str] | None = None,
    where: Where | None = None,
    dry_run: bool = False,
) -> Job:
    """Begin to make the set of the file's rows, those that fulfil every condition `(column, value)`; or try it out."""
    fields = dict(taken.mapping["fields"] if mapping is None else mapping)
    shape, columns = taken.mapping["set"]["shape"], taken.mapping["columns"]
    conditions = [list(each) for each in (taken.mapping["where"] if where is None else where)]
    sound = all(
        column in columns and not storable(value) and len(value) <= LONGEST_CONDITION
        for column, value in conditions
    )
    if len(conditions) > MOST_CONDITIONS or not sound:
        raise Invalid(field="where", code="source_filter_wrong")
    try:
        fields = source_columns(shape).checked(fields, columns)
    except FileRefused as refused:
        raise Invalid(words(refused), field="mapping", code=refused.code) from None
    return _start(taken, by, {"fields": fields, "where": conditions}, dry_run)


def source_take(
    *, project: Project, given: SetIn, found: Found, by: User | None, dry_run: bool = False
) -> Import:
    """Begin to make a set of what was found in another project or a release of it."""
    if found.project.pk == project.pk:
        raise Invalid(field="project", code="source_project_own")
    checked = set_checked(project, SetIn(given.key, given.name, found.shape, given.task))
    if checked.shape not in SHAPES:
        raise Invalid(field="project", code="source_project_missing")
    with transaction.atomic():
        taken = Import.objects.create(
            project=project,
            by=by,
            name=found.project.name[:255],
            path="",
            what=Import.What.SOURCE_SET,
            mapping={"set": _plain(checked), "chosen": found.chosen.to_dict()},
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
        set_checked(taken.project, SetIn(**fresh.mapping["set"]))
        ImportRow.objects.filter(source=fresh).delete()
        job = jobs.enqueue(
            kind=KIND, project=taken.project, by=by, args={"import": taken.pk, "dry_run": dry_run}
        )
        fresh.job, fresh.mapping = job, {**fresh.mapping, **more}
        fresh.accepted = fresh.unchanged = fresh.refused = 0
        fresh.save(update_fields=["job", "mapping", "accepted", "unchanged", "refused"])
        data = {"import": taken.pk, "name": taken.name, "dry_run": dry_run}
        Event.objects.create(project=taken.project, actor=by, verb="import", data=data)
    return job
