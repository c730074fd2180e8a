"""What columns hold is learnt from rows; every value is then one of its column's type."""

from typing import Any

import pytest

from exports.formats.rules.columns import (
    BOOL,
    INT,
    JSON,
    LIST,
    NUMBER,
    RECORD,
    TEXT,
    Learnt,
    Type,
    merged,
    reader,
    type_of,
)

TEXTS = Type(LIST, (("", Type(TEXT)),))


def learnt(*rows: dict[str, Any]) -> dict[str, Type]:
    found = Learnt()
    found.take(rows)
    return found.columns


@pytest.mark.parametrize(
    ("values", "kind", "read"),
    [
        (["a", None], Type(TEXT), ["a", None]),
        ([1, None], Type(INT), [1, None]),
        ([1, 0.5], Type(NUMBER), [1, 0.5]),
        ([True, False], Type(BOOL), [True, False]),
        ([1, True], Type(TEXT), ["1", "true"]),
        ([2**63], Type(TEXT), ["9223372036854775808"]),
        ([1, 2**63], Type(TEXT), ["1", "9223372036854775808"]),
        ([["a"], [], None], TEXTS, [["a"], [], None]),
        ([[1], ["a", None]], TEXTS, [["1"], ["a", None]]),
        ([[], []], Type(LIST, (("", None),)), [[], []]),
        ([[1, 2]], Type(LIST, (("", Type(INT)),)), [[1, 2]]),
        ([[{"a": 1}]], Type(JSON), ['[{"a":1}]']),
        ([[["a"]]], Type(JSON), ['[["a"]]']),
        ([{"W1": "A"}, {"W2": "B"}, None], Type(JSON), ['{"W1":"A"}', '{"W2":"B"}', None]),
        ([{"a": 1}, ["a"]], Type(JSON), ['{"a":1}', '["a"]']),
        (["=1", {"a": 1}, 2], Type(TEXT), ["=1", '{"a":1}', "2"]),
        (["a", ["b"]], Type(TEXT), ["a", '["b"]']),
        ([None], Type(TEXT), [None]),
    ],
)
def test_a_column_is_what_all_of_its_values_are(values: list[Any], kind: Type, read: list[Any]) -> None:
    (found,) = learnt(*({"x": value} for value in values)).values()
    assert found == kind
    one = reader(found)
    assert [one(value) if one else value for value in values] == read


def test_records_keep_their_fields_whichever_row_has_them() -> None:
    found = learnt({"parts": {"user": "u"}}, {"parts": {"user": None, "n": 1}}, {"parts": None})["parts"]
    assert found == Type(RECORD, (("user", Type(TEXT)), ("n", Type(INT))))
    read = reader(found)
    assert read is not None
    assert [read({"user": "u"}), read(None)] == [{"user": "u", "n": None}, None]


def test_lists_of_records_and_records_of_lists() -> None:
    found = learnt(
        {
            "choices": {"label": ["A"], "text": ["x"]},
            "responses": [{"key": "R1"}, {"key": "I1", "best": None}],
        }
    )
    assert found["choices"] == Type(RECORD, (("label", TEXTS), ("text", TEXTS)))
    assert found["responses"].what == LIST
    assert found["responses"].of == Type(RECORD, (("key", Type(TEXT)), ("best", None)))
    read = reader(found["responses"])
    assert read is not None
    assert read([{"key": "R1"}]) == [{"key": "R1", "best": None}]


def test_columns_stand_in_the_order_in_which_they_came() -> None:
    assert list(learnt({"b": 1}, {"a": 1, "b": None}, {"c": ""})) == ["b", "a", "c"]


def test_what_only_nulls_were_seen_of_is_what_releases_have_there() -> None:
    found = learnt({"guideline": None, "best_share": None, "relation": None})
    assert [kind.what for kind in found.values()] == [INT, NUMBER, TEXT]


def test_a_type_holds_what_both_hold() -> None:
    assert merged(None, None) is None
    assert merged(type_of([None], record=True), TEXTS) == TEXTS
    assert merged(Type(JSON), Type(TEXT)) == Type(TEXT)
