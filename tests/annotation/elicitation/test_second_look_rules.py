"""The second pass: who has looked, what was not ticked, and when a prompt is done."""

import pytest

from annotation.elicitation.rules.sessions import TICK_COLUMNS, TICKS, Look, standing_among_writers

ALL = frozenset(TICKS)


@pytest.mark.parametrize(
    ("looks", "writers", "waiting", "missing", "done"),
    [
        ([], ["W01"], ("W01",), 0, False),
        ([Look("W01", ALL)], ["W01"], (), 0, True),
        ([Look("W01", ALL)], ["W01", "W02"], ("W02",), 0, False),
        ([Look("W01", ALL - {"natural"}, "Kaku.")], ["W01"], (), 1, False),
        ([Look("W02", ALL - {"natural"}), Look("W01", frozenset())], ["W01", "W02"], (), 2, False),
        ([Look("W01", ALL), Look("W09", ALL)], ["W01"], (), 0, True),
        ([], [], (), 0, True),
    ],
    ids=["nobody", "all", "one-waits", "one-tick", "two", "one-left", "no-writers"],
)
def test_standing(looks, writers, waiting, missing, done):
    found = standing_among_writers(looks, writers)
    assert found.waiting == waiting
    assert found.missing["natural"] == missing
    assert found.is_done == done
    assert [look.who for look in found.looks] == sorted(look.who for look in looks)


def test_what_was_said_is_kept_with_who_said_it():
    looks = [Look("W02", ALL - {"spelling"}, "Eja."), Look("W01", ALL)]
    assert [(look.who, look.missing) for look in standing_among_writers(looks, ["W01", "W02"]).said] == [
        ("W02", ["spelling"])
    ]


def test_every_tick_has_a_column():
    assert list(TICK_COLUMNS) == list(TICKS)
