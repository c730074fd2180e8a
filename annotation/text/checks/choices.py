"""The choices of a question: all there, all different, one answer, one distractor (id-csqa §4.2, Appendix D and E)."""

import re
from collections.abc import Iterator
from itertools import combinations

from rapidfuzz import fuzz

from annotation.text.checks.base import (
    BLOCK,
    WARN,
    WHOLE_SET,
    Check,
    Hit,
    SetContext,
    SlotText,
    same_form,
)
from annotation.text.checks.examples import asked
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form
from annotation.text.tokens import words

NEAR_PERCENT = 90
ANSWER_PLACE_FROM = 20
_NUMBER = re.compile(r"\d+")


def _choices_missing(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        for option, text in slot.choices(context.labels):
            if not key_form(text):
                yield slot.key, gettext_noop("Choice %(option)s is empty."), {"option": option}


def _compared(context: SetContext, slot: SlotText) -> list[tuple[str, str]]:
    """The choices that hold something, in the form in which they are compared; `+` and `−` are themselves."""
    choices = slot.choices(context.labels)
    forms = ((option, same_form(text) or key_form(text)) for option, text in choices)
    return [(option, form) for option, form in forms if form]


def _choices_equal(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        first: dict[str, str] = {}
        for option, form in _compared(context, slot):
            other = first.setdefault(form, option)
            if other != option:
                message = gettext_noop("Choice %(option)s says the same as %(other_option)s.")
                yield slot.key, message, {"option": option, "other_option": other}


def _choices_near(context: SetContext) -> Iterator[Hit]:
    least = _number(context, "near_percent", NEAR_PERCENT)
    for slot in context.slots:
        for (other, left), (option, right) in combinations(_compared(context, slot), 2):
            # 17 and 18 August are one letter apart, and meant to be: who only changes a number does so knowingly.
            if left == right or _NUMBER.findall(left) != _NUMBER.findall(right):
                continue
            if fuzz.ratio(left, right) >= least:
                message = gettext_noop("Choice %(option)s is nearly the same as %(other_option)s.")
                yield slot.key, message, {"option": option, "other_option": other}


def _number(context: SetContext, name: str, default: int) -> int:
    value = context.settings.get(name, default)
    return value if isinstance(value, int) else default


def _answer_missing(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        if slot.more.get("answer", "") not in context.labels:
            yield slot.key, gettext_noop("Choose which choice is the answer."), {"field": "answer"}


def _distractor_missing(context: SetContext) -> Iterator[Hit]:
    for slot in context.slots:
        distractor = slot.more.get("distractor", "")
        if distractor not in context.labels:
            message = gettext_noop(
                "Choose the distractor: the wrong choice that could best pass for the answer."
            )
            yield slot.key, message, {"field": "distractor"}
        elif distractor == slot.more.get("answer", ""):
            message = gettext_noop("%(option)s is the answer: choose another one as the distractor.")
            yield slot.key, message, {"field": "distractor", "option": distractor}


def _choice_repeats_question(context: SetContext) -> Iterator[Hit]:
    for slot in context.written:
        asked_for = set(slot.words) - context.lists.stopwords
        choices = slot.choices(context.labels)
        again = {option: [word for word in words(text) if word in asked_for] for option, text in choices}
        in_all = asked_for.intersection(*again.values()) if again else set[str]()
        if in_all:
            # Five kinds of chicken give nothing away: one line is enough.
            message = gettext_noop("Every choice repeats words of the question: %(words)s.")
            yield slot.key, message, {"words": ", ".join(sorted(in_all))}
        for option, found in again.items():
            own = [word for word in dict.fromkeys(found) if word not in in_all]
            if own:
                message = gettext_noop("Choice %(option)s repeats words of the question: %(words)s.")
                yield slot.key, message, {"option": option, "words": ", ".join(own)}


def _answer_place(context: SetContext) -> Iterator[Hit]:
    total = sum(context.answers.values())
    if total == 0 or total < _number(context, "answer_place_from", ANSWER_PLACE_FROM):
        return
    place, count = max(context.answers.items(), key=lambda item: item[1])
    if 2 * count > total:
        message = gettext_noop(
            "Of your %(total)s questions so far, %(count)s have their answer at %(place)s: "
            "put it at other places too."
        )
        yield WHOLE_SET, message, {"place": place, "count": count, "total": total}


_ASKED = "Naik apa orang biasanya pulang dari pasar?"
_OFTEN_C = {"A": 3, "B": 2, "C": 11, "D": 2, "E": 2}

CHOICES_MISSING = Check(
    id="choices_missing",
    title=gettext_noop("A choice is empty"),
    catches=gettext_noop("A question with a choice in which nothing can be read."),
    level=BLOCK,
    find=_choices_missing,
    good=(asked(_ASKED), asked("Tanda apa untuk menjumlah?", "+", "-", "×", ":", "=")),
    bad=(asked(_ASKED, "Becak", ""), asked(_ASKED, " \u200b")),
)
CHOICES_EQUAL = Check(
    id="choices_equal",
    title=gettext_noop("Two choices are the same"),
    catches=gettext_noop("Two choices that are the same, but for case, blanks and outer marks."),
    level=BLOCK,
    find=_choices_equal,
    good=(
        asked(_ASKED),
        asked(_ASKED, "", ""),
        asked("Tanda apa untuk menjumlah?", "+", "-", "×", ":", "="),
    ),
    bad=(
        asked(_ASKED, "Becak", "becak."),
        asked(_ASKED, "Kereta  api", "“kereta API”"),
        asked("What do people ride home?", "A rickshaw", "a rickshaw", language="en"),
    ),
)
CHOICES_NEAR = Check(
    id="choices_near",
    title=gettext_noop("Two choices are nearly the same"),
    catches=gettext_noop(
        "Two choices of nearly the same letters (`near_percent`, 90), unless it is a number that they differ in."
    ),
    level=WARN,
    find=_choices_near,
    good=(
        asked(_ASKED),
        asked(_ASKED, "Becak", "becak"),
        asked("Kapan pasar itu dibuka?", "12 Agustus 1951", "13 Agustus 1951"),
        asked(_ASKED, "Kereta kuda", "Keretta kuda", settings={"near_percent": 100}),
    ),
    bad=(
        asked(_ASKED, "Kereta kuda", "Keretta kuda"),
        asked(_ASKED, "Naik kendaraan umum", "Naik kendaraan umum saja", settings={"near_percent": 80}),
        asked("Naék naon ti pasar?", "Karéta kuda", "Kareta kuda", language="su"),
    ),
)
ANSWER_MISSING = Check(
    id="answer_missing",
    title=gettext_noop("No answer chosen"),
    catches=gettext_noop("A question of which no choice is called the answer."),
    level=BLOCK,
    find=_answer_missing,
    good=(asked(_ASKED), asked(_ASKED, answer="E")),
    bad=(asked(_ASKED, answer=""), asked(_ASKED, answer="F")),
)
DISTRACTOR_MISSING = Check(
    id="distractor_missing",
    title=gettext_noop("No distractor chosen"),
    catches=gettext_noop("A question of which no choice is called the distractor, or the answer itself is."),
    level=BLOCK,
    find=_distractor_missing,
    good=(asked(_ASKED), asked(_ASKED, answer="", distractor="E")),
    bad=(asked(_ASKED, distractor=""), asked(_ASKED, answer="D", distractor="D")),
)
CHOICE_REPEATS_QUESTION = Check(
    id="choice_repeats_question",
    title=gettext_noop("A choice repeats the question"),
    catches=gettext_noop("A choice that holds a content word of the question: it may give the answer away."),
    level=WARN,
    find=_choice_repeats_question,
    good=(
        asked(_ASKED),
        asked(_ASKED, "Becak yang dari sana"),
        asked("", "Becak"),
        asked("Naék naon ti pasar?", "Béca", language="su"),
    ),
    bad=(
        asked(_ASKED, "Angkutan yang pulang"),
        asked("Naik kuda apa?", "Kuda hitam", "Kuda coklat", "Kuda putih", "Kuda belang", "Kuda lumping"),
        asked("Numpak naon ti pasar?", "Delman pasar", language="su"),
        asked("What do people ride home from the market?", "A market cart", language="en"),
    ),
)
ANSWER_PLACE = Check(
    id="answer_place",
    title=gettext_noop("The answer often stands at the same place"),
    catches=gettext_noop(
        "A writer of 20 questions or more (`answer_place_from`), over half of whose answers have one letter."
    ),
    level=WARN,
    find=_answer_place,
    good=(
        asked(_ASKED),
        asked(_ASKED, answers={"A": 19}),
        asked(_ASKED, answers={"A": 10, "B": 10}),
        asked(_ASKED, answers=_OFTEN_C, settings={"answer_place_from": 21}),
        asked(_ASKED, settings={"answer_place_from": 0}),
    ),
    bad=(
        asked(_ASKED, answers=_OFTEN_C),
        asked(_ASKED, answers={"A": 3, "E": 4}, settings={"answer_place_from": 7}),
    ),
)
