"""Long work: jobs that end, imports whose rows add up."""

from collections.abc import Iterator

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now

from annotation.core.models.project import Project
from annotation.jobs.database import after
from annotation.jobs.models import Import, Job
from annotation.jobs.queue import MOST_ATTEMPTS, UNFINISHED
from validation.integrity.base import Breach
from validation.integrity.repair import import_recount, job_release

# A lease renews itself every minute; the sweep takes up what lost it within a quarter of one.
ABANDONED_SECONDS = 900


def _of(rows: QuerySet[Job], project: Project | None) -> QuerySet[Job]:
    return rows.filter(project=project) if project is not None else rows


def check_jobs(project: Project | None, repair: bool) -> Iterator[Breach]:
    """A job is waiting, held by a lease that can run out, or over; one that nobody will take up is broken."""
    running, over = Job.State.RUNNING, ~Q(state__in=UNFINISHED)
    faults: tuple[tuple[str, Q, str], ...] = (
        ("running without a lease", Q(state=running) & (Q(lease="") | Q(lease_until=None)), "a lease"),
        (
            "lease over long ago",
            Q(state=running, lease_until__lt=after(-ABANDONED_SECONDS)),
            "taken up again",
        ),
        ("over without an end", over & Q(finished_at=None), "the time of its end"),
        ("over and still held", over & ~Q(lease=""), "no lease"),
        (
            "tried too often",
            Q(state=Job.State.QUEUED, fruitless__gt=MOST_ATTEMPTS),
            f"at most {MOST_ATTEMPTS}",
        ),
        ("waiting, but over before", Q(state__in=UNFINISHED, finished_at__lt=Now()), "no end"),
    )
    for what, wrong, expected in faults:
        for job in (
            _of(Job.objects.select_related("project").filter(wrong), project).order_by("pk").iterator()
        ):
            yield Breach(
                invariant="I6",
                project=job.project.slug if job.project else "",
                subject=f"job {job.pk} ({job.kind})",
                what=what,
                found=str(job.state),
                expected=expected,
                repaired=repair and job_release(job_id=job.pk),
            )


def check_imports(project: Project | None, repair: bool) -> Iterator[Breach]:
    """An import counts what its job counted, and its report has a line for every refused row."""
    taken = Import.objects.select_related("project", "job").annotate(told=Count("rows"))
    if project is not None:
        taken = taken.filter(project=project)
    for one in taken.filter(job__state=Job.State.DONE).order_by("pk").iterator():
        counts = {"accepted": one.accepted, "unchanged": one.unchanged, "refused": one.refused}
        result = one.job.result if one.job else {}
        said = {name: int(result.get(name, count)) for name, count in counts.items()}
        subject = f"import {one.pk} ({one.name})"
        if counts != said:
            mended = repair and import_recount(import_id=one.pk, counts=said)
            slug = one.project.slug
            yield Breach("I9", slug, subject, "rows counted", _told(counts), _told(said), mended)
        if said["refused"] != one.told:
            found, expected = str(one.told), str(said["refused"])
            yield Breach("I9", one.project.slug, subject, "lines of the report", found, expected)


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())
