"""Tables whose cells are markup, declared in a template: each column's heading once, with the content of its cells.

    {% table runs as run, progress %}
      {% column _("Rating") heads %}<a href="…"><bdi>{{ run.name }}</bdi></a>
      {% column _("Prompts") num %}{{ run.sample|intcomma }}
      {% column part.name|translated num for part in run.parts %}{{ part.count }}
      {% column _("Change") when=may_change class="nowrap" %}…
      {% foot %}…rows of the table's end…
    {% empty %}
      …instead of the table…
    {% endtable %}

Options of `table` are those of annotation.ui.tables.Table (`id= caption= classes= region= labelled= cards=False`) and
`row_id=` (with `row_prefix=` before it), which like `class=` of a column is read for each row. `heads` makes cells the
names of their rows, `num` are figures, `for … in …` repeats a column, `short=` is its heading on a phone. `when=`
and `unless=` leave it out. `row_number` counts rows from 1.

`{% figures %}{% figure _("Writers") %}{{ n }}{% endfigures %}` is a list of figures; `when=` leaves one out, and
`figures` takes the `class=` of the list beside its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, TextNode, Token
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from annotation.ui.tables import NUMBER, Cell, Column, Line, Table

register = template.Library()
FLAGS = {"num", "heads"}
PARTS = ("column", "foot", "empty", "endtable")


@dataclass(frozen=True)
class Loop:
    """What a table or a column is repeated over: `run, progress in runs`. Without it, once."""

    names: Sequence[str] = ()
    over: FilterExpression | None = None

    def each(self, context: Context) -> Iterator[int]:
        """Counts from 1, with the names in the context."""
        values = self.over.resolve(context, ignore_failures=True) if self.over else [None]
        for n, value in enumerate(values or [], 1):
            held = dict(zip(self.names, value, strict=True)) if len(self.names) > 1 else {}
            with context.push(**(held or dict.fromkeys(self.names, value))):
                yield n


@dataclass(frozen=True)
class ColumnTag:
    """One `column`: its heading, its flags and options, and what its cells are made of."""

    heading: FilterExpression
    flags: set[str]
    options: dict[str, FilterExpression]
    loop: Loop
    nodes: NodeList

    def cells(self, context: Context) -> Iterator[Cell]:
        """Its cells in the row that is in the context; none where it is left out."""
        for name, wanted in (("when", True), ("unless", False)):
            option = self.options.get(name)
            if option and bool(option.resolve(context, ignore_failures=True)) is not wanted:
                return
        for _ in self.loop.each(context):
            kind, more = NUMBER if "num" in self.flags else "", _resolve_options(self.options, context)
            column = Column("", str(self.heading.resolve(context)), kind, short_heading=more.get("short", ""))
            markup = SafeString(self.nodes.render(context).strip())
            yield Cell(column, markup, is_row_heading="heads" in self.flags, classes=more.get("class") or "")


class TableNode(template.Node):
    """A table with its columns, drawn by partials/table.html."""

    def __init__(self, loop: Loop, options: dict[str, FilterExpression], columns: list[ColumnTag]) -> None:
        self.loop, self.options, self.columns = loop, options, columns
        self.row_id = [options.pop(name) for name in ("row_prefix", "row_id") if name in options]
        self.foot = self.empty = NodeList()

    def render(self, context: Context) -> SafeString:
        """The table; what follows `empty` where it has no rows."""
        lines = []
        for n in self.loop.each(context):
            context["row_number"] = n
            name = "".join(str(part.resolve(context)) for part in self.row_id)
            lines.append(Line(self._cells(context), name))
        if self.empty and not lines:
            return self.empty.render(context)
        columns = [cell.column for cell in (lines[0].cells if lines else self._cells(context))]
        options = _resolve_options(self.options, context)
        drawn = Table(columns, lines, foot=self.foot.render(context), **options)
        return render_to_string("partials/table.html", {"table": drawn})

    def _cells(self, context: Context) -> list[Cell]:
        return [cell for column in self.columns for cell in column.cells(context)]


@register.tag
def table(parser: Parser, token: Token) -> TableNode:
    """Read `{% table rows as row %}` to `{% endtable %}`."""
    bits = token.split_contents()[1:]
    try:
        end = next((n for n, bit in enumerate(bits) if n > 2 and "=" in bit), len(bits))
        rows, word, *names = bits[:end]
    except ValueError:
        names, word = [], ""
    if word != "as" or not names:
        raise template.TemplateSyntaxError("table: {% table rows as row [option=value …] %}")
    node = TableNode(Loop(_names(names), parser.compile_filter(rows)), _options(parser, bits[end:]), [])
    _only_blanks(parser, PARTS)
    part = parser.next_token()
    while (name := part.split_contents()[0]) != "endtable":
        nodes = parser.parse(PARTS)
        if name == "column":
            node.columns.append(_column(parser, part, nodes))
        elif name == "foot":
            node.foot = nodes
        else:
            node.empty = nodes
        part = parser.next_token()
    return node


def _column(parser: Parser, token: Token, nodes: NodeList) -> ColumnTag:
    heading, *bits = token.split_contents()[1:]
    loop, bits = _loop(parser, bits)
    flags = {bit for bit in bits if bit in FLAGS}
    options = _options(parser, [bit for bit in bits if bit not in FLAGS])
    return ColumnTag(parser.compile_filter(heading), flags, options, loop, nodes)


@register.tag
def figures(parser: Parser, token: Token) -> "FiguresNode":
    """Read `{% figures %}` to `{% endfigures %}`."""
    node, parts = FiguresNode(_options(parser, token.split_contents()[1:])), ("figure", "endfigures")
    _only_blanks(parser, parts)
    while (bits := parser.next_token().split_contents())[0] != "endfigures":
        loop, rest = _loop(parser, bits[2:])
        node.figures.append(
            ColumnTag(parser.compile_filter(bits[1]), set(), _options(parser, rest), loop, parser.parse(parts))
        )
    return node


class FiguresNode(template.Node):
    """Figures with what each is, as a list of definitions."""

    def __init__(self, options: dict[str, FilterExpression]) -> None:
        self.options = options
        self.figures: list[ColumnTag] = []

    def render(self, context: Context) -> SafeString:
        """The list."""
        cells = [cell for figure in self.figures for cell in figure.cells(context)]
        classes = _resolve_options(self.options, context).get("class", "")
        return render_to_string("partials/figures.html", {"cells": cells, "classes": classes})


def _only_blanks(parser: Parser, parts: tuple[str, ...]) -> None:
    """Nothing stands before the first part: what is set there would be lost."""
    if any(not isinstance(node, TextNode) or node.s.strip() for node in parser.parse(parts)):
        raise template.TemplateSyntaxError(f"something stands before the first of {parts}")


def _resolve_options(options: dict[str, FilterExpression], context: Context) -> dict[str, Any]:
    return {name: value.resolve(context) for name, value in options.items()}


def _loop(parser: Parser, bits: list[str]) -> tuple[Loop, list[str]]:
    """The `for … in …` of a column, and what stands beside it."""
    if "for" not in bits:
        return Loop(), bits
    start, middle = bits.index("for"), bits.index("in")
    loop = Loop(_names(bits[start + 1 : middle]), parser.compile_filter(bits[middle + 1]))
    return loop, bits[:start] + bits[middle + 2 :]


def _names(bits: list[str]) -> list[str]:
    return " ".join(bits).replace(",", " ").split()


def _options(parser: Parser, bits: list[str]) -> dict[str, Any]:
    pairs = [bit.partition("=") for bit in bits]
    if any(not value for _, _, value in pairs):
        raise template.TemplateSyntaxError(f"table: not an option: {' '.join(bits)}")
    return {name: parser.compile_filter(value) for name, _, value in pairs}
