"""The tables of a release for pages, files and commands: as they were stored, with the words of their declaration."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.core.access import Membership
from annotation.core.errors import NotFound
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.ui.latex import latex
from annotation.ui.tables import Column, file_rows
from exports.releases.models import Release
from exports.releases.queries import release as release_of
from exports.statistics.models import ReleaseStatistics
from exports.statistics.tables import STATISTICS, Statistic
from validation.insights.reports.base import Row, Table


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
    """What there is of a release's tables."""

    release: Release
    stored: ReleaseStatistics | None

    @property
    def tables(self) -> list[StoredTable]:
        """Those that say something, in their order."""
        return [each for one in STATISTICS if (each := self.one(one)) is not None]

    def one(self, of: Statistic) -> StoredTable | None:
        """One of them; None where it says nothing."""
        kept: dict[str, Any] | None = self.stored.tables.get(of.key) if self.stored else None
        if kept is None:
            return None
        columns = (Column(key, name, kind, told, digits) for key, name, kind, told, digits in kept["columns"])
        return StoredTable(of, tuple(columns), kept["rows"])

    @property
    def job(self) -> Job | None:
        return self.stored.job if self.stored else None

    @property
    def waits(self) -> bool:
        return self.job is not None and self.job.state in jobs.UNFINISHED

    @property
    def failed(self) -> bool:
        return self.job is not None and self.job.state == Job.State.FAILED


def statistics_of(membership: Membership, n: int) -> StoredStatistics:
    """The tables of a release, by its number. Raises NotFound, Forbidden."""
    return stored_statistics(release_of(membership, n))


def stored_statistics(release: Release) -> StoredStatistics:
    """The tables of a release as they were last computed."""
    return StoredStatistics(release, ReleaseStatistics.objects.filter(release=release).select_related("job").first())


def stored_table(found: StoredStatistics, key: str) -> StoredTable:
    """One table. Raises NotFound where the release has none of that name."""
    told = next((each for each in found.tables if each.of.key == key), None)
    if told is None:
        raise NotFound
    return told
