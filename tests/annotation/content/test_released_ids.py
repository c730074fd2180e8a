"""Ids of releases, drawn from keys."""

from annotation.content.rules.released_ids import is_released, released_id
from annotation.kinds import all_kinds

KEYS = [f"p{n}-{label}{slot}" for n in range(500) for label in "enc" for slot in (1, 2)]


def test_every_key_has_an_id_of_its_own_that_is_always_the_same() -> None:
    drawn = [released_id("4d" * 32, key) for key in KEYS]
    assert len(set(drawn)) == len(KEYS)
    assert all(map(is_released, drawn))
    assert drawn == [released_id("4d" * 32, key) for key in KEYS]
    assert not set(drawn) & {released_id("4e" * 32, key) for key in KEYS}


def test_an_id_that_was_drawn_stays() -> None:
    drawn = released_id("4d" * 32, "p1-e1")
    assert released_id("4e" * 32, drawn) == drawn
    assert not any(map(is_released, ["", "10196-c2", "4705552913.jpg#2r1n", "A" * 20, "a" * 21, "a" * 20 + "\n"]))


def test_pairs_are_the_kind_whose_keys_tell_a_label() -> None:
    assert {kind.slug for kind in all_kinds() if kind.export.opaque_ids} == {"nli"}
