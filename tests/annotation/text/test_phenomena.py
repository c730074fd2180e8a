"""The fifteen phenomenon tags of IndoNLI Appendix F, and what their codes may look like."""

import re
from collections import Counter
from dataclasses import FrozenInstanceError, astuple

import pytest

from annotation.text.phenomena import ALIASES, PHENOMENA, canonical, get

CODES = [
    *("MORPH", "STRUCT", "LSUB", "NEG", "COORD", "QUANT", "COMP", "LEXSEM"),
    *("NUM", "COREF", "IDIOM", "SPAT", "TEMP", "CS", "WORLD"),
]


def test_the_fifteen_of_appendix_f_in_its_order():
    assert [phenomenon.code for phenomenon in PHENOMENA] == CODES


@pytest.mark.parametrize("phenomenon", PHENOMENA, ids=lambda phenomenon: phenomenon.code)
def test_each_is_whole_and_its_example_could_be_stored(phenomenon):
    assert all(text and text == text.strip() for text in astuple(phenomenon))
    assert phenomenon.example_label in {"e", "n", "c"}
    assert phenomenon.example_premise != phenomenon.example_hypothesis
    for text in (phenomenon.definition, phenomenon.example_premise, phenomenon.example_hypothesis):
        assert text.endswith(".")
        assert not re.search(r"[.!?]\s", text)
    shared = [
        set(re.findall(r"\w{4,}", text.lower())) for text in (phenomenon.example_premise, phenomenon.example_hypothesis)
    ]
    assert shared[0] & shared[1]


def test_names_and_examples_are_told_apart():
    for field in ("name", "definition", "example_premise", "example_hypothesis"):
        assert len({getattr(phenomenon, field) for phenomenon in PHENOMENA}) == len(CODES)


def test_the_examples_show_every_label():
    labels = Counter(phenomenon.example_label for phenomenon in PHENOMENA)
    assert len(labels) == 3
    assert min(labels.values()) >= 3


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("NUM", "NUM"),
        ("num", "NUM"),
        (" Cs ", "CS"),
        ("LEXSEM", "LEXSEM"),
        ("SEMLEX", "LEXSEM"),
        ("semlex", "LEXSEM"),
    ],
)
def test_codes_are_read_in_any_case_and_semlex_is_lexsem(written, code):
    assert get(written).code == code


@pytest.mark.parametrize("written", ["", "LEX", "NUM,COMP", "SPATIAL"])
def test_another_code_is_refused_by_name(written):
    with pytest.raises(KeyError, match=re.escape(repr(written))):
        get(written)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ([], ()),
        (["WORLD", "MORPH"], ("MORPH", "WORLD")),
        (["SEMLEX", "LEXSEM", "semlex"], ("LEXSEM",)),
        ([" num", "NUM", "comp"], ("COMP", "NUM")),
        (reversed(CODES), tuple(CODES)),
    ],
    ids=["none", "order of the list", "alias once", "any case", "all"],
)
def test_canonical_codes(given, stored):
    assert canonical(given) == stored


def test_canonical_refuses_what_is_no_tag():
    with pytest.raises(KeyError):
        canonical(["NUM", "FUN"])


def test_an_alias_never_hides_a_code():
    assert ALIASES == {"SEMLEX": "LEXSEM"}
    assert not set(ALIASES) & set(CODES)


def test_a_phenomenon_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        PHENOMENA[0].code = "OTHER"  # type: ignore[misc]
