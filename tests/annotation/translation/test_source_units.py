"""Rows put into units, the texts that clean-up leaves, what a label names: one table each."""

import pytest

from annotation.translation.rules.source_units import (
    MOST_FIELDS,
    SHAPES,
    Row,
    answer_key,
    distractors,
    fields_that_are_no_spans,
    in_unit_order,
    same_choice,
    size_of,
    split_living_fields,
    units_of,
)

PAIR, CHOICES, PASSAGE = SHAPES["pair"], SHAPES["choices"], SHAPES["passage"]


def pairs(count: int, premise: str = "Hujan turun.") -> list[Row]:
    return [Row(f"k{n}", {"premise": premise, "hypothesis": f"Hipotesis {n}."}) for n in range(count)]


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(1, [2]), (6, [7]), (29, [30]), (30, [16, 16]), (58, [30, 30]), (59, [20, 21, 21])],
)
def test_what_a_form_cannot_hold_is_dealt_evenly(count: int, sizes: list[int]) -> None:
    units = units_of(PAIR, pairs(count))
    assert [len(unit.fields) for unit in units] == sizes
    assert max(sizes) <= MOST_FIELDS
    assert [row.key for unit in units for row, _ in unit.rows] == [f"k{n}" for n in range(count)]
    assert {unit.fields[0]["text"] for unit in units} == {"Hujan turun."}
    assert len({unit.key for unit in units}) == len(units)


def test_rows_without_a_shared_text_are_units_alone() -> None:
    rows = [Row(str(n), {"question": "Apa?", "choice-A": "a", "choice-B": "b"}) for n in range(3)]
    assert [(unit.key, len(unit.fields)) for unit in units_of(CHOICES, rows)] == [
        ("0", 3),
        ("1", 3),
        ("2", 3),
    ]


@pytest.mark.parametrize(
    ("shape", "label", "keys", "answer", "wrong"),
    [
        ("choices", "C", "ABC", "choice-C", ["choice-A", "choice-B"]),
        ("choices", "0", "ABC", "choice-A", ["choice-B", "choice-C"]),
        ("choices", "2", "ABC", "choice-C", ["choice-A", "choice-B"]),
        ("choices", "3", "ABC", "", []),
        ("choices", "D", "ABC", "", []),
        ("choices", "²", "ABC", "", []),
        ("choices", "0" * 90, "ABC", "", []),
        ("choices", "", "ABC", "", []),
        ("alternatives", "1", "AB", "alternative-B", ["alternative-A"]),
        ("pair", "e", "", "", []),
    ],
)
def test_a_label_names_the_answer_and_all_else_are_distractors(
    shape: str, label: str, keys: str, answer: str, wrong: list[str]
) -> None:
    role = next((role.key for role in SHAPES[shape].roles if role.several), "")
    row = {f"{role}-{key}": f"{role}-{key}" for key in keys}
    assert answer_key(SHAPES[shape], label, row) == answer
    assert distractors(SHAPES[shape], label, row) == wrong


def test_a_relevant_response_is_no_distractor() -> None:
    row = {key: key for key in ("prompt", "response-R1", "response-R2", "response-I1", "response-I2")}
    assert distractors(SHAPES["prompt"], "R2", row) == ["response-I1", "response-I2"]


FIELDS = units_of(PAIR, pairs(3))[0].fields
ROWS = [{"premise": "premise", "hypothesis": f"hypothesis.{n}"} for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("living", "kept", "dropped"),
    [
        ([0, 1, 2], ["premise", "hypothesis.1", "hypothesis.2", "hypothesis.3"], []),
        ([0, 2], ["premise", "hypothesis.1", "hypothesis.3"], ["hypothesis.2"]),
        ([1], ["premise", "hypothesis.2"], ["hypothesis.1", "hypothesis.3"]),
        ([], ["premise", "hypothesis.1", "hypothesis.2", "hypothesis.3"], []),
    ],
)
def test_texts_that_no_row_needs_are_dropped_and_come_back_in_order(
    living: list[int], kept: list[str], dropped: list[str]
) -> None:
    left, gone = split_living_fields(PAIR, reversed(FIELDS), [ROWS[n] for n in living])
    assert ([f["key"] for f in left], [f["key"] for f in gone]) == (kept, dropped)


def test_the_order_of_texts_is_that_of_the_shape_beyond_nine() -> None:
    unit = units_of(PASSAGE, [Row(str(n), {"passage": "p", "question": "q", "answer": "p"}) for n in range(12)])
    assert in_unit_order(PASSAGE, reversed(unit[0].fields)) == list(unit[0].fields)


@pytest.mark.parametrize(
    ("texts", "sentences", "words"),
    [
        (["Ani makan. Budi minum."], 2, 4),
        (["Ani makan", "Budi minum."], 2, 4),
        (["1950"], 1, 1),
        (["Dr. Budi, S.Pd. datang."], 1, 5),
    ],
)
def test_sentences_are_what_is_paid(texts: list[str], sentences: int, words: int) -> None:
    assert size_of([{"text": text} for text in texts], "id") == (sentences, words)


def test_answers_have_to_stand_in_their_passage() -> None:
    texts = {"passage": "Dibuka tahun 1950.", "answer.1": "1950", "answer.2": "1951"}
    rows = [{"passage": "passage", "answer": f"answer.{n}"} for n in (1, 2)]
    assert fields_that_are_no_spans(PASSAGE, texts, rows) == [("answer.2", "passage")]


@pytest.mark.parametrize(("text", "same"), [("Kopi", True), (" kopi ", True), ("teh", False)])
def test_a_choice_that_reads_like_another(text: str, same: bool) -> None:
    row = {"question": "question", "choice-A": "choice-A", "choice-B": "choice-B"}
    texts = {"question": "kopi?", "choice-A": "KOPI", "choice-B": text}
    assert same_choice(texts, CHOICES, row, "choice-B") is same
