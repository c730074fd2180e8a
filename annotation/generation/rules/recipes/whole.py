"""A whole question that a model wrote, or made of another one: read into a content, and judged."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from annotation.generation.rules.recipes.answers import Written
from annotation.generation.rules.recipes.base import Frame
from annotation.generation.rules.recipes.making import (
    choices_fault,
    key_of,
    length_fault,
    option,
    texts,
)
from annotation.generation.rules.recipes.shown import read_letter
from annotation.generation.rules.recipes.wording import (
    LONGEST_CONCEPT,
    Fault,
    asked_faults,
    same,
    text_faults,
)
from annotation.kinds.mcq import ANSWER, DISTRACTOR, KEYS
from annotation.text.affixes import Presence, presence
from annotation.text.normalise import key_form


def with_texts(content: Mapping[str, Any], answer: Written) -> dict[str, Any]:
    """The content with a whole question that a model wrote put into it, as far as that can be.

    Choices under the letters A to E, each once, stand at those; otherwise they get letters in their order.
    """
    lettered = {choice.key.strip(" .()").upper(): choice.text for choice in answer.options}
    if sorted(lettered) == list(KEYS) and len(answer.options) == len(KEYS):
        choices = sorted(lettered.items())
    else:
        choices = [
            (ascii_uppercase[place], each.text)
            for place, each in enumerate(answer.options[: len(ascii_uppercase)])
        ]
    keys, said = [key for key, _text in choices], [text for _key, text in choices]
    right, near = read_letter(answer.answer, said), read_letter(answer.distractor, said)
    roles = {} if near is None else {keys[near]: DISTRACTOR}
    roles |= {} if right is None else {keys[right]: ANSWER}
    options = [option(key, text, roles.get(key, "")) for key, text in choices]
    return {**content, "question": answer.question, "options": options}


def said_faults(frame: Frame, content: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with the texts of a question, each by itself."""
    yield from asked_faults(frame, str(content["question"]))
    for text in texts(content):
        if not same(text):
            yield Fault("choice_empty")
        yield from sayable(frame, text)


def written_faults(frame: Frame, content: Mapping[str, Any], answer: Written) -> Iterator[Fault]:
    """What is wrong with a whole question as a model wrote it, but for the place of its concept."""
    if len(answer.options) != len(KEYS):
        yield Fault("choices_count", {"count": len(answer.options), "wanted": len(KEYS)})
    yield from said_faults(frame, content)
    equal = choices_fault(texts(content))
    if equal:
        yield equal
    if not key_of(content):
        yield Fault("answer_no_choice", {"answer": answer.answer})


def sayable(frame: Frame, choice: str) -> Iterator[Fault]:
    """What no choice may say: an unfit or offensive word, or far too much. A choice of marks only (+) is one."""
    faults = (fault for fault in text_faults(frame, choice) if fault.reason != "empty")
    for fault in (*faults, length_fault(choice)):
        if fault:
            yield replace(fault, params={**fault.params, "choice": choice})


def concept_fault(frame: Frame, concept: str, question: str) -> Fault | None:
    """A concept that is far too long; or a question in which it does not stand, nor another form of its base word.

    Another form counts (anjing, anjingnya): the published sets, which went through this filter of the papers, hold
    such questions (llm-gen 1 of 300, llm-adapt 5 of 158), and people who write may use one too (id-csqa Appendix D).
    """
    if len(concept) > LONGEST_CONCEPT:
        return Fault("concept_too_long", {"most": LONGEST_CONCEPT})
    missing = not key_form(concept) or presence(concept, question, frame.language) == Presence.MISSING
    return Fault("concept_missing", {"concept": concept}) if missing else None


def taken(frame: Frame) -> set[str]:
    """The forms of the questions that there are already, of which a run is told."""
    return {same(str(question)) for question in frame.also.get("taken", ())}
