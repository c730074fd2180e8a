"""What reviewers say of machine-written questions: one main error type for each part, counted as the papers' tables.

id-csqa §5.1: concepts (Tables 2, 3, 9), questions (Tables 4, 5) and sets of options (Tables 6, 7). Any error, even a
small one, makes a part wrong; of several, one is the main one and the others stand in the notes (domain.md §5).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from annotation.generation.rules.recipes.base import Recipe
from annotation.generation.rules.recipes.forms import ITEM
from annotation.generation.rules.recipes.forms import QUESTION as OTHERS_QUESTION
from annotation.kinds.texts import OPTION_PREFIX
from annotation.text.gettext import gettext_noop
from validation.consensus.savings import percent

CONCEPT, QUESTION, OPTIONS = "concept", "question", "options"
# What a verdict and a table call a part in which nothing is wrong.
NO_ERROR = ""
NONE = "none"
DIGITS = 2
# The sorts of material that were questions before: a recipe that starts from one adapts its concept.
_ADAPTED = (OTHERS_QUESTION, ITEM)


@dataclass(frozen=True)
class Part:
    """A part of an item: its error types, codes with words, in the order of the papers' tables."""

    key: str
    name: str
    errors: tuple[tuple[str, str], ...]

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(code for code, _ in self.errors)


_TRANSLATION = ("translation", gettext_noop("Translation"))
_LANGUAGE = ("wrong-language", gettext_noop("Wrong language"))
_FLUENCY = ("fluency", gettext_noop("Sentence fluency"))
_CONTEXT = ("context", gettext_noop("Sentence context"))
_TYPO = ("typo", gettext_noop("Typo or mechanics"))
PARTS: Mapping[str, Part] = {
    part.key: part
    for part in (
        Part(
            CONCEPT,
            gettext_noop("Concept"),
            (_TRANSLATION, ("phrase-structure", gettext_noop("Phrase structure")), _TYPO),
        ),
        Part(
            QUESTION,
            gettext_noop("Question"),
            (
                _TRANSLATION,
                _LANGUAGE,
                ("sentence-structure", gettext_noop("Sentence structure")),
                _FLUENCY,
                _CONTEXT,
                ("subjectivity", gettext_noop("Subjectivity")),
                _TYPO,
            ),
        ),
        Part(
            OPTIONS,
            gettext_noop("Choices and answer"),
            (
                _TRANSLATION,
                _LANGUAGE,
                _FLUENCY,
                _CONTEXT,
                ("invalid-options", gettext_noop("Invalid choices")),
                _TYPO,
            ),
        ),
    )
}
# Every part with every error, as an address names them: `question-typo`, `options-none`.
MARKS = tuple(f"{part.key}-{code}" for part in PARTS.values() for code in (NONE, *part.codes))

NO_ERROR_NAME = gettext_noop("No error")
# The same with the names of part and error.
MARK_NAMES = tuple(
    (f"{part.key}-{code}", part.name, name)
    for part in PARTS.values()
    for code, name in ((NONE, NO_ERROR_NAME), *part.errors)
)


def mark_of(part: str, error: str) -> str:
    """A verdict as an address names it."""
    return f"{part}-{error or NONE}"


def read_mark(mark: str) -> tuple[str, str]:
    """The part and the error (empty: none) of a verdict as an address names it."""
    part, _, error = mark.partition("-")
    return part, NO_ERROR if error == NONE else error


def parts_of(content: Mapping[str, Any], recipe: Recipe | None) -> tuple[Part, ...]:
    """The parts of a machine-written content that get a verdict: of the concept only where it was adapted.

    What the content says of its making (`adapted`) comes before what its project's recipe does.
    """
    if not content.get("question") or not content.get("options"):
        return ()
    made_of = content.get("made", {}).get("adapted")
    adapted = bool(made_of) if made_of is not None else recipe is not None and recipe.sort in _ADAPTED
    wanted = (CONCEPT, QUESTION, OPTIONS) if adapted and content.get(CONCEPT) else (QUESTION, OPTIONS)
    return tuple(PARTS[key] for key in wanted)


def part_of(field: str) -> str:
    """The part that a text of an item belongs to (`option-A`: the choices)."""
    return OPTIONS if field.startswith(OPTION_PREFIX) else field


# --- what is wrong how often -------------------------------------------------------------


RECIPE, MODEL, RUN = "recipe", "model", "run"
# The columns by which the tables distinguish sources.
SOURCE_KINDS: Mapping[str, str] = {
    RECIPE: gettext_noop("way of making"),
    MODEL: gettext_noop("model"),
    RUN: gettext_noop("run"),
}


class TableSource(NamedTuple):
    """A column of the tables: what wrote the items (`model:NAME`), in which language, in which project."""

    project: str
    wrote: str
    language: str


class VerdictCount(NamedTuple):
    """How many items of a source got a verdict; the error is empty where nothing was wrong."""

    source: TableSource
    part: str
    error: str
    n: int


@dataclass(frozen=True)
class Cell:
    """A number with its shares in percent: of all that were judged, and of those with an error (Table 9)."""

    n: int
    of: int
    wrong: int

    @property
    def share(self) -> Decimal | None:
        return percent(self.n, self.of, DIGITS)

    @property
    def of_wrong(self) -> Decimal | None:
        return percent(self.n, self.wrong, DIGITS)


@dataclass(frozen=True)
class Line:
    """A row: no error, one error type, or the sum of the errors; a cell a source."""

    code: str
    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """One part over all sources that have a verdict on it. `errors` sums the types, `judged` counts the items."""

    part: Part
    sources: tuple[TableSource, ...]
    lines: tuple[Line, ...]
    errors: tuple[Cell, ...]
    judged: tuple[int, ...]


def tables(counts: Iterable[VerdictCount]) -> list[Table]:
    """One table a part, in the papers' order; sources in the order of their names, types in the papers'.

    A type that is on no list any more stands last, called by its code.
    """
    rows = list(counts)
    return [_table(part, [row for row in rows if row.part == part.key]) for part in PARTS.values()]


def _table(part: Part, rows: Sequence[VerdictCount]) -> Table:
    sources = tuple(sorted({row.source for row in rows}))
    cells: Counter[tuple[TableSource, str]] = Counter()
    for row in rows:
        cells[row.source, row.error] += row.n
    unknown = sorted({row.error for row in rows} - {NO_ERROR, *part.codes})
    names = {NO_ERROR: NO_ERROR_NAME, **dict(part.errors), **{code: code for code in unknown}}
    judged = {each: sum(cells[each, code] for code in names) for each in sources}
    wrong = {each: judged[each] - cells[each, NO_ERROR] for each in sources}
    return Table(
        part=part,
        sources=sources,
        lines=tuple(
            Line(
                code,
                name,
                tuple(
                    Cell(cells[each, code], judged[each], wrong[each] if code != NO_ERROR else 0) for each in sources
                ),
            )
            for code, name in names.items()
        ),
        errors=tuple(Cell(wrong[each], judged[each], wrong[each]) for each in sources),
        judged=tuple(judged[each] for each in sources),
    )


# --- what was corrected -----------------------------------------------------------------


@dataclass(frozen=True)
class ItemChanges:
    """What was corrected of one item, part by part. `single_options` counts choices, place by place."""

    question: bool
    single_options: int
    options: bool
    concept: bool
    answer: bool

    @property
    def is_unchanged(self) -> bool:
        return not (self.question or self.options or self.concept or self.answer)


def compare_contents(raw: Mapping[str, Any], now: Mapping[str, Any]) -> ItemChanges:
    """Compare an item as the machine wrote it with what it is now."""
    before, after = ([str(each["text"]) for each in content["options"]] for content in (raw, now))
    return ItemChanges(
        question=raw["question"] != now["question"],
        single_options=sum(one != other for one, other in zip(before, after, strict=False)),
        options=before != after,
        concept=raw.get("concept", "") != now.get("concept", ""),
        answer=answer_of(raw) != answer_of(now),
    )


def answer_of(content: Mapping[str, Any]) -> str:
    """The key of the choice that is the answer, by the roles of the choices; empty where none is."""
    return next((str(each["key"]) for each in content["options"] if each.get("role") == "answer"), "")


@dataclass(frozen=True)
class Corrections:
    """How many of so many items were corrected, by part, in the words of the published counts."""

    items: int = 0
    question_changed: int = 0
    options_changed: int = 0
    single_options_changed: int = 0
    concept_changed: int = 0
    answer_key_changed: int = 0
    nothing_changed: int = 0

    def plus(self, one: ItemChanges) -> "Corrections":
        """With one more item."""
        return Corrections(
            self.items + 1,
            self.question_changed + one.question,
            self.options_changed + one.options,
            self.single_options_changed + one.single_options,
            self.concept_changed + one.concept,
            self.answer_key_changed + one.answer,
            self.nothing_changed + one.is_unchanged,
        )
