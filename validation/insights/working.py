"""The job that computes insights: one after another, each stored as soon as it is there; what is up to date stays."""

import time
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.jobs import Handle, handles
from annotation.models import Project
from validation import insights
from validation.insights.base import MOST_ROWS, Found, Insight
from validation.insights.reading import Reading, state_of
from validation.models import Insight as Stored

JOB_KIND = "insights"


@handles(JOB_KIND)
def compute(handle: Handle) -> dict[str, Any]:
    """Compute what the job asks for; may run twice or late, since every insight is of the moment when it is read."""
    project, args = handle.job.project, handle.job.args
    assert project is not None  # noqa: S101 - insights_ask gives it one
    wanted = _wanted(project, args)
    handle.progress(0, len(wanted))
    reading, done = Reading(project, lambda: handle.progress(handle.job.done)), []
    for n, insight in enumerate(wanted, start=1):
        _one(handle, reading, insight)
        done.append(insight.slug)
        handle.progress(n)
    return {"computed": done}


def _wanted(project: Project, args: dict[str, Any]) -> list[Insight]:
    """Those whose state is another than the project's; the one that was asked for by name in any case."""
    fits = insights.fitting(project)
    if only := args.get("only"):
        return [each for each in fits if each.slug == only]
    state = state_of(project)[0]
    there = set(Stored.objects.filter(project=project, state=state).values_list("slug", flat=True))
    return [each for each in fits if each.slug not in there and (args.get("nightly") or not each.nightly)]


def _one(handle: Handle, reading: Reading, insight: Insight) -> None:
    # Read before the rows are: what changes meanwhile makes it out of date, never the other way round.
    state, items, votes = state_of(reading.project)
    begun = time.monotonic()
    tables = _kept(insight, insight.compute(reading))
    with transaction.atomic():
        handle.fence()
        Stored.objects.update_or_create(
            project=reading.project,
            slug=insight.slug,
            defaults={
                "tables": tables,
                "state": state,
                "items": items,
                "votes": votes,
                "seconds": round(time.monotonic() - begun, 3),
                "job": handle.job,
                "at": Now(),
            },
        )


def _kept(insight: Insight, found: Found) -> dict[str, Any]:
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
