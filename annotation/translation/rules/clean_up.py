"""Rows on their way into a source set, and the reasons and counts of its clean-up (LoraxBench §3.4, Table 2).

A row is removed, has a typo fixed, a distractor improved, or is marked as unanswerable without its passage. Every
step has a reason; the list is seeded with five (domain.md §7) and a project can have its own.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from annotation import kinds
from annotation.core.rules import error_types
from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import key_form, storage_problem
from annotation.translation.rules.source_units import (
    MOST_FIELDS,
    Row,
    SourceShape,
    answer_key,
    field_title,
    span_of,
)
from validation.imports.rules.problems import Problem, excerpt

REMOVED, TYPO, DISTRACTOR = "removed", "typo", "distractor"
UNANSWERABLE, UNDONE = "unanswerable", "undone"
STEPS = (REMOVED, TYPO, DISTRACTOR, UNANSWERABLE)
REASONS: tuple[tuple[str, str], ...] = (
    ("too-specific", _("Too specific to a place")),
    ("repetitive", _("Repetitive")),
    ("obvious", _("Obvious")),
    ("changes-with-time", _("The answer changes with time")),
    ("ambiguous-without-passage", _("Ambiguous without its passage")),
)
# A typo needs no further reason: it is one.
SPELLING = "spelling"
SPELLING_NAME = _("Spelling, grammar or punctuation")


def reasons_of(own: str) -> tuple[tuple[str, str], ...]:
    """The reasons of a project, code and words: its own list (as error types are written), or the five."""
    return error_types.parse(own) or REASONS


class CleanedRow(NamedTuple):
    """A row as clean-up left it: its unit, the keys of its fields, and what stands on it."""

    unit: int
    fields: Collection[str]
    removed: bool
    unanswerable: bool


class ChangedText(NamedTuple):
    """A text that a standing step changed: which one, and what was done to it."""

    unit: int
    field: str
    what: str


@dataclass(frozen=True)
class CleanUpCounts:
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


def count_clean_up(
    rows: Iterable[CleanedRow], fixed: Iterable[ChangedText], reasons: Mapping[tuple[str, str], int]
) -> CleanUpCounts:
    """Count a source set as the paper's Table 2 does."""
    changed: dict[str, set[tuple[int, str]]] = {TYPO: set(), DISTRACTOR: set()}
    for each in fixed:
        changed[each.what].add((each.unit, each.field))
    counted: Counter[str] = Counter()
    for row in rows:
        counted["rows"] += 1
        if row.removed:
            counted[REMOVED] += 1
            continue
        counted[UNANSWERABLE] += row.unanswerable
        for what, texts in changed.items():
            counted[what] += any((row.unit, key) in texts for key in row.fields)
    return CleanUpCounts(
        rows=counted["rows"],
        removed=counted[REMOVED],
        typos=counted[TYPO],
        distractors=counted[DISTRACTOR],
        unanswerable=counted[UNANSWERABLE],
        texts={what: len(texts) for what, texts in changed.items()},
        reasons=dict(reasons),
    )


# With the set's and a target's short name it still fits into an item's key.
LONGEST_KEY = 130
LONGEST_TEXT, LONGEST_LABEL, LONGEST_SPLIT = 10_000, 200, 20
LEAST_CHOICES = 2


def upstream_hash(texts: Mapping[str, str]) -> str:
    """What an item's texts were when a row was taken from it."""
    plain = "\0".join(f"{key}\0{text}" for key, text in sorted(texts.items()))
    return sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def split_rows(shape: SourceShape, rows: Iterable[Row]) -> tuple[list[Row], list[tuple[Row, Problem]]]:
    """The rows that can be taken, in their order, and the others with what is wrong and what to do."""
    taken: dict[str, Row] = {}
    refused = []
    for row in rows:
        problem = problem_of(shape, row)
        if problem is None and row.key in taken:
            there = taken[row.key].number
            message = _("“%(key)s” is the id of row %(there)s already; give this row another id.")
            params = {"key": excerpt(row.key, 40), "there": there or "–"}
            problem = Problem("id_twice", "id", message, params)
        if problem is None:
            taken[row.key] = row
        else:
            refused.append((row, problem))
    return list(taken.values()), refused


def problem_of(shape: SourceShape, row: Row) -> Problem | None:
    """What keeps a row out of a set of this shape; None where nothing does."""
    return _key_problem(row) or _texts_problem(shape, row) or _span_problem(shape, row) or _label_problem(shape, row)


def _key_problem(row: Row) -> Problem | None:
    if not row.key:
        return Problem("missing", "id", _("The id is missing; every row needs one of its own."))
    if storage_problem(row.key) or len(row.key) > LONGEST_KEY:
        message = _("An id has at most %(most)s characters; give the row a shorter one.")
        return Problem("id_wrong", "id", message, {"most": LONGEST_KEY})
    if len(row.split) > LONGEST_SPLIT or storage_problem(row.split):
        message = _("The name of a split has at most %(most)s characters.")
        return Problem("split_wrong", "split", message, {"most": LONGEST_SPLIT})
    return None


def _texts_problem(shape: SourceShape, row: Row) -> Problem | None:
    for role in shape.roles:
        mine = [key for key in row.texts if shape.role(key) is role]
        least = LEAST_CHOICES if role.several else 1
        if len(mine) < least and not role.optional:
            message = _("There are %(n)s texts of this kind; at least %(least)s are needed.")
            if not role.several:
                message = _("The text is missing.")
            return Problem("missing", role.key, message, {"n": len(mine), "least": least})
    if len(row.texts) > MOST_FIELDS:
        message = _("The row has %(n)s texts; a form holds at most %(most)s.")
        return Problem("too_many", "", message, {"n": len(row.texts), "most": MOST_FIELDS})
    return next(filter(None, (_text_problem(key, text) for key, text in row.texts.items())), None)


def _text_problem(key: str, text: str) -> Problem | None:
    if storage_problem(text) or len(text) > LONGEST_TEXT:
        message = _("This text cannot be stored: it is too long, or holds a character that is none.")
        return Problem("not_storable", key, message)
    if not key_form(text):
        return Problem("missing", key, _("The text holds nothing that can be seen."))
    return None


def _span_problem(shape: SourceShape, row: Row) -> Problem | None:
    """An answer has to stand in its passage, letter by letter."""
    for key, text in row.texts.items():
        within = span_of(shape, key)
        if within and text not in row.texts[within]:
            message = _("The %(within)s does not contain “%(text)s”; copy it from there as it is.")
            name = field_title(shape, within)[0].lower()
            return Problem("no_span", key, message, {"text": excerpt(text, 60), "within": name})
    return None


def _label_problem(shape: SourceShape, row: Row) -> Problem | None:
    """Where rows have choices the label names one; where a kind has labels it is read before (`Row.label`)."""
    role = next((role for role in shape.roles if role.distractors), None)
    if role is None and kinds.judging_kind(shape.slug) is None:
        if len(row.label) > LONGEST_LABEL or storage_problem(row.label):
            return Problem("label_wrong", "label", _("This label cannot be stored: it is too long."))
        return None
    if not row.label:
        return Problem("missing", "label", _("The label is missing; say which answer is right."))
    if role is not None and not answer_key(shape, row.label, row.texts):
        message = _("“%(label)s” names none of %(choices)s: write its letter, or its place from 0.")
        names = sorted(key.partition("-")[2] for key in row.texts if shape.role(key) is role)
        return Problem(
            "label_unknown", "label", message, {"label": excerpt(row.label, 40), "choices": ", ".join(names)}
        )
    return None
