"""Files of rows for source sets: columns guessed, cells read, and what is refused with row, field and reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.translation.rules.source_units import SHAPES, Row
from tests.data import DATA, needs_data
from validation.imports.rules import FileRefused, Problem, Record, open_source
from validation.imports.rules.source_columns import source_columns
from validation.imports.rules.sources import SourceReader


def read(shape: str, data: dict[str, Any], **mapping: str) -> Row | Problem:
    columns = source_columns(shape)
    fields = columns.validated({**columns.guess(list(data)), **mapping}, list(data))
    return SourceReader(shape, fields).read(Record(3, data, None))


PAIR = {"id": 7, "premise": "Hujan.", "hypothesis": "Basah.", "label": "entailment"}
ROWS: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    ("pair", PAIR, {"premise": "Hujan.", "hypothesis": "Basah."}, "e"),
    ("pair", {"pair_id": "a", "sentence1": "p", "sentence2": "h", "gold_label": "N"}, {}, "n"),
    (
        "choices",
        {"id": "q", "question": "Apa?", "choices": {"label": ["A", "B"], "text": ["x", "y"]}, "label": "B"},
        {"question": "Apa?", "choice-A": "x", "choice-B": "y"},
        "B",
    ),
    ("choices", {"id": "q", "question": "Apa?", "choices": ["x", "y"], "label": "y"}, {"choice-B": "y"}, "B"),
    (
        "choices",
        {"q_id": 1, "question": "?", "choice0": "x", "choice1": "y", "label": 1},
        {"choice-A": "x"},
        "1",
    ),
    (
        "choices",
        {
            "id": "c",
            "question": {
                "stem": "Apa?",
                "choices": [{"label": "a", "text": "x"}, {"label": "b", "text": "y"}],
            },
            "answerKey": "b",
        },
        {"question": "Apa?", "choice-A": "x", "choice-B": "y"},
        "B",
    ),
    (
        "alternatives",
        {"idx": "0", "premise": "p", "choice1": "x", "choice2": "y", "label": "0"},
        {"alternative-A": "x", "alternative-B": "y"},
        "0",
    ),
    (
        "continuations",
        {"id": 1, "context": "c", "options": '["x", "y", "z"]', "label": "C"},
        {"context": "c", "continuation-C": "z"},
        "C",
    ),
    (
        "passage",
        {
            "id": 1,
            "context": "Tahun 1950.",
            "question": "?",
            "answers": {"text": ["1950"], "answer_start": [6]},
        },
        {"passage": "Tahun 1950.", "answer": "1950"},
        "",
    ),
    ("sentence", {"row": 3, "text": "Ada\u0085."}, {"text": "Ada\u0085."}, ""),
    (
        "prompt",
        {
            "prompt_variation_id": "1",
            "prompt": "p",
            "best_answer": "b",
            "relevant_answers": "a;b",
            "irrelevant_answers": ["c"],
        },
        {"response-I1": "c"},
        "R2",
    ),
]


@pytest.mark.parametrize(("shape", "data", "texts", "label"), ROWS)
def test_published_forms_are_read(shape: str, data: dict[str, Any], texts: dict[str, str], label: str) -> None:
    row = read(shape, data)
    assert isinstance(row, Row), row
    assert {key: row.texts[key] for key in texts} == texts
    assert (row.label, row.number) == (label, 3)


def test_what_is_taken_for_nothing_is_kept_as_it_is() -> None:
    row = read("pair", {**PAIR, "split": "test", "votes": ["e", None], "genre": "", "n": 2.5})
    assert isinstance(row, Row)
    assert (row.split, row.data) == ("test", {"votes": ["e", None], "n": 2.5})


@pytest.mark.parametrize(
    ("shape", "data", "code", "field"),
    [
        ("pair", {**PAIR, "label": "maybe"}, "label_unknown", "label"),
        ("pair", {**PAIR, "premise": None}, "missing", "premise"),
        ("pair", {**PAIR, "premise": ["a", 3]}, "ok", ""),
        ("pair", {**PAIR, "premise": [{}]}, "wrong_type", "premise"),
        ("pair", {**PAIR, "premise": "a\ud800"}, "not_storable", "premise"),
        ("pair", {**PAIR, "id": {"a": 1}}, "wrong_type", "id"),
        ("pair", {**PAIR, "more": {"deep": ["a\0"]}}, "not_storable", ""),
        ("pair", {**PAIR, "more": {"\0": 1}}, "not_storable", ""),
        ("pair", {**PAIR, "more": "half \ud800"}, "not_storable", ""),
        ("pair", {**PAIR, "more": "x" * 50_001}, "data_too_long", ""),
        (
            "choices",
            {"id": 1, "question": "?", "choices": {"label": ["A"], "text": []}, "label": "A"},
            "choices_uneven",
            "choices",
        ),
        (
            "choices",
            {"id": 1, "question": "?", "choices": {"label": ["A", "A"], "text": ["x", "y"]}, "label": "A"},
            "choice_twice",
            "choices",
        ),
        (
            "choices",
            {"id": 1, "question": "?", "choices": {"label": ["Z"], "text": ["x"]}, "label": "A"},
            "choice_unknown",
            "choices",
        ),
        (
            "prompt",
            {"id": 1, "prompt": "p", "best_answer": "z", "relevant_answers": "a", "irrelevant_answers": "c"},
            "best_missing",
            "best",
        ),
    ],
)
def test_cells_that_cannot_be_read(shape: str, data: dict[str, Any], code: str, field: str) -> None:
    found = read(shape, data)
    if code == "ok":
        assert isinstance(found, Row)
    else:
        assert isinstance(found, Problem), found
        assert (found.code, found.field) == (code, field)


def test_a_column_nested_beyond_reason_is_refused() -> None:
    deep: Any = "x"
    for _ in range(30):
        deep = [deep]
    found = read("pair", {**PAIR, "more": deep})
    assert isinstance(found, Problem)
    assert found.code == "data_too_deep"


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_a_file_without_the_columns_says_which(shape: str) -> None:
    with pytest.raises(FileRefused) as refused:
        source_columns(shape).validated({}, ["a", "b"])
    assert "id" in str(refused.value.params["missing"])
    assert "a, b" in str(refused.value)


def test_every_field_says_what_it_holds() -> None:
    for shape in SHAPES:
        columns = source_columns(shape)
        assert all(columns.help[field] for field in columns.fields)


@needs_data
@pytest.mark.parametrize(
    ("shape", "name", "rows", "columns"),
    [
        (
            "pair",
            "indonli/expert_replay.jsonl",
            1489,
            {"id": "pair_id", "premise": "premise", "hypothesis": "hypothesis", "label": "label"},
        ),
        (
            "choices",
            "idcsqa/human_gen_ind.json",
            1498,
            {"id": "id", "question": "question", "choices": "choices", "label": "answer_majority"},
        ),
        (
            "alternatives",
            "copal/test_copal.csv",
            559,
            {
                "id": "idx",
                "premise": "premise",
                "alternative-A": "choice1",
                "alternative-B": "choice2",
                "label": "label",
            },
        ),
    ],
)
def test_published_files_are_read_without_a_word(shape: str, name: str, rows: int, columns: dict[str, str]) -> None:
    source = open_source(DATA / name, name)
    known = source_columns(shape)
    mapping = known.validated(known.guess(source.columns), source.columns)
    assert mapping == columns
    reader = SourceReader(shape, mapping)
    found = [reader.read(record) for record in source.records()]
    assert len(found) == rows
    assert [row for row in found if isinstance(row, Problem)] == []


def test_a_list_that_is_torn_ends_in_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text("[" + json.dumps(PAIR) + ", {", encoding="utf-8")
    source = open_source(path, "rows.json")
    reader = SourceReader("pair", source_columns("pair").guess(source.columns))
    first, *rest = [reader.read(record) for record in source.records()]
    assert isinstance(first, Row)
    assert rest
    assert all(isinstance(row, Problem) for row in rest)
