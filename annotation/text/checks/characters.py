"""Characters that readers do not see, or miss; texts are told about, never altered (domain.md §4)."""

import re
from collections.abc import Iterator

from annotation.text.checks.base import WARN, Check, Hit, SetContext
from annotation.text.checks.examples import asked, example
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
}
_DOUBLED = re.compile(r"\s\s")
_BLANKS_AND_CLOSERS = CLOSERS + " \t\r\n\u00a0"


def _suspicious(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        for code in suspicious(slot.text):
            yield slot.key, SUSPICION_MESSAGES[code], {}
        for option, text in slot.options:
            for code in suspicious(text):
                yield slot.key, SUSPICION_MESSAGES[code], {"option": option}


def _end_mark(context: SetContext) -> Iterator[Hit]:
    for slot in context.written:
        if not slot.text.rstrip(_BLANKS_AND_CLOSERS).endswith(tuple(END_MARKS)):
            yield slot.key, gettext_noop("The sentence has no end mark."), {}


def _doubled_blanks(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        if _DOUBLED.search(slot.text.strip()):
            yield slot.key, gettext_noop("There are two blanks in a row."), {}
        for option, text in slot.options:
            if _DOUBLED.search(text.strip()):
                yield slot.key, gettext_noop("There are two blanks in a row."), {"option": option}


SUSPICIOUS_CHARACTERS = Check(
    id="suspicious_characters",
    title=gettext_noop("Characters that deceive"),
    catches=gettext_noop(
        "Hidden, lost, stacked or look-alike characters, and mixed forms of the same letter."
    ),
    level=WARN,
    find=_suspicious,
    good=(example(("e", "Ébène dijual “di sini” – 10 °C.")), example(("e", ""))),
    bad=(
        example(("e", "Rina \u202emembeli ikan.")),
        example(("e", "Rina mem\u200bbeli ikan.")),
        example(("e", "Rina membeli\u0093 ikan.")),
        example(("e", "Rina membeli \ufffd ikan.")),
        example(("e", "Rina m\u0435mbeli ikan.")),
        example(("e", "Rina" + "\u0336" * 9)),
        example(("e", "Caf\u00e9 dan cafe\u0301.")),
        asked("Naik apa ke pasar?", "Be\u200bcak"),
    ),
)
END_MARK = Check(
    id="end_mark",
    title=gettext_noop("No end mark"),
    catches=gettext_noop("A text that does not end with a full stop, question mark or exclamation mark."),
    level=WARN,
    find=_end_mark,
    good=(
        example(("e", "Rina membeli ikan. ")),
        example(("e", "Rina berkata, “Ayo!”")),
        example(("e", "他买了鱼。")),
        example(("e", "")),
    ),
    bad=(example(("e", "Rina membeli ikan")), example(("e", "Rina membeli ikan,"))),
)
DOUBLED_BLANKS = Check(
    id="doubled_blanks",
    title=gettext_noop("Two blanks in a row"),
    catches=gettext_noop("Two or more blanks, tabs or line breaks in a row inside a text."),
    level=WARN,
    find=_doubled_blanks,
    good=(example(("e", "  Rina membeli ikan. \n")), asked("Naik apa ke pasar?", " Becak ")),
    bad=(
        example(("e", "Rina  membeli ikan.")),
        example(("e", "Rina membeli \n ikan.")),
        asked("Naik apa ke pasar?", "Becak", "Kuda  lumping"),
    ),
)
