"""Requesting insights, and storing results of jobs: figures by item, certainty, points of curves."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from validation.insights import reports as insights
from validation.insights.models import JOB_KIND, Insight, InsightPoint, Measure
from validation.insights.reports.reading import project_state

AT_ONCE = 2000


def measures_store(*, project: Project, rows: Sequence[tuple[int, int, dict[str, Any]]]) -> None:
    """Store the figures of items (id, revision, figures); figures of an earlier text are deleted."""
    made = [Measure(item_id=item, project=project, revision_n=n, figures=kept) for item, n, kept in rows]
    Measure.objects.bulk_create(
        made,
        batch_size=AT_ONCE,
        update_conflicts=True,
        unique_fields=["item"],
        update_fields=["revision_n", "figures", "sure"],
    )


def store_certainty(*, project: Project, sure: Mapping[int, float], tick: Callable[[], None] = lambda: None) -> None:
    """Keep how sure a classifier is of items, to two places; of all others it is not.

    Only what changed is written, and nothing about a text that is another meanwhile.
    """
    wanted = {item: round(value, 2) for item, value in sure.items()}
    there = dict(Measure.objects.filter(project=project, sure__isnull=False).values_list("item_id", "sure"))
    by_value: defaultdict[float | None, list[int]] = defaultdict(list)
    for item in there.keys() - wanted.keys():
        by_value[None].append(item)
    for item, value in wanted.items():
        if there.get(item) != value:
            by_value[value].append(item)
    for value_sure, items in by_value.items():
        for batch in _batches(items):
            tick()
            with transaction.atomic():
                fresh = Measure.objects.filter(item__in=batch, revision_n=F("item__revision_n"))
                fresh.update(sure=value_sure)


def point_store(*, project: Project, curve: str, day: date, figures: Mapping[str, float]) -> None:
    """Keep a day's point of a curve; the last one of a day counts."""
    InsightPoint.objects.update_or_create(project=project, curve=curve, day=day, defaults={"figures": dict(figures)})


def _batches(items: Sequence[int]) -> Iterator[list[int]]:
    rest = iter(sorted(items))
    while batch := list(islice(rest, AT_ONCE)):
        yield batch


# --- asking for the computation ----

NIGHT_HOURS = 20
# So many projects at a time: who waits for an import or a release waits for few computations.
PROJECTS_AT_ONCE = 3


def insights_ask(
    *, project: Project, by: User | None, only: str = "", nightly: bool = False, here: bool = False
) -> Job:
    """Have a project's insights computed where what they are of has changed; never twice at the same time.

    `only` names one, which is computed whatever its state. `nightly` takes those along that take long. `here` where
    the caller runs the job.
    """
    with transaction.atomic():
        fresh = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        args = {"only": only, "nightly": nightly}
        under_way = Job.objects.filter(project=fresh, kind=JOB_KIND, state__in=jobs.UNFINISHED)
        same = next((job for job in under_way if job.args == args), None)
        return same or jobs.enqueue(kind=JOB_KIND, project=fresh, by=by, args=args, here=here)


def insights_nightly() -> int:
    """Ask for the nightly computation of open projects whose last one is a day old and whose items changed since.

    Every such project is looked at each time: the quiet ones keep nobody from their turn.
    """
    lately = Job.objects.filter(
        project=OuterRef("pk"),
        kind=JOB_KIND,
        args__nightly=True,
        args__only="",
        at__gt=Now() - timedelta(hours=NIGHT_HOURS),
    )
    there = Exists(Item.objects.filter(project=OuterRef("pk")))
    found = Project.objects.filter(there, ~Exists(lately), closed_at=None).order_by("pk")
    asked = 0
    for project in found.iterator(chunk_size=200):
        if asked < PROJECTS_AT_ONCE and _changed(project):
            insights_ask(project=project, by=None, nightly=True)
            asked += 1
    return asked


def _changed(project: Project) -> bool:
    state = project_state(project)[0]
    wanted = {insight.slug for insight in insights.applicable_to(project)}
    there = set(Insight.objects.filter(project=project, state=state).values_list("slug", flat=True))
    return not wanted <= there
