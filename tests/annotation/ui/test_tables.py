"""Tables: declared in Python or in a template, they are drawn alike, and sent as CSV."""

import datetime
from types import SimpleNamespace

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.template.loader import render_to_string

from annotation.ui import tables
from annotation.ui.tables import Column

COLUMNS = (
    Column("name", "Name", tables.WORD, url=lambda row: f"/{row.name}"),
    Column("n", "Items", tables.NUMBER),
    Column("share", "Share", tables.PERCENT, value=lambda row: row.n / 50),
    Column("ends", "Interval", tables.INTERVAL),
    Column("day", "Day", tables.DAY),
    Column("state", "State", tables.TAG),
)
ROW = SimpleNamespace(
    name="<b>", n=1234, ends=(0.1, 0.25), day=datetime.date(2024, 5, 1), state="new"
)  # fmt: skip


def html(source: str, **context: object) -> str:
    return " ".join(Template("{% load tables %}" + source).render(Context(context)).split())


def drawn(table: tables.Table) -> str:
    return " ".join(render_to_string("partials/table.html", {"table": table}).split()).replace("> <", "><")


def test_a_declared_table() -> None:
    page = drawn(tables.table(COLUMNS, [ROW], caption="All", region="Wide"))
    assert 'class="table table--cards"' in page
    assert "<caption>All</caption>" in page
    assert 'role="region" aria-label="Wide"' in page
    assert '<th scope="col" class="num">Items</th>' in page
    assert '<th scope="row"><a href="/&lt;b&gt;"><bdi dir="auto">&lt;b&gt;</bdi></a></th>' in page
    assert '<td class="num" data-th="Items">1,234</td>' in page
    assert "24.7 %" in page
    assert "0.100–0.250" in page
    assert '<span class="tag">new</span>' in page


def test_a_sentence_instead_of_a_table_without_rows() -> None:
    assert drawn(tables.table(COLUMNS, [], empty="None yet.")) == '<p class="muted">None yet.</p>'
    assert "<table" in drawn(tables.table(COLUMNS, []))


def test_the_same_columns_as_a_file() -> None:
    rows = list(tables.file_rows(COLUMNS[:3], [ROW, SimpleNamespace(name=None, n=0)]))
    assert rows == [("name", "n", "share"), ("<b>", 1234, 24.68), ("", 0, 0.0)]


def test_cells_that_are_markup() -> None:
    source = """{% table rows as name, parts id="t" row_id=name %}
      {% column "Name" heads %}<i>{{ name }}</i>
      {% column part num for part in parts class="zero" %}{{ row_number }}{{ part }}
      {% column "Hidden" when=shown %}hidden
      {% column "Last" %}<b>{{ name }}</b>
      {% foot %}<tr></tr>
      {% empty %}nothing
      {% endtable %}"""
    page = html(source, rows=[("x&", ["p", "q"]), ("y", ["p", "q"])])
    assert page.count("<tr") == 4
    assert '<tr id="x&amp;">' in page
    assert '<th scope="row"><i>x&amp;</i></th>' in page
    assert '<td class="num zero" data-th="q">2q</td>' in page
    assert '<td data-th="Last"><b>y</b></td>' in page
    assert "Hidden" not in page
    assert "<tfoot><tr></tr> </tfoot>" in page
    assert "nothing" not in page
    assert html(source, rows=[]).strip() == "nothing"
    assert html(source, rows=[("y", [])], shown=True).count("Hidden") == 2


def test_figures_with_what_they_are() -> None:
    source = """{% figures class="more" %}
      {% figure "Here" class="num" %}{{ n }}
      {% figure "Not here" when=none %}0
      {% figure name for name in names %}<b>{{ name }}</b>
      {% endfigures %}"""
    page = html(source, n=3, names=["a&", "b"]).replace("> <", "><")
    assert page.startswith('<dl class="figures more"><div><dt>Here</dt><dd class="num">3</dd></div>')
    assert "<dt>a&amp;</dt><dd><b>a&amp;</b></dd>" in page
    assert "Not here" not in page


@pytest.mark.parametrize("tag", ["table rows", "table rows as", "table rows of row", "table rows as row x= "])
def test_mistakes_in_tags(tag: str) -> None:
    with pytest.raises(TemplateSyntaxError):
        html("{% " + tag + " %}{% endtable %}")
