"""Kalahi's CSV with every prompt without its user (“partially enriched”, Appendix H)."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from exports.rules.kalahi_csv import without_user

from .base import Dumped, Format
from .kalahi import prompt_rows, sheet


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[bytes]:
    """All prompts; ids and responses stay."""
    return sheet(without_user(prompt_rows(items)))


FORMAT = Format("kalahi-no-user", "Kalahi's CSV, prompts without their user", ("prompts",), write)
