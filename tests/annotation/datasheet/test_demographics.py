"""What releases count of what people said: no small group, none that follows from the rest or from another release."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from annotation.datasheet.rules import (
    EarlierTable,
    FieldCounts,
    PublishedTable,
    StatedAnswer,
    canary,
    consistent_counts,
    count_field,
    smallest_group,
    spellings,
)

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


def said(groups: str, least: int = 5) -> list[StatedAnswer]:
    return [StatedAnswer(group[0], least) for group in groups.split() for _ in range(int(group[1:]))]


@pytest.mark.parametrize(("words", "groups", "threshold", "shown", "others"), TABLE)
def test_no_group_is_too_small(
    words: str, groups: str, threshold: int, shown: list[tuple[str, int]], others: int
) -> None:
    found = count_field("x", said(groups), threshold)
    assert (list(found.groups), found.others) == (shown, others), words
    everybody = sum(n for _, n in shown) + others
    assert found.said == everybody
    assert everybody in (0, len(said(groups)))
    # What a reader can work out by taking shown groups from the whole.
    assert all(n == 0 or n >= threshold for n in (everybody, others, *(n for _, n in shown)))


def test_what_is_not_said_is_not_counted() -> None:
    assert count_field("x", [*said("a5"), StatedAnswer(""), StatedAnswer("")], 5) == FieldCounts(
        "x", 5, (("a", 5),), 0, 5
    )


def test_spellings_of_one_answer_are_counted_together() -> None:
    words = ["Sunda", "SUNDA", "sunda", "sunda", "Jawa", "jawa"]
    assert spellings(words) == {
        **dict.fromkeys(["Sunda", "SUNDA", "sunda"], "sunda"),
        **dict.fromkeys(["Jawa", "jawa"], "Jawa"),  # as often: the first by code point
    }
    # Composed or not, with what nobody sees or without.
    assert len(set(spellings(["Acèh", "ACE\u0300H", "ac\u200bèh"]).values())) == 1
    assert count_field("x", [StatedAnswer(word, 2) for word in words], 2).groups == (
        ("sunda", 4),
        ("Jawa", 2),
    )


def test_a_smaller_group_only_where_everybody_agreed() -> None:
    assert count_field("x", said("a3 b2", least=2), 2).groups == (("a", 3), ("b", 2))
    assert smallest_group(said("a3", least=2), 3) == 3
    unwilling = [*said("a3", least=2), *said("b2")]
    assert count_field("x", unwilling, 2) == FieldCounts("x", 5, (), 5, 5)
    # Who agreed to three did not agree to two.
    assert count_field("x", said("a3 b2", least=3), 2).least == 5
    assert smallest_group([], 1) == 1


# --- two releases -------------------------------------------------------------------------


def told(groups: str, of: Iterable[int], threshold: int = 5) -> PublishedTable:
    return PublishedTable(count_field("x", said(groups), threshold), frozenset(of))


def after(*before: PublishedTable, changed: Iterable[int] = ()) -> list[EarlierTable]:
    return [EarlierTable(each, frozenset(changed)) for each in before]


NOTHING = FieldCounts("x", 0, (), 0, 5)


def test_the_first_table_is_told_and_remembered() -> None:
    now = told("a5", range(5))
    assert consistent_counts(now, ()) == (now.table, now)
    nothing = told("a4", range(4))
    assert consistent_counts(nothing, ()) == (nothing.table, None)


def test_one_who_came_is_told_about_by_no_difference() -> None:
    before = told("a7 b5", range(12))
    table, of = consistent_counts(told("a7 b6", range(13)), after(before))
    assert (table.groups, table.earlier) == (before.table.groups, True)
    assert of == before
    # The fifth who came is one of enough.
    now = told("a10 b7", range(17))
    assert consistent_counts(now, after(before)) == (now.table, now)


def test_one_is_given_away_by_no_release_of_before_the_last() -> None:
    """Eleven, then twenty, then the eleven and one more: far from the last table, and one away from the first."""
    first, last = told("a6 b5", range(11)), told("a10 b10", range(20))
    now = told("a6 b6", [*range(11), 30])
    assert consistent_counts(now, after(last)) == (now.table, now)
    assert consistent_counts(now, after(first, last)) == (NOTHING, None)
    # Where nobody left, the last one stays.
    more = told("a11 b10", range(21))
    assert consistent_counts(more, after(first, last)) == (replace(last.table, earlier=True), last)
    # The same as the first is told again: nothing is new in it.
    assert consistent_counts(first, after(first, last)) == (first.table, first)


def test_who_changed_their_word_is_told_about_by_no_difference() -> None:
    before, now = told("a7 b5", range(12)), told("a6 b6", range(12))
    stays = (FieldCounts("x", 12, (("a", 7), ("b", 5)), 0, 5, earlier=True), before)
    assert consistent_counts(now, after(before, changed={3})) == stays
    # Which field they changed is not known: five may have changed another.
    assert consistent_counts(now, after(before, changed=range(5))) == stays
    # Equal figures tell nothing, nor do those of people who are not counted here.
    assert consistent_counts(before, after(before, changed={3})) == (before.table, before)
    assert consistent_counts(now, after(before, changed={99})) == (now.table, now)


def test_those_who_changed_their_word_do_not_hide_who_came() -> None:
    before = told("a7 b5", range(12))
    table, _ = consistent_counts(told("a7 b6", range(13)), after(before, changed=range(6)))
    assert (table.groups, table.earlier) == (before.table.groups, True)


def test_who_takes_it_back_is_in_no_table_of_before() -> None:
    before = told("a7 b5", range(12))
    assert consistent_counts(told("a7 b4", range(11)), after(before)) == (NOTHING, None)


def test_of_two_thresholds_the_larger_one_holds() -> None:
    small = told("a3 b2", range(5))._replace(table=count_field("x", said("a3 b2", least=2), 2))
    assert consistent_counts(told("a4 b2", range(6)), after(small)) == (NOTHING, None)
    # Three who agreed only to five left, and would follow from what the others agreed to.
    large = told("a6 b5", range(11))
    now = PublishedTable(count_field("x", said("a5 b3", least=2), 2), frozenset(range(8)))
    assert consistent_counts(now, after(large))[0].said == 0


def test_a_table_of_nothing_is_not_remembered() -> None:
    before = told("a7 b5", range(12))
    assert consistent_counts(PublishedTable(count_field("x", [], 5), frozenset()), after(before)) == (
        NOTHING,
        None,
    )


def test_a_table_comes_back_from_its_plain_form() -> None:
    table = count_field("x", said("a6 b3 c2"), 5)
    assert FieldCounts.from_dict(table.to_dict()) == table


def test_a_canary_is_of_its_project_alone() -> None:
    made = canary("seed", "set-one")
    assert made == "mufakat:set-one:canary:" + made[-36:]
    assert len({made, canary("seed", "set-two"), canary("other", "set-one")}) == 3
    assert made == canary("seed", "set-one")
