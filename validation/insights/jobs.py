"""Computing insights: asked for by a lead or once a day, one after another, each stored as soon as it is there.

What is up to date stays.
"""

import time
from functools import partial
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from annotation.core.errors import SiteFault
from annotation.core.models.project import Project
from annotation.jobs import replica
from annotation.jobs.models import Job
from annotation.jobs.queue import Handle, JobLost, PostponeJob, handles
from validation.insights import reports as insights
from validation.insights.models import JOB_KIND
from validation.insights.models import Insight as Stored
from validation.insights.reports.base import MOST_ROWS, Insight, TableRows
from validation.insights.reports.reading import Reading, once_a_second, project_state

log = structlog.get_logger("insights")


@handles(JOB_KIND)
def compute(handle: Handle) -> dict[str, Any]:
    """Compute what the job asks for; may run twice or late, since every insight is of the moment when it is read.

    One that cannot be computed does not keep the others from it. Raises Refusal at the end where there was one, Later
    where others wait for the worker and something is left to do.
    """
    return replica.read(partial(_compute_from, handle))


def _compute_from(handle: Handle, using: str) -> dict[str, Any]:
    """The same, where items, votes and texts are read from this database."""
    project, args = handle.job.project, handle.job.args
    assert project is not None  # noqa: S101 - insights_ask gives it one
    # Read before any row is, and where these are: what changes meanwhile makes them out of date, never the other way
    # round.
    state = project_state(project, using)
    wanted, before = _insights_to_compute(project, args, state[0])
    handle.progress(before, before + len(wanted))
    reading = Reading(project, once_a_second(lambda: handle.progress(handle.job.done)), using)
    done: list[str] = []
    failed: list[str] = []
    for n, insight in enumerate(wanted, start=before + 1):
        if done and not args.get("only") and handle.should_stop() and _is_other_work_waiting(handle):
            raise PostponeJob(0)
        (done if _compute_one(handle, reading, insight, state) else failed).append(insight.slug)
        handle.progress(n)
    if failed:
        raise SiteFault(f"Could not be computed: {', '.join(failed)}. The others were.", code="not_computed")
    return {"computed": done}


def _is_other_work_waiting(handle: Handle) -> bool:
    """Whether somebody waits for other work: an import or a release goes before figures."""
    return Job.objects.filter(state=Job.State.QUEUED).exclude(kind=handle.job.kind).exists()


def _insights_to_compute(project: Project, args: dict[str, Any], state: str) -> tuple[list[Insight], int]:
    """Those whose state is another than the project's, and how many are up to date beside them; the one that was
    asked for by name in any case.

    What reads of another insight is computed behind it.
    """
    fits = insights.applicable_to(project)
    if only := args.get("only"):
        return [each for each in fits if each.slug == only or only in each.depends_on], 0
    there = set(Stored.objects.filter(project=project, state=state).values_list("slug", flat=True))
    wanted: list[Insight] = []
    for each in fits:
        behind = {other.slug for other in wanted} & set(each.depends_on)
        if behind or (each.slug not in there and (args.get("nightly") or not each.nightly)):
            wanted.append(each)
    return wanted, len(there & {each.slug for each in fits} - {each.slug for each in wanted})


def _compute_one(handle: Handle, reading: Reading, insight: Insight, state: tuple[str, int, int]) -> bool:
    """Compute and store one; False where that failed for a reason of its own."""
    begun = time.monotonic()
    try:
        tables = _rows_to_store(insight, insight.compute(reading))
    except (JobLost, OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("insight_failed", project=reading.project.pk, insight=insight.slug)
        return False
    with transaction.atomic():
        handle.lock_claim()
        Stored.objects.update_or_create(
            project=reading.project,
            slug=insight.slug,
            defaults={
                "tables": tables,
                "state": state[0],
                "items": state[1],
                "votes": state[2],
                "seconds": round(time.monotonic() - begun, 3),
                "job": handle.job,
                "at": Now(),
            },
        )
    return True


def _rows_to_store(insight: Insight, found: TableRows) -> dict[str, Any]:
    """The rows of each table as they are stored, none longer than MOST_ROWS, with how many there were."""
    kept = {}
    for table in insight.tables:
        rows, keys = list(found.get(table.key, ())), [column.key for column in table.columns]
        kept[table.key] = {
            "rows": [
                {key: row.get(key) for key in keys} | ({"why": row["why"]} if row.get("why") else {})
                for row in rows[:MOST_ROWS]
            ],
            "of": len(rows),
        }
    return kept
