"""Kalahi's CSV with every prompt without its user (“partially enriched”, Appendix H)."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from exports.formats.paper.base import Dumped, Format, Piece
from exports.formats.paper.kalahi import prompt_rows, sheet


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """All prompts; ids and responses stay."""
    return sheet(prompt_rows(items, user=False))


FORMAT = Format("kalahi-no-user", "Kalahi's CSV, prompts without their user", ("prompts",), write)
