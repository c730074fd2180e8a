"""Invisible and missing characters; checks report them and never change a text (domain.md §4)."""

import re
from collections.abc import Iterator

from annotation.text.checks.base import WARN, FindingHit, SetContext, check
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import suspicious
from annotation.text.sentences import CLOSERS, END_MARKS

SUSPICION_MESSAGES = {
    "bidi_control": gettext_noop("A hidden character changes the direction of the text."),
    "zero_width": gettext_noop("There is a character without width inside the text."),
    "control": gettext_noop("There is a control character in the text."),
    "replacement": gettext_noop("A character was lost when the text was copied."),
    "mixed_script": gettext_noop("A word mixes letters of two scripts that look alike."),
    "combining_marks": gettext_noop("Many combining marks are stacked on one letter."),
    "mixed_forms": gettext_noop("The same kind of accented letter is written in two ways."),
    "mojibake": gettext_noop("Some characters look as if the text had been read in a wrong encoding."),
}
_DOUBLED = re.compile(r"\s\s")
_BLANKS_AND_CLOSERS = CLOSERS + " \t\r\n\u00a0"


@check(WARN, gettext_noop("Characters that deceive"))
def suspicious_characters(context: SetContext) -> Iterator[FindingHit]:
    """Hidden, lost, stacked or look-alike characters, and mixed forms of the same letter."""
    for slot in context.slots:
        for text, params in slot.texts:
            for code in suspicious(text):
                yield slot.key, SUSPICION_MESSAGES[code], params


@check(WARN, gettext_noop("No end mark"))
def end_mark(context: SetContext) -> Iterator[FindingHit]:
    """A text that does not end with a full stop, question mark or exclamation mark."""
    for slot in context.filled_slots:
        if not slot.text.rstrip(_BLANKS_AND_CLOSERS).endswith(tuple(END_MARKS)):
            yield slot.key, gettext_noop("The sentence has no end mark."), {}


@check(WARN, gettext_noop("Two blanks in a row"))
def doubled_blanks(context: SetContext) -> Iterator[FindingHit]:
    """Two or more blanks, tabs or line breaks in a row inside a text."""
    for slot in context.slots:
        for text, params in slot.texts:
            if _DOUBLED.search(text.strip()):
                yield slot.key, gettext_noop("There are two blanks in a row."), params
