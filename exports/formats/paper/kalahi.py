"""Kalahi's published CSV: the prompts byte for byte as they were imported; without users or situations."""

from collections.abc import Iterable, Iterator

from annotation.elicitation.rules.prompts import compose, parts_of, read_id
from annotation.elicitation.rules.responses import CellFault, write_cell
from annotation.kinds import Kind
from exports.formats.paper.base import DumpedItem, Format, FormFault, Piece, responses_of
from exports.formats.rules.kalahi_csv import LISTS, CsvFault, KalahiRow, row_of
from exports.formats.rules.kalahi_csv import write as csv_write


def prompt_rows(items: Iterable[DumpedItem], *, user: bool = True) -> list[KalahiRow]:
    """The prompts as rows, without their users where not `user`; ids and responses stay (Kalahi, Appendix H).

    Raises FormFault for one that no row could hold, such as a response with a semicolon.
    """
    return [_row(item, user=user) for item in items]


def _row(item: DumpedItem, *, user: bool) -> KalahiRow:
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


def write(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """A row a prompt."""
    return sheet(prompt_rows(items))


def without_user(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """All prompts (“partially enriched”, Appendix H); ids and responses stay."""
    return sheet(prompt_rows(items, user=False))


def without_situation(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """The prompts whose responses fit without knowing more of the person (“unenriched”, Appendix H)."""
    rows = prompt_rows(items, user=False)
    return sheet([row for row in rows if not read_id(row.prompt_variation_id).personal])


FORMATS = (
    Format("kalahi", "Kalahi's CSV", ("prompts",), write),
    Format("kalahi-no-user", "Kalahi's CSV, prompts without their user", ("prompts",), without_user),
    Format(
        "kalahi-no-situation",
        "Kalahi's CSV, without users and personal situations",
        ("prompts",),
        without_situation,
    ),
)
