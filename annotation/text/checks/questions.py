"""How a question is worded: about its concept, no matter of opinion, not about the world (id-csqa Appendix E)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from annotation.text.affixes import Presence, presence
from annotation.text.checks.base import BLOCK, WARN, Check, Hit, SetContext, SlotText
from annotation.text.checks.examples import asked
from annotation.text.gettext import gettext_noop
from annotation.text.languages import Language, get
from annotation.text.normalise import key_form
from annotation.text.sentences import CLOSERS

QUESTION_MARKS = ("?", "？", "؟", "՞", "\u2e2e")
_CLOSERS = CLOSERS + " \t\r\n\u00a0"
Risk = Literal["superlatives", "everywhere"]


def _concepts(context: SetContext, wanted: Presence) -> Iterator[tuple[SlotText, str]]:
    """Each written question that contains its concept in this way; the writer's own wording goes first."""
    for slot in context.written:
        concept = slot.more.get("concept", "").strip() or context.source.strip()
        if concept and presence(concept, slot.text, context.language) == wanted:
            yield slot, concept


def _concept_missing(context: SetContext) -> Iterator[Hit]:
    for slot, concept in _concepts(context, Presence.MISSING):
        message = gettext_noop("The question has to contain the concept “%(concept)s”.")
        yield slot.key, message, {"concept": concept}


def _concept_other_form(context: SetContext) -> Iterator[Hit]:
    for slot, concept in _concepts(context, Presence.OTHER_FORM):
        message = gettext_noop(
            "The concept “%(concept)s” stands here in another form; that is allowed where its base word is the same."
        )
        yield slot.key, message, {"concept": concept}


@lru_cache(maxsize=64)
def _pattern(code: str, risk: Risk | Literal["harmless"]) -> re.Pattern[str] | None:
    """The phrases of a language as one pattern, longest first; None where it has none."""
    lists: Language = get(code)
    phrases = sorted(
        {lists.fold(phrase) for phrase in getattr(lists, risk)}, key=lambda each: (-len(each), each)
    )
    alternatives = "|".join(re.escape(phrase) for phrase in phrases)
    return re.compile(rf"(?<![\w-])(?:{alternatives})(?!\w)") if phrases else None


def _found(context: SetContext, slot: SlotText, risk: Risk) -> str:
    """The first phrase of the kind in a question, or nothing; what only looks like one is taken out before."""
    lists = context.lists
    pattern, harmless = _pattern(lists.code, risk), _pattern(lists.code, "harmless")
    if pattern is None:
        return ""
    text = " ".join(lists.fold(key_form(slot.text, casefold=True)).split())
    hit = pattern.search(harmless.sub("…", text) if harmless else text)
    return hit.group() if hit else ""


def _superlative(context: SetContext) -> Iterator[Hit]:
    for slot in context.written:
        words = _found(context, slot, "superlatives")
        if words:
            message = gettext_noop("“%(words)s” easily makes it a matter of opinion: would others agree?")
            yield slot.key, message, {"words": words}


def _in_the_world(context: SetContext) -> Iterator[Hit]:
    for slot in context.written:
        words = _found(context, slot, "everywhere")
        if words:
            message = gettext_noop("“%(words)s” is too general: ask about life where you live.")
            yield slot.key, message, {"words": words}


def _question_mark(context: SetContext) -> Iterator[Hit]:
    for slot in context.written:
        if not slot.text.rstrip(_CLOSERS).endswith(QUESTION_MARKS):
            yield slot.key, gettext_noop("The question has no question mark at its end."), {}


CONCEPT_MISSING = Check(
    id="concept_missing",
    title=gettext_noop("The concept is missing"),
    catches=gettext_noop("A question without its concept, nor another form of the same base word."),
    level=BLOCK,
    find=_concept_missing,
    good=(
        asked("Apa yang dijual di pasar?"),
        asked("Siapa yang dikunjungi saat lebaran?", concept="berkunjung"),
        asked("Di mana anak-anak bermain catur?", concept="main catur"),
        asked("Naon anu dijual di warung?", concept="kios", own="warung", language="su"),
        asked("Apa ini?", concept=" "),
        asked(""),
    ),
    bad=(
        asked("Apa yang dijual di toko?"),
        asked("Di mana anak-anak bermain kartu?", concept="main catur"),
        asked("Naon anu dijual di kios?", concept="kios", own="warung", language="su"),
        asked("What is sold in the shops?", concept="market", language="en"),
    ),
)
CONCEPT_OTHER_FORM = Check(
    id="concept_other_form",
    title=gettext_noop("The concept in another form"),
    catches=gettext_noop(
        "A question that contains another form of the concept's base word: allowed, look again."
    ),
    level=WARN,
    find=_concept_other_form,
    good=(asked("Apa yang dijual di pasar?"), asked("Apa yang dijual di toko?")),
    bad=(
        asked("Siapa yang dikunjungi saat lebaran?", concept="berkunjung"),
        asked("Apa yang dijual di pasarnya?"),
        asked("Dimana barudak sok ulin?", concept="budak", language="su"),
    ),
)
SUPERLATIVE = Check(
    id="superlative",
    title=gettext_noop("A superlative"),
    catches=gettext_noop(
        "A question that asks for the most or the best of something (paling, terbaik, pang-…-na)."
    ),
    level=WARN,
    find=_superlative,
    good=(
        asked("Terbuat dari apa keranjang di pasar?"),
        asked("Apa yang terjadi kalau pasar yang terkenal itu terlambat buka?"),
        asked("Siapa yang paling tidak datang ke pasar sekali seminggu?"),
        asked("Naon pangaruhna hujan ka pasar?", language="su"),
        asked("What do most people buy at the market, or at least look at?", language="en"),
        asked("Paling apa?", language="xx"),
    ),
    bad=(
        asked("Apa makanan paling enak di pasar?"),
        asked("Apa pasar TERBAIK di kotamu?"),
        asked("Naon kadaharan panggedéna di pasar?", language="su"),
        asked("Mana pasar nu pang-alusna?", language="su"),
        asked("What is the most popular food at the market?", language="en"),
        asked("What is the best market?", language="en"),
    ),
)
IN_THE_WORLD = Check(
    id="in_the_world",
    title=gettext_noop("About the whole world"),
    catches=gettext_noop("A question about the whole world (di seluruh dunia), not about a culture."),
    level=WARN,
    find=_in_the_world,
    good=(
        asked("Apa yang dijual di pasar dunia buku?"),
        asked("Pasar apa yang ada di dunia maya?"),
        asked("Pasar naon anu aya di kota anjeun?", language="su"),
        asked("What does a market in the world of sports sell?", language="en"),
    ),
    bad=(
        asked("Pasar apa yang terkenal di seluruh dunia?"),
        asked("Pasar apa yang ada di dunia?"),
        asked("Pasar naon anu kasohor di sakuliah dunya?", language="su"),
        asked("Which market in the  world is known to all?", language="en"),
    ),
)
QUESTION_MARK = Check(
    id="question_mark",
    title=gettext_noop("No question mark"),
    catches=gettext_noop("A question that does not end with a question mark."),
    level=WARN,
    find=_question_mark,
    good=(
        asked("Apa yang dijual di pasar? "),
        asked("Apa arti “hari pasar?”"),
        asked("市场上卖什么？", language="zh"),
        asked(""),
    ),
    bad=(asked("Apa yang dijual di pasar"), asked("Yang dijual di pasar adalah..."), asked("Apa? Pasar.")),
)
