"""What the checks of translations find in NusaX's 300 parallel rows, measured: `python -m tests.nusax` prints it.

Nothing of the data is kept here but counts. What checks learn is learnt by cross-validation: five parts, each judged
by what the other four (240 rows) teach, so that no text is judged by itself.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from annotation import kinds
from annotation.text import checks
from annotation.text import length_ratios as lengths
from annotation.text import letter_trigrams as letters
from annotation.text.checks.base import FieldPair, SetContext, SlotText
from annotation.text.numbers import numerals
from annotation.text.tokens import words
from annotation.translation.rules.target_resources import TargetResources
from tests.data import DATA

SOURCE = "indonesian"
CODES: Mapping[str, str] = {
    "acehnese": "ace",
    "balinese": "ban",
    "banjarese": "bjn",
    "buginese": "bug",
    "english": "en",
    "javanese": "jv",
    "madurese": "mad",
    "minangkabau": "min",
    "ngaju": "nij",
    "sundanese": "su",
    "toba_batak": "bbc",
}
# The errors that data/README.md names: a row of numbers that are wrong, and one that translates another sentence.
KNOWN_ERRORS = {("toba_batak", 28), ("toba_batak", 219), ("ngaju", 10)}
# Read by hand among what numbers_differ finds: a number changed, left out, or said twice.
READ_AS_ERRORS = {("ngaju", 463), ("english", 394), ("sundanese", 56), ("sundanese", 394), ("buginese", 56)}
FOLDS = 5
BLANKS = ("outer_blanks", "blanks_doubled")
Row = Mapping[str, str]


@cache
def rows() -> tuple[Row, ...]:
    """The rows of the file, in its order."""
    with (DATA / "nusax" / "parallel_300.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def folds() -> Iterator[tuple[list[Row], list[Row]]]:
    """What is learnt from, and what is judged; every row is judged once."""
    for part in range(FOLDS):
        taught = [row for place, row in enumerate(rows()) if place % FOLDS != part]
        yield taught, [row for place, row in enumerate(rows()) if place % FOLDS == part]


def numerals_differ(language: str) -> list[int]:
    """The rows whose numerals differ from the source's, before number words are considered."""
    return [int(row["row"]) for row in rows() if numerals(row[SOURCE]) != numerals(row[language])]


@dataclass
class LanguageFindings:
    """What was found in one language: check to rows, and the rows that warn if numerals have to stay."""

    rows: dict[str, list[int]] = field(default_factory=dict)
    stay: list[int] = field(default_factory=list)

    def any_but(self, *left_out: str) -> set[int]:
        """The rows in which any other check finds something."""
        return {row for check, found in self.rows.items() if check not in left_out for row in found}


def _context(row: Row, language: str, resources: TargetResources, *, stay: bool = False) -> SetContext:
    pair = FieldPair("field-text", "text", row[SOURCE], row[language])
    slot = SlotText("t", "", "", True)
    return SetContext(
        row[SOURCE],
        (slot,),
        resources.language,
        {"numerals_stay": stay},
        1,
        (),
        {},
        field_pairs=(pair,),
        resources=resources,
    )


@cache
def findings_by_language() -> dict[str, LanguageFindings]:
    """Every language to what the checks find in it."""
    ids = kinds.get("translation").authoring.checks
    found = {language: LanguageFindings({check: [] for check in ids}) for language in CODES}
    for taught, judged in folds():
        known = {language: letters.learn_letters(row[language] for row in taught) for language in (SOURCE, *CODES)}
        for language, code in CODES.items():
            usual = lengths.learn_lengths(("text", row[SOURCE], row[language]) for row in taught)
            others = {name: each for name, each in known.items() if name != language}
            resources = TargetResources("id", code, lengths=usual, letters=known[language], other_letters=others)
            for row in judged:
                number, mine = int(row["row"]), found[language]
                for check in {each.check for each in checks.run_checks(ids, _context(row, language, resources))}:
                    mine.rows[check].append(number)
                if checks.run_checks(["numbers_differ"], _context(row, language, resources, stay=True)):
                    mine.stay.append(number)
    return found


def harmless_warnings(language: str, found: LanguageFindings) -> set[int]:
    """The rows in which numbers_differ warns though the translation says what the source says."""
    errors = {row for where, row in KNOWN_ERRORS | READ_AS_ERRORS if where == language}
    return set(found.rows["numbers_differ"]) - errors


@dataclass
class IdentificationCounts:
    """How well a language is told from the others: right texts that were called another's, and wrong ones let by."""

    right: int = 0
    called_other: int = 0
    wrong: int = 0
    let_by: int = 0


@cache
def language_identification() -> dict[str, IdentificationCounts]:
    """Each language, the source too, by cross-validation: its own texts, and those of the others in its place."""
    languages = (SOURCE, *CODES)
    told = {language: IdentificationCounts() for language in languages}
    for taught, judged in folds():
        known = {language: letters.learn_letters(row[language] for row in taught) for language in languages}
        for row in judged:
            for language in languages:
                if len(words(row[language])) < letters.LEAST_WORDS:
                    continue
                threes = Counter(letters.trigrams_of(row[language]))
                likely = {name: each.likelihood(threes) for name, each in known.items()}
                for place in languages:
                    rest = max(score for name, score in likely.items() if name != place)
                    warns = rest - likely[place] > letters.MARGIN
                    _count(told[place], own=place == language, warns=warns)
    return told


def _count(told: IdentificationCounts, *, own: bool, warns: bool) -> None:
    if own:
        told.right, told.called_other = told.right + 1, told.called_other + warns
    else:
        told.wrong, told.let_by = told.wrong + 1, told.let_by + (not warns)


# --- the tables of docs/checks.md ---------------------------------------------------------

_COLUMNS = (
    "length_unusual",
    "other_language",
    "source_copied",
    "end_mark_differs",
    "alternatives_slash",
    "brackets_added",
    "placeholders_differ",
    "mixed_unicode",
    *BLANKS,
)


def _line(*cells: object) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def finds_table() -> str:
    """By language, in how many of the 300 rows each check finds something."""
    head = (
        "language",
        "numerals differ",
        "`numbers_differ`",
        "of these harmless",
        "with `numerals_stay`",
        *(f"`{each}`" for each in _COLUMNS),
        "any but blanks",
    )
    lines = [_line(*head), _line(*["---"] * len(head))]
    for language, found in sorted(findings_by_language().items()):
        lines.append(
            _line(
                language.replace("_", " ").title(),
                len(numerals_differ(language)),
                len(found.rows["numbers_differ"]),
                len(harmless_warnings(language, found)),
                len(found.stay),
                *(len(found.rows[each]) for each in _COLUMNS),
                len(found.any_but(*BLANKS)),
            )
        )
    return "\n".join(lines)


def errors_table() -> str:
    """By language, how often `other_language` is wrong."""
    lines = [
        _line("language", "its own texts", "wrongly warned of", "texts of others", "missed"),
        _line(*["---"] * 5),
    ]
    told = sorted(language_identification().items())
    for language, each in told:
        name = language.replace("_", " ").title()
        lines.append(_line(name, each.right, each.called_other, each.wrong, each.let_by))
    sums = [sum(getattr(each, name) for _, each in told) for name in ("right", "called_other", "wrong", "let_by")]
    lines.append(_line("all", *sums))
    return "\n".join(lines)


if __name__ == "__main__":
    print(finds_table(), errors_table(), sep="\n\n")
