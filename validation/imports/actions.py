"""Imports: a file is kept under a name of our own, then taken in by a job, or only tried out."""

import contextlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext

from annotation.core.database import locked
from annotation.core.errors import Conflict, Invalid, Refusal, Unavailable
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.os_errors import os_reason
from annotation.files import scratch, storage
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, ImportRow, Job
from validation.imports.outcome import problem_in_words
from validation.imports.pipeline import check_machine_model, columns_for, format_of
from validation.imports.rules import Columns, FileRefused, Source, open_source
from validation.imports.rules.values import Sample, checked_values

KIND = "import"
FOLDER = "imports"
LONGEST_NAME = 200
KEPT_DAYS = 7


def stored_name(taken: Import) -> str:
    """The name of an import's file in the store; it holds nothing that a user typed."""
    return f"{FOLDER}/{Path(taken.path).name}"


def shown_name(name: str) -> str:
    """The displayed name of a file: its last part, without characters that a terminal or a page would interpret."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(mark for mark in last if mark.isprintable())[-LONGEST_NAME:] or "file"


def import_keep(
    *,
    project: Project,
    by: User | None,
    name: str,
    chunks: Iterable[bytes],
    what: str = Import.What.ITEMS,
    columns: Columns | None = None,
    details: Mapping[str, Any] | None = None,
    separator: str = "",
) -> Import:
    """Keep an uploaded file and look through it once. Raises Invalid for one that cannot be read.

    It holds `what` under `columns`, by default what the project's kind takes; `details` are kept with its mapping, as
    is the `separator` that is said of it.
    """
    _remove_abandoned_files()
    key = secrets.token_hex(16)
    path, stored = scratch() / key, f"{FOLDER}/{key}"
    try:
        digest = write_file(path, chunks)
        columns = columns or columns_for(project)
        source = open_source(path, shown_name(name), separator=separator, knows=columns.knows)
        storage().put(stored, path)
        with transaction.atomic():
            return Import.objects.create(
                project=project,
                by=by,
                name=shown_name(name),
                path=key,
                what=what,
                mapping={
                    **(details or {}),
                    **({"separator": source.separator} if source.separator else {}),
                    "sha256": digest,
                    "fields": columns.guess(source.columns),
                    "columns": source.columns,
                    "format": source.format,
                    "lines": source.lines,
                },
            )
    except FileRefused as refused:
        raise Invalid(problem_in_words(refused), field="file", code=refused.code) from None
    except OSError as error:
        raise not_stored_error(error) from error
    except BaseException:
        with contextlib.suppress(OSError):
            storage().delete(stored)
        raise
    finally:
        path.unlink(missing_ok=True)


def kept_source(taken: Import, path: Path) -> Source:
    """The file of an import, read as it was when it was kept. Raises FileRefused."""
    return open_source(path, taken.name, separator=taken.mapping.get("separator", ""))


def not_stored_error(error: OSError) -> Refusal:
    """What is said where the disk is full, or the store does not answer: nothing was stored."""
    return Unavailable(
        gettext("The file could not be kept: %(reason)s. Nothing was stored; send it again later.")
        % {"reason": os_reason(error)},
        code="file_not_kept",
    )


def write_file(path: Path, chunks: Iterable[bytes], written: int = 0) -> str:
    """Keep the bytes; their SHA-256. Raises Invalid where there are too many, with those `written` before."""
    digest = sha256()
    with path.open("xb") as file:
        for chunk in chunks:
            written += len(chunk)
            if written > settings.MUFAKAT_UPLOAD_MAX_BYTES:
                raise Invalid(gettext("The file is too large; send it in parts."), field="file", code="file_too_large")
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def remove_files(taken: Import) -> None:
    """The files of an import go; what is gone already is no fault."""
    for name in stored_names(taken):
        with contextlib.suppress(OSError):
            storage().delete(name)


def stored_names(taken: Import) -> list[str]:
    """The names of an import's files in the store: one, or of documents as many as were sent."""
    if taken.what != Import.What.DOCUMENTS:
        return [stored_name(taken)]
    return [f"{stored_name(taken)}-{place}" for place in range(len(taken.mapping["files"]))]


def _remove_abandoned_files() -> None:
    """Files that nobody continued with are deleted later; files read at once have no job, and stay."""
    aside = Q(job=None) | Q(what=Import.What.DOCUMENTS)
    old = Import.objects.filter(aside, at__lt=Now() - timedelta(days=KEPT_DAYS)).exclude(path="")
    for taken in old:
        remove_files(taken)
    old.delete()


def import_start(
    *,
    taken: Import,
    by: User | None,
    mapping: Mapping[str, str] | None = None,
    dry_run: bool = False,
    machine: str | None = None,
    values: Sequence[Sequence[str]] | None = None,
    sample: int | None = None,
    seed: str = "",
    here: bool = False,
) -> Job:
    """Enqueue the job that takes the file in, or tries it out (`dry_run`); the report begins again.

    `here` where the caller does the job. `values` say what stands in cells (None: as it was said before). Of `sample`
    rows are drawn by `seed`, or the project's (0: all rows; None: as it was said before).
    `machine` is the model that wrote the items, where no person did (None: as it was said before). Raises Conflict
    while one is under way or where the file was taken in, Invalid for a mapping that reads no row.
    """
    fields = taken.mapping["fields"] if mapping is None else dict(mapping)
    model = taken.mapping.get("machine", "") if machine is None else machine
    try:
        fields = columns_for(taken.project).validated(fields, taken.mapping["columns"])
        if model:
            check_machine_model(format_of(taken.project.kind_spec.file_format), model)
        more = values_and_sample(taken, values, sample, seed)
    except FileRefused as refused:
        raise Invalid(problem_in_words(refused), field="mapping", code=refused.code) from None
    with transaction.atomic():
        fresh = locked(Import.objects.select_related("job").filter(pk=taken.pk)).get()
        if fresh.job is not None and not _may_start(fresh.job):
            raise Conflict(code="import_started")
        ImportRow.objects.filter(source=fresh).delete()
        job = jobs.enqueue(
            kind=KIND,
            project=taken.project,
            by=by,
            args={"import": taken.pk, "dry_run": dry_run},
            here=here,
        )
        fresh.job, fresh.mapping = job, {**fresh.mapping, **more, "fields": fields, "machine": model}
        fresh.accepted = fresh.unchanged = fresh.refused = 0
        fresh.save(update_fields=["job", "mapping", "accepted", "unchanged", "refused"])
        Event.objects.create(
            project=taken.project,
            actor=by,
            verb="import",
            data={"import": taken.pk, "name": taken.name, "dry_run": dry_run},
        )
    return job


def values_and_sample(
    taken: Import, values: Sequence[Sequence[str]] | None, sample: int | None, seed: str
) -> dict[str, Any]:
    """What is kept of values and sample with a mapping. Raises FileRefused."""
    told: dict[str, Any] = {}
    if values is not None:
        told["values"] = checked_values(values, taken.mapping["columns"])
    if sample is not None:
        drawn = Sample(sample, seed.strip() or taken.project.seed) if sample else None
        told["sample"] = {"n": drawn.n, "seed": drawn.seed} if drawn else None
    return told


def sample_of(mapping: Mapping[str, Any]) -> Sample | None:
    """The sample that an import's mapping asks for."""
    told = mapping.get("sample")
    return Sample(told["n"], told["seed"]) if told else None


def _may_start(job: Job) -> bool:
    """Again after a trial, a failure or a cancellation."""
    if job.state in jobs.UNFINISHED:
        return False
    return bool(job.args.get("dry_run")) or job.state != Job.State.DONE
