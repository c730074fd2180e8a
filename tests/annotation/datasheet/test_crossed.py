"""Two fields against each other: what is not told follows from no row, no column and no sum."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.datasheet.rules import StatedAnswer, cross_tabulate

words = st.sampled_from(["", "Sunda", "Jawa", "Bali", "Betawi"])
places = st.sampled_from(["", "Bandung", "Bogor", "Sunda", "Denpasar"])
people = st.lists(st.tuples(words, places), max_size=80)


def said(pairs: list[tuple[str, str]], least: int = 5) -> list[tuple[StatedAnswer, StatedAnswer]]:
    return [(StatedAnswer(one, least), StatedAnswer(other, least)) for one, other in pairs]


@given(people, st.integers(2, 7))
def test_nobody_follows_from_what_is_told(pairs: list[tuple[str, str]], threshold: int) -> None:
    told = cross_tabulate(said(pairs), threshold)
    both = [pair for pair in pairs if all(pair)]
    assert told.others + sum(n for *_, n in told.cells) == len(both)
    assert all(n == both.count((one, other)) >= told.least for one, other, n in told.cells)
    assert not both or told.least >= max(threshold, 5)
    shown = {(one, other): n for one, other, n in told.cells}
    for part in (slice(0, 1), slice(1, 2), slice(0, 0)):
        for line in {pair[part] for pair in both}:
            mine = [pair for pair in both if pair[part] == line]
            untold = sum(pair not in shown for pair in mine)
            assert untold in (0, len(mine)) or untold >= told.least


def test_a_cell_goes_with_the_only_other_one_that_would_tell_it() -> None:
    pairs = [("Sunda", "Bandung")] * 9 + [("Sunda", "Bogor")] * 1 + [("Jawa", "Solo")] * 8
    assert cross_tabulate(said(pairs), 5).cells == (("Jawa", "Solo", 8),)
    assert cross_tabulate(said(pairs), 5).others == 10
    # As small a group as everybody agreed to.
    assert cross_tabulate(said(pairs, least=1), 1).cells == (
        ("Jawa", "Solo", 8),
        ("Sunda", "Bandung", 9),
        ("Sunda", "Bogor", 1),
    )


def test_equal_words_of_different_fields_are_different_lines() -> None:
    pairs = [("Sunda", "Bandung")] * 6 + [("Bali", "Sunda")] * 6 + [("Bali", "Denpasar")] * 6
    assert len(cross_tabulate(said(pairs), 5).cells) == 3
