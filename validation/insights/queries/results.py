"""What jobs computed of a project, for its pages: each statement reads a few rows, whatever the size of the project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.cache import cache
from django.db.models import QuerySet

from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from validation.insights import reports as insights
from validation.insights.models import JOB_KIND
from validation.insights.models import Insight as Stored
from validation.insights.reports.base import Column, Insight, Row
from validation.insights.reports.reading import DECIDED_ONLY, project_state

# A worker says that it is there more often than this.
QUIET_SECONDS = 60
# From so many items on, what came since is counted once in some seconds.
LARGE, REMEMBERED_SECONDS = 50_000, 15


@dataclass(frozen=True)
class StoredInsight:
    """An insight with what was last computed of it; `stored` is None where nothing was yet."""

    insight: Insight
    stored: Stored | None
    state: str
    votes: int
    items: int

    @property
    def up_to_date(self) -> bool:
        """Whether nothing that it is of has changed since."""
        return self.stored is not None and self.stored.state == self.state

    @property
    def votes_since(self) -> int:
        """The votes that came since; none where some were taken back meanwhile."""
        return max(0, self.votes - self.stored.votes) if self.stored else 0

    def rows(self, key: str) -> tuple[list[Row], int]:
        """The rows of one table, and how many there were when it was computed."""
        kept = self.stored.tables.get(key, {}) if self.stored else {}
        return kept.get("rows", []), kept.get("of", 0)


@dataclass(frozen=True)
class Headline:
    """The one figure of an insight: the row and column that it stands in."""

    kept: StoredInsight
    row: Row
    column: Column
    named: Column


@dataclass(frozen=True)
class Run:
    """The computation that is under way, or how the last one ended."""

    job: Job | None
    worker: bool = True
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        return self.job is not None and self.job.state in jobs.UNFINISHED

    @property
    def failed(self) -> bool:
        return self.job is not None and self.job.state == Job.State.FAILED

    @property
    def nobody(self) -> bool:
        """Whether it waits because no worker is there."""
        return self.job is not None and self.job.state == Job.State.QUEUED and not self.worker


def _stored(project: Project) -> QuerySet[Stored]:
    """What was computed; where leads vote, only of what nobody is asked about any more."""
    found = Stored.objects.filter(project=project)
    return found.filter(state__startswith=DECIDED_ONLY) if project.rules.leads_vote else found


def stored_insights(project: Project) -> list[StoredInsight]:
    """Every insight that means something for the project, with its tables."""
    stored = {each.slug: each for each in _stored(project)}
    state, items, votes = _state(project, list(stored.values()))
    return [StoredInsight(each, stored.get(each.slug), state, votes, items) for each in insights.applicable_to(project)]


def stored_insight(project: Project, slug: str) -> StoredInsight | None:
    """One insight with its tables; None where the project has none of that name."""
    insight = next((each for each in insights.applicable_to(project) if each.slug == slug), None)
    if insight is None:
        return None
    stored = _stored(project).filter(slug=slug).first()
    state, items, votes = _state(project, [stored] if stored else [])
    return StoredInsight(insight, stored, state, votes, items)


def _state(project: Project, stored: Sequence[Stored]) -> tuple[str, int, int]:
    """The project's state; of a large one as it was some seconds ago, since counting it takes longer than the page."""
    if not any(each.items >= LARGE for each in stored):
        return project_state(project)
    known: tuple[str, int, int] | None = cache.get_or_set(
        f"insights-state-{project.pk}", lambda: project_state(project), REMEMBERED_SECONDS
    )
    return known or project_state(project)


def headline(one: StoredInsight) -> Headline | None:
    """The figure of an insight that stands on the overview; None where it has none, or nothing was computed."""
    if one.insight.headline is None:
        return None
    key, name = one.insight.headline
    rows, table = one.rows(key)[0], one.insight.table(key)
    column = next(each for each in table.columns if each.key == name)
    return Headline(one, rows[0], column, table.columns[0]) if rows else None


def headline_of(project: Project, slug: str) -> Headline | None:
    """The figure of one insight for another page, whatever came since; None where nothing was computed."""
    insight = next((each for each in insights.applicable_to(project) if each.slug == slug), None)
    stored = _stored(project).filter(slug=slug).first() if insight else None
    return headline(StoredInsight(insight, stored, stored.state, 0, 0)) if insight and stored else None


def run_of(project: Project, only: str = "") -> Run:
    """The computation of a project's insights that is under way, or the last one; with `only`, of that one alone."""
    found = Job.objects.filter(project=project, kind=JOB_KIND).order_by("-pk")
    unfinished = found.filter(state__in=jobs.UNFINISHED)
    if only:
        unfinished = unfinished.filter(args__only__in=["", only])
        found = found.filter(args__only__in=["", only])
    job = unfinished.order_by("pk").first() or found.first()
    alive = job is None or job.state != Job.State.QUEUED or not jobs.worker_is_quiet(QUIET_SECONDS)
    return Run(job, alive, job.args if job else {})
