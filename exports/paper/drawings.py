"""Figures as plain TikZ, from the same stored rows as the tables: bars with intervals, stacked bars, lines."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotation.ui.latex import escape_latex, latex_cell
from annotation.ui.tables import PERCENT, Column
from exports.paper.sheets import HIGH, LOW, Number
from exports.paper.sources import SourceTable
from exports.paper.typeset import breakable
from validation.insights.reports.base import Chart

# The palette of Okabe and Ito, which people tell apart whatever colours they see.
COLOURS = ("0,114,178", "230,159,0", "0,158,115", "204,121,167", "86,180,233", "213,94,0")
LEAST_BARS, MOST_BARS, WIDTH, BAR, GAP, LABEL = 2, 30, 7.0, 0.26, 0.16, 5.0
LINE_HEIGHT, PERCENTS_OF = 5.0, 100.0
# Letters that a label has at most, and those of one of its lines.
MOST_LETTERS, LETTERS = 90, 28
STACKED, LINE, BARS = "stacked", "line", "bar"
NEEDS = "% needs \\usepackage{tikz}, \\usepackage[T1]{fontenc}"
# Whose interval the columns `low` and `high` are.
WITH_ENDS = ("value", "alpha")
# What has no chart on its page but is one in a paper.
CHARTS = {"agreement-overall": Chart(BARS, "coefficient", ("value",))}


class Bar(NamedTuple):
    """One bar: its value, the ends of its interval, the number that it prints."""

    series: str
    value: float
    ends: tuple[float, float] | None
    number: Number


class Figure(NamedTuple):
    """A figure as LaTeX, and the numbers that it prints."""

    key: str
    latex: str
    numbers: Sequence[Number] = ()


def figure_of(tables: Sequence[SourceTable], *, named: bool = False) -> Figure | None:
    """The figure of a table of one project or several; None where it has no chart, or nothing to show.

    `named`: what is of one project alone says of which.
    """
    first = tables[0]
    chart = CHARTS.get(first.key, first.chart)
    if chart is None or chart.kind not in (BARS, STACKED, LINE):
        return None
    drawn = _lines(tables, chart) if chart.kind == LINE else _bars(tables, chart)
    if drawn is None:
        return None
    body, numbers, more = drawn
    whose = f"{first.name}." if named and len(tables) == 1 else ""
    caption = breakable(escape_latex(" ".join(filter(None, (whose, f"{first.title}.", more)))))
    lines = [
        NEEDS,
        "\\begin{figure}[!htbp]",
        "\\centering\\footnotesize",
        "\\begin{tikzpicture}",
        *body,
        "\\end{tikzpicture}",
        f"\\caption{{{caption}}}",
        f"\\label{{fig:{first.key}}}",
        "\\end{figure}",
    ]
    return Figure(first.key, "\n".join(lines) + "\n", numbers)


Drawn = tuple[list[str], list[Number], str]


def _series(table: SourceTable, chart: Chart, several: bool) -> Iterator[tuple[Column, str]]:
    """The columns that are drawn, each with the name of its series."""
    by_key = {column.key: column for column in table.columns}
    shown = [by_key[y] for y in chart.ys if y in by_key]
    for column in shown:
        named = [table.name] if several else []
        yield column, ", ".join([*named, *([column.heading] if len(shown) > 1 or not several else [])])


def _bars(tables: Sequence[SourceTable], chart: Chart) -> Drawn | None:
    """Bars by what names the rows, those of several columns or projects under each other, or stacked."""
    rows: dict[str, list[Bar]] = {}
    for table in tables:
        for n, row in enumerate(table.rows):
            keys = [*(each for each in table.columns if each.key == table.group), *table.keys]
            name = ", ".join(filter(None, (table.words(each, row.get(each.key)) for each in keys)))
            name = textwrap.shorten(name, MOST_LETTERS, placeholder=" …")
            name = f"{table.name}: {name}" if chart.kind == STACKED and len(tables) > 1 else name
            for column, series in _series(table, chart, len(tables) > 1 and chart.kind != STACKED):
                value = row.get(column.key)
                if value is None:
                    continue
                low, high = (row.get(LOW), row.get(HIGH)) if column.key in WITH_ENDS else (None, None)
                ends = None if low is None or high is None else (float(low), float(high))
                number = _number(table, column, n, name, series, value)
                rows.setdefault(name, []).append(Bar(series, float(value), ends, number))
    kept, count = {}, 0
    for name, bars in rows.items():
        count += 1 if chart.kind == STACKED else len(bars)
        if count <= MOST_BARS:
            kept[name] = bars
    drawn = [bar for bars in kept.values() for bar in bars]
    if len(drawn) < LEAST_BARS or not any(bar.value for bar in drawn):
        return None
    percent = any(column.kind == PERCENT for column, _name in _series(tables[0], chart, False))
    more = f"The first {len(kept):,} of {len(rows):,} rows." if len(kept) < len(rows) else ""
    if any(bar.ends for bar in drawn):
        more = f"{more} Lines: 95 % intervals.".strip()
    names = list(dict.fromkeys(bar.series for bar in drawn))
    body = _draw_bars(kept, names, PERCENTS_OF if percent and chart.kind != STACKED else 0.0, chart.kind == STACKED)
    return body, [bar.number for bar in drawn], more


def _number(table: SourceTable, column: Column, n: int, row: str, series: str, value: float) -> Number:
    shown = latex_cell(column, value)
    place = (table.project, table.address, n, column.key, table.file, table.function)
    return Number(f"figure:{table.key}", row, series, shown, value, *place)


def _fill(n: int) -> str:
    return "{{rgb,255:red,{};green,{};blue,{}}}".format(*COLOURS[n % len(COLOURS)].split(","))


def _draw_bars(rows: dict[str, list[Bar]], names: list[str], most: float, stacked: bool) -> list[str]:
    ends = [end for bars in rows.values() for bar in bars for end in (bar.value, *(bar.ends or ()))]
    sums = [sum(bar.value for bar in bars) for bars in rows.values()] if stacked else []
    high, low = max(most, *ends, *sums, 1e-9), min(0.0, *ends)
    scale, y, found = WIDTH / (high - low), 0.0, list[str]()
    for name, bars in rows.items():
        top, x = y, 0.0
        for bar in bars:
            begin, end = (x, x + bar.value * scale) if stacked else (0.0, bar.value * scale)
            colour = _fill(names.index(bar.series))
            found.append(f"\\fill[fill={colour}] ({begin:.3f},{y:.3f}) rectangle ({end:.3f},{y - BAR:.3f});")
            if stacked:
                x = end
                continue
            found += _told(bar, y - BAR / 2, scale)
            y -= BAR
        y -= BAR if stacked else 0
        middle = (top + y) / 2
        label = f"anchor=east,align=right,text width={LABEL}cm"
        found.append(f"\\node[{label}] at ({low * scale - 0.1:.3f},{middle:.3f}) {{{breakable(escape_latex(name))}}};")
        if stacked:
            told = " + ".join(bar.number.printed for bar in bars if bar.value)
            found.append(f"\\node[anchor=west,font=\\scriptsize] at ({x + 0.05:.3f},{middle:.3f}) {{{told}}};")
        # A label of several lines needs their height.
        y -= GAP + max(0.0, 0.36 * (1 + len(escape_latex(name)) // LETTERS) - (top - y))
    found.append(f"\\draw (0,0.1) -- (0,{y:.3f});")
    return [*found, *_legend(names, y - 0.2)]


def _told(bar: Bar, y: float, scale: float) -> list[str]:
    """The whisker of a bar's interval, and its figure behind both."""
    found, right = [], bar.value * scale
    if bar.ends:
        low, high = (end * scale for end in bar.ends)
        found.append(f"\\draw[|-|,line width=0.4pt] ({low:.3f},{y:.3f}) -- ({high:.3f},{y:.3f});")
        right = max(right, high)
    at = max(right, 0.0) + 0.08
    found.append(f"\\node[anchor=west,font=\\scriptsize,inner sep=1pt] at ({at:.3f},{y:.3f}) {{{bar.number.printed}}};")
    return found


def _legend(names: Sequence[str], y: float) -> list[str]:
    """What the colours are, one under another; nothing where there is one."""
    found = []
    for n, name in enumerate(names if len(names) > 1 else ()):
        at = y - 0.38 * n
        found += [
            f"\\fill[fill={_fill(n)}] (0,{at:.3f}) rectangle (0.3,{at - 0.22:.3f});",
            f"\\node[anchor=west] at (0.35,{at - 0.11:.3f}) {{{escape_latex(name)}}};",
        ]
    return found


def _lines(tables: Sequence[SourceTable], chart: Chart) -> Drawn | None:
    """Points joined in the order of `x`, a line for each series; days stand as far apart as they follow each other."""
    points: dict[str, list[tuple[float, float]]] = {}
    days = sorted({str(row.get(chart.x)) for table in tables for row in table.rows})
    numeric = all(isinstance(row.get(chart.x), int | float) for table in tables for row in table.rows)
    for table in tables:
        by = next((column for column in table.columns if column.key == chart.by), None)
        for column, series in _series(table, chart, len(tables) > 1):
            for row in table.rows:
                if row.get(column.key) is not None:
                    name = ", ".join(
                        filter(
                            None,
                            (
                                series if not by or len(tables) > 1 else "",
                                table.words(by, row.get(by.key)) if by else "",
                            ),
                        )
                    )
                    x = float(row[chart.x]) if numeric else float(days.index(str(row[chart.x])))
                    points.setdefault(name, []).append((x, float(row[column.key])))
    if not any(len(line) > 1 for line in points.values()):
        return None
    every = [point for line in points.values() for point in line]
    xs, ys = [x for x, _ in every], [y for _, y in every]
    return (
        _draw_lines(points, (min(xs), max(xs)), (min(ys), max(ys)), [] if numeric else [days[0], days[-1]]),
        [],
        _axes(tables[0], chart),
    )


def _axes(table: SourceTable, chart: Chart) -> str:
    named = {column.key: column.heading for column in table.columns}
    return f"Across: {named[chart.x]}. Up: {', '.join(named[y] for y in chart.ys if y in named)}."


def _draw_lines(
    points: dict[str, list[tuple[float, float]]],
    across: tuple[float, float],
    up: tuple[float, float],
    ends: Sequence[str],
) -> list[str]:
    wide, high = max(across[1] - across[0], 1e-9), max(up[1] - up[0], 1e-9)

    def place(x: float, y: float) -> str:
        return f"({(x - across[0]) / wide * WIDTH:.3f},{(y - up[0]) / high * LINE_HEIGHT:.3f})"

    found = [f"\\draw (0,{LINE_HEIGHT + 0.2}) -- (0,0) -- ({WIDTH + 0.2},0);"]
    for n in range(5):
        y = up[0] + high * n / 4
        found.append(f"\\draw[black!15] {place(across[0], y)} -- {place(across[1], y)};")
        found.append(f"\\node[anchor=east] at {place(across[0], y)} {{{y:.1f}}};")
    told = ends or [f"{end:g}" for end in across]
    found += [
        f"\\node[anchor=north] at {place(x, up[0])} {{{escape_latex(word)}}};"
        for x, word in zip(across, told, strict=True)
    ]
    for n, line in enumerate(points.values()):
        joined = " -- ".join(place(*point) for point in sorted(line))
        found.append(f"\\draw[line width=0.8pt,color={_fill(n)}] {joined};")
        found += [f"\\fill[fill={_fill(n)}] {place(*point)} circle (0.05);" for point in line]
    return [*found, *_legend(list(points), -0.7)]
