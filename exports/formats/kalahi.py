"""Kalahi's published CSV: the prompts as they are, byte for byte as they came in."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from annotation.rules.responses import CellFault, write_cell
from exports.rules.kalahi_csv import LISTS, CsvFault, KalahiRow, row_of
from exports.rules.kalahi_csv import write as csv_write

from .base import Dumped, Format, FormFault, responses_of


def prompt_rows(items: Iterable[Dumped]) -> list[KalahiRow]:
    """The prompts as rows. Raises FormFault for one that no row could hold, such as a response with a semicolon."""
    return [_row(item) for item in items]


def _row(item: Dumped) -> KalahiRow:
    content = item.content
    texts = str(content["category"]), str(content["concept"]), str(content["question"])
    try:
        row = row_of(item.key, *texts, responses_of(item))
        for name in LISTS:
            write_cell(getattr(row, name))
    except (CsvFault, CellFault) as fault:
        raise FormFault(item.key, fault.message % fault.params) from None
    return row


def sheet(rows: list[KalahiRow]) -> Iterator[bytes]:
    """The file, whole: behind its last row there is no line end."""
    yield csv_write(rows)


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[bytes]:
    """A row a prompt."""
    return sheet(prompt_rows(items))


FORMAT = Format("kalahi", "Kalahi's CSV", ("prompts",), write)
