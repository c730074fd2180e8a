"""The keys of labels: digits up to nine, letters that the page does not take, and none twice."""

import pytest

from annotation.answers import Label
from annotation.ui.choice_keys import choice_keys


@pytest.mark.parametrize(
    ("letter", "place", "keys"),
    [
        ("E", 1, ("1", "e")),
        ("E", 9, ("9", "e")),
        ("E", 10, ("e",)),
        ("U", 3, ("3",)),
        ("M", 12, ()),
        ("1", 2, ("2",)),
        ("٣", 10, ()),
        ("", 11, ()),
        ("AB", 4, ("4",)),
    ],
)
def test_keys_of_a_label(letter: str, place: int, keys: tuple[str, ...]) -> None:
    assert choice_keys(Label("k", "Label", letter, "ring"), place) == keys
