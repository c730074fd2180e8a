"""Whole questions written by a model: how it sees choices, how its answer is read, and their faults."""

import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from annotation.generation.rules.recipes.answers import Written
from annotation.generation.rules.recipes.base import Fault, Frame, answer_key, option, option_texts
from annotation.generation.rules.recipes.wording import (
    choice_faults,
    choices_fault,
    comparison_form,
    question_text_faults,
)
from annotation.kinds.mcq import ANSWER, DISTRACTOR, KEYS
from annotation.text.affixes import Presence, presence
from annotation.text.normalise import key_form

# What a concept may hold wherever it is stored.
LONGEST_CONCEPT = 300
_OUTER_MARKS = " \t\"'`*([{<>}]).,:;!-–—"
# "B", "(B)", "B. becak", "b) becak": a letter alone, or with a mark behind it; "A rickshaw" names no letter.
_LETTERED = re.compile(r"^[\s\"'`*(\[{<]*([A-Za-z])\s*(?:[.):\]}>*,]|[\"'`]|\s[-–—]\s|$)")


def as_lines(texts: Sequence[str], keys: Sequence[str] = ()) -> str:
    """Texts in lines, behind letters where there are any."""
    if not keys:
        return "\n".join(f"- {text}" for text in texts)
    return "\n".join(f"{key}. {text}" for key, text in zip(keys, texts, strict=False))


def read_letter(answer: str, texts: Sequence[str]) -> int | None:
    """Which of some choices, shown as A, B, …, an answer names: by its letter, else by its whole text; or None."""
    lettered = _LETTERED.match(answer)
    letter = lettered.group(1).upper() if lettered else answer.strip(_OUTER_MARKS).upper()
    if letter in KEYS[: len(texts)]:
        return KEYS.index(letter)
    wanted = comparison_form(answer)
    return next((place for place, text in enumerate(texts) if wanted and comparison_form(text) == wanted), None)


def with_written_texts(content: Mapping[str, Any], answer: Written) -> dict[str, Any]:
    """The content with a whole question that a model wrote put into it, as far as that can be.

    Choices under the letters A to E, each once, stand at those; otherwise they get letters in their order.
    """
    lettered = {choice.key.strip(" .()").upper(): choice.text for choice in answer.options}
    if sorted(lettered) == list(KEYS) and len(answer.options) == len(KEYS):
        choices = sorted(lettered.items())
    else:
        choices = list(zip(ascii_uppercase, (each.text for each in answer.options), strict=False))
    offered = [text for _key, text in choices]
    right, near = read_letter(answer.answer, offered), read_letter(answer.distractor, offered)
    roles = {} if near is None else {choices[near][0]: DISTRACTOR}
    roles |= {} if right is None else {choices[right][0]: ANSWER}
    options = [option(key, text, roles.get(key, "")) for key, text in choices]
    return {**content, "question": answer.question, "options": options}


def content_faults(frame: Frame, content: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with the texts of a question, each by itself. A choice of marks only (+) is one."""
    yield from question_text_faults(frame, str(content["question"]))
    for text in option_texts(content):
        if not comparison_form(text):
            yield Fault("choice_empty")
        yield from (fault for fault in choice_faults(frame, text) if fault.reason != "empty")


def written_fault(frame: Frame, content: Mapping[str, Any], answer: Written, concept: str) -> Fault | None:
    """The first thing that is wrong with a whole question as a model wrote it, its concept at last."""

    def faults() -> Iterator[Fault | None]:
        if len(answer.options) != len(KEYS):
            yield Fault("choices_count", {"count": len(answer.options), "wanted": len(KEYS)})
        yield from content_faults(frame, content)
        yield choices_fault(option_texts(content))
        if not answer_key(content):
            yield Fault("answer_no_choice", {"answer": answer.answer})
        yield concept_fault(frame, concept, answer.question)

    return next(filter(None, faults()), None)


def concept_fault(frame: Frame, concept: str, question: str) -> Fault | None:
    """A concept that is far too long; or a question in which it does not stand, nor another form of its base word.

    Another form counts (anjing, anjingnya): the published sets, which went through this filter of the papers, hold
    such questions (llm-gen 1 of 300, llm-adapt 5 of 158), and people who write may use one too (id-csqa Appendix D).
    """
    if len(concept) > LONGEST_CONCEPT:
        return Fault("concept_too_long", {"most": LONGEST_CONCEPT})
    missing = not key_form(concept) or presence(concept, question, frame.language) == Presence.MISSING
    return Fault("concept_missing", {"concept": concept}) if missing else None


def questions_taken(frame: Frame) -> set[str]:
    """The forms of the known questions of a run."""
    return {comparison_form(str(question)) for question in frame.extra.get("taken", ())}
