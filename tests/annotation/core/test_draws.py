"""Draws, sampling and queue order: the same on any machine, and even."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.content.rules import queue_order as queue
from annotation.core.rules import draws
from annotation.writing.rules import sampling


@pytest.mark.parametrize(
    ("seed", "purpose", "key", "expected"),
    [
        ("s", "p", "k", 5566097503199057209),
        ("replay", "sample", "31130", 5176082819845573244),
        ("Sunda", "queue", "é", 5274369694441640632),
        ("", "", "", 4083133371101990779),
    ],
)
def test_draws_never_change(seed, purpose, key, expected):
    assert draws.draw(seed, purpose, key) == expected


@given(st.text(), st.text(), st.text())
def test_a_draw_fits_a_bigint_and_a_fraction_lies_below_one(seed, purpose, key):
    assert 0 <= draws.draw(seed, purpose, key) < 2**63
    assert 0 <= draws.fraction(seed, purpose, key) < 1


def test_the_highest_draw_still_gives_less_than_one(monkeypatch):
    monkeypatch.setattr(draws, "draw", lambda *_: 2**63 - 1)
    assert draws.fraction("s", "p", "k") < 1


def test_a_key_may_hold_anything_that_a_string_can():
    assert draws.draw("s", "p", "\ud800") != draws.draw("s", "p", "\udfff")


def test_fractions_are_even():
    bins = [0] * 10
    for number in range(10_000):
        bins[int(draws.fraction("seed", "even", str(number)) * 10)] += 1
    # Chi square with 9 degrees of freedom stays under 27.9 in 999 of 1,000 draws.
    assert sum((count - 1000) ** 2 / 1000 for count in bins) < 27.9


@given(st.lists(st.text(), unique=True))
def test_order_keeps_the_keys_and_forgets_how_they_came(keys):
    ordered = draws.order("seed", "p", keys)
    assert sorted(ordered) == sorted(keys)
    assert ordered == draws.order("seed", "p", reversed(keys))


@given(st.lists(st.text(), unique=True), st.integers(0, 12))
def test_the_head_is_what_order_puts_first(keys, size):
    head: draws.FirstDrawn[list[str]] = draws.FirstDrawn("seed", "p", size)
    for key in keys:
        head.offer(key, [key])
    assert head.rows() == [[key] for key in draws.order("seed", "p", keys)[:size]]


def test_equal_draws_go_by_key_in_a_head_too(monkeypatch):
    monkeypatch.setattr(draws, "draw", lambda *_: 7)
    head: draws.FirstDrawn[str] = draws.FirstDrawn("s", "p", 2)
    for key in "dbca":
        head.offer(key, key)
    assert head.rows() == ["a", "b"] == draws.order("s", "p", "dbca")[:2]


def test_order_differs_by_purpose_and_seed():
    keys = [str(number) for number in range(50)]
    assert draws.order("a", "p", keys) != draws.order("b", "p", keys)
    assert draws.order("a", "p", keys) != draws.order("a", "q", keys)


def test_a_share_takes_about_that_share_and_its_ends_all_or_none():
    keys = [str(number) for number in range(5000)]
    taken = sum(sampling.sampled("seed", key, 0.3) for key in keys)
    assert 1400 < taken < 1600
    assert not any(sampling.sampled("seed", key, 0) for key in keys)
    assert all(sampling.sampled("seed", key, 1) for key in keys)


def test_a_greater_share_keeps_what_a_smaller_one_took():
    keys = [str(number) for number in range(500)]
    smaller = {key for key in keys if sampling.sampled("seed", key, 0.2)}
    assert smaller <= {key for key in keys if sampling.sampled("seed", key, 0.4)}


@pytest.mark.parametrize(
    ("count", "share", "expected"),
    [(100, 0.07, 7), (100, 0.3, 30), (10, 0.25, 3), (7, 1, 7), (7, 0, 0), (0, 0.5, 0), (4, -1, 0)],
)
def test_top_up_takes_the_share_rounded_up(count, share, expected):
    assert len(sampling.top_up("seed", [str(number) for number in range(count)], share)) == expected


def test_top_up_begins_with_what_was_sampled():
    keys = [str(number) for number in range(300)]
    sample = {key for key in keys if sampling.sampled("seed", key, 0.3)}
    assert sample <= set(sampling.top_up("seed", keys, 0.5))


def test_queue_puts_later_rounds_first_and_what_has_aged_one_up():
    assert queue.priority(1, False) < queue.priority(2, False) < queue.priority(3, False)
    assert queue.priority(1, True) == queue.priority(2, False)
    assert queue.shuffled_position("s", "k") == draws.draw("s", "queue", "k")
