"""Numbers with their digits, and lists in cells as JSON, pandas and numpy write them."""

import contextlib
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.imports.rules.cells import read_list
from validation.imports.rules.json_values import WrittenNumber, parse_literal, read_object, to_json
from validation.imports.rules.problems import RowRefused


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70) | st.decimals(-9, 9, places=3))
def test_any_number_is_itself(number: Any) -> None:
    found = read_object(f'{{"a": [{number}]}}'.encode())
    assert isinstance(found, dict)
    (value,) = found["a"]
    assert str(value) == str(number)
    assert orjson.loads(to_json(value)) in (value, number)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("['a' 'b']", ["a", "b"]),
        ("['a' 'b'\n 'c']", ["a", "b", "c"]),
        ("('a', 'b',)", ["a", "b"]),
        ("['it\\'s', \"it's\", 'a\\nb']", ["it's", "it's", "a\nb"]),
        ("['caf\\xe9', '\\u00e9', 'C:\\\\x']", ["café", "é", "C:\\x"]),
        ("['a', None, nan, True]", ["a", None, None, True]),
        ("[1 2 3]", [1, 2, 3]),
        ("[1. 2.5 nan]", [1.0, 2.5, None]),
        ("array(['a', 'b'], dtype=object)", ["a", "b"]),
        ("array(['a', 'b'], dtype='<U3')", ["a", "b"]),
        ("[np.str_('a'), np.int64(3), np.float64(0.5)]", ["a", 3, 0.5]),
        ("[{'annotator': 'A', 'label': 'x'}]", [{"annotator": "A", "label": "x"}]),
        ("{'A': 'x', 1: ['y', 'z']}", {"A": "x", "1": ["y", "z"]}),
        ("[]", []),
    ],
)  # fmt: skip
def test_lists_as_pandas_and_numpy_write_them(cell: str, found: Any) -> None:
    assert parse_literal(cell) == found


@pytest.mark.parametrize(
    "cell",
    [
        "['a' 'b' ... 'y' 'z']", "['a'", "['a',,'b']", "['a'] x", "[a]", "{'a'}", "{'a': 1, 'a': 2}", "[b'a']", "x",
        "[" * 50, "[__import__('os')]", "['\\U00110000']",
    ],
)  # fmt: skip
def test_what_is_no_list_is_refused(cell: str) -> None:
    with pytest.raises(ValueError):
        parse_literal(cell)
    if cell.startswith("["):
        with pytest.raises(RowRefused) as refused:
            read_list(cell, "votes")
        assert "Write it as JSON" in refused.value.problem.reason


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(max_size=6) | st.integers() | st.none() | st.booleans() | st.floats(allow_infinity=False)))
def test_any_list_that_python_writes_is_read(values: list[Any]) -> None:
    wanted = [None if value != value else value for value in values]
    assert parse_literal(repr(values)) == [
        str(value) if type(value) is int and not -(2**63) <= value < 2**64 else value for value in wanted
    ]


@settings(max_examples=300, deadline=None)
@given(st.text("[](){}'\",: \\nab1.e-", max_size=30))
def test_no_cell_raises_anything_else(cell: str) -> None:
    with contextlib.suppress(ValueError):
        parse_literal(cell)


def test_written_numbers_are_numbers() -> None:
    number = WrittenNumber("1.10")
    assert (number, f"{number}", number + 1, number.loses_digits) == (1.1, "1.10", 2.1, False)
    assert WrittenNumber("0.12345678901234567890").loses_digits
