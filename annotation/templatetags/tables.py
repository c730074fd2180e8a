"""Tables whose cells are markup, declared in a template: each column's heading once, beside what its cells have.

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
`row_id=`, which like `class=` of a column is read for each row. `heads` makes cells the names of their rows, `num` are
figures, `for … in …` repeats a column. `row_number` counts rows from 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
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
        if "when" in self.options and not self.options["when"].resolve(context, ignore_failures=True):
            return
        for _ in self.loop.each(context):
            column = Column("", str(self.heading.resolve(context)), NUMBER if "num" in self.flags else "")
            classes = self.options["class"].resolve(context) if "class" in self.options else ""
            markup = SafeString(self.nodes.render(context).strip())
            yield Cell(column, markup, heads="heads" in self.flags, classes=classes or "")


class TableNode(template.Node):
    """A table with its columns, drawn by partials/table.html."""

    def __init__(self, loop: Loop, options: dict[str, FilterExpression], columns: list[ColumnTag]) -> None:
        self.loop, self.options, self.columns = loop, options, columns
        self.foot = self.empty = NodeList()

    def render(self, context: Context) -> SafeString:
        """The table; what follows `empty` where it has no rows."""
        lines = []
        for n in self.loop.each(context):
            context["row_number"] = n
            line_id = self.options["row_id"].resolve(context) if "row_id" in self.options else ""
            lines.append(Line([cell for column in self.columns for cell in column.cells(context)], line_id))
        if self.empty and not lines:
            return self.empty.render(context)
        cells = (
            lines[0].cells if lines else [cell for column in self.columns for cell in column.cells(context)]
        )
        options = {name: value.resolve(context) for name, value in self.options.items() if name != "row_id"}
        drawn = Table([cell.column for cell in cells], lines, foot=self.foot.render(context), **options)
        return render_to_string("partials/table.html", {"table": drawn})


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
    parser.parse(PARTS)  # what stands before the first column is white space
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
    loop = Loop()
    if "for" in bits:
        start, middle = bits.index("for"), bits.index("in")
        loop = Loop(_names(bits[start + 1 : middle]), parser.compile_filter(bits[middle + 1]))
        bits = bits[:start] + bits[middle + 2 :]
    flags = {bit for bit in bits if bit in FLAGS}
    options = _options(parser, [bit for bit in bits if bit not in FLAGS])
    return ColumnTag(parser.compile_filter(heading), flags, options, loop, nodes)


def _names(bits: list[str]) -> list[str]:
    return " ".join(bits).replace(",", " ").split()


def _options(parser: Parser, bits: list[str]) -> dict[str, Any]:
    pairs = [bit.partition("=") for bit in bits]
    if any(not value for _, _, value in pairs):
        raise template.TemplateSyntaxError(f"table: not an option: {' '.join(bits)}")
    return {name: parser.compile_filter(value) for name, _, value in pairs}
