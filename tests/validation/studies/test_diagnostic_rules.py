"""Diagnostic sets: what is drawn and asked, and the counts of the published sample (IndoNLI §5)."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from annotation import kinds
from annotation.tasks.rules.kind import as_kind
from annotation.tasks.rules.reading import task_from_plain
from annotation.text.phenomena import PHENOMENA
from tests.data import DATA, needs_data
from tests.live_objects import counting_class
from validation.studies.rules import stratified
from validation.studies.rules.diagnostic import TaggedItem, count_tags, draw_items
from validation.studies.rules.phenomena_task import confirmed_tags, describe_task, texts_of

GOLD = {f"{label}{n}": label for label, size in (("e", 60), ("n", 30), ("c", 10)) for n in range(size)}


class Row(NamedTuple):
    key: str
    gold: str


def pick(gold: Mapping[str, str], size: int, seed: str = "seed") -> list[str]:
    rows = (Row(*each) for each in gold.items())
    return [row.key for row in draw_items(seed, Counter(gold.values()), rows, size)]


@pytest.mark.parametrize(
    ("size", "wanted"),
    [
        (10, {"e": 6, "n": 3, "c": 1}),
        (50, {"e": 30, "n": 15, "c": 5}),
        (100, {"e": 60, "n": 30, "c": 10}),
        (650, {"e": 60, "n": 30, "c": 10}),
        (0, {}),
    ],
)
def test_of_each_label_its_share(size: int, wanted: dict[str, int]) -> None:
    chosen = pick(GOLD, size)
    assert Counter(GOLD[key] for key in chosen) == wanted
    assert len(set(chosen)) == len(chosen)


def test_a_draw_depends_on_seed_and_keys_alone() -> None:
    assert pick(GOLD, 20) == pick(dict(reversed(GOLD.items())), 20)
    assert pick(GOLD, 20) != pick(GOLD, 20, "other")
    assert pick(GOLD, 12) == ["e37", "e8", "n26", "n6", "e56", "e2", "c8", "e7", "e17", "e10", "n11", "n29"]


def test_no_more_rows_are_held_than_are_drawn() -> None:
    made = counting_class(Row)
    gold = {f"{n}": "enc"[n % 3] for n in range(3000)}
    rows = (made(*each) for each in gold.items())
    assert len(draw_items("seed", Counter(gold.values()), rows, 10)) == 10
    assert made.most <= 10 + 2


def test_a_label_that_came_in_since_they_were_counted_has_no_share() -> None:
    rows = [Row("e1", "e"), Row("x1", "x"), Row("e2", "e")]
    assert {row.key for row in draw_items("seed", {"e": 2, "n": 1}, rows, 3)} == {"e1", "e2"}


@pytest.mark.parametrize(
    ("size", "wanted"),
    [
        (15, {"e": 5, "n": 5, "c": 5}),
        (45, {"e": 18, "n": 17, "c": 10}),
        (3, {"e": 1, "n": 1, "c": 1}),
        (200, {"e": 60, "n": 30, "c": 10}),
    ],
)
def test_as_many_of_each_label(size: int, wanted: dict[str, int]) -> None:
    found = Counter(GOLD[key] for key in stratified.draw_evenly("seed", "x", GOLD, size))
    assert sorted(found.values()) == sorted(wanted.values())
    assert found["c"] == wanted["c"]


def test_what_an_expert_sees_and_says() -> None:
    kind = kinds.get("nli")
    task = describe_task(kind, "id")
    assert task_from_plain(task.plain()) == task
    content = {"premise": "Ia pergi.", "hypothesis": "Ia tidak pulang.", "tags": ["NEG"]}
    assert texts_of(kind, content, "n", ("NEG", "CS")) == {
        "premise_text": "Ia pergi.",
        "hypothesis_text": "Ia tidak pulang.",
        "gold": "Neutral",
        "author_phenomena": "NEG CS",
    }
    assert "author_phenomena" not in texts_of(kind, content, "n", ())
    labels = as_kind(task).question.questions[0].labels
    assert [label.key.upper() for label in labels] == [each.code for each in PHENOMENA]
    assert len({label.letter for label in labels}) == len(labels)
    assert confirmed_tags({"phenomena": ["num", "lexsem"]}) == ("LEXSEM", "NUM")
    assert (confirmed_tags(None), confirmed_tags({})) == (None, None)
    assert all(each.definition in task.guidelines for each in PHENOMENA)


def tagged(key: str, gold: str, author: Sequence[str], expert: Sequence[str] | None) -> TaggedItem:
    return TaggedItem(key, gold, tuple(author), None if expert is None else tuple(expert))


def test_counts() -> None:
    rows = [
        tagged("1", "e", ["NUM"], ["NUM"]),
        tagged("2", "c", ["SEMLEX", "NEG"], ["NEG", "LEXSEM"]),
        tagged("3", "e", [], ["NUM", "CS"]),
        tagged("4", "n", ["NUM"], None),
    ]
    found = count_tags(rows, "enc")
    assert (found.rows, found.open, found.changed) == (3, 1, 1)
    assert found.labels == {"e": 2, "n": 0, "c": 1}
    assert found.tags_per_row == {1: 1, 2: 2}
    assert {each.tag: (each.items, each.by_label["e"]) for each in found.tags} == {
        "LEXSEM": (1, 0),
        "NEG": (1, 0),
        "NUM": (2, 2),
        "CS": (1, 1),
    }


@needs_data
def test_the_published_sample_counts_as_expected() -> None:
    rows = json.loads((DATA / "indonli" / "diagnostic_sample.json").read_text(encoding="utf-8"))
    wanted = json.loads((DATA / "expected" / "indonli_diagnostic_sample.json").read_text(encoding="utf-8"))
    found = count_tags(
        [
            tagged(str(row["pair_id"]), row["label"], row["inference_phenomena"], row["inference_phenomena"])
            for row in rows
        ],
        "enc",
    )
    assert (found.rows, found.changed) == (wanted["rows"], 0)
    assert found.labels == wanted["labels"]
    assert {str(size): n for size, n in found.tags_per_row.items()} == wanted["tags_per_row"]
    published = {"LEXSEM" if tag == "SEMLEX" else tag: told for tag, told in wanted["tags"].items()}
    assert {each.tag: {"pairs": each.items, **each.by_label} for each in found.tags} == published
