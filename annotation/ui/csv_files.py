"""Answers that are files of a table: CSV, safe to open in a spreadsheet, and LaTeX."""

from collections.abc import Iterable, Iterator

from django.http import HttpResponse, StreamingHttpResponse

from annotation.text.formulas import line

Cells = tuple[object, ...]
# By this mark spreadsheets recognise UTF-8.
_MARK = "\ufeff"
_TYPE = "text/csv; charset=utf-8"


def csv_answer(rows: Iterable[Iterable[object]], name: str) -> HttpResponse:
    """Rows as a file to keep."""
    return HttpResponse(_MARK + "".join(map(line, rows)), content_type=_TYPE, headers=_headers(name))


def csv_streamed(rows: Iterable[Iterable[object]], name: str) -> StreamingHttpResponse:
    """The same for as many rows as there are: each is sent when it was fetched."""
    return StreamingHttpResponse(_lines(rows), content_type=_TYPE, headers=_headers(name))


def latex_answer(text: str, name: str) -> HttpResponse:
    """A table for a paper as a file to keep."""
    return HttpResponse(text, content_type="application/x-tex; charset=utf-8", headers=_headers(name))


def _lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    mark = _MARK
    for row in rows:
        yield mark + line(row)
        mark = ""


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
