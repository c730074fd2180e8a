"""Limits of cards, fair dealing and the places of gold questions, as tables; without a database."""

from collections import Counter
from math import isqrt

import pytest

from validation.voting.rules.dealing import (
    FIRST_CARDS,
    FIRST_EVERY,
    LATER_EVERY,
    Dealt,
    Limits,
    block_end,
    blocks_before,
    common_level,
    gold_every,
    most_cards_of_round,
    next_deal,
    place_of,
)

DAY, LATER = "2026-03-01", "2026-03-02"


@pytest.mark.parametrize(
    ("limits", "dealt", "day", "closed"),
    [
        (Limits(), Dealt(cards=999), DAY, ()),
        (Limits(day=3), Dealt(cards=2, day=DAY, today=2), DAY, ()),
        (Limits(day=3), Dealt(cards=3, day=DAY, today=3), DAY, None),
        (Limits(day=3), Dealt(cards=3, day=DAY, today=3), LATER, ()),
        (Limits(rounds={"1": 2, "2": 1}), Dealt(cards=2, rounds={"1": 2}), DAY, (1,)),
        (Limits(rounds={"1": 2, "2": 1}), Dealt(cards=3, rounds={"1": 2, "2": 1}), DAY, (1, 2)),
        (Limits(level=5), Dealt(cards=5, gold=1), DAY, ()),
        (Limits(level=5), Dealt(cards=6, gold=1), DAY, None),
    ],
)
def test_limits(limits: Limits, dealt: Dealt, day: str, closed: tuple[int, ...] | None) -> None:
    deal = next_deal(limits, dealt, day=day, secret="s", person="W01")
    assert (deal.closed if deal else None) == closed


def test_counts_go_on_and_begin_anew_each_day() -> None:
    one = Dealt().after(day=DAY, round=1, gold=False).after(day=DAY, round=2, gold=True)
    assert one == Dealt(cards=2, day=DAY, today=2, rounds={"1": 1}, gold=1)
    assert one.after(day=LATER, round=1, gold=False).today == 1
    assert Dealt(**one.to_dict()) == one


@pytest.mark.parametrize(
    ("waiting", "had", "level"),
    [
        (10, [0], 10),
        (10, [90, 0], 10),
        (100, [90, 0], 95),
        (0, [5, 3], 3),
        (7, [0, 0, 0], 3),
        (6, [4, 2, 0], 4),
        (7, [4, 2, 0], 5),
    ],
)
def test_the_level_takes_up_what_waits(waiting: int, had: list[int], level: int) -> None:
    assert common_level(waiting, had) == level
    assert sum(max(0, level - each) for each in had) >= waiting
    assert level == min(had) or sum(max(0, level - 1 - each) for each in had) < waiting


@pytest.mark.parametrize(("items", "percent", "most"), [(360, 20, 72), (3, 10, 1), (0, 50, 1), (101, 50, 51)])
def test_a_share_of_a_round(items: int, percent: int, most: int) -> None:
    assert most_cards_of_round(items, percent) == most


@pytest.mark.parametrize("person", ["W01", "W02", "W03"])
def test_gold_questions_come_by_the_root_and_by_the_rates(person: str) -> None:
    places = [place_of(number, "secret", person) for number in range(1, 120)]
    assert places == sorted(set(places))
    for cards in range(4, 2_000):
        asked = sum(place <= cards for place in places)
        later = max(0, cards - FIRST_CARDS)
        # One block behind at most: where in its block a question comes nobody can foresee.
        assert asked >= isqrt(cards)
        assert asked >= min(cards, FIRST_CARDS) // FIRST_EVERY + later // LATER_EVERY - 1


def test_nobody_can_foresee_where_they_come() -> None:
    people = [f"W{n:02}" for n in range(1, 200)]
    for number in (1, 2, 5, 9):
        places = {place_of(number, "secret", person) for person in people}
        before = block_end(number - 1) if number > 2 else 0
        assert len(places) >= min(3, block_end(max(number, 2)) - before)
    assert [place_of(3, "secret", each) for each in people] != [place_of(3, "other", each) for each in people]


def test_blocks_that_are_over() -> None:
    for cards in range(4, 1_000):
        number = blocks_before(cards)
        assert block_end(number) <= cards < block_end(number + 1)
    assert [blocks_before(cards) for cards in range(4)] == [0] * 4


@pytest.mark.parametrize("gold_every", [1, 3])
def test_missed_places_are_not_made_up_for(gold_every: int) -> None:
    """Of somebody who had hundreds of cards before gold questions were asked, and for whom there were none meanwhile:
    one comes for each block, never one after the other; fewer where few are left."""
    limits, dealt, places = Limits(gold=7, gold_every=gold_every), Dealt(cards=400), []
    while dealt.cards < 1_400:
        deal = next_deal(limits, dealt, day=DAY, secret="s", person="W01")
        assert deal is not None
        is_left = not 600 < dealt.cards < 900
        if deal.due and is_left:
            places.append(dealt.cards + 1)
        before = dealt.without_gold() if deal.due and not is_left else dealt
        dealt = before.after(day=DAY, round=1, gold=deal.due and is_left, gold_every=deal.gold_every)
    by_block = Counter((place - 1) // LATER_EVERY for place in places[1:])
    assert set(by_block.values()) == {1}
    assert abs(len(places) - 700 / LATER_EVERY / gold_every) <= 3


@pytest.mark.parametrize(("cards", "left", "every"), [(0, 5, 1), (100, 0, 1), (100, 4, 1), (100, 3, 2), (5_000, 1, 4)])
def test_where_few_are_left_fewer_places_have_one(cards: int, left: int, every: int) -> None:
    assert gold_every(cards, left) == every


def test_without_one_left_the_next_is_looked_for_later() -> None:
    limits, dealt = Limits(gold=7), Dealt(cards=40)
    asked = next_deal(limits, dealt, day=DAY, secret="s", person="W01")
    assert asked is not None
    assert (asked.gold, asked.due) == (7, True)
    put_off = dealt.without_gold()
    asked = next_deal(limits, put_off, day=DAY, secret="s", person="W01")
    assert asked is not None
    assert (asked.gold, asked.due) == (7, False)
