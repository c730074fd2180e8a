"""Having insights computed: asked for by a lead, or once a day for projects in which something changed."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from validation.insights import reports as insights
from validation.insights.models import JOB_KIND, Insight
from validation.insights.reports.reading import state_of

NIGHT_HOURS = 20
# So many projects at a time: who waits for an import or a release waits for few computations.
AT_ONCE = 3


def insights_ask(*, project: Project, by: User | None, only: str = "", nightly: bool = False) -> Job:
    """Have a project's insights computed where what they are of has changed; never twice at the same time.

    `only` names one, which is computed whatever its state. `nightly` takes those along that take long.
    """
    with transaction.atomic():
        fresh = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        args = {"only": only, "nightly": nightly}
        under_way = Job.objects.filter(project=fresh, kind=JOB_KIND, state__in=jobs.UNFINISHED)
        same = next((job for job in under_way if job.args == args), None)
        return same or jobs.enqueue(kind=JOB_KIND, project=fresh, by=by, args=args)


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
        if asked < AT_ONCE and _changed(project):
            insights_ask(project=project, by=None, nightly=True)
            asked += 1
    return asked


def _changed(project: Project) -> bool:
    state = state_of(project)[0]
    wanted = {insight.slug for insight in insights.fitting(project)}
    there = set(Insight.objects.filter(project=project, state=state).values_list("slug", flat=True))
    return not wanted <= there
