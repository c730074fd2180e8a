"""CSV: a file for each file of rows, for spreadsheets and for whoever reads nothing else."""

import csv
import io
from typing import Any

import orjson
from django.utils.translation import gettext_noop

from annotation.text.formulas import guard
from exports.formats.release.base import Form, Told
from exports.formats.release.tables import Table, renamed, tables

FOLDER = "csv"
# The sign for "none" in columns of labels: by itself no spreadsheet takes it for a formula.
_NONE = "-"


def write(told: Told) -> None:
    """Write every table; splits of one config have the same columns."""
    for table in tables(told):
        for name in table.files:
            _file(told, table, name)


def _file(told: Told, table: Table, name: str) -> None:
    columns = list(table.columns)
    with told.sink(renamed(name, FOLDER)) as sink:
        sink.append(_lines([columns]), 0)
        for page in told.rows(name):
            sink.append(_lines([[cell(row.get(column)) for column in columns] for row in page]), len(page))


def _lines(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def cell(value: Any) -> str:
    """One value: texts guarded against spreadsheets, lists and objects as JSON, null as nothing.

    In JSON a semicolon that would begin a formula is written as its escape, so that the JSON stays what it is.
    """
    if isinstance(value, str):
        return value if value == _NONE else guard(value)
    json = "" if value is None else orjson.dumps(value).decode()
    return json if guard(json) == json else json.replace(";", "\\u003b")


FORM = Form(
    slug="csv",
    title=gettext_noop("CSV"),
    help=gettext_noop(
        "For spreadsheets: cells that one would take for a formula have an apostrophe before them."
    ),
    write=write,
    order=30,
)
