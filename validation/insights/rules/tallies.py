"""Votes as columns of codes, counted into tallies: how many items got just so many of each label.

NumPy, in memory proportional to the votes. Items, people, parts and labels are codes from 0; -1 is none. Agreement
over items needs only the tallies, of which there are few however many items there are.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# Called now and then by what takes long; a job keeps its lease so.
Tick = Callable[[], None]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[Any]


def no_tick() -> None:
    """Nobody waits for a sign of life."""


class Ballots(NamedTuple):
    """Standing votes, one entry each: the item's code, the person's (-1: a place-holder, nobody), the label's.

    `items`, `people` and `labels` say how many codes there are.
    """

    item: Codes
    person: Codes
    label: Codes
    items: int
    people: int
    labels: int

    def select(self, wanted: npt.NDArray[np.bool_]) -> "Ballots":
        """Some of the votes; the codes stay what they are."""
        return self._replace(item=self.item[wanted], person=self.person[wanted], label=self.label[wanted])


class Tally(NamedTuple):
    """Different outcomes: `rows` has how many of each label, `times` how many items came out so.

    `outcome` and `item`: which of them each item came out as, and its code; empty where that is not known.
    """

    rows: Ints
    times: Ints
    outcome: Ints = np.zeros(0, np.int64)
    item: Ints = np.zeros(0, np.int64)

    def select(self, wanted: npt.NDArray[np.bool_]) -> "Tally":
        """Some of the outcomes."""
        inside = wanted[self.outcome]
        outcome = (np.cumsum(wanted) - 1)[self.outcome[inside]]
        return Tally(self.rows[wanted], self.times[wanted], outcome, self.item[inside])

    @property
    def items(self) -> int:
        """Items that were judged at all."""
        return int(self.times.sum())

    @property
    def with_several_votes(self) -> "Tally":
        """Without the items that only one person judged."""
        return self.select(self.rows.sum(axis=1) > 1)

    def units(self, names: Sequence[str]) -> Mapping[tuple[str | None, ...], int]:
        """As validation.insights.rules.agreement counts them: the labels given, by how many items got just these."""
        found: dict[tuple[str | None, ...], int] = {}
        for row, times in zip(self.rows.tolist(), self.times.tolist(), strict=True):
            found[tuple(name for name, n in zip(names, row, strict=True) for _ in range(n))] = times
        return found

    def with_votes(self, size: int) -> "Tally":
        """The items with just so many votes."""
        return self.select(self.rows.sum(axis=1) == size)

    def one_label_against_rest(self, label: int) -> "Tally":
        """One label against all the others: rows of two. Outcomes that differed in the others only become one."""
        this = self.rows[:, label]
        others = self.rows.sum(axis=1) - this
        first, outcome = number_distinct_rows(this, others)
        times = np.zeros(len(first), np.int64)
        np.add.at(times, outcome, self.times)
        return Tally(np.column_stack((this, others))[first], times, outcome[self.outcome], self.item)


def number_distinct_rows(*columns: Codes) -> tuple[Ints, Ints]:
    """Give each different row of columns a number: where each first stands, and the number of every row."""
    code = np.zeros(len(columns[0]), np.int64)
    first = code
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        _, first, code = np.unique(code * len(values) + place, return_index=True, return_inverse=True)
    return first, code


def tallies(part: Codes, item: Codes, label: Codes, labels: int) -> dict[int, Tally]:
    """Count each part's items by the labels that its votes gave them. A vote of part -1 stands in none."""
    if (part < 0).any():
        inside = part >= 0
        part, item, label = part[inside], item[inside], label[inside]
    if not len(item):
        return {}
    first, unit = number_distinct_rows(part, item)
    rows = np.bincount(unit * labels + label, minlength=len(first) * labels).reshape(-1, labels)
    parts, items = part[first], item[first]
    like, outcome = number_distinct_rows(parts, *rows.T)
    times = np.bincount(outcome)
    # Outcomes stand in the order of their parts.
    by_outcome = np.argsort(parts, kind="stable")
    names, begins, units = np.unique(parts[by_outcome], return_index=True, return_counts=True)
    starts = np.unique(parts[like], return_index=True)[1]
    ends = [*starts.tolist()[1:], len(like)]
    found = {}
    for n, name in enumerate(names.tolist()):
        unit, here = by_outcome[begins[n] : begins[n] + units[n]], slice(int(starts[n]), ends[n])
        columns = (rows[like[here]].astype(np.int64), times[here].astype(np.int64))
        found[int(name)] = Tally(*columns, outcome[unit] - starts[n], items[unit])
    return found


def tally(item: Codes, label: Codes, labels: int) -> Tally:
    """Count all items by the labels that they got."""
    whole = tallies(np.zeros(len(item), np.int8), item, label, labels)
    return whole.get(0, Tally(np.zeros((0, labels), np.int64), np.zeros(0, np.int64)))
