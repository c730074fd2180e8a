"""Releases of machine-written questions: whose label a row carries, what is silver, tenths, and sources' splits."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import kinds
from annotation.core.rules.fields import FieldError
from annotation.kinds.shapes import PAIR, QA
from exports.releases.rules.groups import dealing_key
from exports.releases.rules.machine import (
    MachineItem,
    Run,
    generation_record,
    level_of,
    machine_columns,
    raw_row,
    set_of,
    source_split,
    was_checked,
)
from exports.releases.rules.manifest import split_counts
from exports.releases.rules.settings import (
    BY_SPLIT,
    MACHINE_RULES,
    RULES_BY_LAYOUT,
    SplitRules,
    preset,
    rule_names,
)
from exports.releases.rules.sharing import assign_tenths
from exports.releases.rules.splits import (
    GoldGroups,
    ItemPlace,
    ItemStanding,
    Outcome,
    affects_deal,
    dealt_stages,
    draw_group,
    named_splits,
    needs_deal,
    needs_group,
    place_item,
)

MCSQA, GEN, ADAPT = preset("mcsqa"), preset("llm-gen"), preset("llm-adapt")


def item(stage: str, *, sampled: bool = False, gold: str = "", **more: Any) -> ItemStanding:
    """A machine's item whose answer is C; `level` and so on may be told."""
    return ItemStanding(stage, sampled, gold, "C", machine=True, **more)


def out(reason: str) -> ItemPlace:
    return ItemPlace("", "", "", reason)


@pytest.mark.parametrize(
    ("what", "gen", "adapt"),
    [
        (
            item("submitted"),
            ItemPlace("test", "C", "model", "", "", True),
            ItemPlace("dev", "C", "model", "", "", True),
        ),
        (
            item("written"),
            ItemPlace("test", "C", "model", "", "", True),
            ItemPlace("dev", "C", "model", "", "", True),
        ),
        (
            item("written", checked=True),
            ItemPlace("test", "C", "model", ""),
            ItemPlace("dev", "C", "model", ""),
        ),
        (item("settled", gold="B"), ItemPlace("gold", "B", "gold", ""), ItemPlace("dev", "B", "gold", "")),
        (item("no_consensus"), ItemPlace("test", "C", "model", ""), ItemPlace("dev", "C", "model", "")),
        (
            item("adjudicated", gold="D"),
            ItemPlace("test", "D", "adjudicated", ""),
            ItemPlace("dev", "D", "adjudicated", ""),
        ),
        (item("excluded"), out("excluded"), out("excluded")),
        (item("returned"), out("returned"), out("returned")),
        (item("written", sampled=True), out("not_validated"), out("not_validated")),
    ],
    ids=lambda value: getattr(value, "stage", ""),
)
def test_whose_label_and_what_is_silver(what: ItemStanding, gen: ItemPlace, adapt: ItemPlace) -> None:
    assert place_item(GEN, what) == gen
    assert place_item(ADAPT, what._replace(split="dev")) == adapt


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        (item("written", level="easy"), ItemPlace("gold", "E", "model", "", "easy", True)),
        (item("settled", gold="yes", level="hard"), ItemPlace("gold", "E", "gold", "", "hard")),
        (item("adjudicated", gold="yes", level="hard"), ItemPlace("gold", "E", "adjudicated", "", "hard")),
        (item("adjudicated", gold="no", level="hard"), out("rejected")),
        (item("settled", gold="no", level="hard"), out("rejected")),
        (item("no_consensus", sampled=True, level="hard"), out("no_gold")),
        (item("voting", sampled=True, level="hard"), out("voting")),
    ],
    ids=lambda value: f"{getattr(value, 'stage', '')}-{getattr(value, 'gold', '')}",
)
def test_of_judged_questions_the_answer_is_released(what: ItemStanding, expected: ItemPlace) -> None:
    """Both yes keeps a question; what people did not keep is dropped, with the reason told (mCSQA §3.3)."""
    assert place_item(MCSQA, what._replace(given="E", author_label="yes"), "yes") == expected


def test_people_label_what_people_wrote() -> None:
    theirs = ItemStanding("written", False, "", "B")
    assert place_item(GEN, theirs) == ItemPlace("test", "B", "author", "")
    assert place_item(GEN, theirs._replace(author_label="")) == out("no_label")
    assert place_item(preset("idcsqa"), item("submitted")) == out("submitted")


@pytest.mark.parametrize(
    ("stage", "began", "looked", "checked"),
    [
        ("submitted", "hand_in", False, False),
        ("written", "hand_in", False, True),
        ("written", "submit", False, False),
        ("submitted", "hand_in", True, True),
    ],
)
def test_a_lead_lets_an_answer_pass_or_somebody_judges_the_choices(
    stage: str, began: str, looked: bool, checked: bool
) -> None:
    assert was_checked(stage, began, looked) == checked


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("train", "train"),
        ("Validation", "dev"),
        ("dev", "dev"),
        ("test", "test"),
        ("", "test"),
        ("x", "test"),
    ],
)
def test_splits_of_sources(split: str, expected: str) -> None:
    assert source_split(split) == expected


@pytest.mark.parametrize(
    ("rules", "files", "reads", "stages"),
    [
        (MCSQA, ("train", "dev", "test"), True, ("settled", "adjudicated", "written")),
        (GEN, ("test",), True, ("settled", "adjudicated", "no_consensus", "written", "submitted")),
        (ADAPT, (), False, ("settled", "adjudicated", "no_consensus", "written", "submitted")),
        (preset("indonli-lay"), ("train", "dev", "test"), False, ("settled", "adjudicated")),
    ],
    ids=["mcsqa", "llm-gen", "llm-adapt", "indonli-lay"],
)
def test_what_presets_name_and_read(
    rules: SplitRules, files: tuple[str, ...], reads: bool, stages: tuple[str, ...]
) -> None:
    assert named_splits(rules) == files
    assert needs_deal(rules) == (reads or rules.preset == "indonli-lay")
    assert dealt_stages(rules) == stages


@pytest.mark.parametrize("change", [{"strict": "yes"}, {"stratify": "label"}])
def test_rules_that_say_nothing_about_tenths_are_refused(change: dict[str, str]) -> None:
    with pytest.raises(FieldError):
        MCSQA.changed(change)


def test_only_kinds_that_machines_write_have_their_rules() -> None:
    assert rule_names(PAIR) == RULES_BY_LAYOUT[BY_SPLIT]
    assert rule_names(QA, ("recipe",)) == (*RULES_BY_LAYOUT[BY_SPLIT], *MACHINE_RULES)


# --- tenths ----------------------------------------------------------------------------


def dealt(easy: int, hard: int) -> Counter[tuple[str, str]]:
    """So many single questions of each level: how many of which went where."""
    levels = {n: "easy" if n < easy else "hard" for n in range(easy + hard)}
    splits = assign_tenths({n: {level: 1} for n, level in levels.items()})
    return Counter((splits[n], level) for n, level in levels.items())


@pytest.mark.parametrize(
    ("easy", "hard"), [(0, 0), (9, 9), (10, 0), (19, 30), (100, 37), (1071 * 10 + 5, 292 * 10 + 9)]
)
def test_a_tenth_of_each_level_rounded_down(easy: int, hard: int) -> None:
    found = dealt(easy, hard)
    for split in ("dev", "test"):
        assert (found[split, "easy"], found[split, "hard"]) == (easy // 10, hard // 10)
    assert found["train", "easy"] == easy - 2 * (easy // 10)


def test_the_first_ones_drawn_are_dev_then_test() -> None:
    assert [assign_tenths({n: {"easy": 1} for n in range(20)})[n] for n in range(5)] == [
        "dev",
        "dev",
        "test",
        "test",
        "train",
    ]


SETS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda held: 0 < sum(held) <= 3), max_size=120)


@given(SETS)
def test_sets_stay_whole_and_no_split_is_above_its_tenth(held: list[tuple[int, int]]) -> None:
    groups = {n: {"easy": easy, "hard": hard} for n, (easy, hard) in enumerate(held)}
    splits = assign_tenths(groups)
    assert set(splits) == set(groups)
    for place_, level in ((0, "easy"), (1, "hard")):
        tenth = sum(one[place_] for one in held) // 10
        for split in ("dev", "test"):
            assert sum(groups[n][level] for n, where in splits.items() if where == split) <= tenth


def test_sets_of_three_come_as_near_as_whole_sets_allow() -> None:
    """100 whole easy sets of three: 30 in a tenth; and mixed ones fill both levels at once."""
    whole = Counter(assign_tenths({n: {"easy": 3} for n in range(100)}).values())
    assert whole == {"dev": 10, "test": 10, "train": 80}
    mixed = {n: {"easy": 2, "hard": 1} if n % 2 else {"easy": 3} for n in range(100)}
    splits = assign_tenths(mixed)
    easy = sum(held["easy"] for n, held in mixed.items() if splits[n] == "dev")
    hard = sum(held.get("hard", 0) for n, held in mixed.items() if splits[n] == "dev")
    assert (easy, hard) == (25, 5)


def test_groups_of_tenths_count_levels() -> None:
    groups = GoldGroups(MCSQA)
    for n in range(20):
        groups.add(n, ItemPlace("gold", "A", "model", "", "easy", True))
    groups.add(99, ItemPlace("test", "A", "adjudicated", ""))
    deal = groups.deal()
    where = ItemPlace("gold", "A", "model", "", "easy", True)
    assert affects_deal(MCSQA, where)
    assert needs_group(MCSQA, where)
    assert not affects_deal(ADAPT, where._replace(pool="dev"))
    assert Counter(deal.outcome(where, n).split for n in range(20)) == {"dev": 2, "test": 2, "train": 16}
    assert deal.outcome(where, 0) == Outcome("dev", "A", "model", "", "easy", True)


def test_what_is_drawn_together() -> None:
    kept = MCSQA.changed({"keep_sets": "yes"})
    assert dealing_key(MCSQA, "s1-1", "s1") == "s1-1"
    assert dealing_key(kept, "s1-1", "s1") == dealing_key(kept, "s1-2", "s1") == "set:s1"
    assert dealing_key(kept, "s1-1", "") == "s1-1"
    assert draw_group("a", "x") != draw_group("b", "x")


# --- rows ------------------------------------------------------------------------------

OPTIONS = [{"key": key, "text": f"pilihan {key}", "role": "answer" if key == "C" else ""} for key in "ABCDE"]
CONTENT: dict[str, Any] = {
    "concept": "tikar",
    "category": "AtLocation",
    "question": "Di mana tikar?",
    "options": OPTIONS,
    "made": {"level": "easy", "set": "s1"},
}
FACTS = MachineItem(
    {**CONTENT, "question": "Dimana tikar ?", "options": [{**OPTIONS[0], "text": "pilhan A"}, *OPTIONS[1:]]},
    "yes",
    "submit",
    False,
    "s1",
    "",
    {"relation": "AtLocation"},
    Run(2, ("gpt-x",)),
)


def test_a_row_tells_what_was_changed_and_who_wrote_it() -> None:
    kind = kinds.get("mcq-judged")
    told = machine_columns(kind, CONTENT, FACTS, label="C", silver=True)
    assert told == {
        "level": "easy",
        "set": "s1",
        "relation": "AtLocation",
        "model": "gpt-x",
        "run": 2,
        "silver": True,
        "raw": {"question": "Dimana tikar ?", "option-A": "pilhan A"},
    }
    assert machine_columns(kind, CONTENT, FACTS, label="D", silver=False)["raw"]["label"] == "C"
    imported = FACTS._replace(run=None, material="", data={})
    told = machine_columns(kinds.get("mcq"), {**CONTENT, "made": None}, imported, label="yes", silver=False)
    assert (told["level"], told["set"], told["model"], told["run"]) == ("", "", "", None)


def test_the_raw_row_is_as_the_machine_wrote_it() -> None:
    kind = kinds.get("mcq-judged")
    row = {
        "key": "s1-1",
        "content": CONTENT,
        "label": "C",
        "label_source": "gold",
        "gold": "yes",
        "author": "",
        "author_label": "yes",
        "counted_labels": ["yes", "yes"],
        "counted_annotators": ["V02", "V01"],
        "round": 1,
        "machine": {"level": "easy", "silver": False, "raw": {}},
        "n_labels": 3,
        "stop_reason": "all_votes",
        **dict.fromkeys(("flags", "split", "language", "register", "origin", "revision", "guideline"), "x"),
    }
    clean, raw = kind.export.build_row(row), kind.export.build_row(raw_row(kind, row, FACTS))
    assert clean["judgements"] == {"V01": "yes", "V02": "yes"}
    assert (clean["label"], clean["answerKey"], clean["gold_label"]) == ("C", "C", "C")
    assert (raw["question"], raw["label"], raw["label_source"]) == ("Dimana tikar ?", "C", "model")
    assert (raw["gold_label"], raw["judgements"], raw["revision"]) == ("-", {}, 1)
    assert "raw" not in raw
    assert list(clean)[:-2] == [*list(raw)[: list(raw).index("level")], "level"]


def test_what_a_content_tells_of_its_making() -> None:
    assert (level_of(CONTENT), set_of(CONTENT)) == ("easy", "s1")
    assert (level_of({}), set_of({"made": "x"}), generation_record({"made": 3})) == ("", "", {})


def test_counts_of_levels_and_silver() -> None:
    counts = split_counts(
        {
            Outcome("test", "A", "model", "", "easy", True): 3,
            Outcome("test", "A", "gold", "", "hard"): 2,
            Outcome("train", "A", "author", ""): 1,
            Outcome("", "", "", "rejected"): 4,
        },
        {"A": "A"},
        (),
    )
    assert counts["splits"]["test"]["levels"] == {"easy": 3, "hard": 2}
    assert counts["splits"]["test"]["silver"] == 3
    assert not {"levels", "silver"} & set(counts["splits"]["train"])
    assert counts["left_out"] == {"rejected": 4}
