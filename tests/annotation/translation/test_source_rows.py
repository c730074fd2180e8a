"""Which rows can be taken into a source set, and what is said of the others."""

from dataclasses import replace

import pytest

from annotation.translation.rules.clean_up import LONGEST_KEY, split_rows, upstream_hash
from annotation.translation.rules.source_units import SHAPES, Row
from tests.translations import pair_rows, passage_rows

QUESTION = Row("q", {"question": "Apa?", "choice-A": "a", "choice-B": "b"}, label="A", number=7)
PAIR, SPAN = pair_rows(1)[0], passage_rows()[0]


@pytest.mark.parametrize(
    ("shape", "row", "code", "field"),
    [
        ("pair", replace(PAIR, key=""), "missing", "id"),
        ("pair", replace(PAIR, key="k" * (LONGEST_KEY + 1)), "id_wrong", "id"),
        ("pair", replace(PAIR, key="a\0b"), "id_wrong", "id"),
        ("pair", replace(PAIR, split="s" * 21), "split_wrong", "split"),
        ("pair", replace(PAIR, label=""), "missing", "label"),
        ("pair", replace(PAIR, texts={"premise": "p"}), "missing", "hypothesis"),
        ("pair", replace(PAIR, texts={"premise": "p", "hypothesis": " \u200b"}), "missing", "hypothesis"),
        ("pair", replace(PAIR, texts={"premise": "p\0", "hypothesis": "h"}), "not_storable", "premise"),
        (
            "pair",
            replace(PAIR, texts={"premise": "p" * 10_001, "hypothesis": "h"}),
            "not_storable",
            "premise",
        ),
        ("choices", replace(QUESTION, label="C"), "label_unknown", "label"),
        ("choices", replace(QUESTION, texts={"question": "q", "choice-A": "a"}), "missing", "choice"),
        (
            "choices",
            replace(QUESTION, texts={**QUESTION.texts, **{f"choice-{n:03}": "x" for n in range(30)}}),
            "too_many",
            "",
        ),
        ("passage", replace(SPAN, texts={**SPAN.texts, "answer": "1951"}), "no_span", "answer"),
        ("sentence", Row("s", {"text": "Ada."}, label="l" * 201), "label_wrong", "label"),
    ],
)
def test_a_row_that_cannot_be_taken_says_what_to_do(shape: str, row: Row, code: str, field: str) -> None:
    taken, refused = split_rows(SHAPES[shape], [row])
    assert taken == []
    [(same, problem)] = refused
    assert (same, problem.code, problem.field) == (row, code, field)
    assert problem.reason
    assert "%(" not in problem.reason


@pytest.mark.parametrize(
    ("shape", "row"),
    [("pair", PAIR), ("choices", QUESTION), ("passage", SPAN), ("sentence", Row("s", {"text": "Ada."}))],
)
def test_a_whole_row_is_taken(shape: str, row: Row) -> None:
    assert split_rows(SHAPES[shape], [row]) == ([row], [])


def test_the_second_row_of_an_id_is_refused_with_the_number_of_the_first() -> None:
    other = replace(QUESTION, number=9)
    taken, refused = split_rows(SHAPES["choices"], [QUESTION, other])
    assert taken == [QUESTION]
    assert refused[0][1].code == "id_twice"
    assert "row 7" in refused[0][1].reason


def test_an_items_texts_are_known_again_in_any_order() -> None:
    one = upstream_hash({"premise": "p", "hypothesis": "h"})
    assert one == upstream_hash({"hypothesis": "h", "premise": "p"})
    assert one != upstream_hash({"premise": "h", "hypothesis": "p"})
