"""What is marked between two texts: words, joined back to both texts, in time whatever they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.differences import differences

TABLE = [
    ("Ada mangga.", "Ada mangga.", [("equal", "Ada mangga.")]),
    ("", "", []),
    ("", "Ada.", [("insert", "Ada.")]),
    ("Ada.", "", [("delete", "Ada.")]),
    (
        "Ada mangga di pasar.",
        "Ada pisang di pasar.",
        [("equal", "Ada"), ("delete", " mangga"), ("insert", " pisang"), ("equal", " di pasar.")],
    ),
    ("di pasar.", "di pasar itu.", [("equal", "di pasar"), ("insert", " itu"), ("equal", ".")]),
    ("Dia pergi", "Dia pergi.", [("equal", "Dia pergi"), ("insert", ".")]),
    ("satu  dua", "satu dua", [("equal", "satu"), ("delete", "  dua"), ("insert", " dua")]),
    ("la " * 500, "la " * 501, [("equal", "la" + " la" * 499), ("insert", " la"), ("equal", " ")]),
    (
        "la " * 9000,
        "di " * 9000,
        [("delete", "la" + " la" * 8999), ("insert", "di" + " di" * 8999), ("equal", " ")],
    ),
    ("", "x " * 3000, [("insert", "x " * 3000)]),
]


@pytest.mark.parametrize(("before", "after", "parts"), TABLE)
def test_differences(before, after, parts):
    assert differences(before, after) == parts


@given(st.text(alphabet="ab .,\né", max_size=60), st.text(alphabet="ab .,\né", max_size=60))
def test_parts_join_to_both_texts(before, after):
    parts = differences(before, after)
    assert "".join(text for operation, text in parts if operation != "insert") == before
    assert "".join(text for operation, text in parts if operation != "delete") == after
    assert all(text for _, text in parts)
