"""Where words stand in a stored text: composed and decomposed letters, breaks, words within words."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.places import places_of, same_words

NFD = unicodedata.normalize("NFD", "Café di Kota Bogor. Café.")


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("la la la", "la", [(0, 2), (3, 5), (6, 8)]),
        ("Satu.\r\nDua.\r\nTiga.", "Dua. Tiga.", [(7, 18)]),
        ("Satu.\r\nDua.", "Dua.\n", [(7, 11)]),
        (NFD, "Café", [(0, 5), (21, 26)]),
        (NFD, unicodedata.normalize("NFD", "Café"), [(0, 5), (21, 26)]),
        (NFD, "Kota Bogor", [(9, 19)]),
        (NFD, "Cafe", []),
        ("Café", unicodedata.normalize("NFD", "Café"), [(0, 4)]),
        # Marks in another order are the same letter; three letters of Hangul, and two vowels of Bengali, make one.
        ("a\u0323\u0302 b", unicodedata.normalize("NFC", "a\u0302\u0323"), [(0, 3)]),
        (unicodedata.normalize("NFD", "한국 tệ"), "한국", [(0, 6)]),
        ("\u0995\u09c7\u09be x", "\u0995\u09cb", [(0, 3)]),
        ("Siti", "Ani", []),
    ],
)
def test_the_places_are_of_the_stored_text(text: str, words: str, found: list[tuple[int, int]]) -> None:
    assert places_of(text, words) == found


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.data())
def test_a_passage_is_found_where_it_stands(text: str, data: st.DataObject) -> None:
    letters = unicodedata.normalize("NFC", text).split()
    if letters:
        words = data.draw(st.sampled_from(letters))
        assert all(same_words(text[start:end], words) for start, end in places_of(text, words))
        assert places_of(unicodedata.normalize("NFD", text), words)
