"""Rows of finished translations: which columns are which, and that no row of any kind raises."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds import get
from validation.imports.rules import FileRefused, Problem, Record
from validation.imports.rules.units import REVIEWS, NamedTarget, TextsRow, UnitReader, UnitRow, unit_columns

AIMS = (
    NamedTarget("jv-krama", "Javanese (krama)", "krama", ("Javanese (krama)", "jv-krama")),
    NamedTarget("su", "Sundanese", "", ("Sundanese",)),
)
COLUMNS = unit_columns(AIMS, ("premise", "hypothesis", "choice-A"), ("id", "Indonesian"))
KIND = get("translation")
WIDE = {"row_id": "id", "source": "text", "to:su": "su", "to:jv-krama": "krama"}
LONG = {
    "row_id": "id",
    "target": "target",
    "register": "register",
    "text:premise": "p",
    "text:choice-A": "a",
} | {name: name for name in ("translator", "review", "reviewer", "reason", "source_set")}


def reader(mapping: dict[str, str]) -> UnitReader:
    return UnitReader(mapping, {aim.key: aim for aim in AIMS}, KIND.question.read_label)


@pytest.mark.parametrize(
    ("columns", "fields"),
    [
        (["row", "indonesian", "Sundanese"], {"row_id": "row", "source": "indonesian", "to:su": "Sundanese"}),
        (["id", "su", "target"], {"row_id": "id", "to:su": "su"}),
        (
            ["uid", "lang", "premise", "Hypothesis", "choice a", "verdict"],
            {
                "row_id": "uid",
                "target": "lang",
                "text:premise": "premise",
                "text:hypothesis": "Hypothesis",
                "text:choice-A": "choice a",
                "review": "verdict",
            },
        ),
    ],
)
def test_columns_are_known_by_name(columns: list[str], fields: dict[str, str]) -> None:
    assert COLUMNS.guess(columns) == fields
    assert COLUMNS.validated(fields, columns) == fields


@pytest.mark.parametrize(
    ("mapping", "code"),
    [
        ({"to:su": "su"}, "row_unmapped"),
        ({"row_id": "id"}, "target_unmapped"),
        ({"row_id": "id", "target": "t"}, "target_unmapped"),
        ({"row_id": "id", "target": "t", "text:premise": "p", "to:su": "su"}, "target_unmapped"),
    ],
)
def test_what_no_row_can_be_read_with_is_said(mapping: dict[str, str], code: str) -> None:
    with pytest.raises(FileRefused) as refused:
        COLUMNS.validated(mapping, list(mapping.values()))
    assert refused.value.code == code


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from(["su", "jv", "krama", "approve", "Returned", "correct", "\x00", "\ud800"]),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@pytest.mark.parametrize("mapping", [WIDE, LONG], ids=["wide", "long"])
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_row_raises(mapping: dict[str, str], data: Any) -> None:
    drawn = data.draw(st.dictionaries(st.sampled_from(sorted(mapping.values())), CELLS))
    found = reader(mapping).read(Record(7, drawn, None))
    if isinstance(found, Problem):
        assert found.reason
        return
    assert found
    for told in found:
        assert isinstance(told, UnitRow)
        assert told.n == 7
        if isinstance(told.what, TextsRow):
            assert told.what.review in ("", *REVIEWS)
            assert all(told.what.texts.values())
        else:
            assert told.what.reason


def test_a_broken_record_is_refused_as_it_came() -> None:
    broken = Problem("not_json", "", "No.")
    assert reader(WIDE).read(Record(1, None, broken)) is broken
    nothing = reader(WIDE).read(Record(1, None, None))
    assert isinstance(nothing, Problem)
    assert nothing.code == "not_object"
