"""Splits: a word a row, then what must hold whatever the items are (domain.md §9, rulings 8, 17; IndoNLI §3.3)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.core.rules.fields import FieldError
from exports.releases.rules.settings import PRESETS, SplitRules, preset
from exports.releases.rules.sharing import largest_remainder
from exports.releases.rules.splits import (
    REASONS,
    GoldGroups,
    ItemPlace,
    ItemStanding,
    Outcome,
    affects_deal,
    draw_group,
    named_splits,
    needs_group,
    place_item,
    split_all,
    text_key,
)
from validation.consensus import stages

LAY, EXPERT = preset("indonli-lay"), preset("indonli-expert")
TO_TRAIN = ItemPlace("train", "n", "author", "")


def item(stage: str, *, sampled: bool = True, gold: str = "", author: str = "n") -> ItemStanding:
    return ItemStanding(stage, sampled, gold, author)


def out(reason: str) -> ItemPlace:
    return ItemPlace("", "", "", reason)


@pytest.mark.parametrize(
    ("what", "lay", "expert"),
    [
        (item("written", sampled=False), TO_TRAIN, out("not_sampled")),
        (item("written"), out("not_validated"), out("not_validated")),
        (item("voting"), out("voting"), out("voting")),
        (item("settled", gold="e"), ItemPlace("gold", "e", "gold", ""), ItemPlace("gold", "e", "gold", "")),
        (item("no_consensus"), TO_TRAIN, out("no_gold")),
        (item("no_consensus", author=""), out("no_label"), out("no_gold")),
        (
            item("adjudicated", gold="c"),
            ItemPlace("train", "c", "adjudicated", ""),
            ItemPlace("train", "c", "adjudicated", ""),
        ),
        (item("returned"), out("returned"), out("returned")),
        (item("corrected"), out("corrected"), out("corrected")),
        (item("excluded", gold="e"), out("excluded"), out("excluded")),
    ],
    ids=lambda value: getattr(value, "stage", ""),
)
def test_place_of_an_item(what: ItemStanding, lay: ItemPlace, expert: ItemPlace) -> None:
    assert place_item(LAY, what) == lay
    assert place_item(EXPERT, what) == expert


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        (item("settled", gold="B"), ItemPlace("gold", "B", "gold", "")),
        (item("no_consensus", author="A"), ItemPlace("test", "A", "author", "")),
        (item("adjudicated", gold="C"), ItemPlace("test", "C", "adjudicated", "")),
        (item("excluded"), out("excluded")),
        (item("submitted"), out("submitted")),
        (item("voting"), out("voting")),
    ],
    ids=lambda value: getattr(value, "stage", ""),
)
def test_all_that_was_kept_is_a_test_set(what: ItemStanding, expected: ItemPlace) -> None:
    """The preset of id-csqa: one split; excluded questions are left out."""
    assert place_item(PRESETS["idcsqa"], what) == expected
    assert named_splits(PRESETS["idcsqa"]) == ("test",)


def test_the_reason_names_what_items_share() -> None:
    rules = LAY.changed({"strict": "yes", "dev_percent": "100"})
    groups = GoldGroups(rules, "concept")
    groups.add(1, ItemPlace("gold", "A", "gold", ""))
    left_out = groups.deal().outcome(ItemPlace("train", "A", "author", ""), 1).left_out
    assert left_out == "concept_in_dev_or_test"


def test_every_stage_has_a_place_and_every_reason_words() -> None:
    for stage in stages.STAGES:
        for sampled in (True, False):
            found = place_item(EXPERT, item(stage, sampled=sampled, gold="e"))
            assert found.left_out in {"", *REASONS}
            assert bool(found.pool) != bool(found.left_out)


@pytest.mark.parametrize(
    ("rules", "files"),
    [
        (LAY, ("train", "dev", "test")),
        (EXPERT, ("test",)),
        (EXPERT.changed({"dev_percent": "100"}), ("dev",)),
        (EXPERT.changed({"adjudicated": "dev"}), ("dev", "test")),
        (EXPERT.changed({"no_gold": "train"}), ("train", "test")),
    ],
)
def test_files_that_rules_name(rules: SplitRules, files: tuple[str, ...]) -> None:
    assert named_splits(rules) == files


# --- dev and test ------------------------------------------------------------------


def gold(key: str, text: str, label: str = "e") -> tuple[str, ItemStanding, str]:
    return key, item("settled", gold=label), text


def splits_of(outcomes: dict[str, Outcome]) -> dict[str, str]:
    return {key: outcome.split for key, outcome in outcomes.items()}


def test_halves_differ_by_at_most_the_largest_group() -> None:
    items = [gold(f"{text}-{n}", f"text {text}") for text in range(50) for n in range(3)]
    counts = Counter(splits_of(split_all(LAY, items)).values())
    assert abs(counts["dev"] - counts["test"]) <= 3


def test_texts_that_look_the_same_stay_together() -> None:
    """NFC and NFD, a soft hyphen, outer spaces: one premise (reliability F34)."""
    items = [gold("a", "peuyeum é"), gold("b", "peuyeum e\u0301"), gold("c", " peu\u00adyeum é ")]
    assert len(set(splits_of(split_all(LAY, items)).values())) == 1


@pytest.mark.parametrize(("percent", "dev"), [(0, 0), (10, 10), (25, 25), (50, 50), (90, 90), (100, 100)])
def test_shares(percent: int, dev: int) -> None:
    rules = LAY.changed({"dev_percent": str(percent)})
    items = [gold(str(n), f"text {n}") for n in range(100)]
    assert Counter(splits_of(split_all(rules, items)).values())["dev"] == pytest.approx(dev, abs=1)


def test_strict_leaves_train_pairs_out_and_moves_none() -> None:
    items = [
        gold("gold", "shared"),
        ("same text", item("written", sampled=False), "shared"),
        ("other text", item("written", sampled=False), "alone"),
        ("lead", item("adjudicated", gold="c"), "shared"),
    ]
    loose, strict = (
        split_all(LAY.changed({"strict": "no"}), items),
        split_all(LAY.changed({"strict": "yes"}), items),
    )
    assert splits_of(loose)["same text"] == "train"
    assert strict["same text"] == strict["lead"] == Outcome("", "", "", "premise_in_dev_or_test")
    assert {key: strict[key] for key in ("gold", "other text")} == {key: loose[key] for key in ("gold", "other text")}


def test_what_a_lead_settled_takes_its_premise_along() -> None:
    rules = LAY.changed({"adjudicated": "test"})
    items = [gold(f"g{n}", f"text {n}") for n in range(40)]
    items += [(f"a{n}", item("adjudicated", gold="c"), f"text {n}") for n in range(5)]
    outcomes = split_all(rules, items)
    for n in range(5):
        assert outcomes[f"a{n}"] == Outcome("test", "c", "adjudicated", "")
        assert outcomes[f"g{n}"].split == "test"


def test_stratified_single_pairs_meet_their_quotas() -> None:
    rules = LAY.changed({"stratify": "label"})
    labels = "e" * 31 + "n" * 20 + "c" * 8
    items = [gold(str(n), f"text {n}", label) for n, label in enumerate(labels)]
    outcomes = split_all(rules, items)
    dev = Counter(outcome.label for outcome in outcomes.values() if outcome.split == "dev")
    test = Counter(outcome.label for outcome in outcomes.values() if outcome.split == "test")
    assert abs(dev.total() - test.total()) == 1
    assert all(abs(dev[label] - test[label]) <= 1 for label in "enc")


@pytest.mark.parametrize(
    ("total", "weights", "parts"),
    [
        (10, {"a": 1, "b": 1}, {"a": 5, "b": 5}),
        (10, {"a": 2, "b": 1}, {"a": 7, "b": 3}),
        (7, {"a": 50, "b": 30, "c": 20}, {"a": 4, "b": 2, "c": 1}),
        (0, {"a": 3}, {"a": 0}),
        (5, {"a": 0, "b": 0}, {"a": 0, "b": 0}),
        (5, {"a": 0, "b": 9}, {"a": 0, "b": 5}),
    ],
)
def test_largest_remainder(total: int, weights: dict[str, int], parts: dict[str, int]) -> None:
    assert largest_remainder(total, weights, "seed", "quota") == parts


def test_equal_remainders_are_drawn_by_the_seed() -> None:
    halves = {"a": 1, "b": 1}
    assert {largest_remainder(1, halves, str(seed), "quota")["a"] for seed in range(20)} == {0, 1}


# --- properties ----------------------------------------------------------------------

TEXTS = st.sampled_from([f"premis {n}" for n in range(12)])
STANDINGS = st.builds(
    ItemStanding,
    stage=st.sampled_from(stages.STAGES),
    sampled=st.booleans(),
    gold=st.sampled_from(["e", "n", "c"]),
    author_label=st.sampled_from(["e", "n", "c", ""]),
)
ITEMS = st.lists(st.tuples(STANDINGS, TEXTS), max_size=60).map(
    lambda rows: [(f"k{n}", standing, text) for n, (standing, text) in enumerate(rows)]
)
# Where items without gold go, and those that a lead settled; dev and test at once by name cannot be.
NAMED = [
    (no_gold, adjudicated)
    for no_gold in ("train", "leave_out", "test")
    for adjudicated in ("train", "dev", "test")
    if (no_gold, adjudicated) != ("test", "dev")
]
RULES = st.builds(
    lambda named, **rules: SplitRules(no_gold=named[0], adjudicated=named[1], **rules),
    st.sampled_from(NAMED),
    seed=st.sampled_from(["s1", "s2"]),
    not_sampled=st.sampled_from(["train", "leave_out"]),
    dev_percent=st.sampled_from([0, 1, 10, 50, 90, 100]),
    strict=st.booleans(),
    stratify=st.sampled_from(["none", "label"]),
)


@given(RULES, ITEMS)
def test_no_premise_in_both_dev_and_test(rules: SplitRules, items: list[tuple[str, ItemStanding, str]]) -> None:
    outcomes = split_all(rules, items)
    texts = {
        split: {text for key, _, text in items if outcomes[key].split == split} for split in ("train", "dev", "test")
    }
    assert not texts["dev"] & texts["test"]
    if rules.strict:
        assert not texts["train"] & (texts["dev"] | texts["test"])


@given(RULES, ITEMS)
def test_a_row_is_in_a_split_or_left_out_with_a_reason(
    rules: SplitRules, items: list[tuple[str, ItemStanding, str]]
) -> None:
    for outcome in split_all(rules, items).values():
        assert bool(outcome.split) != bool(outcome.left_out)
        assert bool(outcome.split) == bool(outcome.label) == bool(outcome.source)


@given(RULES, ITEMS, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(rules, items, random) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)
    assert split_all(rules, shuffled) == split_all(rules, items)


@given(RULES, ITEMS)
def test_items_that_are_not_gold_move_nothing(rules: SplitRules, items) -> None:
    """Writing goes on between two releases: what is in dev and test does not depend on it."""
    named = ("no_consensus",) if rules.no_gold == "test" else ()
    pool = [row for row in items if row[1].stage in ("settled", "adjudicated", *named)]
    whole, part = split_all(rules, items), split_all(rules, pool)
    assert {key: whole[key] for key in part} == part


@given(ITEMS, st.integers(0, 100))
def test_more_gold_moves_none_drawn_earlier(items, percent: int) -> None:
    """Unless stratified: a premise is dealt by those drawn before it."""
    rules = LAY.changed({"dev_percent": str(percent)})
    more = [*items, gold("new", "a premise of its own")]
    before, after = splits_of(split_all(rules, items)), splits_of(split_all(rules, more))
    moved = {text for key, _, text in items if before[key] != after[key]}
    here = draw_group("", text_key("a premise of its own"))
    assert all(draw_group("", text_key(text)) > here for text in moved)


@given(RULES, ITEMS)
def test_the_job_reads_premises_only_where_they_matter(rules: SplitRules, items) -> None:
    """It skips texts that neither shape the deal nor depend on it, and comes to the same splits."""
    known = {
        key: (place_item(rules, standing), draw_group(rules.seed, text_key(text))) for key, standing, text in items
    }
    groups = GoldGroups(rules)
    for where, group in known.values():
        if affects_deal(rules, where):
            groups.add(group, where)
    deal = groups.deal()
    assert split_all(rules, items) == {
        key: deal.outcome(where, group if needs_group(rules, where) else None) for key, (where, group) in known.items()
    }


# --- the rules themselves ----------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_rules_survive_json(rules: SplitRules) -> None:
    assert SplitRules.from_dict(rules.to_dict()) == rules


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({"dev": 1}, "dev: is no field here; take it out or look for a typing error"),
        ({"dev_percent": 101}, "dev_percent: must be at most 100"),
        ({"dev_percent": True}, "dev_percent: must be a whole number"),
        ({"dev_percent": "50"}, "dev_percent: must be a whole number"),
        ({"strict": "yes"}, "strict: must be true or false"),
        ({"seed": 3}, "seed: must be a text"),
        ({"seed": "x" * 81}, "seed: has more than 80 characters; shorten it"),
        ({"seed": "\0"}, "seed: has a character that cannot be stored"),
        ({"not_sampled": "dev"}, "not_sampled: must be one of train, leave_out, test, dealt"),
        (
            {"no_gold": "test", "adjudicated": "dev"},
            "no_gold: cannot go to test where items that a lead settled go to dev",
        ),
        ({"adjudicated": "gold"}, "adjudicated: must be one of train, dev, test, dealt"),
    ],
)
def test_rules_that_cannot_be(plain: dict[str, object], message: str) -> None:
    with pytest.raises(FieldError) as raised:
        SplitRules.from_dict(plain)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"dev_percent": "half"}, "dev_percent: must be a whole number"),
        ({"dev_percent": "٥٠"}, "dev_percent: must be a whole number"),
        ({"strict": "perhaps"}, "strict: must be true or false"),
        ({"preset": "other"}, "preset: is no field here; take it out or look for a typing error"),
        ({"colour": "blue"}, "colour: is no field here; take it out or look for a typing error"),
    ],
)
def test_texts_that_are_no_rules(texts: dict[str, str], message: str) -> None:
    with pytest.raises(FieldError) as raised:
        LAY.changed(texts)
    assert str(raised.value) == message


def test_texts_are_read_by_the_type_of_their_rule() -> None:
    rules = LAY.changed({"strict": " Yes ", "dev_percent": "20", "seed": " a ", "comments": "off"})
    assert (rules.strict, rules.dev_percent, rules.seed, rules.comments) == (True, 20, "a", False)


def test_no_preset_of_that_name() -> None:
    with pytest.raises(FieldError, match="preset: must be one of"):
        preset("x")
