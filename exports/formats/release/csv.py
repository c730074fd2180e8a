"""CSV: two files for each file of rows, the data as they are and a copy for spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

import orjson

from annotation.text.formulas import GUARDED_COLUMN, MARK, guard, spreadsheet_name
from annotation.text.gettext import gettext_noop
from exports.formats.release.base import Form, ReleaseFiles, Table, path_in_folder, tables

FOLDER = "csv"
_TEXTS = {str, type(None)}
# A text that begins with a letter or digit and is cut nowhere is nothing to guard; nor is the sign for "none" in
# columns of labels, which by itself no spreadsheet takes for a formula.
_is_plain = re.compile(r"(?:\w[^;\t\r\n]*|-|)\Z").match


def write(release: ReleaseFiles) -> None:
    """Write every table; splits of one config have the same columns."""
    for table in tables(release):
        for name in table.files:
            _files(release, table, name)


def _files(release: ReleaseFiles, table: Table, name: str) -> None:
    from exports.formats.rules.columns import values_by_column

    columns, path = table.schema.names, path_in_folder(name, FOLDER)
    with release.sink(path) as data, release.sink(spreadsheet_name(path)) as copy:
        data.append(_lines([columns]), 0)
        copy.append(MARK.encode() + _lines([[*columns, GUARDED_COLUMN]]), 0)
        for page in release.rows(name):
            values = values_by_column(page, columns) or [[row.get(column) for row in page] for column in columns]
            cells, guarded = zip(*map(_cells, values), strict=True)
            data.append(_lines(zip(*cells, strict=True)), len(page))
            copy.append(_lines(zip(*guarded, repeat("", len(page)), strict=True)), len(page))


def _cells(values: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The cells of a column in both files: null is nothing, lists and objects are JSON.

    In the copy texts are guarded. A semicolon of JSON that would begin a formula is written as its escape, so that the
    JSON stays what it is.
    """
    if set(map(type, values)) <= _TEXTS:
        cells = [value or "" for value in values]
        return cells, [text if _is_plain(text) else guard(text) for text in cells]
    dumps = orjson.dumps
    cells = [value if type(value) is str else "" if value is None else dumps(value).decode() for value in values]
    copies = [
        text if ";" not in text and type(value) is not str else _guarded(value, text)
        for value, text in zip(values, cells, strict=True)
    ]
    return cells, copies


def _guarded(value: Any, text: str) -> str:
    if isinstance(value, str):
        return text if _is_plain(text) else guard(text)
    return text if guard(text) == text else text.replace(";", "\\u003b")


def _lines(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


FORM = Form(
    slug="csv",
    title=gettext_noop("CSV"),
    help=gettext_noop(
        "The data as they are, and beside each file a copy for spreadsheets, in which cells that one would take for a "
        "formula have an apostrophe before them."
    ),
    write=write,
    order=30,
)
