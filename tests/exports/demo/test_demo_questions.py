"""The demo's questions: whole, ours to give away, each fault one that a lead would return a question for."""

import json
from collections import Counter
from pathlib import Path

import pytest
from rapidfuzz import fuzz, process

from annotation import kinds
from annotation.text.checks import BLOCK, SetContext, SlotText, run_checks
from tests.data import DATA, needs_data

DEMO = Path(__file__).parents[3] / "exports" / "demo"
KEYS = "ABCDE"


def _rows(name):
    return [json.loads(line) for line in (DEMO / name).read_text(encoding="utf-8").splitlines()]


CONCEPTS = _rows("concepts.jsonl")
QUESTIONS = _rows("questions.jsonl")
FAULTY = [row for row in QUESTIONS if "faults" in row]
# Every text as somebody hands it in, at first or corrected, beside the question that it belongs to.
TEXTS = [(row, text) for row in QUESTIONS for text in (row, *(f["corrected"] for f in row.get("faults", ())))]
IDS = [f"{row['id']}/{n}" for n, (row, _) in enumerate(TEXTS)]


def _found(row, text):
    more = {f"option-{key}": text["options"][key] for key in KEYS}
    more |= {"answer": text["answer"], "distractor": text["distractor"]}
    slot = SlotText("q", text["answer"], text["question"], more=more)
    context = SetContext(row["concept"], (slot,), "id", {}, 2, tuple(KEYS), {})
    return run_checks(list(kinds.get("mcq").authoring.checks), context)


def test_five_categories_of_concepts_some_of_which_wait_or_came_back():
    approved = Counter(row["category"] for row in CONCEPTS if "proposed_by" not in row)
    assert len(approved) == 5
    assert min(approved.values()) >= 12
    assert len({row["concept"] for row in CONCEPTS}) == len(CONCEPTS)
    proposed = [row for row in CONCEPTS if "proposed_by" in row]
    assert {bool(row.get("words")) for row in proposed} == {True, False}


def test_questions_over_all_categories_at_most_two_for_a_concept():
    approved = {(row["category"], row["concept"]) for row in CONCEPTS if "proposed_by" not in row}
    written = Counter((row["category"], row["concept"]) for row in QUESTIONS)
    assert len(QUESTIONS) >= 48
    assert min(Counter(row["category"] for row in QUESTIONS).values()) >= 10
    assert set(written) < approved, "some concepts have to wait for a writer"
    assert set(written.values()) == {1, 2}
    assert len({row["id"] for row in QUESTIONS}) == len({row["question"] for row in QUESTIONS}) == len(QUESTIONS)


def test_answers_and_distractors_stand_at_every_place_alike():
    answers = Counter(row["answer"] for row in QUESTIONS)
    assert sorted(answers) == list(KEYS)
    assert max(answers.values()) - min(answers.values()) <= 1
    assert max(Counter(row["distractor"] for row in QUESTIONS).values()) * 3 < len(QUESTIONS)


@pytest.mark.parametrize(("row", "text"), TEXTS, ids=IDS)
def test_each_text_may_be_handed_in(row, text):
    assert list(text["options"]) == list(KEYS)
    assert all(value.strip() == value != "" for value in (text["question"], *text["options"].values()))
    found = _found(row, text)
    assert [finding for finding in found if finding.level == BLOCK] == []
    if "faults" not in row or text is row["faults"][-1]["corrected"]:
        assert found == []
    assert row["gloss"].endswith("?")


def test_some_are_doubtful_in_both_ways_and_say_why():
    doubtful = [row for row in QUESTIONS if "doubt" in row]
    assert Counter(row["doubt"] for row in doubtful) == {"ambiguous": 2, "split": 3}
    assert all(row["why"] and "faults" not in row for row in doubtful)


@pytest.mark.parametrize("row", FAULTY, ids=[row["id"] for row in FAULTY])
def test_each_fault_has_an_error_type_words_and_a_corrected_version(row):
    before = row
    for fault in row["faults"]:
        after = fault["corrected"]
        assert fault["error_type"] in dict(kinds.get("mcq").authoring.error_types)
        assert fault["feedback"] != fault["feedback_gloss"] != ""
        assert (after["question"], after["options"]) != (before["question"], before["options"])
        assert after["answer"] == row["answer"]
        before = after


def test_faults_are_of_many_types_and_one_question_comes_back_twice():
    assert len({fault["error_type"] for row in FAULTY for fault in row["faults"]}) >= 6
    assert Counter(len(row["faults"]) for row in FAULTY) == {1: len(FAULTY) - 1, 2: 1}


@needs_data
def test_no_text_is_a_published_one():
    published = json.loads((DATA / "idcsqa" / "human_gen_ind.json").read_text(encoding="utf-8"))
    questions = [row["question"].casefold() for row in published]
    near = [
        text["question"]
        for _, text in TEXTS
        if process.extractOne(text["question"].casefold(), questions, scorer=fuzz.ratio)[1] >= 85
    ]
    assert near == []
    options = {frozenset(text.casefold() for text in row["choices"]["text"]) for row in published}
    assert [row["id"] for row, text in TEXTS if {o.casefold() for o in text["options"].values()} in options] == []
