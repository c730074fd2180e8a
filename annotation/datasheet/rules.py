"""What members may say about themselves, and how releases count it: never a group that is too small to hide in.

Pure (domain.md §2; Bender and Friedman 2018, whose sections of a data statement stand here too). A table of one field
partitions those who said something. Groups below the threshold go into one group of others; where that is below the
threshold itself the smallest shown group joins it, so that no group follows from the total and the rest. Nor does one
follow from any two releases: a new table is held against every one that was told, and where it is of nearly the same
people as one of them, the last one stays.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import key_form

SECTIONS: Mapping[str, tuple[str, str]] = {
    "curation_rationale": (
        _("Curation rationale"),
        _("Which texts were chosen, why, and what the data are for."),
    ),
    "language_variety": (
        _("Language variety"),
        _("Which variety, dialect or register; the language and targets are added from the project."),
    ),
    "speaker_demographic": (_("Speaker demographic"), _("Who wrote the source texts, where that is known.")),
    "annotator_demographic": (
        _("Annotator demographic"),
        _(
            "Who wrote and judged the items: how they were found, trained and paid. Counts of what they said "
            "are added where they agreed."
        ),
    ),
    "speech_situation": (
        _("Speech situation"),
        _("When, where and for whom the texts were written; in one go or edited."),
    ),
    "text_characteristics": (_("Text characteristics"), _("Genre, topics, structure of the texts.")),
    "recording_quality": (
        _("Recording quality"),
        _("For texts that were taken down from speech; empty otherwise."),
    ),
    "other": (_("Other"), _("What else a user of the data should know.")),
    "provenance": (
        _("Provenance"),
        _("Where texts come from another data set: its name, licence and its own statement."),
    ),
}
LONGEST_SECTION, LONGEST_LINE = 10_000, 200
# What reviewers of data sets ask beside that and nobody but the administrators knows (docs/data-statement.md): the name
# of the field, what is asked, and whether it is one line.
QUESTIONS: Mapping[str, tuple[str, str, bool]] = {
    "version": (_("Version"), _("Of the data, such as 1.0.0. Releases of the same rows are the same bytes."), True),
    "published_on": (_("Day of publication"), _("As year-month-day, such as 2026-11-28."), True),
    "creators": (_("Creators"), _("Who made the data set: one person or institution on each line."), False),
    "funding": (_("Funding"), _("Who paid for the work, with the number of the grant; or that nobody did."), False),
    "contact": (_("Contact"), _("Whom users of the data write to: an e-mail address or a page."), True),
    "maintenance": (
        _("Maintenance"),
        _("Who keeps the data up, for how long, and how corrections and new versions are announced."),
        False,
    ),
    "errata": (_("Errata"), _("Where mistakes are reported and listed, beginning with https://."), True),
    "collected": (
        _("Collection before the import"),
        _("When, where and how imported items and votes were collected, and what was paid for them."),
        False,
    ),
    "intended_uses": (_("Intended uses"), _("What the data are meant for."), False),
    "forbidden_uses": (_("Uses to avoid"), _("What the data must not be used for, and why."), False),
    "limits": (
        _("Limits and biases"),
        _("What the data do not cover, and where they lean. Measured findings are added."),
        False,
    ),
    "social_impact": (
        _("Risks and effects on people"),
        _("Whom the data or models made with them may harm or help, and what was done about it."),
        False,
    ),
    "personal_data": (
        _("Personal and sensitive content"),
        _("Whether texts name or describe real people, or may offend; how that was looked for and removed."),
        False,
    ),
}
URL_QUESTIONS, DATE_QUESTIONS = ("errata",), ("published_on",)


URL_SCHEMES = ("https://", "http://")
# So many days after today a publication may be announced for.
LONGEST_AHEAD = 366


def wrong_values(homepage: str, answers: Mapping[str, Any], today: date) -> dict[str, str]:
    """Every address and day that cannot be stored, by field, with the code of what is wrong."""
    links = {"homepage": homepage, **{name: str(answers.get(name, "")).strip() for name in URL_QUESTIONS}}
    wrong = {name: "link_wrong" for name, link in links.items() if link and not link.startswith(URL_SCHEMES)}
    if "homepage" in wrong:
        wrong["homepage"] = "homepage_wrong"
    for name in DATE_QUESTIONS:
        if text := str(answers.get(name, "")).strip():
            day = _day_of(text)
            if day is None or (day - today).days > LONGEST_AHEAD:
                wrong[name] = "date_wrong" if day is None else "date_far"
    return wrong


def _day_of(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.isoformat() == text else None


def canary(seed: str, slug: str) -> str:
    """The string by which a leak of a project's test data into training data is found; as fixed as seed and name."""
    guid = UUID(bytes=sha256(f"{seed}:canary:{slug}".encode("utf-8", "surrogatepass")).digest()[:16], version=4)
    return f"mufakat:{slug}:canary:{guid}"


# What members confirm before they work, in the names of the settings that say so.
CONDITIONS = ("native_language", "years", "writer_native_language", "writer_years")
THRESHOLD, LARGEST_THRESHOLD = 5, 100
LONGEST_ANSWER = 80

# In the order in which forms ask and cards list them. `region` is that of the member's place.
FIELDS: Mapping[str, str] = {
    "native_language": _("Native language"),
    "country": _("Country"),
    "region": _("Region"),
    "ethnicity": _("Ethnicity"),
    "domicile": _("Domicile"),
    "years_there": _("Years at the domicile"),
    "education": _("Education"),
    "age_band": _("Age"),
    "gender": _("Gender"),
    "income_group": _("Income group"),
    "expertise": _("Expertise"),
}
CHOICES: Mapping[str, list[tuple[str, str]]] = {
    "years_there": [
        ("0-4", _("under 5 years")),
        ("5-14", _("5 to 14 years")),
        ("15-24", _("15 to 24 years")),
        ("25+", _("25 years and more")),
    ],
    "education": [
        ("school", _("school")),
        ("vocational", _("vocational training")),
        ("student", _("student")),
        ("bachelor", _("bachelor's degree")),
        ("master", _("master's degree")),
        ("doctorate", _("doctorate")),
    ],
    "age_band": [
        ("15-24", "15–24"),
        ("25-34", "25–34"),
        ("35-44", "35–44"),
        ("45-54", "45–54"),
        ("55-64", "55–64"),
        ("65+", _("65 and over")),
    ],
    "income_group": [
        ("lower", _("lower")),
        ("lower-middle", _("lower middle")),
        ("middle", _("middle")),
        ("upper-middle", _("upper middle")),
        ("upper", _("upper")),
    ],
}


class StatedAnswer(NamedTuple):
    """What one person said in a field, and the smallest group that they agreed to be counted in."""

    value: str
    least: int = THRESHOLD


@dataclass(frozen=True)
class FieldCounts:
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
        return {**asdict(self), "groups": [list(group) for group in self.groups]}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "FieldCounts":
        groups = tuple((str(value), int(n)) for value, n in raw["groups"])
        return cls(raw["field"], raw["said"], groups, raw["others"], raw["least"], raw["earlier"])


@dataclass(frozen=True)
class CrossTable:
    """Two fields against each other: the published cells, and how many people are in none of them."""

    cells: tuple[tuple[str, str, int], ...]
    others: int
    least: int


def cross_tabulate(said: Iterable[tuple[StatedAnswer, StatedAnswer]], threshold: int) -> CrossTable:
    """Count people by what they said in two fields; no cell that is not told follows from a row, a column or the sum.

    Cells below the threshold are not told. Where those of one row or column that are not told are together fewer than
    the threshold, somebody who knows the whole row would know them: then its smallest told cell is not told either.
    """
    given = [(one, other) for one, other in said if one.value and other.value]
    least = smallest_group((each for pair in given for each in pair), threshold)
    spelt = [spellings(pair[n].value for pair in given) for n in (0, 1)]
    cells = Counter((spelt[0][one.value], spelt[1][other.value]) for one, other in given)
    shown = {cell: n for cell, n in cells.items() if n >= least}
    while cell := _gives_away(cells, shown, least):
        del shown[cell]
    ordered = sorted(shown.items(), key=lambda each: (each[0][0], -each[1], each[0][1]))
    told = tuple((one, other, n) for (one, other), n in ordered)
    return CrossTable(told, cells.total() - sum(shown.values()), least)


def _gives_away(
    cells: Mapping[tuple[str, str], int], shown: Mapping[tuple[str, str], int], least: int
) -> tuple[str, str] | None:
    """The smallest told cell of the first line, or of the whole, whose untold cells are too few; None where none is."""
    # Rows, columns, and the whole as one line.
    for part in (slice(0, 1), slice(1, 2), slice(0, 0)):
        for line in sorted({cell[part] for cell in cells}):
            mine = [cell for cell in cells if cell[part] == line]
            untold = sum(cells[cell] for cell in mine if cell not in shown)
            told = [cell for cell in mine if cell in shown]
            if told and 0 < untold < least:
                return min(told, key=lambda cell: (cells[cell], cell))
    return None


class PublishedTable(NamedTuple):
    """A table that a release published, and the people counted, by any stable name."""

    table: FieldCounts
    of: frozenset[int]


class EarlierTable(NamedTuple):
    """A table that was published before, and people whose answers may have changed since."""

    published: PublishedTable
    changed: Collection[int] = ()


def smallest_group(answers: Iterable[StatedAnswer], threshold: int) -> int:
    """The smallest group of a table: below five only where everybody in it agreed to as small a group."""
    if threshold >= THRESHOLD:
        return threshold
    return threshold if all(one.least <= threshold for one in answers) else THRESHOLD


def spellings(words: Iterable[str]) -> dict[str, str]:
    """For every word as people spelt it the spelling that stands for all that differ from it in case alone.

    The most frequent one; of equally frequent ones the first by code point. Kept is what each person typed: a spelling
    that turned into a colleague's would tell that the colleague had said it.
    """
    result: dict[str, Counter[str]] = {}
    for word in words:
        result.setdefault(key_form(word, casefold=True), Counter())[word] += 1
    return {word: min(alike, key=lambda spelt: (-alike[spelt], spelt)) for alike in result.values() for word in alike}


def count_field(field: str, answers: Iterable[StatedAnswer], threshold: int) -> FieldCounts:
    """Count what people said in one field; empty values are not said. Nothing is told of fewer than the threshold.

    Spellings of one answer are counted together (`spellings`).
    """
    given = [one for one in answers if one.value]
    spelt = spellings(one.value for one in given)
    least = smallest_group(given, threshold)
    # By size, then by the spelling itself: no collation, so the same anywhere.
    sizes = sorted(Counter(spelt[one.value] for one in given).items(), key=lambda group: (-group[1], group[0]))
    shown = [group for group in sizes if group[1] >= least]
    others = len(given) - sum(n for _group, n in shown)
    while 0 < others < least and shown:
        others += shown.pop()[1]
    if others and others < least:
        return FieldCounts(field, 0, (), 0, least)
    return FieldCounts(field, len(given), tuple(shown), others, least)


def consistent_counts(now: PublishedTable, before: Sequence[EarlierTable]) -> tuple[FieldCounts, PublishedTable | None]:
    """What is told after all that was told before (the last one last), and which table that is, if any.

    A new table is told only beside which no earlier one gives anybody away. Else the last one stays, or none is told
    where somebody that it counts is to be counted no more.
    """
    if all(_gives_nobody_away(now, earlier) for earlier in before):
        return now.table, now if now.table.said else None
    last = before[-1].published
    if last.of <= now.of and last.table.least >= now.table.least:
        return replace(last.table, earlier=True), last
    return FieldCounts(now.table.field, 0, (), 0, now.table.least), None


def _gives_nobody_away(now: PublishedTable, earlier: EarlierTable) -> bool:
    """Whether two tables are of the same people who said the same, or as far apart as the larger threshold.

    When somebody's word changed is known, not in which field: so changes may be one person's here, however many they
    look. Tables of the same people go together only where nobody's changed, or their figures are equal.
    """
    was = earlier.published
    moved = len(now.of ^ was.of)
    if moved:
        return moved >= max(now.table.least, was.table.least)
    return _figures(now.table) == _figures(was.table) or not now.of.intersection(earlier.changed)


def _figures(table: FieldCounts) -> tuple[object, ...]:
    return table.said, table.groups, table.others
