"""Which two concepts may be one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.near_words import near_equal


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("cobek", "Cobek", True),
        ("cobek", "cobeg", True),
        ("rumah adat", "adat rumah", True),
        ("orang-orangan", "orang orangan", True),
        ("kelambu", "kelambbu", True),
        ("e\u0301clair", "\u00e9clair", True),
        ("soto", "sota", False),
        ("payung", "gayung hujan", False),
        ("tikar", "tampah", False),
        ("lumpang", "lumpang batu", False),
    ],
)
def test_near_equal(one, other, near):
    assert near_equal(one, [other]) == ([other] if near else [])


@given(st.text(max_size=20), st.text(max_size=20))
def test_what_is_near_is_near_both_ways(one, other):
    assert bool(near_equal(one, [other])) == bool(near_equal(other, [one]))
    assert near_equal(one, [one]) == [one]
