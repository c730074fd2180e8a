"""What checks say, in words: labels, slots and choices are called as the page calls them."""

import pytest

from annotation import kinds
from annotation.core.messages import finding_words
from annotation.kinds import Slot
from annotation.text import checks
from tests.annotation.text.examples.sets import example, question_example

QUESTION = "Naik apa orang biasanya pulang dari pasar?"
OFTEN_C = {"A": 3, "B": 2, "C": 15}


def said(kind_slug, check_id, context):
    kind = kinds.get(kind_slug)
    slots = {slot.key: Slot(slot.key, slot.label, f"Text {slot.key}") for slot in context.slots}
    return [finding_words(each, kind, slots) for each in checks.run_checks([check_id], context)]


@pytest.mark.parametrize(
    ("check_id", "context", "words"),
    [
        ("choices_missing", question_example(QUESTION, "Becak", ""), "Choice B is empty."),
        ("choices_equal", question_example(QUESTION, "Becak", "becak"), "Choice B says the same as A."),
        (
            "doubled_blanks",
            question_example(QUESTION, "Kereta  api"),
            "Choice A: There are two blanks in a row.",
        ),
        ("doubled_blanks", question_example("Naik  apa?"), "There are two blanks in a row."),
        (
            "distractor_missing",
            question_example(QUESTION, answer="D", distractor="D"),
            "D is the answer: choose another one as the wrong answer that looks right.",
        ),
        (
            "answer_place",
            question_example(QUESTION, answers=OFTEN_C),
            "Of your 20 questions so far, 15 have their answer at C: put it at other places too.",
        ),
        (
            "concept_missing",
            question_example(QUESTION, concept="100% beras"),
            "The question has to contain the concept “100% beras”.",
        ),
    ],
)
def test_a_choice_is_called_by_its_letter(check_id, context, words):
    assert said("mcq", check_id, context) == [words]


def test_slots_and_labels_are_called_by_their_names():
    assert said("nli", "copy_of_other", example(("e", "Satu."), ("n", "satu"))) == [
        "This repeats another text of the set (Text s1)."
    ]
    assert said("nli", "per_label", example(("e", "Satu."), labels=("n",))) == [
        "You chose Neutral for 0 texts; it has to be 1."
    ]
