"""What the tables of a release count: small sets by hand, intervals against their definitions."""

from math import comb

import pytest

from annotation import kinds
from exports.statistics import rules
from exports.statistics.drawing import TableContent, TableFacts
from exports.statistics.rules import Item, ReleaseCounts
from exports.statistics.tables import STATISTICS
from validation.consensus.protocol import Protocol

LABELS = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def pair(split: str, label: str, hypothesis: str, votes: str = "", gold: str = "", target: str = "") -> Item:
    content = {"premise": "Ibu membeli mangga di pasar.", "hypothesis": hypothesis}
    given = tuple(LABELS[vote] for vote in votes)
    author = LABELS[label]
    return Item(split, target, content, label, author, LABELS.get(gold, ""), "single", bool(votes), given)


def drawn(items: list[Item], **more: list[dict[str, object]]) -> dict[str, TableContent]:
    gathered = ReleaseCounts(kinds.get("nli"), Protocol("three rounds", (2, 1, 1), 3))
    for item in items:
        gathered.add(item)
    facts = TableFacts(gathered, **more)  # type: ignore[arg-type]
    return {each.key: each.draw(facts) for each in STATISTICS}


def test_sizes_by_split_and_target() -> None:
    """A split without a label has nought of it; what is in no split counts nowhere."""
    found = drawn(
        [
            pair("test", "e", "Ibu membeli mangga.", target="jv"),
            pair("test", "c", "Ibu tidak ke pasar.", target="su"),
            pair("train", "e", "Ada ibu", target="su"),
            pair("", "e", "Ada", target="su"),
        ]
    )["sizes"]
    rows = {(row["split"], row["target"]): row for row in found.rows}
    assert len(rows) == 9
    assert [rows["all", "all"][f"label:{key}"] for key in "enc"] == [2, 0, 1]
    assert rows["train", "su"]["mean:Hypothesis"] == 2
    assert rows["test", "all"]["mean:Hypothesis"] == 3.5
    assert rows["test", "all"]["sd:Hypothesis"] == 0.5
    assert rows["test", "jv"]["ends:Hypothesis"] is None
    assert rows["train", "jv"]["items"] == 0
    assert {column.key for column in found.columns} >= set(rows["all", "all"])


def test_rounds_and_quality_are_of_items_whose_votes_ended() -> None:
    """3 of 5 labels an item where two validators are enough: a third is saved… with none to save in the last round."""
    items = [
        pair("test", "e", "Ibu membeli mangga.", "ee", "e"),
        pair("test", "n", "Ibu senang.", "eee", "e"),
        pair("", "c", "Bapak datang.", "enec"),
        pair("train", "c", "Bapak."),
    ]
    found = drawn(items)
    with_authors, without = found["rounds"].rows
    assert [with_authors[key] for key in ("items", "five", "used")] == [3, 15, 12]
    assert with_authors["percent"] == pytest.approx(20)
    assert [without[key] for key in ("items", "five", "used")] == [3, 12, 9]
    counts = [(row["n"], row["of"]) for row in found["quality"].rows]
    # Nobody's label is gold where there is none; 3 + 3 of twelve labels are gold, 3 + 1 + 2 the author's. Against the
    # gold of the others there are two votes of the first round on each of the items that stopped with three alike.
    assert counts == [(3, 4), (2, 3), (6, 12), (4, 4), (6, 12), (1, 3), (1, 3), (1, 3)]


def test_words_and_overlap_of_each_split_and_of_all() -> None:
    items = [
        pair("train", "c", "tidak tidak tidak pasar."),
        pair("test", "c", "tidak."),
        pair("test", "e", "mangga."),
    ]
    found = drawn(items)
    words = {(row["split"], row["label"]): row for row in reversed(found["words"].rows)}
    assert (words["all", "c"]["word"], words["all", "c"]["n"], words["all", "c"]["of"]) == ("tidak", 4, 4)
    assert {row["word"]: row["n"] for row in found["words"].rows if row["split"] == "train"} == {
        "pasar": 1,
        "tidak": 3,
    }
    of = {(row["split"], row["label"]): row for row in found["overlap"].rows}
    assert set(of) == {("train", "c"), ("test", "c"), ("test", "e"), ("all", "c"), ("all", "e")}
    assert of["test", "e"]["new"] == 0
    assert of["train", "c"]["new"] == pytest.approx(100 / 3, abs=1e-3)


def test_errors_are_shares_of_what_was_assessed() -> None:
    assessed = [
        {"part": "Question", "error": "No error", "split": "test", "n": 3},
        {"part": "Question", "error": "Typo", "split": "test", "n": 1},
        {"part": "Concept", "error": "No error", "split": "test", "n": 2},
    ]
    rows = drawn([pair("test", "e", "Ada")], assessed=assessed)["errors"].rows
    assert [(row["percent"], row["of"]) for row in rows] == [(75, 4), (25, 4), (100, 2)]
    assert rows[1]["interval"] == pytest.approx((4.5587, 69.9358), abs=1e-3)


@pytest.mark.parametrize("n", [9, 25, 100])
def test_the_ends_of_a_median_hold_it_with_95_percent(n: int) -> None:
    """The chance that the median of a population lies between two places of a sample is binomial."""
    values = [float(value) for value in range(1, n + 1)]
    ends = rules.median_interval(values)
    assert ends is not None
    low, high = int(ends[0]), int(ends[1])
    held = sum(comb(n, k) for k in range(low, high)) / 2**n
    assert 0.95 <= held < 0.999
    assert low + high == n + 1


def test_too_few_values_have_no_interval() -> None:
    assert rules.median_interval([1.0, 2.0, 3.0]) is None
    assert rules.percent_with_interval(0, 0) == {"percent": None, "interval": None}
    assert rules.saved_annotations({}, authoring=True) == {}
