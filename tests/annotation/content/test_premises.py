"""Premises: their class, their length, and how many of one document are taken."""

import pytest

from annotation.content.rules.premises import DocumentCounter, premise_class, refusal, spell_class


@pytest.mark.parametrize(
    ("given", "text", "expected"),
    [
        ("single", "Satu. Dua. Tiga.", "single"),
        (" Double ", "Satu.", "double"),
        ("multiple", "Satu.", "paragraph"),
        ("paragraph", "Satu.", "paragraph"),
        ("", "Ia pulang.", "single"),
        ("  ", "Ia pulang. Ia tidur.", "double"),
        ("", "Ia pulang. Ia tidur. Ia bangun.", "paragraph"),
        ("", "", "single"),
        ("triple", "Ia pulang.", None),
    ],
)
def test_a_given_class_stands_and_a_missing_one_is_computed(given, text, expected):
    assert premise_class(text, given, "id") == expected


def test_a_project_spells_its_paragraphs():
    assert [spell_class(name, "multiple") for name in ("single", "paragraph")] == ["single", "multiple"]
    assert spell_class("paragraph") == "paragraph"


@pytest.mark.parametrize(
    ("words", "most", "code"),
    [
        (200, 200, None),
        (201, 200, "too_many_words"),
        (11, 10, "too_many_words"),
    ],
)
@pytest.mark.parametrize("word", ["kata ", "a ", "a-"])
def test_a_premise_has_so_many_words(word, words, most, code):
    found = refusal((word * words).strip(), most)
    assert (found and found.code) == code
    if found:
        assert found.message % found.params == f"The premise has {words} words; at most {most} are taken."


def test_only_the_first_premises_of_a_document_are_taken():
    documents = DocumentCounter({"d1": 1}, most=2)
    assert documents.take("d1") is None
    full = documents.take("d1")
    assert full is not None
    assert full.code == "document_full"
    assert full.message % full.params == "There are 2 premises of the document d1 already."
    assert documents.take("d2") is None


def test_premises_without_a_document_are_not_counted():
    documents = DocumentCounter({}, most=1)
    assert [documents.take("") for _ in range(3)] == [None] * 3
