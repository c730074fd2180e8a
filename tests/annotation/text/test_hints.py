"""Hints of a word list in a text (annotation.text.hints)."""

import pytest

from annotation.text.hints import Part, explained_parts

WORDS = [
    ("kula", "saya, aku"),
    ("nedha", "makan nasi"),
    ("griya", "rumah"),
    ("dalem", "rumah"),
    ("wangsul", ""),
]


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("Saya pulang.", {"Saya": "kula"}),
        ("SAYA, aku", {"SAYA": "kula", "aku": "kula"}),
        ("sayang bersaya", {}),
        ("rumah-rumah", {"rumah": "griya, dalem"}),
        ("makan  nasi di rumah", {"makan  nasi": "nedha", "rumah": "griya, dalem"}),
        ("makan saja", {}),
        ("kula itu apa?", {"kula": "saya, aku"}),
        ("wangsul", {}),
        ("", {}),
    ],
)
def test_words_that_a_list_explains(text: str, hints: dict[str, str]) -> None:
    parts = explained_parts(text, WORDS)
    assert {part.text: part.explanation for part in parts if part.explanation} == hints
    assert "".join(part.text for part in parts) == text


@pytest.mark.parametrize("words", [[], [("", "")], [("kula", "")]])
def test_a_list_that_explains_nothing(words: list[tuple[str, str]]) -> None:
    assert explained_parts("Saya pulang.", words) == [Part("Saya pulang.")]


def test_accents_are_the_same_however_they_are_written() -> None:
    parts = explained_parts("Ke cafe\u0301 itu", [("warung", "café")])
    assert parts == [Part("Ke "), Part("cafe\u0301", "warung"), Part(" itu")]


def test_letters_that_grow_keep_their_places() -> None:
    assert explained_parts("ẞ İ rumah İ", [("griya", "rumah")]) == [
        Part("ẞ İ "),
        Part("rumah", "griya"),
        Part(" İ"),
    ]


def test_marks_of_a_pattern_are_plain_text() -> None:
    assert explained_parts("a.b axb", [("x", "a.b")]) == [Part("a.b", "x"), Part(" axb")]
