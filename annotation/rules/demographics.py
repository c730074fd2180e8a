"""What members may say about themselves, and how releases count it: never a group that is too small to hide in.

Pure (domain.md §2; Bender and Friedman 2018, "annotator demographic"). A table of one field partitions those who said
something. Groups below the threshold go into one group of others; where that is below the threshold itself the
smallest shown group joins it, so that no group follows from the total and the rest. Nor does one follow from two
releases: where fewer than the threshold came, went or changed their word, the table of before stays.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple


def gettext_noop(text: str) -> str:
    """Mark for translation without Django; templates translate."""
    return text


THRESHOLD, LARGEST_THRESHOLD = 5, 100
LONGEST = 80

# In the order in which forms ask and cards list them. `region` is that of the member's place.
FIELDS: Mapping[str, str] = {
    "native_language": gettext_noop("Native language"),
    "region": gettext_noop("Region"),
    "ethnicity": gettext_noop("Ethnicity"),
    "domicile": gettext_noop("Domicile"),
    "years_there": gettext_noop("Years at the domicile"),
    "education": gettext_noop("Education"),
    "age_band": gettext_noop("Age"),
    "gender": gettext_noop("Gender"),
    "income_group": gettext_noop("Income group"),
    "expertise": gettext_noop("Expertise"),
}
CHOICES: Mapping[str, list[tuple[str, str]]] = {
    "years_there": [
        ("0-4", gettext_noop("under 5 years")),
        ("5-14", gettext_noop("5 to 14 years")),
        ("15-24", gettext_noop("15 to 24 years")),
        ("25+", gettext_noop("25 years and more")),
    ],
    "education": [
        ("school", gettext_noop("school")),
        ("vocational", gettext_noop("vocational training")),
        ("student", gettext_noop("student")),
        ("bachelor", gettext_noop("bachelor's degree")),
        ("master", gettext_noop("master's degree")),
        ("doctorate", gettext_noop("doctorate")),
    ],
    "age_band": [
        ("15-24", "15–24"),
        ("25-34", "25–34"),
        ("35-44", "35–44"),
        ("45-54", "45–54"),
        ("55-64", "55–64"),
        ("65+", gettext_noop("65 and over")),
    ],
    "income_group": [
        ("lower", gettext_noop("lower")),
        ("lower-middle", gettext_noop("lower middle")),
        ("middle", gettext_noop("middle")),
        ("upper-middle", gettext_noop("upper middle")),
        ("upper", gettext_noop("upper")),
    ],
}


class Said(NamedTuple):
    """What one person said in a field, and the smallest group that they agreed to be counted in."""

    value: str
    least: int = THRESHOLD


@dataclass(frozen=True)
class Counts:
    """One field's table: groups with their sizes, and how many are in none of them (`others`).

    `said` is how many said something, 0 where nothing may be told. `least` is the smallest group that was allowed,
    `earlier` whether it is the table of an earlier release.
    """

    field: str
    said: int
    groups: tuple[tuple[str, int], ...]
    others: int
    least: int
    earlier: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "field": self.field,
            "said": self.said,
            "groups": [list(group) for group in self.groups],
            "others": self.others,
            "least": self.least,
            "earlier": self.earlier,
        }

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "Counts":
        groups = tuple((str(value), int(n)) for value, n in raw["groups"])
        return cls(raw["field"], raw["said"], groups, raw["others"], raw["least"], raw["earlier"])


class Told(NamedTuple):
    """A table that a release told, and of whom, by any stable name."""

    table: Counts
    of: frozenset[int]


def allowed(said: Iterable[Said], threshold: int) -> int:
    """The smallest group of a table: below five only where everybody in it agreed to as small a group."""
    if threshold >= THRESHOLD:
        return threshold
    return threshold if all(one.least <= threshold for one in said) else THRESHOLD


def counted(field: str, said: Iterable[Said], threshold: int) -> Counts:
    """Count what people said in one field; empty values are not said. Nothing is told of fewer than the threshold."""
    given = [one for one in said if one.value]
    least = allowed(given, threshold)
    # By size, then by the spelling itself: no collation, so the same anywhere.
    sizes = sorted(Counter(one.value for one in given).items(), key=lambda group: (-group[1], group[0]))
    shown = [group for group in sizes if group[1] >= least]
    others = len(given) - sum(n for _, n in shown)
    while 0 < others < least and shown:
        others += shown.pop()[1]
    if others and others < least:
        return Counts(field, 0, (), 0, least)
    return Counts(field, len(given), tuple(shown), others, least)


def steady(now: Told, before: Told | None, changed: Collection[int]) -> tuple[Counts, Told | None]:
    """What is told after what was told before, and what the next release is to be held against.

    `changed` are those whose word is newer than the table of before. Fewer than the threshold between two tables
    would be told about by their difference: then the table of before stays, or none is told where somebody that it
    counts is to be counted no more.
    """
    if before is None:
        return now.table, now if now.table.said else None
    moved = (now.of ^ before.of) | {one for one in now.of if one in changed}
    if not moved or len(moved) >= now.table.least:
        return now.table, now if now.table.said else before
    fits = before.table.least >= now.table.least
    if before.of <= now.of and fits:
        return replace(before.table, earlier=True), before
    return Counts(now.table.field, 0, (), 0, now.table.least), before
