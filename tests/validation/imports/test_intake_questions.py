"""Reading rows of questions: nothing raises, each form is read, and the file tells who wrote what nobody claims."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds import get
from validation.imports.rules import FileRefused, Problem, Record, open_source
from validation.imports.rules.people import MOST_TEAMS, Answer, Team
from validation.imports.rules.questions import LEFT_OUT, QUESTIONS, ConceptRow, QuestionReader, QuestionRow
from validation.imports.rules.records import CHUNK

KIND = get("mcq")
EVERY = {field: field for field in QUESTIONS.aliases if not field.startswith("choice_")} | {LEFT_OUT: "answers"}
SHEET = {field: field for field in QUESTIONS.fields if field != "choices"}
WORDS = st.sampled_from(["", "A", "B", "W1", "W2", "clear", "ambiguous", "label", "text", "stem", "choices"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=9) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
ROWS = st.fixed_dictionaries(
    {"question": st.just("Untuk apa tikar?") | JSON, "choices": st.just(["duduk", "mandi"]) | JSON},
    optional=dict.fromkeys([each for each in QUESTIONS.aliases if each not in ("question", "choices")], JSON),
)


def reader(mapping: dict[str, str] | None = None, everyone: tuple[str, ...] = ()) -> QuestionReader:
    return QuestionReader(mapping or EVERY, KIND.question.label_keys, KIND.question.read_label, everyone)


def row(data: Mapping[str, Any], mapping: dict[str, str] | None = None, **options: Any) -> QuestionRow:
    found = reader(mapping or QUESTIONS.guess(list(data)), **options).read(Record(1, data, None))
    assert isinstance(found, QuestionRow), found
    return found


@settings(max_examples=400, deadline=None)
@given(ROWS, st.sampled_from([EVERY, SHEET, {"concept": "concept", "category": "category"}]))
def test_no_row_raises(data: dict[str, Any], mapping: dict[str, str]) -> None:
    found = reader(mapping).read(Record(1, data, None))
    assert isinstance(found, QuestionRow | ConceptRow | Problem)
    if isinstance(found, Problem):
        assert found.reason
        assert found.field in ("", *QUESTIONS.fields)
    elif isinstance(found, QuestionRow):
        keys = {key for key, _ in found.options}
        assert {vote.label for vote in found.votes} <= keys
        assert found.author_label in {"", *keys}


PUBLISHED: dict[str, tuple[str, dict[str, str | None]]] = {
    "id-csqa": (
        "id category question_concept question choices answer_creator answer_majority answers answers_uncertainty "
        "question_ambiguity option_ambiguity reason",
        {
            "item_id": "id",
            "answer": "answer_creator",
            LEFT_OUT: "answers",
            "uncertainty": "answers_uncertainty",
        },
    ),
    "CommonsenseQA": (
        "id question answerKey",
        {"item_id": "id", "question": "question", "answer": "answerKey"},
    ),
    "sheet": (
        "Category Concept Question Choice_A option_b C Answer Writer",
        {
            "choice_a": "Choice_A",
            "choice_b": "option_b",
            "choice_c": "C",
            "creator": "Writer",
            "concept": "Concept",
        },
    ),
    "concepts": (
        "category concept shared_key parallel",
        {"shared_key": "shared_key", "parallel": "parallel"},
    ),
    "own release": (
        "id question choices answer_creator answers label gold_label creator",
        {"answer": "answer_creator", "creator": "creator", LEFT_OUT: None},
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_columns_are_guessed(name: str) -> None:
    columns, expected = PUBLISHED[name]
    found = QUESTIONS.guess(columns.split())
    assert {field: found.get(field) for field in expected} == expected


def test_a_mapping_by_hand() -> None:
    columns = ["id", "soal", "answers"]
    guess = QUESTIONS.guess(columns)
    assert QUESTIONS.read_map(["soal=question"], columns, guess)["question"] == "soal"
    # Who takes the column of answers for something else takes the creators away with it.
    assert LEFT_OUT not in QUESTIONS.read_map(["answers=answers"], columns, guess)
    with pytest.raises(FileRefused, match="no COLUMN=FIELD"):
        QUESTIONS.read_map([f"answers={LEFT_OUT}"], columns, guess)
    with pytest.raises(FileRefused, match="nor for the concept"):
        QUESTIONS.validated({"answers": "answers"}, columns)


CHOICES: dict[str, Any] = {
    "published": {"choices": {"label": ["B", "a"], "text": ["duduk", "mandi"]}},
    "objects": {"choices": [{"label": "B", "text": "duduk"}, {"label": "A", "text": "mandi"}]},
    "in a cell": {"choices": '{"label": ["B", "A"], "text": ["duduk", "mandi"]}'},
    "a list in a cell": {"choices": '[{"label": "B", "text": "duduk"}, {"label": "A", "text": "mandi"}]'},
    "nested": {
        "question": {
            "stem": "Untuk apa?",
            "choices": [{"label": "B", "text": "duduk"}, {"label": "A", "text": "mandi"}],
        }
    },
}


@pytest.mark.parametrize("name", CHOICES)
def test_choices_in_every_form(name: str) -> None:
    found = row({"question": "Untuk apa?", "answerKey": "A", **CHOICES[name]})
    assert (found.question, found.options) == ("Untuk apa?", (("B", "duduk"), ("A", "mandi")))
    assert found.author_label == "A"


UNKNOWN = {"question": "unknown", "options_unknown": "AB"}


def test_marks_stand_on_the_keys_of_the_choices() -> None:
    data = {
        "question": "Untuk apa?",
        "choices": {"label": ["C", "A", "B"], "text": ["duduk", "mandi", "masak"]},
        "answers": {"W2": "c", "W3": "B"},
        "answers_uncertainty": {"W2": "Uncertain"},
        "question_ambiguity": {"W3": "ambiguous"},
        "option_ambiguity": {"W3": ["ambiguous", "clear", "ambiguous"]},
        "reason": {"W3": " Dua-duanya benar. "},
    }
    marked = {"question": "ambiguous", "options": "BC"}
    assert row(data).votes == (
        Answer("W2", "C", unsure=True, answers={"question": "unknown", "options_unknown": "ABC"}),
        Answer("W3", "B", ambiguous=True, comment=" Dua-duanya benar. ", answers=marked),
    )


@pytest.mark.parametrize(
    ("marks", "unsure", "ambiguous", "answers", "unread"),
    [
        ({}, None, None, UNKNOWN, []),
        ({"answers_uncertainty": {"W2": ""}, "question_ambiguity": {"W2": None}}, None, None, UNKNOWN, []),
        ({"answers_uncertainty": {"W2": "clear"}}, None, None, UNKNOWN, [("uncertainty", "W2", "clear")]),
        ({"answers_uncertainty": "W2 tahu"}, None, None, UNKNOWN, [("uncertainty", "", "W2 tahu")]),
        (
            {"question_ambiguity": {"W2": "clear"}, "option_ambiguity": {"W2": ["clear", None]}},
            None,
            None,
            {"options_unknown": "B"},
            [],
        ),
        (
            {"question_ambiguity": {"W2": "clear"}, "option_ambiguity": {"W2": ["ambiguous", "x"]}},
            None,
            True,
            {"options": "A", "options_unknown": "B"},
            [("option_ambiguity", "W2", "x")],
        ),
        (
            {"question_ambiguity": {"W2": 3}, "option_ambiguity": {"W2": ["clear"]}},
            None,
            None,
            UNKNOWN,
            [("question_ambiguity", "W2", "3"), ("option_ambiguity", "W2", '["clear"]')],
        ),
        (
            {
                "answers_uncertainty": {"W2": "certain"},
                "question_ambiguity": {"W2": "clear"},
                "option_ambiguity": {"W2": ["clear", "clear"]},
            },
            False,
            False,
            {},
            [],
        ),
    ],
)
def test_a_mark_that_is_missing_or_cannot_be_read_is_unknown(
    marks: dict[str, object],
    unsure: bool | None,
    ambiguous: bool | None,
    answers: dict[str, str],
    unread: list[tuple[str, str, str]],
) -> None:
    """Never `certain` or `clear`, and no reason to refuse the row (domain.md, ruling 22)."""
    found = row({"question": "Untuk apa?", "choices": ["duduk", "mandi"], "answers": {"W2": "A"}, **marks})
    assert found.votes == (Answer("W2", "A", unsure, ambiguous, "", answers),)
    assert sorted(found.unread) == sorted(unread)


@pytest.mark.parametrize(
    ("marks", "unread"),
    [
        ({"answers_uncertainty": {"W2": "certain", "W3": ""}}, [("uncertainty", "W3", "")]),
        ({"answers_uncertainty": {"W2": "certain", "W3": None}}, []),
        ({"answers_uncertainty": {"W2": "certain"}}, [("uncertainty", "W3", "")]),
        ({"question_ambiguity": {"W2": "clear", "W3": ""}}, [("question_ambiguity", "W3", "")]),
        ({"question_ambiguity": {"W2": "", "W3": ""}}, []),
        ({"option_ambiguity": {"W2": ["clear", "clear"], "W3": []}}, [("option_ambiguity", "W3", "")]),
        ({"option_ambiguity": {"W2": ["clear", "clear"], "W3": ""}}, [("option_ambiguity", "W3", "")]),
        ({"option_ambiguity": {"W2": ["clear", ""], "W3": ["clear", None]}}, [("option_ambiguity", "W2", "")]),
    ],
)
def test_an_empty_mark_beside_others_is_missing_and_flagged(
    marks: dict[str, object], unread: list[tuple[str, str, str]]
) -> None:
    """As docs/importing.md says; where nobody has a mark nobody was asked, and null says that it is unknown."""
    found = row({"question": "Untuk apa?", "choices": ["duduk", "mandi"], "answers": {"W2": "A", "W3": "B"}, **marks})
    assert list(found.unread) == unread


def test_an_answer_by_its_text() -> None:
    data = {"question": "Untuk apa?", "choice_a": "duduk", "choice_b": "mandi", "choice_c": "mandi"}
    assert row({**data, "answer": "duduk"}).author_label == "A"
    found = reader(QUESTIONS.guess([*data, "answer"])).read(Record(1, {**data, "answer": "mandi"}, None))
    assert isinstance(found, Problem)
    assert (found.field, found.code) == ("answer", "answer_unknown")


def test_the_same_question_makes_the_same_id() -> None:
    data = {"question": "Untuk apa?", "choice_a": "duduk", "choice_b": "mandi", "answer": "A"}
    assert row(data).key == row({**data, "question": "Untuk apa? "}).key
    assert row(data).key != row({**data, "answer": "B"}).key


def team(*rows: object) -> Team:
    made = Team()
    for each in rows:
        made.add(each)
    return made


def left_out(*names: str) -> dict[str, str]:
    return {f"W{n}": "A" for n in range(1, 5) if f"W{n}" not in names}


def test_who_does_not_answer_wrote_it() -> None:
    made = team(left_out("W1"), left_out("W2"), json.dumps(left_out("W3")), left_out("W4"), None, 5)
    assert made.tells_creators
    told = made.problem()
    assert told is not None
    assert (told.code, told.params["rows"], told.params["rest"]) == ("creators_assumed", 4, 0)
    everyone = tuple(made.everyone)
    data = {"question": "Untuk apa?", "choices": ["duduk", "mandi"]}
    assert row({**data, "answers": left_out("W2")}, everyone=everyone).author == "W2"
    assert row({**data, "answers": left_out("W2", "W3")}, everyone=everyone).author == ""
    assert row({**data, "answers": {}}, everyone=everyone).author == ""
    assert row({**data, "answers": left_out("W2"), "creator": "W2"}, everyone=everyone).author == "W2"


@pytest.mark.parametrize(
    "rows",
    [
        [left_out(), left_out(), left_out()],
        [left_out("W1"), left_out("W2"), left_out("W3"), left_out("W4"), left_out("W1", "W2")],
        [{"W1": "A"}, {"W2": "A"}],
    ],
    ids=["everybody answers", "a fifth does not fit", "two people"],
)
def test_a_file_that_does_not_tell(rows: list[object]) -> None:
    made = team(*rows)
    assert not made.tells_creators
    told = made.problem()
    assert told is not None
    assert told.code == "creators_unknown"


def test_nothing_is_told_where_nobody_answers() -> None:
    assert team({}, None, "", {"W1": ""}).problem() is None


def test_so_many_sets_of_names_are_no_team() -> None:
    made = team(*({f"P{n}": "A"} for n in range(MOST_TEAMS + 1)))
    assert made.too_many
    assert not made.tells_creators
    assert len(made.people_sets) == MOST_TEAMS


ENTRIES = st.lists(
    st.dictionaries(st.text('ab"\\{}[],é', max_size=4), st.text('"\\{}[], é\n', max_size=6), max_size=3),
    max_size=6,
)


@settings(max_examples=200, deadline=None)
@given(ENTRIES, st.sampled_from([None, 1, 4]), st.integers(0, 40))
def test_a_list_is_cut_as_it_was_joined(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, str]], indent: int | None, beyond: int
) -> None:
    """Wherever a chunk ends: inside a text, behind a backslash, between two entries."""
    filler = {"text": "x" * (CHUNK - 40 + beyond)}
    path = tmp_path_factory.getbasetemp() / "list"
    path.write_text(json.dumps([filler, *entries], indent=indent, ensure_ascii=False), encoding="utf-8")
    source = open_source(path, "x.json")
    found = list(source.records())
    assert source.lines == len(found) == 1 + len(entries)
    assert [(each.n, each.data) for each in found] == list(enumerate([filler, *entries], start=1))
