"""Answers that are files of a table: CSV as the data are or as a copy for spreadsheets, and LaTeX."""

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from annotation.text.formulas import guarded_lines, line, spreadsheet_name

Cells = tuple[object, ...]
# `?copy=spreadsheet` asks for the copy (templates/partials/csv_links.html).
_COPY, _SPREADSHEET = "copy", "spreadsheet"
_TYPE = "text/csv; charset=utf-8"


def csv_answer(request: HttpRequest | None, rows: Iterable[Iterable[object]], name: str) -> HttpResponse:
    """Rows as a file to keep; of the API (no `request`) always the data as they are."""
    if request is not None and _asks_for_copy(request):
        return HttpResponse("".join(guarded_lines(rows)), content_type=_TYPE, headers=_headers(spreadsheet_name(name)))
    return HttpResponse("".join(map(line, rows)), content_type=_TYPE, headers=_headers(name))


def csv_streamed(request: HttpRequest, rows: Iterable[Iterable[object]], name: str) -> StreamingHttpResponse:
    """The same for as many rows as there are: each is sent when it was fetched."""
    if _asks_for_copy(request):
        return StreamingHttpResponse(guarded_lines(rows), content_type=_TYPE, headers=_headers(spreadsheet_name(name)))
    return StreamingHttpResponse(map(line, rows), content_type=_TYPE, headers=_headers(name))


def latex_answer(text: str, name: str) -> HttpResponse:
    """A table for a paper as a file to keep."""
    return HttpResponse(text, content_type="application/x-tex; charset=utf-8", headers=_headers(name))


def _asks_for_copy(request: HttpRequest) -> bool:
    return request.GET.get(_COPY) == _SPREADSHEET


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
