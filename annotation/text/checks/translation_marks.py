"""A translation beside its source: is it there, is it one text, are its marks, blanks and characters in order.

Each field is looked at by itself, beside its own source; what is found names the field of the form.
"""

import re
from collections.abc import Iterator

from annotation.text.checks.base import (
    BLOCK,
    WARN,
    WHOLE_SET,
    Check,
    FieldPair,
    Hit,
    SetContext,
    same_form,
)
from annotation.text.checks.characters import SUSPICION_MESSAGES
from annotation.text.checks.examples import translated
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form, suspicious
from annotation.text.placeholders import without_placeholders
from annotation.text.sentences import CLOSERS, END_MARKS, sentences
from annotation.text.tokens import WORD

LEAST_COPIED = 3
_SLASH = re.compile(r"[^\W\d_][ \t]?/[ \t]?(?=[^\W\d_])")
_OPENING = re.compile(r"[(\[{（［｛【〔]")
_TWO_BLANKS = re.compile(r"\s\s")
_ASKS = frozenset("?？؟")
_ELLIPSES = ("...", "…")


def slot_of(context: SetContext) -> str:
    """The slot that a translation stands in; findings of the whole set where there is none."""
    return context.slots[0].key if context.slots else WHOLE_SET


def written(context: SetContext) -> Iterator[FieldPair]:
    """The fields that hold something to compare with their source."""
    return (pair for pair in context.pairs if key_form(pair.text))


def _translation_empty(context: SetContext) -> Iterator[Hit]:
    for pair in context.pairs:
        if not key_form(pair.text) and key_form(pair.source):
            yield slot_of(context), gettext_noop("This field is not translated yet."), {"field": pair.key}


def _source_copied(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        if same_form(pair.text) == same_form(pair.source):
            copied = len(WORD.findall(pair.text)) >= LEAST_COPIED
        else:
            mine = {same_form(each) for each in sentences(pair.text, context.language)}
            theirs = map(
                same_form,
                sentences(pair.source, context.resources.source_language if context.resources else ""),
            )
            copied = any(each in mine and len(WORD.findall(each)) >= LEAST_COPIED for each in theirs)
        if copied:
            yield (
                slot_of(context),
                gettext_noop("This repeats the source word for word."),
                {"field": pair.key},
            )


def _alternatives_slash(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        mine, theirs = (len(_SLASH.findall(without_placeholders(t))) for t in (pair.text, pair.source))
        if mine > theirs:
            message = gettext_noop("A stroke joins words here and not in the source: choose one of them.")
            yield slot_of(context), message, {"field": pair.key}


def _brackets_added(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        mine, theirs = (len(_OPENING.findall(without_placeholders(t))) for t in (pair.text, pair.source))
        if mine > theirs:
            message = gettext_noop(
                "There are brackets here that the source has not: add nothing to the text."
            )
            yield slot_of(context), message, {"field": pair.key}


def _end(text: str) -> str:
    """The end marks that a text ends with, behind which only quotation marks and brackets close."""
    core = text.rstrip(CLOSERS + " \t\r\n\u00a0")
    return core[len(core.rstrip(END_MARKS)) :]


def _end_mark_differs(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        mine, theirs = _end(pair.text), _end(pair.source)
        message = ""
        if theirs and not mine:
            message = gettext_noop("The source has an end mark, this text has none.")
        elif len(mine) > max(len(theirs), 1) and mine not in _ELLIPSES:
            message = gettext_noop("The end mark is doubled.")
        elif theirs and _ASKS.isdisjoint(mine) != _ASKS.isdisjoint(theirs):
            message = gettext_noop("One of source and text asks a question, the other does not.")
        if message:
            yield slot_of(context), message, {"field": pair.key}


def _outer_blanks(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        if pair.text != pair.text.strip():
            message = gettext_noop("There are blanks before or behind the text.")
            yield slot_of(context), message, {"field": pair.key}


def _blanks_doubled(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        mine, theirs = (len(_TWO_BLANKS.findall(text.strip())) for text in (pair.text, pair.source))
        if mine > theirs:
            message = gettext_noop("There are two blanks in a row.")
            yield slot_of(context), message, {"field": pair.key}


def _mixed_unicode(context: SetContext) -> Iterator[Hit]:
    pairs = list(written(context))
    whole = suspicious("\n".join(pair.text for pair in pairs))
    for pair in pairs:
        mine = suspicious(pair.text)
        for code in mine:
            yield slot_of(context), SUSPICION_MESSAGES[code], {"field": pair.key}
        if "mixed_forms" in whole and "mixed_forms" not in mine and key_form(pair.text) != pair.text.strip():
            # One field is decomposed throughout, another one composed.
            yield slot_of(context), SUSPICION_MESSAGES["mixed_forms"], {"field": pair.key}


_SOURCE = "Sarmi menjual tiga ikat bayam di pasar pagi."
_TARGET = "Sarmi adol bayem telung unting ing pasar esuk."

TRANSLATION_EMPTY = Check(
    id="translation_empty",
    title=gettext_noop("Not translated"),
    catches=gettext_noop("A field without a text though its source has one."),
    level=BLOCK,
    find=_translation_empty,
    good=(translated((_SOURCE, _TARGET)), translated((" ", ""), (_SOURCE, _TARGET))),
    bad=(translated((_SOURCE, "")), translated((_SOURCE, _TARGET), ("Bayam itu segar.", " \u200b"))),
)
SOURCE_COPIED = Check(
    id="source_copied",
    title=gettext_noop("The source again"),
    catches=gettext_noop(
        "A text of three words or more that is its source, or holds a sentence of it, word for word."
    ),
    level=WARN,
    find=_source_copied,
    good=(
        translated((_SOURCE, _TARGET)),
        translated(("Pasar Johar", "Pasar Johar")),
        translated((f"{_SOURCE} Ayo!", f"{_TARGET} Ayo!")),
    ),
    bad=(
        translated((_SOURCE, _SOURCE)),
        translated((_SOURCE, _SOURCE.upper().rstrip("."))),
        translated((f"{_SOURCE} Bayam itu segar.", f"{_TARGET} Bayam itu segar.")),
    ),
)
ALTERNATIVES_SLASH = Check(
    id="alternatives_slash",
    title=gettext_noop("Two words instead of one"),
    catches=gettext_noop("More strokes between words than in the source: a translator could not decide."),
    level=WARN,
    find=_alternatives_slash,
    good=(
        translated((_SOURCE, _TARGET)),
        translated(("Ibu dan/atau bapak datang.", "Ibu lan/utawa bapak teka.")),
        translated(("Buka 08/12.", "Bukak 08/12.")),
        translated(("Lihat https://contoh.id/pasar.", "Delengen https://contoh.id/pasar.")),
    ),
    bad=(
        translated((_SOURCE, "Sarmi adol/sade bayem telung unting ing pasar esuk.")),
        translated(("Ibu dan/atau bapak datang.", "Ibu lan/utawa bapak teka/rawuh.")),
    ),
)
BRACKETS_ADDED = Check(
    id="brackets_added",
    title=gettext_noop("Something added in brackets"),
    catches=gettext_noop("More brackets than in the source."),
    level=WARN,
    find=_brackets_added,
    good=(
        translated((_SOURCE, _TARGET)),
        translated(("Pasar itu (Johar) ramai.", "Pasar kuwi (Johar) rame.")),
        translated(("Halo [NAMA]!", "Halo [NAMA]!")),
    ),
    bad=(
        translated((_SOURCE, "Sarmi adol bayem (janganan) telung unting ing pasar esuk.")),
        translated((_SOURCE, "Sarmi adol bayem telung unting ing pasar esuk [esuk-esuk].")),
    ),
)
END_MARK_DIFFERS = Check(
    id="end_mark_differs",
    title=gettext_noop("Another end mark"),
    catches=gettext_noop(
        "An end mark that the source has and the text has not, a doubled one, or a question on one side only."
    ),
    level=WARN,
    find=_end_mark_differs,
    good=(
        translated((_SOURCE, _TARGET)),
        translated(("Bayam", "Bayem.")),
        translated(("Kata Sarmi, “Ayo!”", "Ujare Sarmi, “Ayo.”")),
        translated(("Lalu…", "Banjur...")),
        translated(("Apa itu?!", "Apa kuwi?!")),
    ),
    bad=(
        translated((_SOURCE, "Sarmi adol bayem telung unting ing pasar esuk")),
        translated((_SOURCE, f"{_TARGET}.")),
        translated(("Siapa yang menjual bayam?", "Sing adol bayem sapa.")),
        translated((_SOURCE, _TARGET.replace(".", "?"))),
    ),
)
OUTER_BLANKS = Check(
    id="outer_blanks",
    title=gettext_noop("Blanks around the text"),
    catches=gettext_noop("A blank or line break before the first or behind the last character."),
    level=WARN,
    find=_outer_blanks,
    good=(translated((_SOURCE, _TARGET)), translated((_SOURCE, " "))),
    bad=(translated((_SOURCE, f" {_TARGET}")), translated((_SOURCE, f"{_TARGET}\n"))),
)
BLANKS_DOUBLED = Check(
    id="blanks_doubled",
    title=gettext_noop("Two blanks in the translation"),
    catches=gettext_noop("More places with two or more blanks in a row than in the source."),
    level=WARN,
    find=_blanks_doubled,
    good=(translated((_SOURCE, f" {_TARGET} ")), translated(("Satu.\n\nDua.", "Siji.\n\nLoro."))),
    bad=(
        translated((_SOURCE, _TARGET.replace(" ", "  "))),
        translated(("Satu.\n\nDua.", "Siji.\n\nLo  ro.")),
    ),
)
MIXED_UNICODE = Check(
    id="mixed_unicode",
    title=gettext_noop("Characters that look alike"),
    catches=gettext_noop(
        "Accented letters written in two ways, in one field or from field to field; hidden, lost or control characters."
    ),
    level=WARN,
    find=_mixed_unicode,
    good=(
        translated(("Sate itu enak.", "Sat\u00e9 kuwi \u00e9nak.")),
        translated(("Sate itu enak.", "Sate\u0301 kuwi e\u0301nak.")),
    ),
    bad=(
        translated(("Sate itu enak.", "Sat\u00e9 kuwi e\u0301nak.")),
        translated(("Sate", "Sat\u00e9"), ("Enak", "E\u0301nak")),
        translated(("Sate itu enak.", "Sate ku\u200bwi enak.")),
    ),
)
