"""A translation and its source: whether it is complete, and its marks, blanks and characters.

Each field is looked at by itself, beside its own source; what is found names the field of the form.
"""

import re
from collections.abc import Iterator

from annotation.text.checks.base import (
    BLOCK,
    WARN,
    FieldHit,
    FieldPair,
    FindingHit,
    SetContext,
    check,
    each_field,
    same_form,
)
from annotation.text.checks.characters import SUSPICION_MESSAGES
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form, suspicious
from annotation.text.placeholders import without_placeholders
from annotation.text.sentences import CLOSERS, END_MARKS, sentences
from annotation.text.tokens import IN_WORD, WORD

LEAST_COPIED = 3
_SLASH = re.compile(rf"(?![\d_])[{IN_WORD}][ \t]?/[ \t]?(?=[^\W\d_])")
_OPENING = re.compile(r"[(\[{（［｛【〔]")
_TWO_BLANKS = re.compile(r"\s\s")
_QUESTION_MARKS = frozenset("?？؟")
_ELLIPSES = ("...", "…")


def _is_more_frequent(pattern: re.Pattern[str], pair: FieldPair) -> bool:
    """Whether a pattern is found more often in the text than in its source; placeholders do not count."""
    mine, theirs = (len(pattern.findall(without_placeholders(text))) for text in (pair.text, pair.source))
    return mine > theirs


@check(BLOCK, gettext_noop("Not translated"))
def translation_empty(context: SetContext) -> Iterator[FindingHit]:
    """A field without a text though its source has one."""
    for pair in context.field_pairs:
        if not key_form(pair.text) and key_form(pair.source):
            yield context.slot, gettext_noop("This field is not translated yet."), {"field": pair.key}


@check(WARN, gettext_noop("The source again"))
@each_field
def source_copied(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """A text of three words or more that is its source, or holds a sentence of it, word for word."""
    words = len(WORD.findall(pair.text))
    if same_form(pair.text) == same_form(pair.source):
        copied = words if words >= LEAST_COPIED else 0
    else:
        theirs = set(map(same_form, sentences(pair.source, context.source_language)))
        mine = [same_form(each) for each in sentences(pair.text, context.language)]
        copied = sum(n for each in mine if each in theirs and (n := len(WORD.findall(each))) >= LEAST_COPIED)
    if copied:
        message = gettext_noop("%(copied)s of its %(words)s words repeat the source, whole sentences word for word.")
        yield message, {"copied": copied, "words": words}


@check(WARN, gettext_noop("Two words instead of one"))
@each_field
def alternatives_slash(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """More strokes between words than in the source: a translator could not decide."""
    if _is_more_frequent(_SLASH, pair):
        yield gettext_noop("A stroke joins words here and not in the source: choose one of them."), {}


@check(WARN, gettext_noop("Something added in brackets"))
@each_field
def brackets_added(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """More brackets than in the source."""
    if _is_more_frequent(_OPENING, pair):
        yield gettext_noop("There are brackets here that the source has not: add nothing to the text."), {}


def _end_marks(text: str) -> str:
    """The end marks that a text ends with, behind which only quotation marks and brackets close."""
    core = text.rstrip(CLOSERS + " \t\r\n\u00a0")
    return core[len(core.rstrip(END_MARKS)) :]


@check(WARN, gettext_noop("Another end mark"))
@each_field
def end_mark_differs(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """An end mark that the source has and the text has not, a doubled one, or a question on one side only."""
    mine, theirs = _end_marks(pair.text), _end_marks(pair.source)
    if theirs and not mine:
        yield gettext_noop("The source has an end mark, this text has none."), {}
    elif len(mine) > max(len(theirs), 1) and mine not in _ELLIPSES:
        yield gettext_noop("The end mark is doubled."), {}
    elif theirs and _QUESTION_MARKS.isdisjoint(mine) != _QUESTION_MARKS.isdisjoint(theirs):
        yield gettext_noop("One of source and text asks a question, the other does not."), {}


@check(WARN, gettext_noop("Blanks around the text"))
@each_field
def outer_blanks(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """A blank or line break before the first or behind the last character."""
    if pair.text != pair.text.strip():
        yield gettext_noop("There are blanks before or behind the text."), {}


@check(WARN, gettext_noop("Two blanks in the translation"))
@each_field
def blanks_doubled(context: SetContext, pair: FieldPair) -> Iterator[FieldHit]:
    """More places with two or more blanks in a row than in the source."""
    mine, theirs = (len(_TWO_BLANKS.findall(text.strip())) for text in (pair.text, pair.source))
    if mine > theirs:
        yield gettext_noop("There are two blanks in a row."), {}


@check(WARN, gettext_noop("Characters that look alike"))
def mixed_unicode(context: SetContext) -> Iterator[FindingHit]:
    """Accented letters written in two ways, in one field or from field to field; hidden, lost or control characters."""
    whole = suspicious("\n".join(pair.text for pair in context.filled_pairs))
    for pair in context.filled_pairs:
        mine = suspicious(pair.text)
        for code in mine:
            yield context.slot, SUSPICION_MESSAGES[code], {"field": pair.key}
        if "mixed_forms" in whole and "mixed_forms" not in mine and key_form(pair.text) != pair.text.strip():
            # One field is decomposed throughout, another one composed.
            yield context.slot, SUSPICION_MESSAGES["mixed_forms"], {"field": pair.key}
