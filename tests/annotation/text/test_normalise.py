"""Texts are compared on one form, refused for what no database stores, and never altered."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.normalise import SUSPICIONS, key_form, storage_problem, suspicious

WIDE = st.text(st.characters() | st.sampled_from("e\u0301\u200b\u200d\u00ad\u0345ΐßİ \u3000\u034f"))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("se\u200bda", "seda"),
        ("se\u00adda", "seda"),
        ("se\u200dda\ufeff", "seda"),
        ("\u3000 seda\n", "seda"),
        ("e\u200b\u0301", "\u00e9"),
        ("e\u034f\u0301", "\u00e9"),
    ],
)
def test_twins_share_a_key(left, right):
    assert key_form(left) == key_form(right)


@pytest.mark.parametrize(("left", "right"), [("Seda", "seda"), ("STRASSE", "straße"), ("CAFÉ", "cafe\u0301")])
def test_case_twins_share_a_key_only_when_asked(left, right):
    assert key_form(left) != key_form(right)
    assert key_form(left, casefold=True) == key_form(right, casefold=True)


@pytest.mark.parametrize(("left", "right"), [("a b", "ab"), ("e", "é"), ("seda", "sedan"), ("ṅ", "n")])
def test_other_texts_have_other_keys(left, right):
    assert key_form(left, casefold=True) != key_form(right, casefold=True)


@given(WIDE, st.booleans())
def test_a_key_is_its_own_key(text, casefold):
    once = key_form(text, casefold)
    assert key_form(once, casefold) == once
    assert unicodedata.is_normalized("NFC", once)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", None), ("apa\x00", "nul"), ("a\ud800", "surrogate"), ("é 😀 \u202e", None), ("\udfff\x00", "nul")],
)
def test_only_what_no_database_stores_is_refused(text, expected):
    assert storage_problem(text) == expected


@given(st.text(st.characters()))
def test_what_is_storable_encodes(text):
    if storage_problem(text) is None:
        assert b"\x00" not in text.encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ibu pergi ke pasar.", ()),
        ("Baris satu\nbaris dua\tlagi", ()),
        ("Ébène, caf\u00e9, “kutip” – teu aya 10 °C", ()),
        ("می\u200cخواهم", ()),
        ("ꦏ\u200cꦏ", ()),
        ("Ini \u202egnasip", ("bidi_control",)),
        ("Ini \u2066pisang\u2069", ("bidi_control",)),
        ("pa\u200bsar", ("zero_width",)),
        ("pa\u200dsar", ("zero_width",)),
        ("pa\u00adsar", ("zero_width",)),
        ("kata\u0093 itu", ("control", "mojibake")),
        ("rusak \ufffd", ("replacement",)),
        ("p\u0430sar", ("mixed_script",)),
        ("\u043cosk\u0432a", ("mixed_script",)),
        ("Москва adalah kota", ()),
        ("a" + "\u0301" * 4, ()),
        ("x" + "\u0336" * 5, ("combining_marks",)),
        ("x" + "\u0336" * 4, ()),
        ("cafe\u0301", ()),
        ("cafe\u0301 caf\u00e9", ("mixed_forms",)),
    ],
)
def test_suspicions(text, expected):
    assert suspicious(text) == expected


def test_marks_allowed_are_a_setting():
    assert suspicious("x\u0336\u0336", most_marks=1) == ("combining_marks",)


@given(WIDE)
def test_suspicions_come_from_the_list(text):
    assert set(suspicious(text)) <= set(SUSPICIONS)
