"""Words, tokens, sentences and what is known of languages."""

from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text import languages
from annotation.text.sentences import has_several, sentence_class, sentences
from annotation.text.tokens import tokens, word_count, words


def test_words_and_tokens():
    text = "Buku-buku itu 1.500,5 rupiah, kata Nisa's teman."
    assert words(text) == ["buku", "buku", "itu", "1", "500", "5", "rupiah", "kata", "nisa", "s", "teman"]
    assert word_count(text) == 11
    assert tokens(text) == ["buku-buku", "itu", "1.500,5", "rupiah", ",", "kata", "nisa's", "teman", "."]
    assert tokens("") == words(" ") == []


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Ia pulang.", "id", 1),
        ("Ia pulang. Ia tidur.", "id", 2),
        ("Ia pulang! Benarkah? Ya… Tentu.", "id", 4),
        ("  Ia pulang.\nIa tidur.  ", "id", 2),
        ("Ia berkata, “Pulanglah.” Lalu ia tidur.", "id", 2),
        ("Ia berkata “Pulanglah.” sambil tidur.", "id", 1),
        ("Ia ragu... lalu pulang.", "id", 1),
        ("Ia ragu… lalu pulang.", "id", 1),
        ("Ia ragu... Lalu pulang.", "id", 2),
        ("ia pulang. lalu tidur.", "id", 2),
        ("Dr. Sari dan Prof. Amir mengajar S.Pd. baru, dll. di sana.", "id", 1),
        ("Dr. Sari mengajar.", "xx", 2),
        ("R. A. Sari mengajar di (Jl. Melati No. 5) dan lain-lain.", "id", 1),
        ("Harganya 2.500 rupiah.", "id", 1),
        ("Itu terjadi pada 1999. Sesudah itu sepi.", "id", 2),
        ("1. Rebus air.", "id", 1),
        ("Mr. Hill met Capt. Ross at 5 p.m. on Main St. today.", "en", 1),
        ("It rained. They stayed.", "en", 2),
        ("Ia pulang . Ia tidur.", "id", 2),
        (". . .", "id", 3),
        ("他买了鱼。他回家了。", "zh", 2),
        ("他说：“走！”", "zh", 1),
        ("हम गए। वे आए।", "hi", 2),
        ("Tanpa tanda akhir", "id", 1),
        ("", "id", 0),
    ],
)
def test_sentences(text, language, expected):
    assert len(sentences(text, language)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", "single"), ("Satu.", "single"), ("Satu. Dua.", "double"), ("A1. Be. Ce. De.", "paragraph")],
)
def test_sentence_classes(text, expected):
    assert sentence_class(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ia pergi ke pasar. Adiknya tinggal di rumah.", True),
        ("Ia pergi ke pasar. Adiknya tinggal sendiri.", True),
        ("Budi pergi. Ani tinggal.", True),
        ("Ya. Budi pergi ke pasar.", False),
        ("Budi pergi ke pasar. Sendiri.", False),
        ("Budi bertemu Dr. Hasan.", False),
        ("Budi R. Hasan pergi.", False),
        ("Ia pergi ke pasar bersama Ny. Adi yang tinggal di sana.", False),
        ("Apa ia pergi ke pasar? Ya.", False),
        ("Satu dua. Tiga empat. Lima enam. Tujuh delapan.", True),
        ("Satu dua tiga empat lima enam tujuh", False),
        ("Ia pergi ke pasar di Jl. Satu dua tiga empat.", False),
        ("Satu dua tiga. Empat lima enam", True),
    ],
)
def test_several_sentences(text, expected):
    assert has_several(text, "id") is expected


@given(st.text(st.characters() | st.sampled_from(".!? \n”)。aB1"), max_size=80))
def test_cutting_loses_nothing_but_blanks(text):
    assert "".join("".join(sentences(text, "id")).split()) == "".join(text.split())


@pytest.mark.parametrize("code", ["id", "ind", "ID", "id-ID", "id_Latn"])
def test_a_language_has_many_codes(code):
    assert languages.get(code).code == "id"
    assert "tidak" in languages.get(code).negations


def test_an_unknown_language_has_empty_lists():
    assert languages.get("tlh-Piqd") == languages.Language("tlh")
    assert languages.get("") == languages.Language("")


@pytest.mark.parametrize(
    "language",
    sorted(set(languages.languages_by_code().values()), key=attrgetter("code")),
    ids=attrgetter("code"),
)
def test_the_lists_are_lower_case_and_not_empty(language):
    lists = (language.abbreviations, language.stopwords, language.negations)
    # Of some languages only the words for numbers are known, or only what they are called.
    numbers = language.numbers
    assert all(lists) or (not any(lists) and (numbers or language.names))
    for words_of in (*lists, *((numbers.words, numbers.multipliers) if numbers else ())):
        assert all(word == word.lower() and not word.endswith(".") for word in words_of)


def test_the_folder_is_walked():
    assert {"id", "en", "su", "jv"} <= {language.code for language in languages.languages_by_code().values()}
