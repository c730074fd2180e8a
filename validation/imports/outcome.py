"""The outcome of one batch."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils.translation import gettext

from annotation.text.gettext import gettext_noop
from validation.imports.rules.people import MARK_WORDS, UnreadMark
from validation.imports.rules.problems import LONGEST_REASON, FileRefused, Problem, excerpt


class RefusedRow(NamedTuple):
    """A row of the report: its number, the field at fault, the reason."""

    n: int
    field: str
    reason: str
    code: str = ""


# A row is refused since its cell says something else than one of few things.
_CLOSED_VALUE_CODES = frozenset({"label_unknown", "answer_unknown", "class_unknown"})


@dataclass
class Outcome:
    """The counts of a batch, its refused rows, and how often which mark could not be read in accepted ones.

    `unknown_values` counts the values for which rows were refused, though a row has few to choose from.
    """

    accepted: int = 0
    unchanged: int = 0
    unchanged_rows: list[int] = field(default_factory=list)
    flagged: int = 0
    refused: list[RefusedRow] = field(default_factory=list)
    unread: Counter[UnreadMark] = field(default_factory=Counter)
    unknown_values: Counter[UnreadMark] = field(default_factory=Counter)

    def refuse(self, n: int, problem: Problem) -> None:
        if problem.code in _CLOSED_VALUE_CODES:
            value = next((problem.params[name] for name in ("label", "given", "answer") if name in problem.params), "")
            self.unknown_values[UnreadMark(problem.field, str(problem.params.get("name", "")), str(value))] += 1
        self.refused.append(RefusedRow(n, problem.field, problem.reason[:LONGEST_REASON], problem.code))


def id_taken(field: str, key: str, there: str, here: str) -> Problem:
    """The id is there with another text: both are shown, neither is changed (ruling 15)."""
    message = gettext_noop(
        "“%(key)s” is there already with another text. There: “%(there)s” Here: “%(here)s” "
        "Give this row another id, or correct the text on the review desk."
    )
    params = {"key": excerpt(key, 40), "there": excerpt(there), "here": excerpt(here)}
    return Problem("id_taken", field, message, params)


def problem_in_words(found: Problem | FileRefused) -> str:
    """What is wrong, in the reader's language."""
    return gettext(found.message) % found.params if found.params else gettext(found.message)


def stored_notes(notes: Iterable[Problem]) -> list[list[Any]]:
    """What was noted of a file, as a job keeps it."""
    return [[note.message, dict(note.params)] for note in notes]


def notes_in_words(kept: Iterable[Sequence[Any]]) -> list[str]:
    """What a job kept of a file, in the reader's language."""
    return [gettext(message) % params for message, params in kept]


# --- marks that cannot be read ----------------------------------------------------------------

UnreadMarks = Sequence[Sequence[str | int]]
"""Marks that could not be read, as a job keeps them: column, person, value, how often."""
# The maximum of different ones that are listed; of others only the number is given.
MOST_UNREAD = 200


def add_unread(kept: UnreadMarks, more: Mapping[UnreadMark, int], columns: Mapping[str, str]) -> list[list[str | int]]:
    """Add what a batch found, under the file's own columns; beyond the most that is listed, under no name."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for column, name, value, n in kept:
        counts[str(column), str(name), str(value)] += int(n)
    for unread, n in more.items():
        key = columns.get(unread.field, unread.field), unread.name, unread.value
        counts[key if key in counts or len(counts) < MOST_UNREAD else ("", "", "")] += n
    return [[*key, n] for key, n in sorted(counts.items())]


def unread_lines(kept: UnreadMarks) -> list[str]:
    """One line for each person and column, with each value and how often it stood there.

    Where they are words of another column, most likely the person's columns were shifted.
    """
    lines: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for column, name, value, n in kept:
        lines.setdefault((str(column), str(name)), []).append((-int(n), str(value)))
    found = []
    for (column, name), values in lines.items():
        where = ", ".join(filter(None, (column, name))) or gettext("others")
        line = f"{where}: {', '.join(_values_with_counts(values, named=bool(column)))}"
        found.append(
            gettext("%(line)s, probably a shifted column") % {"line": line} if _is_shifted_column(values) else line
        )
    return found


def _is_shifted_column(values: Sequence[tuple[int, str]]) -> bool:
    return all(value.casefold() in MARK_WORDS for _, value in values)


def _values_with_counts(values: Iterable[tuple[int, str]], *, named: bool) -> list[str]:
    missing = gettext("nothing")
    return [f"“{value}” {-n}×" if value else f"{missing} {-n}×" if named else f"{-n}×" for n, value in sorted(values)]
