"""Reading rows of prompts: nothing raises, each form is read, and what is read gives the text again."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.core.models.project import Project
from annotation.elicitation.rules.prompts import Parts, compose
from annotation.kinds import get
from validation.imports.pipeline import format_of
from validation.imports.rules import FileRefused, Problem, Record
from validation.imports.rules.prompts import KEY, PROMPTS, TOPICS, PromptReader, PromptRow
from validation.imports.rules.questions import ConceptRow

KIND = get("cultural")
EVERY = {field: field for field in PROMPTS.fields}
WORDS = st.sampled_from(["", "R1", "I1", "a", "b", "a;b", "a\nb", "a\n\nb\nc", "V1", "label", "annotator"])
IDS = st.sampled_from(["0100000100", "0101000101", "0000000100", "0100000101", 100000100])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=9) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=10,
)
LISTS = st.lists(st.sampled_from(["a", "b", "c", "", 1]), max_size=7) | WORDS | JSON
ROWS = st.fixed_dictionaries(
    {KEY: IDS | JSON, "prompt": WORDS | st.text(max_size=20) | JSON, "best_answer": WORDS | JSON},
    optional={
        "relevant_answers": LISTS,
        "irrelevant_answers": LISTS,
        **dict.fromkeys(("prompt_id", "category", "topic", "topic_key", "source", "answers"), JSON),
    },
)
GOOD = {
    KEY: "0101000101",
    "prompt_id": "01010001",
    "category": "ethics",
    "topic": "bertamu",
    "prompt": "Saya tamu.\nHujan deras.\n\nMalam sudah larut.\nSaya sendiri.\nApa yang saya lakukan?",
    "best_answer": "Pamit.",
    "relevant_answers": ["Menginap.", "Pamit."],
    "irrelevant_answers": "Diam.;Tidur.",
}


def read(data: Mapping[str, Any], mapping: dict[str, str] | None = None) -> ConceptRow | PromptRow | Problem:
    return PromptReader(mapping or EVERY, KIND.question.read_label).read(Record(1, data, None))


def prompt(**changes: Any) -> PromptRow:
    found = read({**GOOD, **changes})
    assert isinstance(found, PromptRow), found
    return found


def refused(**changes: Any) -> str:
    found = read({**GOOD, **changes})
    assert isinstance(found, Problem), found
    return found.code


@settings(max_examples=400, deadline=None)
@given(ROWS, st.sampled_from([EVERY, {"topic": "topic", "category": "category", "source": "source"}]))
def test_no_row_raises(data: dict[str, Any], mapping: dict[str, str]) -> None:
    found = read(data, mapping)
    if isinstance(found, Problem):
        assert found.reason
        assert found.field in ("", *PROMPTS.fields)
    elif isinstance(found, PromptRow):
        keys = {key for key, _ in found.options}
        assert compose(found.parts) == found.question
        assert found.author_label in keys
        assert {vote.label for vote in found.votes} <= keys
    else:
        assert found.text


def test_what_a_row_says() -> None:
    row = prompt()
    assert row.parts == Parts(
        "Saya tamu.", "Hujan deras.\n\nMalam sudah larut.", "Saya sendiri.", "Apa yang saya lakukan?"
    )
    assert row.options == (("R1", "Menginap."), ("R2", "Pamit."), ("I1", "Diam."), ("I2", "Tidur."))
    assert (row.author_label, row.author, row.votes, row.concept) == ("R2", "", (), "bertamu")
    # Nobody is shown a relevant response that is not the best.
    assert [vote.label for vote in prompt(answers={"V1": "r2", "V2": "I1", "V3": ""}).votes] == ["R2", "I1"]
    assert refused(answers={"V1": "R1"}) == "answer_unknown"
    assert refused(answers={f"V{n}": "R2" for n in range(201)}) == "votes_too_many"


def test_responses_stand_as_they_are() -> None:
    """Blanks and semicolons of a list are the responses'; in a cell a semicolon ends one."""
    row = prompt(relevant_answers=[" Pamit.", "Pamit.", "Satu; dua."], irrelevant_answers=None)
    assert row.options == (("R1", " Pamit."), ("R2", "Pamit."), ("R3", "Satu; dua."))
    assert prompt(relevant_answers="Pamit.; Diam ").options[1] == ("R2", " Diam ")
    assert refused(relevant_answers="Pamit.;") == "cell_empty"
    assert refused(relevant_answers=7) == "wrong_type"
    assert refused(relevant_answers=["Pamit."] * 6) == "responses_many"
    assert refused(best_answer="Pamit") == "best_missing"


def test_ids() -> None:
    assert refused(prompt_id="01010002") == "id_other"
    assert refused(**{KEY: 101000101}) == "id_form"
    assert refused(**{KEY: ""}) == "missing"
    assert refused(prompt="Satu.") == "lines_missing"
    assert refused(prompt="\nHujan.\nSaya sendiri.\nApa?") == "part_empty"


def test_topics() -> None:
    mapping = PROMPTS.guess(["Topic", "category", "source", "id"])
    assert mapping == {"topic": "Topic", "category": "category", "source": "source", "topic_key": "id"}
    found = read({"Topic": " angkot ", "id": 7, "source": ["cari", "kelompok"]}, mapping)
    assert found == ConceptRow(1, "7", TOPICS, "angkot", "", "", "cari, kelompok")
    assert isinstance(read({"Topic": " "}, mapping), Problem)
    assert isinstance(PromptReader(mapping, KIND.question.read_label).read(Record(1, None, None)), Problem)


def test_columns() -> None:
    assert format_of(KIND.file_format).columns(Project()) is PROMPTS
    assert PROMPTS.guess(["id", "prompt"]) == {KEY: "id", "prompt": "prompt"}
    published = list(GOOD)
    assert PROMPTS.validated(PROMPTS.guess(published), published) == {field: field for field in GOOD}
    with pytest.raises(FileRefused, match="best_answer, irrelevant_answers"):
        PROMPTS.validated({"prompt": "prompt", KEY: "id", "relevant_answers": "r"}, ["prompt", "id", "r"])
    with pytest.raises(FileRefused, match="nor for the topic"):
        PROMPTS.validated({"category": "category"}, ["category"])
