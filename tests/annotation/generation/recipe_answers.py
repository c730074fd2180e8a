"""Answers that a test makes up for the recipes: good ones, and the materials that they are about."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.generation.rules.recipes.base import Ask, Work
from annotation.kinds import get as kind
from annotation.text.checks import Finding, SetContext, SlotText, run_checks

KEYS = "ABCDE"
CONCEPT = {"concept": "sambal", "category": "culinary", "parallel": ""}


def options(*texts: str, answer: str = "") -> list[dict[str, str]]:
    """Choices as materials and answers have them."""
    return [
        {"key": key, "text": text, **({"role": "answer" if key == answer else ""} if answer else {})}
        for key, text in zip(KEYS, texts, strict=False)
    ]


def written_question(concept: str, question: str, *texts: str, **more: Any) -> dict[str, Any]:
    """A whole question as a model writes it."""
    said = texts or ("cabai", "garam", "gula", "tomat", "bawang")
    return {
        "concept": concept,
        "question": question,
        "options": options(*said),
        "answer": "A",
        "distractor": "B",
        **more,
    }


ADAPTED = {
    "id": "csqa-1",
    "concept": "snow",
    "category": "",
    "question": "Where would Danny find snow in winter?",
    "options": options("mountain", "kitchen", "desert", "oven", "library", answer="A"),
}
ITEM = {
    "id": "item-1",
    "concept": "pasar",
    "category": "place",
    "question": "Apa yang dijual di pasar?",
    "options": options("sayur", "rumah", "pulau", "awan", "sungai", answer="A"),
    "language": "id",
    "project": "asal",
}


def listed_lines(ask: Ask, name: str) -> list[str]:
    """The lines of a value that an ask lists things in."""
    return [line.removeprefix("- ") for line in ask.values[name].splitlines()]


def findings(work: Work, language: str) -> Sequence[Finding]:
    """What the checks of questions say of a finished one."""
    spec = kind("mcq")
    slot = spec.authoring.slot_from_content(work.content)
    text = SlotText("q", slot.more.get("answer", ""), slot.text, True, more=slot.more)
    context = SetContext(str(work.content["concept"]), (text,), language, {}, 1, tuple(KEYS), {})
    return run_checks(spec.authoring.checks, context)


def roles_by_key(content: Mapping[str, Any]) -> dict[str, str]:
    """The key of the choice that has each role."""
    return {each["role"]: each["key"] for each in content["options"] if each["role"]}
