"""The filters of lists: what an address may say, and the addresses that they make."""

import pytest

from validation.rules.filters import FilterError, Filters, read

LABELS = ("e", "n", "c")


def test_what_an_address_says():
    raw = {
        "flag": "unsure",
        "stage": "settled",
        "round": "2",
        "label": "e",
        "gold": "-",
        "person": " W01 ",
        "lane": "main",
        "q": "pasar pagi",
        "page": "3",
        "list": "items",
        "invented": "x",
    }
    found = read(raw, LABELS)
    assert found == Filters("unsure", "settled", 2, "e", "-", "W01", "main", "pasar pagi", 3, "items")
    assert found.narrowed
    assert found.query.endswith("&")
    assert "q=pasar+pagi" in found.trail
    assert "list=items" in found.trail
    assert "page" not in found.trail


def test_nothing_said():
    found = read({"flag": "", "round": "", "q": "  "}, LABELS, "desk")
    assert found == Filters()
    assert (found.narrowed, found.query, found.trail) == (False, "", "")
    assert read({"list": "desk"}, LABELS, "items").of == "items"


def test_both_spellings_are_searched():
    assert Filters(q="pasar").spellings == ["pasar"]
    assert Filters(q="caf\u00e9").spellings == ["caf\u00e9", "cafe\u0301"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flag", "x"),
        ("stage", "gone"),
        ("label", "-"),
        ("gold", "x"),
        ("list", "people"),
        ("round", "ten"),
        ("round", "²"),
        ("round", "10"),
        ("page", "0"),
        ("page", "1" * 30),
        ("q", "\x00"),
        ("q", "\ud800"),
        ("person", "a" * 201),
        ("author__user__email", "a"),
    ],
)
def test_what_cannot_be_is_refused(name, value):
    with pytest.raises(FilterError) as caught:
        read({name: value}, LABELS)
    assert caught.value.field == name
