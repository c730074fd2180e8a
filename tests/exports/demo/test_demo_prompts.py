"""The demo's prompts: whole, ours to give away, and nothing that a check would say a word about."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from rapidfuzz import fuzz, process

from annotation import kinds
from annotation.elicitation.rules.sessions import TOPIC_SOURCES
from annotation.kinds.cultural import RESPONSE_KEYS
from annotation.presets.elicitation import QUESTIONS
from annotation.text.checks import BLOCK, SetContext, SlotText, run_checks
from tests.data import DATA, needs_data
from validation.studies.rules.criteria import DEFAULT

DEMO = Path(__file__).parents[3] / "exports" / "demo"
ROWS = [json.loads(line) for line in (DEMO / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]
TOLD = json.loads((DEMO / "prompts_told.json").read_text(encoding="utf-8"))
BY_ID = {row["id"]: row for row in ROWS}
VARIATIONS = [row for row in ROWS if "of" in row]
KIND = kinds.get("cultural")
PARTS = ("user", "context", "instruction", "category", "topic")


def _found(row):
    more = {f"option-{key}": text for key, text in row["responses"].items()}
    more |= {name: row[name] for name in ("category", "user", "context", "personal", "best")}
    slot = SlotText("p", row["best"], row["instruction"], more=more)
    labels = tuple(RESPONSE_KEYS)
    return run_checks(list(KIND.authoring.checks), SetContext(row["topic"], (slot,), "id", {}, 2, labels, {}))


@pytest.mark.parametrize("row", ROWS, ids=BY_ID)
def test_each_prompt_may_be_handed_in(row):
    texts = [*row["responses"].values(), row["context"], row["instruction"], row["gloss"]]
    assert all(text.strip() == text != "" for text in texts)
    found = _found(row)
    assert [finding for finding in found if finding.level == BLOCK] == []
    assert found == []


def test_enough_prompts_of_both_categories_some_with_user_and_situation():
    assert len(BY_ID) == len(ROWS) >= 12
    assert Counter(row["category"] for row in ROWS).keys() == {"ethics", "shared knowledge"}
    assert sum(bool(row["user"]) for row in ROWS) >= 4
    assert {row["topic"] for row in ROWS} < {topic["text"] for topic in TOLD["topics"]}


def test_a_variation_differs_in_the_situation_and_comes_after_its_origin():
    assert len(VARIATIONS) >= 3
    for row in VARIATIONS:
        origin = BY_ID[row["of"]]
        assert ROWS.index(origin) < ROWS.index(row)
        assert [row[part] for part in PARTS] == [origin[part] for part in PARTS]
        assert row["personal"] != origin["personal"]
        assert row["writer"] == origin["writer"]


def test_what_groups_said_and_proposed_points_to_something():
    assert {topic["source"] for topic in TOLD["topics"]} == set(TOPIC_SOURCES)
    topics = {topic["text"] for topic in TOLD["topics"]} | {""}
    assert all(1 <= one["question"] <= len(QUESTIONS) and one["topic"] in topics for one in TOLD["answers"])
    assert Counter(one["end"] for one in TOLD["suggestions"]).keys() == {"accept", "decline", ""}
    assert {one["session"] for one in TOLD["suggestions"]} == {0, 1}
    assert all(one["prompt"] in BY_ID and one["words"] for one in TOLD["suggestions"])


def test_outputs_of_two_models_for_the_same_prompts_with_named_flaws():
    rated = [row for row in ROWS if "outputs" in row]
    models = {tuple(row["outputs"]) for row in rated}
    assert len(models) == 1
    assert all(len(set(row["outputs"].values())) == 2 for row in rated)
    criteria = {criterion.key for criterion in DEFAULT}
    for row in rated:
        assert set(row["flaws"]) <= set(row["outputs"])
        assert {name for flaws in row["flaws"].values() for name in flaws} <= criteria


@needs_data
def test_no_prompt_is_a_published_one():
    with (DATA / "kalahi" / "filipino.csv").open(encoding="utf-8", newline="") as file:
        published = [cell for row in csv.DictReader(file) for cell in row.values() if cell]
    near = [row["id"] for row in ROWS if process.extractOne(row["context"], published, scorer=fuzz.ratio)[1] >= 85]
    assert near == []
