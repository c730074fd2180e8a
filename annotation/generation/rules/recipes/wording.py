"""How a machine's question may be worded: the filter by patterns behind each step that writes (mCSQA §3.2).

Whoever finds something wrong says it as a `Fault`: a code of `REASONS` and what to fill its words with.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from annotation.generation.rules.recipes.base import Frame
from annotation.generation.rules.recipes.lists import Lists, get
from annotation.text import languages
from annotation.text.checks.base import SetContext, SlotText, same_form
from annotation.text.checks.questions import QUESTION_MARK, SUPERLATIVE
from annotation.text.normalise import key_form, suspicious
from annotation.text.sentences import sentences
from annotation.text.tokens import WORD, words

LONGEST_QUESTION = 400
LONGEST_CHOICE = 120
# What a concept may hold wherever it is stored.
LONGEST_CONCEPT = 300
# What no language's question has: what is left of the instruction or of how the answer was to be written.
_LEFT_OVERS = re.compile(
    r"[{}<>|`]|\[[^\]]*\]|_{2,}|\*{2,}|https?://|\\[nu]|\bjson\b|\$[a-z]|�", re.IGNORECASE
)
_LETTER = re.compile(r"[^\W\d_]")
# Where a text is written without blanks (Han, kana, Thai, Lao, Khmer, Burmese), words are looked for as letters.
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff]")
_BLANKS = re.compile(r"\s+")
Sort = Literal["surface", "opinions", "refusals", "offensive", "harmless"]


@dataclass(frozen=True)
class Fault:
    """What is wrong with a question: the code of the reason, and the parameters of its words."""

    reason: str
    params: Mapping[str, Any] = field(default_factory=dict)


def same(text: str) -> str:
    """The form under which two choices or questions are the same: no case, outer marks, or differences in blanks."""
    return same_form(text) or key_form(text, casefold=True)


def folded(text: str, language: str) -> str:
    """A text as its words are compared: case and, in languages that leave marks off, marks folded."""
    return languages.get(language).fold(key_form(text, casefold=True))


def shared_words(question: str, choice: str, language: str) -> list[str]:
    """The words of a choice that stand in a question.

    Words are compared whole after folding, and words without content (the, di, der) do not count unless a choice has
    no others. A choice in a script without blanks is looked for as letters: as a whole, and each part of at least two
    letters where it is written in several.
    """
    asked, wanted = folded(question, language), folded(choice, language)
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


def _context(text: str, language: str) -> SetContext:
    return SetContext("", (SlotText("q", "", text, True),), language, {}, 1, (), {})


@lru_cache(maxsize=256)
def _pattern(code: str, sort: Sort) -> re.Pattern[str] | None:
    """A language's phrases of one sort as a pattern, longest first; None where it has none."""
    lists = get(code)
    return _one_of(lists, getattr(lists, sort))


def _one_of(lists: Lists, phrases: frozenset[str] | tuple[str, ...]) -> re.Pattern[str] | None:
    forms = {key_form(phrase, casefold=True) for phrase in phrases}
    longest_first = sorted(forms, key=lambda each: (-len(each), each))
    alternatives = "|".join(re.escape(phrase) for phrase in longest_first)
    if not alternatives:
        return None
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)" if lists.blanks else alternatives)


def found(text: str, language: str, sort: Sort) -> str:
    """The first phrase of a sort that stands in a text, or nothing; harmless ones that hold it are taken out."""
    pattern, harmless = _pattern(language, sort), _pattern(language, "harmless")
    plain = " ".join(key_form(text, casefold=True).split())
    hit = pattern.search(harmless.sub("…", plain) if harmless else plain) if pattern else None
    return hit.group() if hit else ""


def offensive_choice(frame: Frame, said: Sequence[str]) -> Fault | None:
    """The first of some given texts with an offensive word in it: nothing is asked about such a thing."""
    for text in said:
        word = offensive(frame, text)
        if word:
            return Fault("offensive", {"words": word, "choice": text})
    return None


def offensive(frame: Frame, text: str) -> str:
    """The first offensive word in a text, of the language's list or of the project's own; else nothing."""
    return offensive_in(text, frame.language, frame.settings.offensive_words)


def offensive_in(text: str, language: str, own: str = "") -> str:
    """The first offensive word of the language's list, or of a project's lines, that stands in a text."""
    hit = found(text, language, "offensive")
    pattern = _own(language, own) if own.strip() and not hit else None
    mine = pattern.search(" ".join(key_form(text, casefold=True).split())) if pattern else None
    return hit or (mine.group() if mine else "")


@lru_cache(maxsize=64)
def _own(language: str, lines: str) -> re.Pattern[str] | None:
    listed = tuple(" ".join(line.split()) for line in lines.splitlines())
    return _one_of(get(language), tuple(filter(None, listed)))


def _in_other_script(text: str, lists: Lists) -> bool:
    """Say whether most letters are of another script than the language's; never where that is not known."""
    letters = _LETTER.findall(text)
    if not lists.script or not letters:
        return False
    own = re.compile(f"[{lists.script}]")
    return 2 * sum(1 for letter in letters if own.match(letter)) < len(letters)


def _opinion(text: str, language: str) -> str:
    """The words that make it a matter of opinion: of this folder's lists, or a superlative of the language's."""
    own = found(text, language, "opinions")
    if own:
        return own
    harmless = _pattern(language, "harmless")
    plain = " ".join(key_form(text, casefold=True).split())
    hits = SUPERLATIVE.run(_context(harmless.sub("…", plain) if harmless else plain, language))
    return str(hits[0].params["words"]) if hits else ""


def unfit(text: str) -> str:
    """What in a text belongs into no question and no choice: left-overs of an instruction, marks nobody can see."""
    left = _LEFT_OVERS.search(text)
    if left:
        return left.group()
    return ", ".join(code for code in suspicious(text) if code in ("bidi_control", "control", "zero_width"))


def text_faults(frame: Frame, text: str) -> Iterator[Fault]:
    """What no text of a question may have: nothing to read, an unfit expression, an offensive word."""
    if not WORD.search(text):
        yield Fault("empty")
    expression = unfit(text)
    if expression:
        yield Fault("unfit", {"words": expression})
    word = offensive(frame, text)
    if word:
        yield Fault("offensive", {"words": word})


def said_by_model(text: str, language: str) -> str:
    """What a model says instead of a question, in the language or in English (a choice may well say “I cannot”)."""
    return found(text, language, "refusals") or found(text, "en", "refusals")


def asked_faults(frame: Frame, question: str) -> Iterator[Fault]:
    """What no question may have, however it is worded: what no text may, and a refusal."""
    yield from text_faults(frame, question)
    said = said_by_model(question, frame.language)
    if said:
        yield Fault("unfit", {"words": said})


def question_faults(frame: Frame, question: str, choices: Sequence[str]) -> Iterator[Fault]:
    """What is wrong with a question by the five rules of mCSQA §3.2, and what is unfit in it."""
    language = frame.language
    yield from asked_faults(frame, question)
    if len(question) > LONGEST_QUESTION:
        yield Fault("too_long", {"most": LONGEST_QUESTION})
    if QUESTION_MARK.run(_context(question, language)):
        yield Fault("no_question_mark")
    if len(sentences(question, language)) > 1:
        yield Fault("several_sentences")
    if _in_other_script(question, get(language)):
        yield Fault("other_script")
    clue = found(question, language, "surface")
    if clue:
        yield Fault("surface_clue", {"words": clue})
    opinion = _opinion(question, language)
    if opinion:
        yield Fault("opinion", {"words": opinion})
    shared = choice_in_question(question, choices, language)
    if shared:
        yield shared


def first(faults: Iterator[Fault]) -> Fault | None:
    """The first of some faults: a question is dropped for one reason."""
    return next(faults, None)
