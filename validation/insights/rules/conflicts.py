"""Who answers otherwise than the writer: conflicts of writers with answerers (id-csqa §4.2), from votes alone.

A conflict is a vote that differs from the label that the item's writer gave. Votes come grouped (`AnswerGroup`): how
many one person gave to items of one writer in one category, and how many of them conflict. Names are pseudonyms; an
item that nobody is known to have written has the writer `-`. A place-holder of an import (`?1`) is no person (ruling
3).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import urlencode

from annotation.text.normalise import storage_problem
from validation.insights.rules.agreement import (
    Figure,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from validation.review.rules.filters import MOST_ROUND, FilterError

NOBODY = "-"
DARKEST = 10
LONGEST = 200
_PLACEHOLDER = re.compile(r"\?\d+")


class AnswerGroup(NamedTuple):
    """How many answers one person gave to one writer's items of a category, and how many of them conflict."""

    writer: str
    answerer: str
    category: str
    writer_region: str
    region: str
    answers: int
    conflicts: int


class Cell(NamedTuple):
    """Answers, and how many of them differ from the writer's."""

    answers: int = 0
    conflicts: int = 0

    @property
    def share(self) -> Fraction | None:
        """Conflicts of all answers; None where there are none."""
        return Fraction(self.conflicts, self.answers) if self.answers else None

    @property
    def percent(self) -> float | None:
        """The share in percent, to show."""
        return None if self.share is None else float(100 * self.share)

    @property
    def agreeing(self) -> float | None:
        """Answers that are the writer's, in percent."""
        return None if self.share is None else float(100 * (1 - self.share))


CellsByName = Mapping[str, Cell]
CellsByPair = Mapping[tuple[str, str], Cell]


@dataclass(frozen=True)
class Conflicts:
    """Answers and conflicts, crossed (writer with answerer, the writer's region with the answerer's) and in sums."""

    cells: CellsByPair
    regions: CellsByPair
    writers: CellsByName
    answerers: CellsByName
    categories: CellsByName
    total: Cell


def group_of_vote(
    writer: str,
    answerer: str,
    author_label: str,
    label: str,
    category: str = "",
    writer_region: str = "",
    region: str = "",
) -> AnswerGroup:
    """One vote, as a group of its own."""
    return AnswerGroup(writer or NOBODY, answerer, category, writer_region, region, 1, int(label != author_label))


def is_placeholder(pseudonym: str) -> bool:
    """Whether the name stands for somebody whom an import did not name: never in statistics by person (ruling 3)."""
    return _PLACEHOLDER.fullmatch(pseudonym) is not None


def tabulate(groups: Iterable[AnswerGroup]) -> Conflicts:
    """Add groups up, each sum in the natural order of its names."""
    sums: tuple[dict[tuple[str, ...], list[int]], ...] = tuple(defaultdict(lambda: [0, 0]) for _ in range(6))
    for group in groups:
        names = (
            (group.writer, group.answerer),
            (group.writer_region, group.region),
            (group.writer,),
            (group.answerer,),
            (group.category,),
            (),
        )
        for into, name in zip(sums, names, strict=True):
            into[name][0] += group.answers
            into[name][1] += group.conflicts
    cells, regions, writers, answerers, categories, total = (
        {name: Cell(*into[name]) for name in sorted(into, key=lambda name: [natural_key(part) for part in name])}
        for into in sums
    )
    return Conflicts(
        cells={(row, column): cell for (row, column), cell in cells.items()},
        regions={(row, column): cell for (row, column), cell in regions.items()},
        writers={name: cell for (name,), cell in writers.items()},
        answerers={name: cell for (name,), cell in answerers.items()},
        categories={name: cell for (name,), cell in categories.items()},
        total=total.get((), Cell()),
    )


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sort names as people count them: W2 before W10."""
    return [
        (int(part), "") if part.isascii() and part.isdigit() else (0, part)
        for part in re.split(r"([0-9]{1,18})", name)
        if part
    ]


def heat(cell: Cell, most: Fraction) -> int:
    """How dark a cell is, 0 to 10: its share beside the largest one; any conflict is at least 1."""
    if not cell.conflicts or not cell.share or not most:
        return 0
    return max(1, round(DARKEST * cell.share / most))


class Agreement(NamedTuple):
    """Agreement of those who answered; `with_author` is alpha with the writer's label as one more rating."""

    percent: Figure
    alpha: Figure
    fleiss: Figure
    with_author: Figure
    fleiss_with_author: Figure

    @property
    def listed(self) -> Sequence[Figure]:
        """The figures over the answers alone."""
        return (self.percent, self.alpha, self.fleiss)

    @property
    def listed_with_author(self) -> Sequence[Figure]:
        """The figures with the writer's label as one more rating."""
        return (self.with_author, self.fleiss_with_author)


# (the author's label, the labels given, sorted) to how many items have just these.
Tallies = Mapping[tuple[str, tuple[str, ...]], int]


def agreement(tallies: Tallies) -> Agreement:
    """Agreement over items that are counted by what was answered; intervals are those of the page on agreement."""
    given: dict[tuple[str | None, ...], int] = defaultdict(int)
    with_author: dict[tuple[str | None, ...], int] = defaultdict(int)
    for (author, labels), times in tallies.items():
        given[labels] += times
        if author and labels:
            with_author[author, *labels] += times
    return Agreement(
        percent_agreement(given),
        krippendorff_alpha(given),
        fleiss_kappa(given),
        krippendorff_alpha(with_author),
        fleiss_kappa(with_author),
    )


def merge_tallies(parts: Iterable[Tallies]) -> Tallies:
    """The tallies of several groups of items as one."""
    whole: dict[tuple[str, tuple[str, ...]], int] = defaultdict(int)
    for part in parts:
        for key, times in part.items():
            whole[key] += times
    return whole


@dataclass(frozen=True)
class ConflictFilters:
    """What the page is narrowed to, as its address says. `-` is: none given. Persons narrow the list of items only."""

    category: str = ""
    region: str = ""
    writer_region: str = ""
    round: int | None = None
    writer: str = ""
    answerer: str = ""
    all: bool = False
    page: int = field(default=1, compare=False)

    @property
    def fields(self) -> dict[str, str]:
        """The filters that are set, as an address holds them."""
        named = {name: getattr(self, name) for name in TEXTS}
        named["round"] = "" if self.round is None else str(self.round)
        named["all"] = "1" if self.all else ""
        return {name: value for name, value in named.items() if value}

    @property
    def of_page(self) -> dict[str, str]:
        """The filters of the page itself, without whose items a list shows."""
        return {name: value for name, value in self.fields.items() if name not in ("writer", "answerer", "all")}

    @property
    def query(self) -> str:
        """The filters for another page of a list: ends in `&` where there are any."""
        return urlencode(self.fields) + "&" if self.fields else ""


TEXTS = ("category", "region", "writer_region", "writer", "answerer")


def read_filters(raw: Mapping[str, str]) -> ConflictFilters:
    """Read the filters of an address. Unknown names are ignored; raises `FilterError` for a value that cannot be.

    A name with two underscores is refused: it asks for a column, and no list gives any.
    """
    for name in raw:
        if "__" in name:
            raise FilterError(name)
    texts = {name: raw.get(name, "").strip() for name in TEXTS}
    for name, value in texts.items():
        if len(value) > LONGEST or storage_problem(value):
            raise FilterError(name)
    return ConflictFilters(
        round=_number(raw, "round", MOST_ROUND),
        all=raw.get("all", "") == "1",
        page=_number(raw, "page", 100_000) or 1,
        **texts,
    )


def _number(raw: Mapping[str, str], name: str, most: int) -> int | None:
    value = raw.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > len(str(most)) or not 1 <= int(value) <= most:
        raise FilterError(name)
    return int(value)
