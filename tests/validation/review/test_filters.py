"""The filters of lists: what an address may say, and the addresses that they make."""

from dataclasses import replace

import pytest

from validation.review.rules.filters import FilterError, Filters, read_filters

LABELS = ("e", "n", "c")


def test_what_an_address_says():
    raw = {
        "flag": "unsure",
        "stage": "settled",
        "round": "2",
        "label": "e",
        "gold": "-",
        "person": " W01 ",
        "target": "main",
        "q": "pasar pagi",
        "page": "3",
        "list": "items",
        "check": "1",
        "error": "too-general",
        "writer": "W02",
        "week": "2026-11-16",
        "word": "tidak",
        "labelled": "c",
        "sure": "1",
        "group": "food",
        "invented": "x",
    }
    found = read_filters(raw, LABELS)
    told = Filters("unsure", "settled", 2, "e", "-", "W01", "main", "pasar pagi", 3, "items")
    told = replace(told, check="1", error="too-general", writer="W02", week="2026-11-16")
    assert found == replace(told, word="tidak", labelled="c", sure="1", group="food")
    assert "check=1&error=too-general&writer=W02&week=2026-11-16" in found.query
    assert found.narrowed
    assert found.query.endswith("&")
    assert "q=pasar+pagi" in found.trail
    assert "list=items" in found.trail
    assert "page" not in found.trail


def test_nothing_said():
    found = read_filters({"flag": "", "round": "", "q": "  "}, LABELS, "desk")
    assert found == Filters()
    assert (found.narrowed, found.query, found.trail) == (False, "", "")
    assert read_filters({"list": "desk"}, LABELS, "items").of == "items"


def test_both_spellings_are_searched():
    assert Filters(q="pasar").spellings == ["pasar"]
    assert Filters(q="caf\u00e9").spellings == ["caf\u00e9", "cafe\u0301"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flag", "x"),
        ("stage", "gone"),
        ("word", "dua kata"),
        ("word", "?"),
        ("sure", "yes"),
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
        ("check", "yes"),
        ("error", "Too general"),
        ("error", "x" * 41),
        ("writer", "\x00"),
        ("week", "2026-11-17"),
        ("week", "20261116"),
        ("week", "last"),
        ("week", "0001-01-01"),
        ("week", "9999-12-27"),
        ("author__user__email", "a"),
    ],
)
def test_what_cannot_be_is_refused(name, value):
    with pytest.raises(FilterError) as caught:
        read_filters({name: value}, LABELS)
    assert caught.value.field == name
