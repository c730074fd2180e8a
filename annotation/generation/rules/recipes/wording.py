"""How a machine's question may be worded: the filter by patterns behind each step that writes (mCSQA §3.2).

Whoever finds something wrong says it as a `Fault`: a code of `REASONS` and what to fill its words with.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from annotation.generation.rules.recipes.base import Fault, Frame
from annotation.generation.rules.recipes.lists import Lists, get
from annotation.text import languages
from annotation.text.checks.base import SetContext, SlotText, same_form
from annotation.text.checks.questions import question_mark, superlative
from annotation.text.normalise import key_form, suspicious
from annotation.text.sentences import sentences
from annotation.text.tokens import WORD, WORD_END, WORD_START, words

LONGEST_QUESTION, LONGEST_CHOICE = 400, 120
# What no language's question has: what is left of the instruction or of how the answer was to be written.
_TEMPLATE_LEFTOVERS = re.compile(r"[{}<>|`]|\[[^\]]*\]|_{2,}|\*{2,}|https?://|\\[nu]|\bjson\b|\$[a-z]|�", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
# Where a text is written without blanks (Han, kana, Thai, Lao, Khmer, Burmese), words are looked for as letters.
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff]")
_BLANKS = re.compile(r"\s+")
Sort = Literal["surface", "opinions", "refusals", "offensive", "harmless"]


def comparison_form(text: str) -> str:
    """The form under which two choices or questions are the same: no case, outer marks, or differences in blanks."""
    return same_form(text) or key_form(text, casefold=True)


def fold_text(text: str, language: str) -> str:
    """A text as its words are compared: case and, in languages that leave marks off, marks folded."""
    return languages.get(language).fold(key_form(text, casefold=True))


# --- phrases that a text must not have -----------------------------------------------------------


def _plain_form(text: str) -> str:
    return " ".join(key_form(text, casefold=True).split())


@lru_cache(maxsize=512)
def _pattern(phrases: frozenset[str], blanks: bool) -> re.Pattern[str] | None:
    """Phrases as a pattern, longest first; None where there are none."""
    forms = {_plain_form(phrase) for phrase in phrases} - {""}
    alternatives = "|".join(map(re.escape, sorted(forms, key=lambda each: (-len(each), each))))
    if not alternatives:
        return None
    return re.compile(f"{WORD_START}(?:{alternatives}){WORD_END}" if blanks else alternatives)


def _without_harmless(text: str, lists: Lists) -> str:
    harmless = _pattern(lists.harmless, lists.blanks)
    return harmless.sub("…", _plain_form(text)) if harmless else _plain_form(text)


def phrase_in(text: str, language: str, sort: Sort) -> str:
    """The first phrase of a sort that stands in a text, or nothing; harmless ones that hold it are taken out."""
    lists = get(language)
    pattern = _pattern(getattr(lists, sort), lists.blanks)
    hit = pattern.search(_without_harmless(text, lists)) if pattern else None
    return hit.group() if hit else ""


def offensive_word(frame: Frame, text: str, language: str = "") -> str:
    """The first offensive word in a text, of the language's list or of the project's own; else nothing."""
    language = language or frame.language
    hit = phrase_in(text, language, "offensive")
    own = _pattern(frozenset(frame.settings.offensive_words.splitlines()), get(language).blanks)
    mine = own.search(_plain_form(text)) if own and not hit else None
    return mine.group() if mine else hit


def _context(text: str, language: str) -> SetContext:
    return SetContext("", (SlotText("q", "", text, True),), language, {}, 1, (), {})


def _opinion_words(text: str, language: str) -> str:
    """The words that make it a matter of opinion: of this folder's lists, or a superlative of the language's."""
    own = phrase_in(text, language, "opinions")
    hits = () if own else superlative.run(_context(_without_harmless(text, get(language)), language))
    return str(hits[0].params["words"]) if hits else own


def _unfit_expression(text: str) -> str:
    """What in a text belongs into no question and no choice: left-overs of an instruction, marks nobody can see."""
    left = _TEMPLATE_LEFTOVERS.search(text)
    if left:
        return left.group()
    return ", ".join(code for code in suspicious(text) if code in ("bidi_control", "control", "zero_width"))


def _in_other_script(text: str, script: str) -> bool:
    """Whether most letters are of another script than the language's; never where that is not known."""
    letters = _LETTER.findall(text)
    own = re.compile(f"[{script}]") if script and letters else None
    return own is not None and 2 * sum(1 for letter in letters if own.match(letter)) < len(letters)


# --- faults of a text, a question, its choices ---------------------------------------------------


def shared_words(question: str, choice: str, language: str) -> list[str]:
    """The words of a choice that stand in a question.

    Words are compared whole after folding, and words without content (the, di, der) do not count unless a choice has
    no others. A choice in a script without blanks is looked for as letters: as a whole, and each part of at least two
    letters where it is written in several.
    """
    asked, wanted = fold_text(question, language), fold_text(choice, language)
    if _WITHOUT_BLANKS.search(wanted):
        bare = _BLANKS.sub("", asked)
        parts = [part for part in wanted.split() if len(part) > 1] if " " in wanted else []
        return [part for part in (_BLANKS.sub("", wanted), *parts) if part and part in bare][:1]
    small = languages.get(language).stopwords | get(language).small
    own = words(wanted)
    counted = [word for word in own if word not in small] or own
    # In a question without blanks a Latin word stands between letters that are none of its own (NHKの番組).
    there = set(words(asked)) | set(words(_WITHOUT_BLANKS.sub(" ", asked)))
    return [word for word in dict.fromkeys(counted) if word in there]


def choice_in_question(question: str, choices: Sequence[str], language: str) -> Fault | None:
    """The first choice of which a word stands in the question."""
    for choice in choices:
        shared = shared_words(question, choice, language)
        if shared:
            return Fault("choice_in_question", {"choice": choice, "words": ", ".join(shared)})
    return None


def choices_fault(choices: Sequence[str]) -> Fault | None:
    """What is wrong with choices among themselves: one that says nothing, or two that say the same."""
    seen: dict[str, str] = {}
    for choice in choices:
        form = comparison_form(choice)
        if not form:
            return Fault("choice_empty")
        if form in seen:
            return Fault("choices_equal", {"choice": choice, "other": seen[form]})
        seen[form] = choice
    return None


def text_faults(frame: Frame, text: str) -> Iterator[Fault]:
    """What no text of a question may have: nothing to read, an unfit expression, an offensive word."""
    if not WORD.search(text):
        yield Fault("empty")
    expression = _unfit_expression(text)
    if expression:
        yield Fault("unfit", {"words": expression})
    word = offensive_word(frame, text)
    if word:
        yield Fault("offensive", {"words": word})


def choice_faults(frame: Frame, choice: str) -> Iterator[Fault]:
    """What no choice may have: what no text may, and far too many letters; each fault names the choice."""
    for fault in text_faults(frame, choice):
        yield Fault(fault.reason, {**fault.params, "choice": choice})
    if len(choice) > LONGEST_CHOICE:
        yield Fault("choice_too_long", {"most": LONGEST_CHOICE, "choice": choice})


def question_text_faults(frame: Frame, question: str) -> Iterator[Fault]:
    """What no question may have, however it is worded: what no text may, and a refusal of the model's.

    Refusals are looked for in the language and in English; a choice may well say “I cannot”.
    """
    yield from text_faults(frame, question)
    refusal = phrase_in(question, frame.language, "refusals") or phrase_in(question, "en", "refusals")
    if refusal:
        yield Fault("unfit", {"words": refusal})


def question_faults(frame: Frame, question: str, choices: Sequence[str]) -> Iterator[Fault]:
    """What is wrong with a question by the five rules of mCSQA §3.2, and what is unfit in it."""
    language = frame.language
    yield from question_text_faults(frame, question)
    if len(question) > LONGEST_QUESTION:
        yield Fault("too_long", {"most": LONGEST_QUESTION})
    if question_mark.run(_context(question, language)):
        yield Fault("no_question_mark")
    if len(sentences(question, language)) > 1:
        yield Fault("several_sentences")
    if _in_other_script(question, get(language).script):
        yield Fault("other_script")
    clue = phrase_in(question, language, "surface")
    if clue:
        yield Fault("surface_clue", {"words": clue})
    opinion = _opinion_words(question, language)
    if opinion:
        yield Fault("opinion", {"words": opinion})
    shared = choice_in_question(question, choices, language)
    if shared:
        yield shared
