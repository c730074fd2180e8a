"""Concepts are dealt: each to so many different writers, so many of a category to each, as evenly as can be."""

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.writing.rules.allocation import deal_concepts

POOLS = st.lists(st.sampled_from("uvw"), max_size=25).map(
    lambda rows: [(f"c{number}", category) for number, category in enumerate(rows)]
)
TEAMS = st.lists(st.sampled_from("ABCDEF"), unique=True, max_size=6)
HAD = st.dictionaries(st.integers(0, 24).map("c{}".format), st.sets(st.sampled_from("ABCDEFG")), max_size=12)
HELD = st.dictionaries(st.tuples(st.sampled_from("ABCDEF"), st.sampled_from("uvw")), st.integers(0, 4))


def category_of(concepts):
    return dict(concepts)


@given(POOLS, TEAMS, st.integers(0, 3), st.integers(0, 8), st.text(), HAD, HELD)
def test_nobody_twice_and_never_more_than_the_quota(concepts, writers, each, quota, seed, had, held):
    dealt = deal_concepts(concepts, writers, each=each, quota=quota, seed=seed, had=had, held=held)
    assert set(dealt) == set(writers)
    in_category = category_of(concepts)
    for writer, keys in dealt.items():
        assert len(keys) == len(set(keys))
        assert not [key for key in keys if writer in had.get(key, ())]
        for category, count in Counter(in_category[key] for key in keys).items():
            assert count + held.get((writer, category), 0) <= quota
    assert all(n <= each for n in Counter(key for keys in dealt.values() for key in keys).values())


@given(POOLS, TEAMS, st.integers(1, 3), st.integers(1, 30), st.text())
def test_a_first_deal_is_even_and_gives_out_all_it_can(concepts, writers, each, quota, seed):
    dealt = deal_concepts(concepts, writers, each=each, quota=quota, seed=seed)
    in_category = category_of(concepts)
    for category in "uvw":
        held = [sum(in_category[key] == category for key in keys) for keys in dealt.values()]
        assert not held or max(held) - min(held) <= 1
        wanted = sum(name == category for _, name in concepts) * min(each, len(writers))
        assert sum(held) == min(wanted, quota * len(writers))


@given(POOLS, TEAMS, HAD, HELD, st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_changes_nothing(concepts, writers, had, held, random):
    rules = {"each": 2, "quota": 5, "seed": "seed", "had": had}
    dealt = deal_concepts(concepts, writers, held=held, **rules)
    random.shuffle(concepts)
    random.shuffle(writers)
    turned = list(held.items())
    random.shuffle(turned)
    assert deal_concepts(concepts, writers, held=dict(turned), **rules) == dealt


@given(
    st.integers(0, 3),
    st.integers(0, 3),
    st.dictionaries(st.sampled_from(["c0", "c1", "c2"]), st.sets(st.sampled_from("ABC"))),
    st.dictionaries(st.tuples(st.sampled_from("ABC"), st.just("u")), st.integers(0, 3)),
)
def test_no_other_deal_gives_more_or_is_more_even(count, quota, had, held):
    """Against every deal that there is: as many concepts as any, then the least sum of squares."""
    concepts = [(f"c{number}", "u") for number in range(count)]
    pairs = {key: [w for w in "ABC" if w not in had.get(key, ())] for key, _ in concepts}
    ways = [[chosen for n in range(3) for chosen in combinations(pairs[key], n)] for key, _ in concepts]
    before = {writer: held.get((writer, "u"), 0) for writer in "ABC"}
    deals = []
    for deal in product(*ways):
        got = Counter(writer for chosen in deal for writer in chosen)
        if all(before[writer] + n <= quota for writer, n in got.items()):
            deals.append((sum(got.values()), -sum((n + got[writer]) ** 2 for writer, n in before.items())))
    dealt = deal_concepts(concepts, list("ABC"), each=2, quota=quota, seed="s", had=had, held=held)
    squares = sum((n + len(dealt[writer])) ** 2 for writer, n in before.items())
    assert (sum(map(len, dealt.values())), -squares) == max(deals)


def test_the_figures_of_the_paper():
    """id-csqa §4.2: 150 concepts in each of five categories, six writers, 50 a category, two questions a concept."""
    concepts = [(f"{category}-{n}", category) for category in "abcde" for n in range(150)]
    dealt = deal_concepts(concepts, list("ABCDEF"), each=2, quota=50, seed="seed")
    for keys in dealt.values():
        assert Counter(key[0] for key in keys) == dict.fromkeys("abcde", 50)
    assert set(Counter(key for keys in dealt.values() for key in keys).values()) == {2}


def test_dealing_goes_on_where_it_stopped():
    """Twice ten concepts come out as even as twenty at once, and nobody gets one again."""
    concepts = [(f"c{n}", "u") for n in range(20)]
    first = deal_concepts(concepts[:10], list("ABC"), each=2, quota=50, seed="seed")
    had = {key: {writer for writer in first if key in first[writer]} for key, _ in concepts}
    held = {(writer, "u"): len(keys) for writer, keys in first.items()}
    lacking = {key: 2 - len(writers) for key, writers in had.items()}
    second = deal_concepts(concepts, list("ABC"), each=lacking, quota=50, seed="seed", had=had, held=held)
    loads = {writer: len(first[writer]) + len(second[writer]) for writer in "ABC"}
    assert sum(loads.values()) == 40
    assert max(loads.values()) - min(loads.values()) <= 1


@pytest.mark.parametrize("seed", [str(number) for number in range(12)])
def test_what_is_uneven_at_first_is_made_even(seed):
    """A has had two of the three: whichever is drawn first, A gets the third, handed on by B where B got it."""
    had = {"c0": {"A"}, "c1": set(), "c2": {"A"}}
    concepts = [(key, "u") for key in had]
    dealt = deal_concepts(concepts, ["A", "B"], each=1, quota=2, seed=seed, had=had)
    assert (dealt["A"], sorted(dealt["B"])) == (["c1"], ["c0", "c2"])


@pytest.mark.parametrize("seed", ["one", "two"])
def test_a_writer_works_through_categories_in_turn(seed):
    concepts = [(f"{category}{n}", category) for category in "ab" for n in range(20)]
    work = deal_concepts(concepts, ["A", "B"], each=2, quota=50, seed=seed)
    assert work["A"] != work["B"]
    assert len({key[0] for key in work["A"][:10]}) == 2
