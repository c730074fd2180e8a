"""The order of a question's options on one person's screen, and what is stored of letters that were shown there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import kinds
from annotation.kinds.base import Kind
from validation.voting.rules.option_order import (
    Order,
    label_shown,
    labels_shown,
    order_recorded,
    order_shown,
)

MCQ, NLI = kinds.get("mcq"), kinds.get("nli")
TEXTS = {"A": "satu", "B": "dua", "C": "tiga", "D": "empat", "E": "lima"}
CONTENT = {
    "question": "Berapa?",
    "options": [{"key": key, "text": text, "role": ""} for key, text in TEXTS.items()],
}
CABED = order_recorded(MCQ, CONTENT, "CABED")


def shown(item: str = "q1", annotator: str = "W01", seed: str = "seed", kind: Kind = MCQ) -> Order:
    return order_shown(kind, CONTENT, drawn_with=seed, item=item, annotator=annotator)


@pytest.mark.parametrize(
    ("item", "annotator", "keys"),
    [("q1", "W01", "ABECD"), ("q1", "W02", "ADECB"), ("q2", "W01", "ABDEC")],
)
def test_the_order_is_the_same_on_every_machine(item: str, annotator: str, keys: str) -> None:
    assert "".join(shown(item, annotator).keys) == keys
    assert shown(item, annotator).letters == tuple("ABCDE")


def test_every_place_is_as_likely_for_every_option() -> None:
    """10,000 people: each option stands in each place about 2,000 times (five standard deviations: 200)."""
    counts = {(key, place): 0 for key in TEXTS for place in range(5)}
    for n in range(10_000):
        for place, key in enumerate(shown(annotator=f"W{n}").keys):
            counts[key, place] += 1
    assert all(abs(count - 2_000) < 200 for count in counts.values()), counts


def test_a_kind_that_is_not_shuffled_stands_as_written() -> None:
    order = shown(kind=NLI)
    assert order.letters == order.keys == ("e", "n", "c")
    assert labels_shown(NLI, CONTENT, order) == NLI.question.labels
    assert order.with_stored_keys("so (E) and (e)") == "so (E) and (e)"


@pytest.mark.parametrize(
    ("recorded", "keys"),
    [("CABED", "CABED"), ("", "ABCDE"), ("CAB", "ABCDE"), ("CABEE", "ABCDE"), ("CABEDF", "ABCDE")],
)
def test_a_recorded_order_stands_where_it_is_one_of_this_item(recorded: str, keys: str) -> None:
    assert "".join(order_recorded(MCQ, CONTENT, recorded).keys) == keys


@pytest.mark.parametrize(("letter", "key"), [("A", "C"), ("B", "A"), ("E", "D"), ("F", ""), ("", ""), ("a", "")])
def test_a_letter_is_an_option(letter: str, key: str) -> None:
    assert CABED.key(letter) == key
    assert CABED.letter(key) == (letter if key else "")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("(A) and (B) are the same", "(C) and (A) are the same"),
        ("(D)(E)", "(E)(D)"),
        ("A and b, (a), (F), (AB), ( A )", "A and b, (a), (F), (AB), ( A )"),
        ("((A))", "((C))"),
        ("", ""),
    ],
)
def test_letters_in_a_reason(typed: str, stored: str) -> None:
    assert CABED.with_stored_keys(typed) == stored
    assert CABED.with_shown_letters(stored) == typed


@pytest.mark.parametrize(
    ("typed", "stored"),
    [("option-A", "option-C"), ("question", "question"), ("option-Z", "option-"), ("option-", "option-")],
)
def test_names_of_texts(typed: str, stored: str) -> None:
    assert CABED.stored_field_name(typed) == stored
    assert CABED.shown_field_name(stored) == (typed if stored != "option-" else "option-")


def test_labels_stand_by_place_and_tell_nothing_of_the_writers_order() -> None:
    labels = labels_shown(MCQ, CONTENT, CABED)
    assert [label.name for label in labels] == ["tiga", "satu", "dua", "lima", "empat"]
    assert [(label.key, label.letter, label.shape) for label in labels] == [
        (label.key, label.letter, label.shape) for label in MCQ.question.labels
    ]
    assert all(label.is_item_option for label in labels)
    found = label_shown(MCQ, CONTENT, CABED, "E")
    assert found is not None
    assert (found.letter, found.name) == ("D", "lima")
    assert label_shown(MCQ, CONTENT, CABED, "") is None


orders = st.permutations("ABCDE").map(lambda keys: Order(tuple("ABCDE"), tuple(keys)))
reasons = st.text(alphabet="ABCDEFab() ,.\n", max_size=60) | st.text(max_size=60)


@given(orders, reasons)
def test_a_reason_comes_back_as_it_was_typed(order: Order, typed: str) -> None:
    assert order.with_shown_letters(order.with_stored_keys(typed)) == typed
    assert order.with_stored_keys(order.with_shown_letters(typed)) == typed


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_an_order_loses_and_repeats_no_option(seed: str, item: str, annotator: str) -> None:
    order = shown(item, annotator, seed)
    assert sorted(order.keys) == list("ABCDE")
    assert order == shown(item, annotator, seed)
    for letter in order.letters:
        assert order.letter(order.key(letter)) == letter
    assert order_recorded(MCQ, CONTENT, "".join(order.keys)) == order
