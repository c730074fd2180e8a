"""CSV: a file for each file of rows, for spreadsheets and programs that read nothing else."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from django.utils.translation import gettext_noop

from annotation.text.formulas import guard
from exports.formats.release.base import Form, ReleaseFiles, Table, path_in_folder, tables

FOLDER = "csv"
# The sign for "none" in columns of labels: by itself no spreadsheet takes it for a formula.
_NONE = "-"
_TEXTS = {str, type(None)}
# Behind these a cell may be cut: without one, a text that begins with a letter or digit is nothing to guard.
_CUT = re.compile("[;\t\r\n]").search


def write(release: ReleaseFiles) -> None:
    """Write every table; splits of one config have the same columns."""
    for table in tables(release):
        for name in table.files:
            _file(release, table, name)


def _file(release: ReleaseFiles, table: Table, name: str) -> None:
    from exports.formats.rules.columns import values_by_column

    columns = table.schema.names
    with release.sink(path_in_folder(name, FOLDER)) as sink:
        sink.append(_lines([columns]), 0)
        for page in release.rows(name):
            values = values_by_column(page, columns) or [[row.get(column) for row in page] for column in columns]
            sink.append(_lines(zip(*map(_cells, values), strict=True)), len(page))


def _cells(values: Sequence[Any]) -> list[str]:
    """The cells of a column; where its texts come again and again, each is made once."""
    sorts = set(map(type, values))
    if sorts <= _TEXTS or sorts == {int} or sorts == {bool}:
        once = {value: cell(value) for value in set(values)}
        return [once[value] for value in values]
    return list(map(cell, values))


def _lines(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def cell(value: Any) -> str:
    """One value: texts guarded against spreadsheets, lists and objects as JSON, null as nothing.

    In JSON a semicolon that would begin a formula is written as its escape, so that the JSON stays what it is.
    """
    if isinstance(value, str):
        return value if value == _NONE or (value[:1].isalnum() and not _CUT(value)) else guard(value)
    json = "" if value is None else orjson.dumps(value).decode()
    return json if ";" not in json or guard(json) == json else json.replace(";", "\\u003b")


FORM = Form(
    slug="csv",
    title=gettext_noop("CSV"),
    help=gettext_noop("For spreadsheets: cells that one would take for a formula have an apostrophe before them."),
    write=write,
    order=30,
)
