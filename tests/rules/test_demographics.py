"""What releases count of what people said: no small group, none that follows from the rest or from another release."""

import pytest

from annotation.rules.about import canary
from annotation.rules.demographics import Counts, Said, Told, allowed, counted, steady

# In words: what each group has, the threshold → what is shown, the others.
TABLE = [
    ("all groups are large enough", "a6 b5", 5, [("a", 6), ("b", 5)], 0),
    ("groups of one size go by their spelling", "b5 a5", 5, [("a", 5), ("b", 5)], 0),
    ("small ones together are large enough", "a6 b3 c2", 5, [("a", 6)], 5),
    ("a single small one takes the smallest shown along", "a9 b6 c1", 5, [("a", 9)], 7),
    ("with two groups nothing is left to show", "a9 b1", 5, [], 10),
    ("small ones alone, together large enough", "a3 b2", 5, [], 5),
    ("too few said anything", "a4", 5, [], 0),
    ("nobody said anything", "", 5, [], 0),
    ("one group that everybody is in", "a5", 5, [("a", 5)], 0),
    ("a larger threshold", "a9 b6 c1", 10, [], 16),
    ("several shown ones are taken until it is enough", "a8 b6 c5 d1", 10, [], 20),
]


def said(groups: str, least: int = 5) -> list[Said]:
    return [Said(group[0], least) for group in groups.split() for _ in range(int(group[1:]))]


@pytest.mark.parametrize(("words", "groups", "threshold", "shown", "others"), TABLE)
def test_no_group_is_too_small(
    words: str, groups: str, threshold: int, shown: list[tuple[str, int]], others: int
) -> None:
    found = counted("x", said(groups), threshold)
    assert (list(found.groups), found.others) == (shown, others), words
    everybody = sum(n for _, n in shown) + others
    assert found.said == everybody
    assert everybody in (0, len(said(groups)))
    # What a reader can work out by taking shown groups from the whole.
    assert all(n == 0 or n >= threshold for n in (everybody, others, *(n for _, n in shown)))


def test_what_is_not_said_is_not_counted() -> None:
    assert counted("x", [*said("a5"), Said(""), Said("")], 5) == Counts("x", 5, (("a", 5),), 0, 5)


def test_a_smaller_group_only_where_everybody_agreed() -> None:
    assert counted("x", said("a3 b2", least=2), 2).groups == (("a", 3), ("b", 2))
    assert allowed(said("a3", least=2), 3) == 3
    unwilling = [*said("a3", least=2), *said("b2")]
    assert counted("x", unwilling, 2) == Counts("x", 5, (), 5, 5)
    # Who agreed to three did not agree to two.
    assert counted("x", said("a3 b2", least=3), 2).least == 5
    assert allowed([], 1) == 1


# --- two releases -------------------------------------------------------------------------


def told(groups: str, of: int, threshold: int = 5) -> Told:
    return Told(counted("x", said(groups), threshold), frozenset(range(of)))


def test_the_first_table_is_told_and_remembered() -> None:
    now = told("a5", 5)
    assert steady(now, None, ()) == (now.table, now)
    nothing = told("a4", 4)
    assert steady(nothing, None, ()) == (nothing.table, None)


def test_one_who_came_is_told_about_by_no_difference() -> None:
    before = told("a7 b5", 12)
    table, kept = steady(told("a7 b6", 13), before, ())
    assert (table.groups, table.earlier) == (before.table.groups, True)
    assert kept == before
    # The fifth who came is one of enough.
    now = told("a10 b7", 17)
    assert steady(now, before, ()) == (now.table, now)


def test_who_changed_their_word_counts_as_come() -> None:
    before, now = told("a7 b5", 12), told("a6 b6", 12)
    assert steady(now, before, {3})[0] == Counts("x", 12, (("a", 7), ("b", 5)), 0, 5, earlier=True)
    assert steady(now, before, range(5))[0] == now.table
    assert steady(before, before, {99}) == (before.table, before)


def test_who_takes_it_back_is_in_no_table_of_before() -> None:
    before = told("a7 b5", 12)
    table, kept = steady(told("a7 b4", 11), before, ())
    assert (table.said, table.groups) == (0, ())
    assert kept == before


def test_a_table_of_a_smaller_threshold_does_not_stay() -> None:
    before = Told(counted("x", said("a3 b2", least=2), 2), frozenset(range(5)))
    assert steady(told("a4 b2", 6), before, ())[0].said == 0


def test_a_table_of_nothing_does_not_forget_what_was_told() -> None:
    before = told("a7 b5", 12)
    assert steady(Told(counted("x", [], 5), frozenset()), before, ()) == (Counts("x", 0, (), 0, 5), before)


def test_a_table_comes_back_from_its_plain_form() -> None:
    table = counted("x", said("a6 b3 c2"), 5)
    assert Counts.from_dict(table.to_dict()) == table


def test_a_canary_is_of_its_project_alone() -> None:
    made = canary("seed", "set-one")
    assert made == "mufakat:set-one:canary:" + made[-36:]
    assert len({made, canary("seed", "set-two"), canary("other", "set-one")}) == 3
    assert made == canary("seed", "set-one")
