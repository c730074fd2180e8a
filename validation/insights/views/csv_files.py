"""Tables as files: CSV that is safe to open in a spreadsheet, figures with what they are over."""

from django.utils.translation import gettext

from annotation.ui.csv_files import csv_answer as csv_answer
from validation.insights.rules.agreement import Figure


def figure_cells(figure: Figure) -> tuple[object, ...]:
    """A coefficient's name and value, over how many items, ratings and pairs, and why it is undefined."""
    value = "" if figure.value is None else f"{figure.value:.6f}"
    pairs, why = figure.pairs or "", gettext(figure.why) if figure.why else ""
    return figure.coefficient, value, figure.items, figure.ratings, pairs, why
