"""What a report prints: tables of Insights and of the newest release as they are stored, with who computes each.

Nothing is computed here. Tables that name people or items are left out: a paper tells totals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.core.models.project import Project
from annotation.ui.tables import DAY, GROUP, LABEL, PERSON, Column, shown_value
from exports.public.queries import citation_of, publication_of
from exports.public.rules import Citation
from exports.releases.models import Release
from exports.statistics.queries import StoredTable, stored_statistics
from validation.insights.queries import results
from validation.insights.queries.results import StoredInsight
from validation.insights.reports.base import Chart, Row
from validation.insights.views.insights import TableRenderer

# Whose values are columns beside each other, of the tables that have them: languages, regions, categories.
_LISTS = {"words-more"}  # what is longer than anybody prints, and goes on with a table that is here
GROUPS = {"target": "target", "agreement-targets": "part", "agreement-regions": "part", "agreement-categories": "part"}


@dataclass(frozen=True)
class SourceTable:
    """A stored table of one project: `address` of its CSV file, `function` that computes its rows."""

    project: str
    name: str
    key: str
    title: str
    note: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    address: str
    function: str
    words: "Words" = field(repr=False)
    chart: Chart | None = None
    of: int = 0

    @property
    def group(self) -> str:
        """The column whose values are columns of a paper; empty where there is none."""
        wanted = GROUPS.get(self.key, GROUPS["target"])
        return wanted if any(column.key == wanted for column in self.columns) else ""

    @property
    def keys(self) -> list[Column]:
        """The columns that name a row, but for the group, and what no row says anything in."""
        first = self.columns[0]
        named = {first.key} if self.chart and self.chart.x == first.key else set()
        return [
            each
            for each in self.columns
            if (not each.numeric or each.key in named)
            and each.key != self.group
            and any(row.get(each.key) not in (None, "") for row in self.rows)
        ]

    @property
    def file(self) -> str:
        """The source file of the function."""
        return "/".join(self.function.rsplit(".", 1)[0].split(".")) + ".py"


class Words:
    """Shows what is no figure: labels and categories by their names, in English."""

    def __init__(self, project: Project) -> None:
        self.shower = TableRenderer(project)

    def __call__(self, column: Column, value: Any) -> str:
        """A value as plain text."""
        if value is None or value == "":
            return "" if column.kind != GROUP else gettext("none")
        if column.kind == LABEL:
            label = self.shower.labels.get(str(value))
            return gettext(label.name) if label else gettext(self.shower.classes.get(str(value), str(value)))
        if column.kind == GROUP:
            return self.shower.group_name(str(value))
        return str(value) if column.kind == DAY else shown_value(column, value)


@dataclass(frozen=True)
class ProjectSources:
    """All that a report tells of one project; `release` is its newest one, `card` its text in Markdown."""

    project: Project
    release: Release | None
    insights: Sequence[SourceTable]
    statistics: Sequence[SourceTable]
    card: str = ""
    items: int = 0
    votes: int = 0
    insights_at: datetime | None = None
    statistics_at: datetime | None = None
    citation: Citation | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was computed yet."""
        return not self.insights and not self.statistics


def newest_release(ready: QuerySet[Release]) -> Release | None:
    """The newest release that is ready and that no other one stands for."""
    found = ready.filter(state=Release.State.READY).order_by("-n")
    return next((each for each in found if each.replaced is None), None)


def sources_of(project: Project, release: Release | None, card: str) -> ProjectSources:
    """What is stored of a project: what a lead of it sees on Insights, and the tables of that release."""
    words, stored = Words(project), [one for one in results.stored_insights(project) if one.stored]
    insights = [each for one in stored for each in _insight_tables(project, one, words)]
    told = [] if release is None else stored_statistics(release, [release]).tables
    at = None if release is None else stored_statistics(release, [release]).at
    page = publication_of(release.whole or release) if release else None
    newest = max((one.stored for one in stored if one.stored), key=lambda kept: kept.at, default=None)
    return ProjectSources(
        project,
        release,
        insights,
        [_statistic(project, release, each, words) for each in told if release],
        card,
        newest.items if newest else 0,
        newest.votes if newest else 0,
        min((one.stored.at for one in stored if one.stored), default=None),
        at,
        citation_of(page) if page else None,
    )


def path_of(function: Any) -> str:
    """Where a function is defined: its module and its name."""
    return f"{function.__module__}.{function.__qualname__}"


def _insight_tables(project: Project, one: StoredInsight, words: Words) -> list[SourceTable]:
    """The tables of an insight that say something, without those of people."""
    insight, found = one.insight, []
    for table in insight.tables:
        rows, of = one.rows(table.key)
        key = f"{insight.slug}-{table.key}"
        if not rows or key in _LISTS or any(column.kind == PERSON for column in table.columns):
            continue
        address = f"p/{project.slug}/insights/{insight.slug}/{table.key}.csv"
        title = f"{gettext(insight.title)}: {gettext(table.title)}"
        note = _sentences(table.note, _helps(table.columns))
        found.append(
            SourceTable(
                project.slug, project.name, key, title, note, table.columns, rows, address, path_of(insight.compute),
                words, table.chart, of,
            )
        )  # fmt: skip
    return found


def _helps(columns: Sequence[Column]) -> str:
    """What columns say of themselves."""
    return "; ".join(f"{each.heading}: {gettext(each.help)}" for each in columns if each.help)


def _sentences(*texts: str) -> str:
    """Texts behind each other, each ended."""
    return " ".join(text if text.endswith(".") else f"{text}." for text in map(gettext, filter(None, texts)))


def _statistic(project: Project, release: Release, told: StoredTable, words: Words) -> SourceTable:
    of, address = told.of, f"p/{project.slug}/releases/{release.n}/statistics/{told.of.key}.csv"
    note = f"{_sentences(of.definition, _helps(told.columns))} Counted as in {of.source}."
    return SourceTable(
        project.slug, project.name, f"release-{of.key}", gettext(of.title), note, told.columns, told.rows, address,
        path_of(of.draw), words, of=len(told.rows),
    )  # fmt: skip


def by_key(tables: Sequence[SourceTable]) -> Mapping[str, list[SourceTable]]:
    """The same table of several projects together, in the order in which they come."""
    found: dict[str, list[SourceTable]] = {}
    for each in tables:
        found.setdefault(each.key, []).append(each)
    return found
