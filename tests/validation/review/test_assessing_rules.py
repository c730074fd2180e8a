"""Parts, error types and tables of machine-written questions, against the tables that id-csqa published."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.base import Recipe
from validation.review.rules import assessments as assessing
from validation.review.rules.assessments import (
    CONCEPT,
    MARK_NAMES,
    MARKS,
    NO_ERROR,
    OPTIONS,
    PARTS,
    QUESTION,
    Corrections,
    ItemChanges,
    TableSource,
    VerdictCount,
    answer_of,
    compare_contents,
    mark_of,
    part_of,
    parts_of,
    read_mark,
    tables,
)

CONTENT: dict[str, Any] = {
    "concept": "angkot",
    "question": "Apa fungsi utama angkot?",
    "options": [{"key": key, "text": key * 3, "role": "answer" if key == "B" else ""} for key in "ABCDE"],
}
ADAPT_IND, ADAPT_SUN, GEN_IND, GEN_SUN = (
    TableSource(f"p{n}", f"recipe:{wrote}", language)
    for n, (wrote, language) in enumerate([("adapt", "id"), ("adapt", "su"), ("gen", "id"), ("gen", "su")])
)
OF = {ADAPT_IND: 158, ADAPT_SUN: 158, GEN_IND: 300, GEN_SUN: 300}
# id-csqa Table 5 (questions) and Table 7 (options), in percent, as published.
TABLE_5 = {
    NO_ERROR: ("75.32", "15.19", "68.67", "51.00"),
    "translation": ("8.23", "41.14", "0.00", "0.00"),
    "wrong-language": ("0.00", "0.00", "0.00", "6.67"),
    "sentence-structure": ("3.16", "10.13", "0.00", "0.00"),
    "fluency": ("6.96", "23.42", "11.33", "18.00"),
    "context": ("1.90", "1.90", "3.00", "8.00"),
    "subjectivity": ("0.63", "0.63", "0.00", "0.00"),
    "typo": ("3.80", "7.59", "17.00", "16.33"),
}
TABLE_7 = {
    NO_ERROR: ("62.66", "38.61", "93.00", "58.67"),
    "translation": ("3.80", "47.47", "0.00", "0.00"),
    "wrong-language": ("0.00", "0.00", "0.00", "31.67"),
    "fluency": ("0.63", "0.63", "0.67", "1.33"),
    "context": ("0.63", "0.63", "0.00", "0.00"),
    "invalid-options": ("1.27", "1.27", "5.67", "8.33"),
    "typo": ("31.01", "11.39", "0.67", "0.00"),
}


def counts(part: str, published: Mapping[str, tuple[str, ...]]) -> list[VerdictCount]:
    """The whole numbers behind published percentages."""
    return [
        VerdictCount(source, part, code, round(Decimal(shares[place]) * of / 100))
        for code, shares in published.items()
        for place, (source, of) in enumerate(OF.items())
    ]


@pytest.mark.parametrize(("part", "published"), [(QUESTION, TABLE_5), (OPTIONS, TABLE_7)])
def test_the_tables_are_the_papers(part: str, published: Mapping[str, tuple[str, ...]]) -> None:
    table = next(each for each in tables(counts(part, published)) if each.part.key == part)
    assert table.sources == (ADAPT_IND, ADAPT_SUN, GEN_IND, GEN_SUN)
    assert table.judged == tuple(OF.values())
    found = {line.code: tuple(str(cell.share) for cell in line.cells) for line in table.lines}
    assert found == published
    assert list(found) == list(published)


def test_the_concepts_are_counted_over_all_and_over_the_errors() -> None:
    """Tables 2, 3 and 9: 7 of 158 wrong, 4 of the 7 in translation; 36 of 158 into Sundanese."""
    errors = {"translation": (4, 31), "phrase-structure": (1, 1), "typo": (2, 4), NO_ERROR: (151, 122)}
    given = [
        VerdictCount(source, CONCEPT, code, n[place])
        for code, n in errors.items()
        for place, source in enumerate((ADAPT_IND, ADAPT_SUN))
    ]
    table = tables(given)[0]
    assert [str(cell.share) for cell in table.errors] == ["4.43", "22.78"]
    assert [str(cell.share) for cell in table.lines[0].cells] == ["95.57", "77.22"]
    shares = {line.code: [str(cell.of_wrong) for cell in line.cells] for line in table.lines[1:]}
    assert shares == {
        "translation": ["57.14", "86.11"],
        "phrase-structure": ["14.29", "2.78"],
        "typo": ["28.57", "11.11"],
    }
    assert table.lines[0].cells[0].of_wrong is None


def test_nothing_counted_gives_empty_tables_and_unknown_types_stand_last() -> None:
    assert [(table.part.key, table.sources) for table in tables([])] == [(key, ()) for key in PARTS]
    table = tables([VerdictCount(GEN_IND, QUESTION, "old-type", 2), VerdictCount(GEN_IND, QUESTION, NO_ERROR, 1)])[1]
    assert (table.lines[-1].code, table.lines[-1].name) == ("old-type", "old-type")
    assert (table.judged, table.errors[0].n) == ((3,), 2)


def test_the_types_are_those_of_the_domain() -> None:
    assert PARTS[CONCEPT].codes == ("translation", "phrase-structure", "typo")
    assert set(PARTS[QUESTION].codes) == set(TABLE_5) - {NO_ERROR}
    assert set(PARTS[OPTIONS].codes) == set(TABLE_7) - {NO_ERROR}


def test_verdicts_are_named_in_addresses() -> None:
    for mark in MARKS:
        assert mark_of(*read_mark(mark)) == mark
    assert read_mark("question-none") == (QUESTION, NO_ERROR)
    assert read_mark("options-wrong-language") == (OPTIONS, "wrong-language")
    assert tuple(mark for mark, *_ in MARK_NAMES) == MARKS


def test_a_concept_is_judged_where_a_question_was_adapted() -> None:
    adapts = next(recipe for recipe in recipes.all_recipes() if recipe.sort == "question")
    makes = next(recipe for recipe in recipes.all_recipes() if recipe.sort in ("set", "concept"))
    two, three = [QUESTION, OPTIONS], [CONCEPT, QUESTION, OPTIONS]

    def keys(content: Mapping[str, object], recipe: Recipe | None) -> list[str]:
        return [part.key for part in parts_of(content, recipe)]

    assert (keys(CONTENT, None), keys(CONTENT, makes), keys(CONTENT, adapts)) == (two, two, three)
    assert keys({**CONTENT, "made": {"adapted": True}}, None) == three
    assert keys({**CONTENT, "made": {"adapted": False}}, adapts) == two
    assert keys({**CONTENT, "made": {"level": ""}}, adapts) == three
    assert keys({**CONTENT, "concept": ""}, adapts) == two
    assert keys({"premise": "A.", "hypothesis": "B."}, adapts) == []


def test_a_text_belongs_to_a_part() -> None:
    assert [part_of(field) for field in ("question", "concept", "option-A")] == [QUESTION, CONCEPT, OPTIONS]


def test_what_was_corrected_is_told_part_by_part() -> None:
    moved = [{**each, "role": "answer" if each["key"] == "A" else ""} for each in CONTENT["options"]]
    longer = [*CONTENT["options"], {"key": "F", "text": "FFF", "role": ""}]
    found = Corrections()
    for raw, now, expected in (
        (CONTENT, CONTENT, ItemChanges(False, 0, False, False, False)),
        (CONTENT, {**CONTENT, "question": "Apa?"}, ItemChanges(True, 0, False, False, False)),
        (CONTENT, {**CONTENT, "concept": "bus"}, ItemChanges(False, 0, False, True, False)),
        (CONTENT, {**CONTENT, "options": moved}, ItemChanges(False, 0, False, False, True)),
        ({**CONTENT, "options": longer}, CONTENT, ItemChanges(False, 0, True, False, False)),
        (
            CONTENT,
            {**CONTENT, "options": CONTENT["options"][::-1]},
            ItemChanges(False, 4, True, False, False),
        ),
    ):
        one = compare_contents(raw, now)
        assert one == expected
        found = found.plus(one)
    assert found == Corrections(6, 1, 2, 4, 1, 1, 1)
    assert answer_of({"options": []}) == ""


def test_every_word_is_marked_for_translation() -> None:
    assert all(name for part in PARTS.values() for name in (part.name, *dict(part.errors).values()))
    assert set(assessing.SOURCE_KINDS) == {"recipe", "model", "run"}
