"""Kalahi's published CSV: the prompts as they are, byte for byte as they came in."""

from collections.abc import Iterable, Iterator

from annotation.elicitation.rules.prompts import compose
from annotation.elicitation.rules.responses import CellFault, write_cell
from annotation.kinds import Kind
from annotation.kinds.cultural import parts_of
from exports.formats.paper.base import Dumped, Format, FormFault, Piece, responses_of
from exports.formats.rules.kalahi_csv import LISTS, CsvFault, KalahiRow, row_of
from exports.formats.rules.kalahi_csv import write as csv_write


def prompt_rows(items: Iterable[Dumped], *, user: bool = True) -> list[KalahiRow]:
    """The prompts as rows, without their users where not `user`; ids and responses stay (Kalahi, Appendix H).

    Raises FormFault for one that no row could hold, such as a response with a semicolon.
    """
    return [_row(item, user=user) for item in items]


def _row(item: Dumped, *, user: bool) -> KalahiRow:
    content = item.content
    prompt = str(content["question"]) if user else compose(parts_of(content)._replace(user=""))
    texts = str(content["category"]), str(content["concept"]), prompt
    try:
        row = row_of(item.key, *texts, responses_of(item))
        for name in LISTS:
            write_cell(getattr(row, name))
    except (CsvFault, CellFault) as fault:
        raise FormFault(item.key, fault.message % fault.params) from None
    return row


def sheet(rows: list[KalahiRow]) -> Iterator[Piece]:
    """The file, whole: behind its last row there is no line end."""
    yield Piece(csv_write(rows), len(rows))


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """A row a prompt."""
    return sheet(prompt_rows(items))


FORMAT = Format("kalahi", "Kalahi's CSV", ("prompts",), write)
