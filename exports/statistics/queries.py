"""The tables of a release for pages, files and commands: as they were stored, with the words of their declaration."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.text.gettext import gettext_noop
from annotation.ui.latex import latex
from annotation.ui.tables import WORD, Column, file_rows
from exports.releases.models import Release
from exports.releases.queries import part_releases
from exports.releases.queries import release as release_of
from exports.statistics.models import ReleaseStatistics
from exports.statistics.tables import STATISTICS, Statistic
from validation.insights.reports.base import Row, Table

# Which project a row is of.
PART = Column("project", gettext_noop("Project"), WORD)


@dataclass(frozen=True)
class StoredTable:
    """A table of one release."""

    of: Statistic
    columns: tuple[Column, ...]
    rows: list[Row]

    @property
    def table(self) -> Table:
        """As a page shows it."""
        return Table(self.of.key, self.of.title, self.columns, self.of.definition)

    @property
    def csv(self) -> Iterator[tuple[object, ...]]:
        return file_rows(self.columns, self.rows)

    @property
    def latex(self) -> str:
        """With its definition and its source as the caption."""
        caption = f"{self.of.title}. {self.of.definition} Counted as in {self.of.source}."
        return latex(self.columns, self.rows, caption=caption, label=self.of.key)


@dataclass(frozen=True)
class StoredStatistics:
    """What there is of the tables of a release, and of those that are shown beside it: its other projects'."""

    release: Release
    parts: Sequence[Release]
    stored: Sequence[ReleaseStatistics]

    @property
    def tables(self) -> list[StoredTable]:
        """Those that say something, in their order."""
        return [each for one in STATISTICS if (each := self.one(one)) is not None]

    def one(self, of: Statistic) -> StoredTable | None:
        """One of them, the rows of several projects under one another; None where it says nothing."""
        columns: dict[str, Column] = {}
        rows: list[Row] = []
        for stored in self.stored:
            kept: dict[str, Any] = stored.tables.get(of.key, {"columns": [], "rows": []})
            for key, name, kind, told, digits in kept["columns"]:
                columns.setdefault(key, Column(key, name, kind, told, digits))
            part = stored.release.suffix or stored.release.project.slug
            rows += [{PART.key: part, **row} for row in kept["rows"]] if len(self.parts) > 1 else kept["rows"]
        if not rows:
            return None
        return StoredTable(of, ((PART,) if len(self.parts) > 1 else ()) + tuple(columns.values()), rows)

    @property
    def at(self) -> datetime | None:
        """When the oldest of them were computed."""
        return min((stored.at for stored in self.stored), default=None)

    @property
    def job(self) -> Job | None:
        """The job that computes them, or has: of several the one that is not done, or failed."""
        found = [stored.job for stored in self.stored if stored.job is not None]
        return next((job for job in found if job.state != Job.State.DONE), found[0] if found else None)

    @property
    def waits(self) -> bool:
        return any(stored.job is not None and stored.job.state in jobs.UNFINISHED for stored in self.stored)

    @property
    def failed(self) -> bool:
        return not self.waits and self.job is not None and self.job.state == Job.State.FAILED


def statistics_of(membership: Membership, n: int) -> StoredStatistics:
    """The tables of a release, by its number; administrators have all its projects'. Raises NotFound, Forbidden."""
    release = release_of(membership, n)
    return stored_statistics(release, part_releases(membership, release) or [release])


def stored_statistics(release: Release, parts: Sequence[Release]) -> StoredStatistics:
    """The tables of a release, and of others beside it, as they were last computed."""
    found = ReleaseStatistics.objects.filter(release__in=parts).select_related("job", "release__project")
    by_release = {stored.release_id: stored for stored in found}
    return StoredStatistics(release, parts, [by_release[part.pk] for part in parts if part.pk in by_release])


def stored_table(found: StoredStatistics, key: str) -> StoredTable:
    """One table. Raises NotFound where the release has none of that name."""
    told = next((each for each in found.tables if each.of.key == key), None)
    if told is None:
        raise NotFound
    return told
