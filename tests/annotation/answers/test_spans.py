"""Passages: offsets of the stored text, whatever its line breaks and the form of its letters."""

import json
import unicodedata
from typing import Any

import pytest

from annotation.answers import AnswerProblem, Label, Question, ShownItem, type_of
from tests.data import CASES, needs_cases

QUESTION = Question("names", "?", "spans", (Label("per", "Orang", "O", "circle"),), texts=("text",), optional=True)
SPANS = type_of(QUESTION)
CRLF = "Satu.\r\nDua.\r\nla la la"
NFD = unicodedata.normalize("NFD", "Café di Kota Bogor.")


def read(text: str, words: str, start: int | str = "", end: int | str = "", nth: str = "") -> dict[str, Any]:
    """What a form's row is stored as."""
    row = {"text": words, "of": "text", "label": "per", "nth": nth, "start": str(start), "end": str(end)}
    posted = {f"answer-names-{name}": [value] for name, value in row.items()}
    shown = ShownItem({"text": text})
    (answer,) = SPANS.parse_form(QUESTION, posted, shown)
    assert text[answer["start"] : answer["end"]] == answer["text"]
    again = SPANS.form_data(QUESTION, [answer], shown)
    assert SPANS.parse_form(QUESTION, again, shown) == [answer]
    return dict(answer)


@pytest.mark.parametrize(
    ("text", "words", "place", "stored"),
    [
        (CRLF, "la", (19, 21), (19, 21)),
        (CRLF, "Satu. Dua.", (0, 11), (0, 11)),
        (CRLF, "Satu. Dua.", ("", ""), (0, 11)),
        # A ballot that an older page kept says no end.
        (CRLF, "la", (16, ""), (16, 18)),
        (NFD, "Café", ("", ""), (0, 5)),
        (NFD, unicodedata.normalize("NFD", "Café"), (0, 5), (0, 5)),
        # What stands at the place is something else: the words are looked for.
        (NFD, "Kota Bogor", (3, 13), (9, 19)),
    ],
)
def test_offsets_are_of_the_stored_text(text: str, words: str, place: Any, stored: tuple[int, int]) -> None:
    found = read(text, words, *place)
    assert (found["start"], found["end"]) == stored


def test_of_equal_passages_the_place_says_which() -> None:
    assert read(CRLF, "la", nth="3")["start"] == 19
    with pytest.raises(AnswerProblem) as several:
        read(CRLF, "la")
    assert several.value.code == "span_several_times"


def test_a_passage_of_a_file_is_kept_as_it_is_or_refused() -> None:
    shown = ShownItem({"text": "Ibu Siti pergi."})
    siti = {"start": 3, "end": 9, "label": "per", "text": " Siti "}
    assert SPANS.parse_value(QUESTION, [siti], shown) == [{**siti, "of": "text"}]
    for passages, code in (
        ([siti, {"start": 4, "end": 8, "label": "per"}], "spans_overlap"),
        ([siti, siti], "spans_overlap"),
        ([{"start": 3, "end": 4, "label": "per"}], "span_blank"),
    ):
        with pytest.raises(AnswerProblem) as refused:
            SPANS.parse_value(QUESTION, passages, shown)
        assert refused.value.code == code
        assert refused.value.params["passage"]


@needs_cases
def test_the_cases_of_crlf_and_decomposed_letters() -> None:
    crlf = json.loads((CASES / "crlf.jsonl").read_text())["text"]
    third = [place for place in range(len(crlf)) if crlf.startswith("la", place)][2]
    assert read(crlf, "la", third, third + 2)["start"] == read(crlf, "la", nth="3")["start"] == third
    nfd = json.loads((CASES / "nfd.jsonl").read_text())["text"]
    word = nfd.split()[0]
    assert unicodedata.normalize("NFC", word) != word
    assert read(nfd, unicodedata.normalize("NFC", word))["text"] == read(nfd, word)["text"] == word
