"""The conflict view: writer against answerer as a heat map, by category and region, with agreement (screens.md 6)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotation.content import queries as content_queries
from annotation.content import shapes
from annotation.content.models.item import Item
from annotation.core import access
from annotation.core.access import Membership
from annotation.core.errors import Invalid
from annotation.kinds import Kind
from annotation.ui.csv_files import csv_answer
from annotation.ui.navigation import frame_context
from validation.consensus.stages import STAGE_NAMES
from validation.insights.queries import conflicts as fetch
from validation.insights.rules import conflicts as rules
from validation.insights.rules.agreement import Figure, mean_kappa
from validation.insights.rules.conflicts import NOBODY, Agreement, Cell, ConflictFilters
from validation.review.rules.filters import FilterError

ITEMS_A_PAGE = 25


@dataclass(frozen=True)
class GridCell:
    """One cell of a table: what is in it, how dark it is (0 to 10), and where its conflicts are listed."""

    cell: Cell
    heat: int = 0
    url: str = ""


@dataclass(frozen=True)
class Line:
    """One row of a table: its name, its cells, its sum."""

    name: str
    cells: list[GridCell]
    total: GridCell


@dataclass(frozen=True)
class Grid:
    """A table of conflicts with sums at both ends; `hidden` counts the people that it has no room for."""

    columns: list[str]
    lines: list[Line]
    totals: list[GridCell]
    whole: GridCell
    hidden: int = 0


Link = Callable[..., str]


def grid(
    cells: rules.CellsByPair, rows: Sequence[str], columns: Sequence[str], fields: tuple[str, str], link: Link
) -> Grid:
    """The rows and columns wanted of a crossed table; sums are over all that it has.

    `fields` name rows and columns in an address; `link` makes the address of a cell's items from them.
    """
    down, across = fields
    most = max((cell.share or Fraction(0) for cell in cells.values()), default=Fraction(0))

    def at(row: str, column: str) -> GridCell:
        cell = cells.get((row, column), Cell())
        named = {down: row or NOBODY, across: column or NOBODY}
        return GridCell(cell, rules.heat(cell, most), link(**named) if cell.conflicts else "")

    def total(place: int, name: str) -> GridCell:
        cell = sum_cells(cell for pair, cell in cells.items() if pair[place] == name)
        return GridCell(cell, 0, link(**{fields[place]: name or NOBODY}) if cell.conflicts else "")

    lines = [Line(row, [at(row, column) for column in columns], total(0, row)) for row in rows]
    hidden = len({row for row, _ in cells} - set(rows)) + len({column for _, column in cells} - set(columns))
    whole = GridCell(sum_cells(cells.values()))
    return Grid(list(columns), lines, [total(1, column) for column in columns], whole, hidden)


def sum_cells(cells: Iterable[Cell]) -> Cell:
    """The sum of cells."""
    found = list(cells)
    return Cell(sum(cell.answers for cell in found), sum(cell.conflicts for cell in found))


@dataclass(frozen=True)
class GroupFigures:
    """Conflicts and agreement of one category, or agreement among those of one region."""

    name: str
    agreement: Agreement
    shown: GridCell | None = None


def filters_of(request: HttpRequest) -> ConflictFilters:
    """The filters of the address; a value that cannot be is answered with 400."""
    try:
        return rules.read_filters(request.GET.dict())
    except FilterError as error:
        raise Invalid(field=error.field, code="filter_unknown") from error


class Report:
    """Everything that the page shows under its filters; what was counted once is kept."""

    def __init__(self, membership: Membership, by: ConflictFilters) -> None:
        self.membership, self.project, self.by = membership, membership.project, by
        self.shape = shapes.get(membership.project.kind_spec.shape)
        self.known = fetch.people(self.project)
        self.found = fetch.table(membership, by, self.known)
        self.parts = fetch.tallies(membership, by, f"item__{self.shape.group_path}")
        self.whole = rules.agreement(rules.merge_tallies(self.parts.values()))
        self.pairs = fetch.kappas(membership, by, self.known, fetch.people_shown(self.found.answerers))

    def link(self, **more: str) -> str:
        """The address of the items behind a cell."""
        query = urlencode({**self.by.of_page, **more})
        return reverse("conflict_items", args=[self.project.slug]) + f"?{query}"

    @property
    def has_votes(self) -> bool:
        """Whether the viewer sees votes at all, also on items without a label of their writer."""
        return any(self.parts.values())

    @property
    def overall(self) -> list[Figure]:
        """The figures over everything that the filters leave."""
        return [*self.whole.listed, self.mean_kappa, *self.whole.listed_with_author]

    @property
    def mean_kappa(self) -> Figure:
        """The mean of Cohen's kappas of all pairs of people who answered."""
        return mean_kappa(self.pairs.values())

    @property
    def people(self) -> Grid:
        """Writer against answerer."""
        rows, columns = fetch.people_shown(self.found.writers), fetch.people_shown(self.found.answerers)
        return grid(self.found.cells, rows, columns, ("writer", "answerer"), self.link)

    @property
    def regions(self) -> Grid | None:
        """The writer's region against the answerer's; None where nobody gave one."""
        crossed = self.found.regions
        if not any(row or column for row, column in crossed):
            return None
        rows = list(dict.fromkeys(row for row, _ in crossed))
        columns = sorted({column for _, column in crossed}, key=rules.natural_key)
        return grid(crossed, rows, columns, ("writer_region", "region"), self.link)

    @property
    def categories(self) -> list[GroupFigures]:
        """Conflicts and agreement of each category."""
        names = sorted({*self.parts, *self.found.categories}, key=rules.natural_key)
        return [self._category(name) for name in names]

    def _category(self, name: str) -> GroupFigures:
        cell = self.found.categories.get(name, Cell())
        url = self.link(category=name) if cell.conflicts else ""
        return GroupFigures(self.shape.group_name(name), self._agreement(self.parts, name), GridCell(cell, 0, url))

    @staticmethod
    def _agreement(parts: Mapping[str, rules.Tallies], name: str) -> rules.Agreement:
        """One part's agreement."""
        return rules.agreement(parts.get(name, {}))

    @property
    def by_region(self) -> list[GroupFigures]:
        """Agreement among those who answer from one region; nothing where nobody gave one."""
        if not any(region for _, region in self.found.regions):
            return []
        parts = fetch.tallies(self.membership, self.by, "annotator__region")
        names = sorted(parts, key=rules.natural_key)
        return [GroupFigures(name or gettext("not given"), self._agreement(parts, name)) for name in names]

    @property
    def persons(self) -> list[SimpleNamespace]:
        """Each person's agreement with writers and with the others."""
        return fetch.agreement_by_person(self.found, self.pairs)


@login_required
@require_GET
def conflicts(request: HttpRequest, slug: str) -> HttpResponse:
    """The heat map with its sums, categories, regions, agreement; agreement alone where writers say no label."""
    membership = access.lead_membership(request.user, slug)
    if not membership.project.kind_spec.has_author_labels:
        return redirect("insight", slug=slug, name="agreement")
    by = filters_of(request)
    context = {
        **_context(membership, by),
        "report": Report(membership, by),
        "choices": _choices(membership),
        "most": fetch.MOST_PEOPLE,
        "query": urlencode(by.of_page),
    }
    return render(request, "validation/insights/conflicts.html", context)


def _context(membership: Membership, by: ConflictFilters) -> dict[str, Any]:
    kind = membership.project.kind_spec
    return {
        **frame_context(membership, "conflicts"),
        "by": by,
        "kind": kind,
        "group_title": shapes.get(kind.shape).group_title,
    }


def _choices(membership: Membership) -> dict[str, list[tuple[str, str]]]:
    """What the filters can be: every category, region and round of the project's votes, whatever is chosen."""
    shape = shapes.get(membership.project.kind_spec.shape)
    groups, regions, rounds = fetch.choices(membership)
    named = sorted(regions, key=rules.natural_key)
    return {
        "category": [(name, shape.group_name(name)) for name in sorted(groups, key=rules.natural_key)],
        "region": [(NOBODY, gettext("not given")), *((name, name) for name in named)] if named else [],
        "round": [(str(number), str(number)) for number in rounds],
    }


@login_required
@require_GET
def conflict_items(request: HttpRequest, slug: str) -> HttpResponse:
    """The items behind a cell: those with a conflicting answer, or with `all=1` whatever was answered."""
    membership = access.lead_membership(request.user, slug)
    by = filters_of(request)
    found = fetch.items_of_cell(membership, by).select_related("author", "target", "project")
    page = Paginator(found, ITEMS_A_PAGE).get_page(by.page)
    contents, answers = (
        content_queries.contents(page),
        fetch.answers_of(membership, by, [item.pk for item in page]),
    )
    kind = membership.project.kind_spec
    context = {
        **_context(membership, by),
        "page": page,
        "rows": [_item_behind_cell(item, kind, contents[item.pk], answers[item.pk]) for item in page],
        "category_name": shapes.get(kind.shape).group_name(by.category),
        "back": reverse("conflicts", args=[slug]) + (f"?{urlencode(by.of_page)}" if by.of_page else ""),
        "other": replace(by, all=not by.all).query.removesuffix("&"),
    }
    return render(request, "validation/insights/conflict_items.html", context)


def _item_behind_cell(
    item: Item, kind: Kind, content: Mapping[str, Any], answers: list[tuple[str, str]]
) -> SimpleNamespace:
    """An item behind a cell: what its writer said, and who answered what."""
    text, beside = kind.presentation.headline(content)
    return SimpleNamespace(
        item=item,
        text=text,
        beside=beside,
        stage=STAGE_NAMES[item.stage],
        author_label=kind.question.item_label(content, item.author_label),
        answers=[(who, kind.question.item_label(content, label)) for who, label in answers],
    )


# --- the tables as files ------------------------------------------------------------------


@login_required
@require_GET
def conflicts_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Every cell and sum of the conflict tables as CSV."""
    membership = access.lead_membership(request.user, slug)
    by = filters_of(request)
    found = fetch.table(membership, by, fetch.people(membership.project))
    rows: list[tuple[object, ...]] = [("table", "writer", "answerer", "answers", "conflicts", "percent")]
    rows.append(_cell_columns("all", "", "", found.total))
    # A region never stands beside a person in a file, not even as the filter that the file was made under.
    if not (by.region or by.writer_region):
        rows += [_cell_columns("writer and answerer", *pair, cell) for pair, cell in found.cells.items()]
        rows += [_cell_columns("writer", name, "", cell) for name, cell in found.writers.items()]
        rows += [_cell_columns("answerer", "", name, cell) for name, cell in found.answerers.items()]
    rows += [_cell_columns("category", name, "", cell) for name, cell in found.categories.items()]
    rows += [_cell_columns("region", *pair, cell) for pair, cell in found.regions.items()]
    return csv_answer(request, rows, f"{slug}-conflicts.csv")


def _cell_columns(table: str, row: str, column: str, cell: Cell) -> tuple[object, ...]:
    return table, row, column, cell.answers, cell.conflicts, cell.percent


@login_required
@require_GET
def agreement_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The agreement figures of the page as CSV; one that is undefined says why."""
    membership = access.lead_membership(request.user, slug)
    by = filters_of(request)
    report = Report(membership, by)
    rows: list[tuple[object, ...]] = [
        ("over", "name", "coefficient", "value", "items", "ratings", "pairs", "undefined because")
    ]
    rows += [_figure("all", "", figure) for figure in (*report.whole.listed, report.mean_kappa)]
    rows += [_figure("all, writer included", "", figure) for figure in report.whole.listed_with_author]
    for over, parts in (("category", report.categories), ("region", report.by_region)):
        rows += [_figure(over, part.name, figure) for part in parts for figure in part.agreement.listed]
    if not (by.region or by.writer_region):
        rows += [_figure("person", person.pseudonym, person.kappa) for person in report.persons]
    return csv_answer(request, rows, f"{slug}-agreement.csv")


def _figure(over: str, name: str, figure: Figure) -> tuple[object, ...]:
    return over, name, *figure_cells(figure)


def figure_cells(figure: Figure) -> tuple[object, ...]:
    """A coefficient's name and value, over how many items, ratings and pairs, and why it is undefined."""
    pairs, why = figure.pairs or "", gettext(figure.why) if figure.why else ""
    return figure.coefficient, figure.value, figure.items, figure.ratings, pairs, why
