"""What columns hold is learnt from rows; every value is then one of its column's type."""

from typing import Any

import pyarrow as pa
import pytest

from exports.formats.rules.columns import (
    BOOL,
    INT,
    NUMBER,
    TEXT,
    TEXTS,
    UNKNOWN,
    converter_to,
    merge_types,
    schema_of,
    type_of,
)


def learnt(*rows: dict[str, Any]) -> dict[str, pa.DataType]:
    return {column.name: column.type for column in schema_of([rows])}


@pytest.mark.parametrize(
    ("values", "kind", "read"),
    [
        (["a", None], TEXT, ["a", None]),
        ([1, None], INT, [1, None]),
        ([1, 0.5], NUMBER, [1, 0.5]),
        ([True, False], BOOL, [True, False]),
        ([1, True], TEXT, ["1", "true"]),
        ([2**63], TEXT, ["9223372036854775808"]),
        ([1, 2**63], TEXT, ["1", "9223372036854775808"]),
        ([["a"], [], None], TEXTS, [["a"], [], None]),
        ([[1], ["a", None]], TEXTS, [["1"], ["a", None]]),
        ([[], []], TEXTS, [[], []]),
        ([[1, 2]], pa.list_(INT), [[1, 2]]),
        ([[{"a": 1}]], TEXT, ['[{"a":1}]']),
        ([[["a"]]], TEXT, ['[["a"]]']),
        ([{"W1": "A"}, {"W2": "B"}, None], TEXT, ['{"W1":"A"}', '{"W2":"B"}', None]),
        ([{"a": 1}, ["a"]], TEXT, ['{"a":1}', '["a"]']),
        (["=1", {"a": 1}, 2], TEXT, ["=1", '{"a":1}', "2"]),
        (["a", ["b"]], TEXT, ["a", '["b"]']),
        ([None], TEXT, [None]),
    ],
)
def test_a_column_is_what_all_of_its_values_are(values: list[Any], kind: pa.DataType, read: list[Any]) -> None:
    (found,) = learnt(*({"x": value} for value in values)).values()
    assert found == kind
    one = converter_to(found)
    assert [one(value) if one else value for value in values] == read


def test_records_keep_their_fields_whichever_row_has_them() -> None:
    found = learnt({"parts": {"user": "u"}}, {"parts": {"user": None, "n": 1}}, {"parts": None})["parts"]
    assert found == pa.struct([("user", TEXT), ("n", INT)])
    read = converter_to(found)
    assert read is not None
    assert [read({"user": "u"}), read(None)] == [{"user": "u", "n": None}, None]


def test_lists_of_records_and_records_of_lists() -> None:
    found = learnt(
        {
            "choices": {"label": ["A"], "text": ["x"]},
            "responses": [{"key": "R1"}, {"key": "I1", "best": None}],
        }
    )
    assert found["choices"] == pa.struct([("label", TEXTS), ("text", TEXTS)])
    assert found["responses"] == pa.list_(pa.struct([("key", TEXT), ("best", TEXT)]))
    read = converter_to(found["responses"])
    assert read is not None
    assert read([{"key": "R1"}]) == [{"key": "R1", "best": None}]


def test_columns_stand_in_the_order_in_which_they_came() -> None:
    assert list(learnt({"b": 1}, {"a": 1, "b": None}, {"c": ""})) == ["b", "a", "c"]


def test_what_only_nulls_were_seen_of_is_what_releases_have_there() -> None:
    found = learnt({"guideline": None, "best_share": None, "relation": None})
    assert list(found.values()) == [INT, NUMBER, TEXT]


def test_a_type_holds_what_both_hold() -> None:
    assert merge_types(UNKNOWN, UNKNOWN) == UNKNOWN
    assert merge_types(type_of([None], record=True), TEXTS) == TEXTS
    assert merge_types(TEXT, TEXT) == TEXT
