"""Cleaning a source set before it is translated: the reasons, and the counts of LoraxBench §3.4, Table 2.

A row is removed, has a typo fixed, a distractor improved, or is marked as unanswerable without its passage. Every
step has a reason; the list is seeded with five (domain.md §7) and a project can have its own.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from annotation.core.rules import error_types


def gettext_noop(text: str) -> str:
    """Mark for translation without Django; templates translate."""
    return text


REMOVED, TYPO, DISTRACTOR, UNANSWERABLE, UNDONE = (
    "removed",
    "typo",
    "distractor",
    "unanswerable",
    "undone",
)
STEPS = (REMOVED, TYPO, DISTRACTOR, UNANSWERABLE)
REASONS: tuple[tuple[str, str], ...] = (
    ("too-specific", gettext_noop("Too specific to a place")),
    ("repetitive", gettext_noop("Repetitive")),
    ("obvious", gettext_noop("Obvious")),
    ("changes-with-time", gettext_noop("The answer changes with time")),
    ("ambiguous-without-passage", gettext_noop("Ambiguous without its passage")),
)
# A typo needs no further reason: it is one.
SPELLING = "spelling"
SPELLING_NAME = gettext_noop("Spelling, grammar or punctuation")


def reasons_of(own: str) -> tuple[tuple[str, str], ...]:
    """The reasons of a project, code and words: its own list (as error types are written), or the five."""
    return error_types.parse(own) or REASONS


class Standing(NamedTuple):
    """A row as clean-up left it: its unit, the keys of its fields, and what stands on it."""

    unit: int
    fields: Collection[str]
    removed: bool
    unanswerable: bool


class Fixed(NamedTuple):
    """A text that a standing step changed: which one, and what was done to it."""

    unit: int
    field: str
    what: str


@dataclass(frozen=True)
class Counts:
    """Table 2: rows that came, were removed, had a text fixed or a distractor improved, are unanswerable, are left.

    `typos` and `distractors` count rows that are left, each once; `texts` counts the texts changed, by what was done:
    one premise fixed for six rows is one text. `reasons` counts the standing steps by what and why.
    """

    rows: int
    removed: int
    typos: int
    distractors: int
    unanswerable: int
    texts: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def final(self) -> int:
        """The final data count."""
        return self.rows - self.removed


def counts(
    rows: Iterable[Standing], fixed: Iterable[Fixed], reasons: Mapping[tuple[str, str], int]
) -> Counts:
    """Count a source set as the paper's Table 2 does."""
    changed: dict[str, set[tuple[int, str]]] = {TYPO: set(), DISTRACTOR: set()}
    for each in fixed:
        changed[each.what].add((each.unit, each.field))
    found: Counter[str] = Counter()
    for row in rows:
        found["rows"] += 1
        if row.removed:
            found[REMOVED] += 1
            continue
        found[UNANSWERABLE] += row.unanswerable
        for what, texts in changed.items():
            found[what] += any((row.unit, key) in texts for key in row.fields)
    return Counts(
        rows=found["rows"],
        removed=found[REMOVED],
        typos=found[TYPO],
        distractors=found[DISTRACTOR],
        unanswerable=found[UNANSWERABLE],
        texts={what: len(texts) for what, texts in changed.items()},
        reasons=dict(reasons),
    )
