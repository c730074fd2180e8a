"""The demo's texts: whole, ours to give away, and without anything that would stop a writer."""

import json
from collections import Counter
from pathlib import Path

import pytest

from annotation import kinds
from annotation.content.rules.premises import refusal
from annotation.text.checks import BLOCK, SetContext, SlotText, run_checks
from annotation.text.sentences import sentence_class, sentences

DEMO = Path(__file__).parents[3] / "exports" / "demo"
SLOTS = ["e1", "e2", "n1", "n2", "c1", "c2"]


def _rows(name):
    return [json.loads(line) for line in (DEMO / name).read_text(encoding="utf-8").splitlines()]


PREMISES = {row["premise_id"]: row for row in _rows("premises.jsonl")}
SETS = {row["premise_id"]: row["hypotheses"] for row in _rows("sets.jsonl")}
CORRECTIONS = _rows("corrections.jsonl")
HYPOTHESES = [row for rows in SETS.values() for row in rows]


def _context(premise_id, texts):
    slots = tuple(SlotText(slot, slot[0], text) for slot, text in texts.items())
    return SetContext(PREMISES[premise_id]["text"], slots, "id", {}, 2, ("e", "n", "c"), {})


def test_enough_premises_of_every_class_over_several_topics():
    classes = Counter(row["sentence_size"] for row in PREMISES.values())
    assert len(PREMISES) == len(_rows("premises.jsonl")) >= 60
    assert min(classes[name] for name in ("single", "double", "paragraph")) >= 10
    assert len({row["topic"] for row in PREMISES.values()}) >= 8
    assert {row["genre"] for row in PREMISES.values()} == {"wiki", "news", "web"}
    assert max(Counter(row["document"] for row in PREMISES.values()).values()) <= 5


@pytest.mark.parametrize("row", PREMISES.values(), ids=PREMISES)
def test_each_premise_is_what_it_says_and_would_be_taken(row):
    assert all(row[field].strip() == row[field] != "" for field in ("text", "gloss", "topic", "document"))
    assert (row["licence"], row["source"]) == ("CC0-1.0", "tulisan sendiri")
    assert sentence_class(row["text"], "id") == row["sentence_size"]
    assert refusal(row["text"]) is None


@pytest.mark.parametrize("premise_id", SETS)
def test_each_set_has_six_slots_and_only_what_a_writer_may_submit(premise_id):
    rows = SETS[premise_id]
    assert [row["slot"] for row in rows] == SLOTS
    found = run_checks(
        list(kinds.get("nli").authoring.checks), _context(premise_id, {r["slot"]: r["text"] for r in rows})
    )
    assert [finding for finding in found if finding.level == BLOCK] == []
    everything = [check for check in kinds.get("nli").authoring.checks if check != "tags_missing"]
    assert run_checks(everything, _context(premise_id, {r["slot"]: r["text"] for r in rows})) == []


def test_sets_show_all_that_the_screens_need():
    assert len(SETS) >= 40
    assert set(SETS) < set(PREMISES), "some premises have to wait for a writer"
    assert len({row["text"] for row in HYPOTHESES}) == len(HYPOTHESES)
    assert sum("gloss" in row for row in HYPOTHESES) * 3 >= len(HYPOTHESES)
    assert sum(row.get("doubtful", False) for row in HYPOTHESES) == 6
    assert sum("typo" in row for row in HYPOTHESES) == 3
    assert all(row["typo"] != row["text"] for row in HYPOTHESES if "typo" in row)


@pytest.mark.parametrize("row", CORRECTIONS, ids=[f"{r['premise_id']}-{r['slot']}" for r in CORRECTIONS])
def test_each_correction_mends_a_text_of_a_set_and_says_why(row):
    texts = {r["slot"]: r["text"] for r in SETS[row["premise_id"]]}
    typo = {r["slot"]: r.get("typo") for r in SETS[row["premise_id"]]}[row["slot"]]
    assert row["error_type"] in dict(kinds.get("nli").authoring.error_types)
    assert len(sentences(row["corrected"], "id")) == 1
    assert row["feedback"] != row["feedback_gloss"] != ""
    assert row["corrected"] != texts[row["slot"]]
    # A corrected typing error keeps the meaning and with it the votes; another sentence starts again.
    assert row["meaning"] == ("same" if typo else "new")
    assert typo in (None, row["corrected"])
    everything = [check for check in kinds.get("nli").authoring.checks if check != "tags_missing"]
    corrected = _context(row["premise_id"], {**texts, row["slot"]: row["corrected"]})
    assert run_checks(everything, corrected) == []


def test_there_are_six_corrections_of_both_sorts():
    assert Counter(row["meaning"] for row in CORRECTIONS) == {"same": 3, "new": 3}
