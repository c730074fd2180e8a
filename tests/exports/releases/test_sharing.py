"""How gold is shared out: by share and by number, by strata, and together by more than a text."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.core.rules.fields import FieldError
from exports.releases.rules.settings import SplitRules, preset
from exports.releases.rules.sharing import TiedGroups, assign_splits, only_split, split_sizes, stratum_quotas
from exports.releases.rules.splits import (
    DealFacts,
    GoldGroups,
    ItemPlace,
    draw_tie,
    named_splits,
    needs_facts,
    stratum_of,
)

EXPERT = preset("indonli-expert")
GOLD = ItemPlace("gold", "e", "gold", "")
SPLITS = ("dev", "test", "train")


def rules(**changes: Any) -> SplitRules:
    return SplitRules.from_dict({"not_sampled": "leave_out", "no_gold": "leave_out", "seed": "s", **changes})


@pytest.mark.parametrize(
    ("changes", "sole", "files", "having"),
    [
        ({"dev_percent": 0}, "test", ("test",), {"dev": 0, "test": 100, "train": 0}),
        ({"dev_percent": 100}, "dev", ("dev",), {"dev": 100, "test": 0, "train": 0}),
        ({"dev_percent": 0, "train_percent": 100}, "train", ("train",), {"dev": 0, "test": 0, "train": 100}),
        (
            {"dev_percent": 10, "train_percent": 80},
            "",
            ("train", "dev", "test"),
            {"dev": 10, "test": 10, "train": 80},
        ),
        ({"test_size": 450}, "", ("train", "test"), {"dev": 0, "test": 450}),
        ({"dev_size": 5, "test_size": 5}, "", ("train", "dev", "test"), {"dev": 5, "test": 5}),
    ],
)
def test_what_each_split_is_to_have(changes: Any, sole: str, files: Any, having: Any) -> None:
    wanted = rules(**changes)
    assert (only_split(wanted), named_splits(wanted), split_sizes(wanted)) == (sole, files, having)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"dev_percent": 60, "train_percent": 41}, "train_percent"),
        ({"train_percent": 101}, "train_percent"),
        ({"train_percent": -1}, "train_percent"),
        ({"dev_size": -1}, "dev_size"),
        ({"test_size": 10**9}, "test_size"),
        ({"train_percent": 10, "test_size": 5}, "train_percent"),
        ({"together": "colour"}, "together"),
        ({"deal": "tenths", "together": "writer"}, "together"),
        ({"deal": "tenths", "dev_size": 3}, "dev_size"),
    ],
)
def test_sizes_that_cannot_be(changes: Any, field: str) -> None:
    with pytest.raises(FieldError) as refused:
        rules(**changes)
    assert refused.value.field == field


def single(n: int) -> dict[int, dict[str, int]]:
    return {place: {"e": 1} for place in range(n)}


@pytest.mark.parametrize(
    ("changes", "n", "expected"),
    [
        ({"dev_percent": 10, "train_percent": 80}, 100, {"dev": 10, "test": 10, "train": 80}),
        ({"dev_percent": 15, "train_percent": 70}, 1000, {"dev": 150, "test": 150, "train": 700}),
        ({"dev_size": 30, "test_size": 45}, 100, {"dev": 30, "test": 45, "train": 25}),
        ({"dev_size": 30, "test_size": 45}, 50, {"dev": 20, "test": 30}),
        ({"test_size": 7}, 10, {"test": 7, "train": 3}),
        ({"test_size": 7}, 5, {"test": 5}),
        ({}, 0, {}),
    ],
)
def test_single_items_come_out_to_the_last_one(changes: Any, n: int, expected: dict[str, int]) -> None:
    assert Counter(assign_splits(rules(**changes), single(n), {}).values()) == expected


def test_strata_have_their_part_of_every_split() -> None:
    labels = "e" * 50 + "n" * 30 + "c" * 20
    sizes = {place: {label: 1} for place, label in enumerate(labels)}
    dealt = assign_splits(rules(dev_percent=10, train_percent=70, stratify="label"), sizes, {})
    counts = Counter((split, labels[place]) for place, split in dealt.items())
    assert counts == {
        **{("dev", "e"): 5, ("dev", "n"): 3, ("dev", "c"): 2},
        **{("test", "e"): 10, ("test", "n"): 6, ("test", "c"): 4},
        **{("train", "e"): 35, ("train", "n"): 21, ("train", "c"): 14},
    }


def test_numbers_with_strata_are_not_passed() -> None:
    sizes = {place: {"enc"[place % 3]: 2} for place in range(100)}
    dealt = assign_splits(rules(dev_size=31, test_size=40, stratify="label"), sizes, {})
    held = Counter(dealt.values())
    assert 2 * held["dev"] <= 31
    assert 2 * held["test"] <= 40
    assert held["dev"] >= 14
    assert held["test"] >= 19


@pytest.mark.parametrize(
    ("stratify", "facts", "expected"),
    [
        ("none", DealFacts("W01", "single", "d1", "news"), "e"),
        ("label", DealFacts("W01", "single", "d1", "news"), "e"),
        ("kind", DealFacts("W01", "single", "d1", "news"), "news"),
        ("kind", DealFacts("W01", "single", "d1"), "single"),
        ("kind", DealFacts("W01", "", "culinary"), "culinary"),
        ("writer", DealFacts("W01", "single", "d1", "news"), "W01"),
    ],
)
def test_what_an_item_is_drawn_by(stratify: str, facts: DealFacts, expected: str) -> None:
    assert stratum_of(rules(stratify=stratify), "e", facts) == expected


def test_only_what_the_rules_name_is_asked_for() -> None:
    assert [needs_facts(rules(stratify=by)) for by in ("none", "label", "kind", "writer")] == [
        False,
        False,
        True,
        True,
    ]
    assert needs_facts(rules(together="document"))
    assert draw_tie(rules(), DealFacts("W01", "", "d1")) is None
    assert draw_tie(rules(together="document"), DealFacts("W01")) is None
    tied = {draw_tie(rules(together="writer", seed=seed), DealFacts("W01")) for seed in ("a", "b")}
    assert len(tied) == 2


def test_what_hangs_together_is_found_through_others() -> None:
    ties = TiedGroups()
    for one, other in ((5, 9), (7, 9), (1, 2), (7, 3)):
        ties.tie(one, other)
    assert {place: ties.root(place) for place in (1, 2, 3, 5, 7, 9, 4)} == {
        **{1: 1, 2: 1},
        **{3: 3, 5: 3, 7: 3, 9: 3},
        **{4: 4},
    }


DEALS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8), st.sampled_from("enc")), max_size=60)
SIZED = st.sampled_from(
    [
        {"dev_percent": 50},
        {"dev_percent": 10, "train_percent": 80},
        {"dev_size": 5, "test_size": 9},
        {"dev_percent": 0},
    ]
)


@given(DEALS, SIZED, st.sampled_from(["none", "label"]))
def test_neither_a_text_nor_a_writer_is_in_two_splits(items: Any, sizes: Any, stratify: str) -> None:
    wanted = rules(together="writer", stratify=stratify, **sizes)
    groups = GoldGroups(wanted)
    for text, writer, label in items:
        groups.add(text, ItemPlace("gold", label, "gold", ""), tie=1000 + writer)
    deal = groups.deal()
    texts: dict[int, set[str]] = {}
    writers: dict[int, set[str]] = {}
    for text, writer, label in items:
        split = deal.outcome(ItemPlace("gold", label, "gold", ""), text, 1000 + writer).split
        texts.setdefault(text, set()).add(split)
        writers.setdefault(writer, set()).add(split)
    assert all(len(found) == 1 for found in (*texts.values(), *writers.values()))


@given(DEALS, SIZED, st.sampled_from(["none", "label"]))
def test_numbers_are_never_passed_and_everything_is_dealt(items: Any, sizes: Any, stratify: str) -> None:
    wanted = rules(stratify=stratify, **sizes)
    held: dict[int, dict[str, int]] = {}
    for text, _, label in items:
        into = held.setdefault(text, {})
        into[label] = into.get(label, 0) + 1
    dealt = assign_splits(wanted, held, {})
    assert set(dealt) == set(held)
    counts = Counter[str]()
    for text, split in dealt.items():
        counts[split] += sum(held[text].values())
    for split in ("dev", "test"):
        assert not getattr(wanted, f"{split}_size") or counts[split] <= getattr(wanted, f"{split}_size")


@pytest.mark.parametrize("stratify", ["none", "label"])
def test_what_is_sent_by_name_takes_its_room_first(stratify: str) -> None:
    pinned = dict.fromkeys(range(900, 940), "test")
    dealt = assign_splits(rules(dev_size=50, test_size=100, stratify=stratify), single(1000), pinned)
    assert Counter(dealt.values()) == {"dev": 50, "test": 100, "train": 850}
    assert {dealt[place] for place in pinned} == {"test"}


@given(DEALS, SIZED)
def test_quotas_add_up(items: Any, sizes: Any) -> None:
    held = {text: {label: 1} for text, _, label in items}
    wanted = stratum_quotas(rules(stratify="label", **sizes), held)
    totals = Counter(label for labels in held.values() for label in labels)
    assert {label: sum(quota.get(label, 0) for quota in wanted.values()) for label in totals} == totals


def test_train_rows_that_would_have_to_stay_say_what_with() -> None:
    wanted = rules(strict=True, together="document", dev_percent=100, not_sampled="train")
    groups = GoldGroups(wanted)
    groups.add(1, GOLD, tie=50)
    deal, loose = groups.deal(), ItemPlace("train", "e", "author", "")
    assert deal.outcome(loose, 1, 50).left_out == "premise_in_dev_or_test"
    assert deal.outcome(loose, 2, 50).left_out == "document_in_dev_or_test"
    assert deal.outcome(loose, 2, 51).split == "train"


@given(
    made=st.lists(
        st.tuples(
            st.integers(0, 6),
            st.sampled_from(["gold", "dev", "test"]),
            st.sampled_from("enc"),
            st.none() | st.integers(50, 53),
        ),
        max_size=30,
    ),
    changes=st.sampled_from(
        [
            {"dev_percent": 30, "train_percent": 40, "together": "document", "stratify": "kind"},
            {"dev_size": 4, "test_size": 5, "together": "writer"},
            {"dev_size": 4, "test_size": 5, "stratify": "writer"},
            {"dev_percent": 20, "stratify": "label"},
            {"deal": "tenths"},
        ]
    ),
    random=st.randoms(use_true_random=False),
)
def test_a_deal_is_the_same_in_whatever_order_items_are_met(made: Any, changes: Any, random: Any) -> None:
    """They are met as they lie in the database, where they may lie in any order."""
    # No rules send items both to dev and to test by name.
    pinned = "test" if "test" in (where for _, where, *_ in made) else "dev"
    dealt = []
    for order in (made, random.sample(made, len(made))):
        groups = GoldGroups(rules(**changes))
        for group, where, label, tie in order:
            place = ItemPlace(where if where == "gold" else pinned, label, "gold", "", "easy")
            groups.add(group, place, stratum=label, tie=tie)
        dealt.append(dict(groups.deal().split_by_group))
    assert dealt[0] == dealt[1]
