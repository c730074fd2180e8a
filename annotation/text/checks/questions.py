"""How a question is worded: about its concept, no matter of opinion, not about the world (id-csqa Appendix E)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from annotation.text.affixes import Presence, presence
from annotation.text.checks.base import BLOCK, WARN, FindingHit, SetContext, SlotText, check
from annotation.text.gettext import gettext_noop
from annotation.text.languages import Language, get
from annotation.text.normalise import key_form
from annotation.text.sentences import CLOSERS
from annotation.text.tokens import IN_WORD, WORD_END

QUESTION_MARKS = ("?", "？", "؟", "՞", "\u2e2e")
_CLOSERS = CLOSERS + " \t\r\n\u00a0"
Risk = Literal["superlatives", "everywhere"]


def _questions_with_concept(context: SetContext, wanted: Presence) -> Iterator[tuple[SlotText, str]]:
    """Each written question that contains its concept in this way; the writer's own wording goes first."""
    for slot in context.filled_slots:
        concept = slot.more.get("concept", "").strip() or context.source.strip()
        if concept and presence(concept, slot.text, context.language) == wanted:
            yield slot, concept


@check(BLOCK, gettext_noop("The concept is missing"))
def concept_missing(context: SetContext) -> Iterator[FindingHit]:
    """A question without its concept, nor another form of the same base word."""
    for slot, concept in _questions_with_concept(context, Presence.MISSING):
        message = gettext_noop("The question has to contain the concept “%(concept)s”.")
        yield slot.key, message, {"concept": concept}


@check(WARN, gettext_noop("The concept in another form"))
def concept_other_form(context: SetContext) -> Iterator[FindingHit]:
    """A question that contains another form of the concept's base word: allowed, look again."""
    for slot, concept in _questions_with_concept(context, Presence.OTHER_FORM):
        message = gettext_noop(
            "The concept “%(concept)s” has another form here; that is allowed if its base word is the same."
        )
        yield slot.key, message, {"concept": concept}


@lru_cache(maxsize=64)
def _pattern(code: str, risk: Risk | Literal["harmless"]) -> re.Pattern[str] | None:
    """The phrases of a language as one pattern, longest first; None where it has none."""
    lists: Language = get(code)
    phrases = sorted({lists.fold(phrase) for phrase in getattr(lists, risk)}, key=lambda each: (-len(each), each))
    alternatives = "|".join(re.escape(phrase) for phrase in phrases)
    return re.compile(f"(?<![{IN_WORD}-])(?:{alternatives}){WORD_END}") if phrases else None


def _first_phrase(context: SetContext, slot: SlotText, risk: Risk) -> str:
    """The first phrase of the kind in a question, or nothing; what only looks like one is taken out before."""
    lists = context.word_lists
    pattern, harmless = _pattern(lists.code, risk), _pattern(lists.code, "harmless")
    if pattern is None:
        return ""
    text = " ".join(lists.fold(key_form(slot.text, casefold=True)).split())
    hit = pattern.search(harmless.sub("…", text) if harmless else text)
    return hit.group() if hit else ""


@check(WARN, gettext_noop("A superlative"))
def superlative(context: SetContext) -> Iterator[FindingHit]:
    """A question that asks for the most or the best of something (paling, terbaik, pang-…-na)."""
    for slot in context.filled_slots:
        words = _first_phrase(context, slot, "superlatives")
        if words:
            message = gettext_noop("“%(words)s” easily makes it a matter of opinion: would others agree?")
            yield slot.key, message, {"words": words}


@check(WARN, gettext_noop("About the whole world"))
def in_the_world(context: SetContext) -> Iterator[FindingHit]:
    """A question about the whole world (di seluruh dunia), not about a culture."""
    for slot in context.filled_slots:
        words = _first_phrase(context, slot, "everywhere")
        if words:
            message = gettext_noop("“%(words)s” is too general: ask about life where you live.")
            yield slot.key, message, {"words": words}


@check(WARN, gettext_noop("No question mark"))
def question_mark(context: SetContext) -> Iterator[FindingHit]:
    """A question that does not end with a question mark."""
    for slot in context.filled_slots:
        if not slot.text.rstrip(_CLOSERS).endswith(QUESTION_MARKS):
            yield slot.key, gettext_noop("The question has no question mark at its end."), {}
