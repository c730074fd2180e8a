"""Kalahi's CSV without users, and without the prompts that have a personal situation (“unenriched”, Appendix H)."""

from collections.abc import Iterable, Iterator

from annotation.elicitation.rules.prompts import read_id
from annotation.kinds import Kind
from exports.formats.paper.base import Dumped, Format, Piece
from exports.formats.paper.kalahi import prompt_rows, sheet


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """The prompts whose responses fit without knowing more of the person."""
    rows = prompt_rows(items, user=False)
    return sheet([row for row in rows if not read_id(row.prompt_variation_id).personal])


FORMAT = Format(
    "kalahi-no-situation",
    "Kalahi's CSV, without users and personal situations",
    ("prompts",),
    write,
)
