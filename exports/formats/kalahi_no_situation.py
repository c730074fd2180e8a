"""Kalahi's CSV without users, and without the prompts that have a personal situation (“unenriched”, Appendix H)."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from exports.rules.kalahi_csv import without_user_and_personal

from .base import Dumped, Format
from .kalahi import prompt_rows, sheet


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[bytes]:
    """The prompts whose responses fit without knowing more of the person."""
    return sheet(without_user_and_personal(prompt_rows(items)))


FORMAT = Format(
    "kalahi-no-situation",
    "Kalahi's CSV, without users and personal situations",
    ("prompts",),
    write,
)
