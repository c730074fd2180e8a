"""What a group proposes: read from a form, applied to a prompt, and shown beside it."""

from collections.abc import Mapping
from typing import Any

import pytest

from annotation.core.messages import PROBLEMS
from annotation.elicitation.rules.sessions import FEATURES, PURPOSE_NAMES, purposes
from validation.group_review.rules import (
    FORMS,
    SuggestionFault,
    changes,
    read,
    second_prompt_parts,
    shown_changes,
    with_texts,
)

PROMPT: Mapping[str, Any] = {
    "user": "Saya pedagang.",
    "context": "Pasar sepi.\nHujan turun.",
    "personal": "",
    "instruction": "Apa yang saya lakukan?",
    "options": [
        {"key": "R1", "text": "Tunggu.", "role": "best"},
        {"key": "I1", "text": "Marah.", "role": "irrelevant"},
    ],
}
WHOLE = {"user": "", "context": "Pasar.", "personal": "", "instruction": "Apa?"}
TWICE = WHOLE | {"second-context": "Pasar.", "second-instruction": "Apa?"}
HALVES = WHOLE | {"second-context": "Hujan.", "second-instruction": "Ke mana?"}


@pytest.mark.parametrize(
    ("form", "typed", "data"),
    [
        ("reword", {"context": "Pasar sepi.\r\nHujan deras. "}, {"context": "Pasar sepi.\nHujan deras."}),
        (
            "reword",
            {"user": "Saya petani.", "instruction": "Apa?"},
            {"user": "Saya petani.", "instruction": "Apa?"},
        ),
        ("rephrase", {"option-I1": "Mengamuk.", "option-R1": "Tunggu."}, {"I1": "Mengamuk."}),
        ("combine", {"other": " 0200000100 ", **WHOLE}, {"other": "0200000100", "parts": WHOLE}),
        (
            "split",
            HALVES,
            {"first": WHOLE, "second": {**WHOLE, "context": "Hujan.", "instruction": "Ke mana?"}},
        ),
        (
            "variation",
            {"personal": "Saya sakit.", "later": "I1 R9"},
            {"personal": "Saya sakit.", "responses": ["I1"]},
        ),
    ],
)
def test_only_what_is_proposed_is_kept(form: str, typed: Mapping[str, str], data: Mapping[str, Any]) -> None:
    assert read(form, typed, PROMPT) == data


@pytest.mark.parametrize(
    ("form", "typed", "code", "field"),
    [
        ("reword", {}, "suggestion_same", "instruction"),
        ("reword", {"context": ""}, "parts_missing", "context"),
        ("reword", {"user": "a\rb"}, "parts_lines", "user"),
        ("rephrase", {}, "suggestion_same", "option-R1"),
        ("rephrase", {"option-R1": " "}, "response_missing", "option-R1"),
        ("combine", WHOLE, "other_missing", "other"),
        ("combine", {"other": "1"}, "parts_missing", "context"),
        ("split", WHOLE, "parts_missing", "second-context"),
        (
            "split",
            HALVES | {"second-context": "Pasar.", "second-instruction": "Apa?"},
            "halves_same",
            "second-instruction",
        ),
        ("variation", {}, "personal_missing", "personal"),
        ("variation", {"personal": "a\nb"}, "parts_lines", "personal"),
        ("burn", {}, "suggestion_form", "form"),
    ],
)
def test_what_is_no_proposal(form: str, typed: Mapping[str, str], code: str, field: str) -> None:
    with pytest.raises(SuggestionFault) as fault:
        read(form, typed, PROMPT)
    assert (fault.value.code, fault.value.field) == (code, field)
    assert code in PROBLEMS


def test_the_situation_that_is_there_is_no_variation() -> None:
    with pytest.raises(SuggestionFault, match="suggestion_same"):
        read("variation", {"personal": "Saya sakit."}, {**PROMPT, "personal": "Saya sakit."})


def test_changes_are_applied_and_the_rest_stays() -> None:
    data = read("rephrase", {"option-I1": "Mengamuk."}, PROMPT)
    after = with_texts(PROMPT, changes("rephrase", data))
    assert [option["text"] for option in after["options"]] == ["Tunggu.", "Mengamuk."]
    assert {**after, "options": PROMPT["options"]} == PROMPT
    split = read("split", HALVES, PROMPT)
    assert changes("split", split) == WHOLE
    assert changes("combine", {"other": "1", "parts": WHOLE}) == WHOLE
    assert changes("variation", {"personal": "Saya sakit."}) == {}


def test_what_is_shown_is_what_differs_in_the_order_of_the_prompt() -> None:
    data = {"instruction": "Apa?", "user": "Saya petani."}
    assert shown_changes("reword", data, PROMPT) == [
        ("user", "Saya pedagang.", "Saya petani."),
        ("instruction", "Apa yang saya lakukan?", "Apa?"),
    ]
    assert shown_changes("variation", {"personal": "Saya sakit."}, PROMPT) == [("personal", "", "Saya sakit.")]
    split = read("split", HALVES, PROMPT)
    assert second_prompt_parts(split) == [("context", "Hujan."), ("instruction", "Ke mana?")]
    assert second_prompt_parts(data) == []


def test_every_form_has_a_name_and_every_purpose_a_feature() -> None:
    assert all(FORMS.values())
    assert list(FEATURES) == list(PURPOSE_NAMES)
    assert purposes(()) == []
    assert purposes(("rating", "group_review")) == ["review"]
    assert purposes(("group_review", "elicitation")) == ["elicitation", "review"]
