"""The import as a job: each batch is stored in one short transaction with its progress, so a killed one resumes."""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.utils.translation import gettext

from annotation.core.errors import Invalid
from annotation.core.models.feed import FeedEvent
from annotation.core.models.project import Target
from annotation.core.rules import feed
from annotation.files import storage
from annotation.jobs.bulk import bulk_insert
from annotation.jobs.models import Import, ImportRow, Job
from annotation.jobs.queue import Handle, handles
from validation.imports.actions import KIND, sample_of, stored_name
from validation.imports.outcome import Outcome, add_unread, problem_in_words, stored_notes
from validation.imports.pipeline import (
    Intake,
    ReadyRow,
    mapped_value_counts,
    rare_garbage_collection,
    read_ahead,
)
from validation.imports.rules import FileRefused

MOST_CLASHES = 5
# So many files that no item shows are named.
MOST_UNUSED = 200


@handles(KIND)
def run_import(handle: Handle) -> dict[str, Any]:
    """Take a file in from where the job came to; what it returns are the counts."""
    taken = Import.objects.select_related("project").get(pk=handle.job.args["import"])
    store = not handle.job.args.get("dry_run")
    if not store:
        _start_over(handle, taken)
    try:
        with storage().local_copy(stored_name(taken)) as path:
            _take_file_in(handle, taken, path, store=store)
    except FileNotFoundError:
        if not handle.job.total or handle.job.done < handle.job.total:
            raise Invalid(gettext("The file is missing; send it again."), code="file_gone") from None
    taken.refresh_from_db()
    if store:
        counts: dict[str, Any] = {
            "accepted": taken.accepted,
            "unchanged": taken.unchanged,
            "refused": taken.refused,
        }
        FeedEvent.record(taken.project_id, feed.IMPORTED, file=taken.name, **counts)
        with contextlib.suppress(OSError):
            storage().delete(stored_name(taken))
    return {
        "accepted": taken.accepted,
        "unchanged": taken.unchanged,
        "refused": taken.refused,
        **{"flagged": 0, "unread": [], "strange": [], "left": []},
        **handle.job.result,
        "dry_run": not store,
    }


def _start_over(handle: Handle, taken: Import) -> None:
    """A dry run that was killed remembers nothing of what it had seen."""
    with transaction.atomic():
        handle.lock_claim()
        ImportRow.objects.filter(source=taken).delete()
        Import.objects.filter(pk=taken.pk).update(accepted=0, unchanged=0, refused=0)
        Job.objects.filter(pk=handle.job.pk).update(result={})
        handle.job.result = {}
        handle.progress(0)


def _take_file_in(handle: Handle, taken: Import, path: Path, *, store: bool) -> None:
    try:
        mapping = taken.mapping
        values, sample = mapping.get("values", ()), sample_of(mapping)
        fields, model = mapping.get("fields"), mapping.get("machine", "")
        more = {"values": values, "sample": sample, "separator": mapping.get("separator", "")}
        intake = Intake.open(taken.project, path, taken.name, fields, model, **more)
        total = intake.source.lines
        handle.progress(handle.job.done, total)
        take = intake.batch_handler(store=store)
        with (
            contextlib.closing(read_ahead(intake.batches(handle.job.done))) as batches,
            rare_garbage_collection(),
        ):
            for batch in batches:
                _take_batch(handle, taken, batch, take, intake.frame.target_id if store else None, intake)
        told = mapped_value_counts(intake, values)
        if unused := intake.format.unused_media(taken.project, intake.reader):
            told |= {"unused": unused[:MOST_UNUSED], "unused_n": len(unused)}
        if notes := stored_notes(intake.source.notes()):
            told["notes"] = notes
        if told:
            handle.job.result = {**handle.job.result, **told}
            Job.objects.filter(pk=handle.job.pk).update(result=handle.job.result)
    except FileRefused as refused:
        raise Invalid(problem_in_words(refused), code=refused.code) from None
    handle.progress(total, total)


def _take_batch(
    handle: Handle,
    taken: Import,
    batch: list[ReadyRow],
    take: Callable[[list[ReadyRow]], Outcome],
    target_id: int | None,
    intake: Intake,
) -> None:
    """One batch: judged, stored, reported and counted as done, all or nothing."""
    for clash in range(MOST_CLASHES):
        try:
            with transaction.atomic():
                handle.lock_claim()
                _wait_for_no_disk()
                if target_id is not None:
                    # One import at a time in a target; assignments and votes only share the row's key, and pass.
                    Target.objects.select_for_update(no_key=True).get(pk=target_id)
                outcome = take(batch)
                _report(taken, outcome)
                found = _merged_findings(handle.job.result, outcome, intake)
                Job.objects.filter(pk=handle.job.pk).update(result=found)
                handle.progress(batch[-1][0])
            handle.job.result = found
            return
        except IntegrityError:
            # A writer submitted the same key in this very moment: the next look sees it.
            if clash + 1 == MOST_CLASHES:
                raise


def _wait_for_no_disk() -> None:
    """PostgreSQL, in this transaction: a crash would take the batch away with its progress, and the job would do it
    again; the commit that ends the job waits for all of them.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")


def _merged_findings(before: Mapping[str, Any], outcome: Outcome, intake: Intake) -> dict[str, Any]:
    """What a batch adds to what was found before it, beside the rows that are refused."""
    return {
        "flagged": before.get("flagged", 0) + outcome.flagged,
        "unread": add_unread(before.get("unread", ()), outcome.unread, intake.mapping),
        "strange": add_unread(before.get("strange", ()), outcome.unknown_values, intake.mapping),
        "left": list(dict.fromkeys([*before.get("left", ()), *list(intake.unused_columns)])),
    }


def _report(taken: Import, outcome: Outcome) -> None:
    bulk_insert(
        ImportRow,
        ("source_id", "n", "field", "reason"),
        ((taken.pk, row.n, row.field, row.reason) for row in outcome.refused),
    )
    Import.objects.filter(pk=taken.pk).update(
        accepted=F("accepted") + outcome.accepted,
        unchanged=F("unchanged") + outcome.unchanged,
        refused=F("refused") + len(outcome.refused),
    )
