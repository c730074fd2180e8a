"""Tables as files: CSV that is safe to open in a spreadsheet, figures with what they are over."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse
from django.utils.translation import gettext

from annotation.rules.formulas import guard
from validation.rules.agreement import Figure


def csv_answer(rows: Iterable[Sequence[object]], name: str) -> HttpResponse:
    """Rows as a file to keep; the mark before them tells spreadsheets that it is UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for row in rows:
        writer.writerow([guard(cell) if isinstance(cell, str) else cell for cell in row])
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse("\ufeff" + text.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


def figure_cells(figure: Figure) -> tuple[object, ...]:
    """A coefficient's name and value, over how many items, ratings and pairs, and why it is undefined."""
    value = "" if figure.value is None else f"{figure.value:.6f}"
    pairs, why = figure.pairs or "", gettext(figure.why) if figure.why else ""
    return figure.coefficient, value, figure.items, figure.ratings, pairs, why
