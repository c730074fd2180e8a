"""What a model may answer in words, and how choices may be written: forms that forgive what does no harm."""

from typing import Any

import pytest
from pydantic import ValidationError

from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.answers import (
    Chosen,
    QuestionText,
    Rename,
    Renames,
    Translated,
    Vector,
    Verdict,
    Written,
)
from annotation.generation.rules.recipes.written import as_lines, read_letter
from tests.annotation.generation.recipe_answers import CONCEPT, written_question
from tests.annotation.generation.recipe_driver import a_frame


def test_a_line_of_words_is_an_answer_where_one_text_was_asked_for() -> None:
    assert QuestionText.from_text(" What is  hot?\n") == QuestionText(question="What is hot?")
    assert Chosen.from_text("B.") == Chosen(answer="B.")
    assert Verdict.from_text("Yes") == Verdict(answer="Yes")
    assert Translated.from_text("Naon ieu?") == Translated(text="Naon ieu?")


@pytest.mark.parametrize("form", [QuestionText, Chosen, Verdict, Translated])
@pytest.mark.parametrize("text", ['{"answer": "A', "[1, 2", "Sure!\nWhat is hot?", "x" * 3000, "a\x00"])
def test_torn_or_talkative_answers_are_none(form: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"line of words|at most|stored"):
        form.from_text(text)


@pytest.mark.parametrize(
    "options",
    [
        [{"key": "A", "text": "x"}, {"key": "B", "text": "y"}],
        [{"key": "A", "text": " x ", "role": "answer"}, {"key": "B", "text": "y"}],
        {"A": "x", "B": "y"},
        ["x", "y"],
    ],
)
def test_choices_may_come_as_models_like_to_write_them(options: Any) -> None:
    found = Written.model_validate(written_question("c", "q?") | {"options": options})
    assert [(choice.key, choice.text) for choice in found.options] == [("A", "x"), ("B", "y")]


@pytest.mark.parametrize(
    "options", [None, "x, y", 7, [1, 2], [["x"]], {"A": 1}, [{"key": "A"}], [{"text": "x"}], ["x", 2]]
)
def test_choices_that_cannot_be_read_make_no_answer(options: Any) -> None:
    with pytest.raises(ValidationError):
        Written.model_validate(written_question("c", "q?") | {"options": options})


def test_what_could_not_be_stored_or_counted_with_is_no_answer() -> None:
    for text in ("a\x00b", "\ud800", "x" * 2001):
        with pytest.raises(ValidationError):
            QuestionText(question=text)
    for vector in ([], [float("nan")], [float("inf")], ["x"]):
        with pytest.raises(ValidationError):
            Vector.model_validate({"vector": vector})
    assert Renames(names=[Rename(name=" A ", becomes="B")]).names[0].name == "A"


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("A", 0),
        ("b", 1),
        ("(C)", 2),
        ("**B**", 1),
        ("B) saw", 1),
        ("B. saw", 1),
        ("B - saw", 1),
        ('"B"', 1),
        ("B, because it cuts", 1),
        ("saw", 1),
        ("Saw.", 1),
        ("A saw", None),
        ("A-frame", None),
        ("D", None),
        ("", None),
        ("?", None),
        ("AB", None),
        ("Ⓑ", None),
    ],
)
def test_how_the_letter_of_an_answer_is_read(answer: str, place: int | None) -> None:
    assert read_letter(answer, ["pan", "saw", "grater"]) == place


def test_choices_are_shown_with_letters_or_without() -> None:
    assert as_lines(["pan", "saw"], "ABCDE") == "A. pan\nB. saw"
    assert as_lines(["pan", "saw"]) == "- pan\n- saw"


def test_a_concept_brings_its_parallel_wording_along() -> None:
    [work] = recipes.get("llm-gen").build_works(a_frame(), "K1", "", {**CONCEPT, "parallel": "sambel"})
    assert work.content["parallel"] == "sambel"


def test_a_recipe_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(KeyError, match="llm-adapt"):
        recipes.get("llm-poem")
