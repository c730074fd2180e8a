"""The choices of a question: all there, all different, one answer, one distractor (id-csqa §4.2, Appendix D and E)."""

import re
from collections.abc import Iterator
from itertools import combinations

from rapidfuzz import fuzz

from annotation.text.checks.base import (
    BLOCK,
    WARN,
    WHOLE_SET,
    FindingHit,
    SetContext,
    SlotText,
    check,
    same_form,
)
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form
from annotation.text.tokens import words

NEAR_PERCENT = 90
ANSWER_PLACE_FROM = 20
_NUMBER = re.compile(r"\d+")


@check(BLOCK, gettext_noop("A choice is empty"))
def choices_missing(context: SetContext) -> Iterator[FindingHit]:
    """A question with a choice in which nothing can be read."""
    for slot in context.slots:
        for option, text in slot.choices(context.labels):
            if not key_form(text):
                yield slot.key, gettext_noop("Choice %(option)s is empty."), {"option": option}


def _comparison_forms(context: SetContext, slot: SlotText) -> list[tuple[str, str]]:
    """The choices that hold something, in the form in which they are compared; `+` and `−` are themselves."""
    choices = slot.choices(context.labels)
    forms = ((option, same_form(text) or key_form(text)) for option, text in choices)
    return [(option, form) for option, form in forms if form]


@check(BLOCK, gettext_noop("Two choices are the same"))
def choices_equal(context: SetContext) -> Iterator[FindingHit]:
    """Two choices that are the same, but for case, blanks and outer marks."""
    for slot in context.slots:
        first: dict[str, str] = {}
        for option, form in _comparison_forms(context, slot):
            other = first.setdefault(form, option)
            if other != option:
                message = gettext_noop("Choice %(option)s says the same as %(other_option)s.")
                yield slot.key, message, {"option": option, "other_option": other}


@check(WARN, gettext_noop("Two choices are nearly the same"))
def choices_near(context: SetContext) -> Iterator[FindingHit]:
    """Two choices of nearly the same letters (`near_percent`, 90), unless it is a number that they differ in."""
    least = _number(context, "near_percent", NEAR_PERCENT)
    for slot in context.slots:
        for (other, left), (option, right) in combinations(_comparison_forms(context, slot), 2):
            # 17 and 18 August are one letter apart, and meant to be: who only changes a number does so knowingly.
            if left == right or _NUMBER.findall(left) != _NUMBER.findall(right):
                continue
            if fuzz.ratio(left, right) >= least:
                message = gettext_noop("Choice %(option)s is nearly the same as %(other_option)s.")
                yield slot.key, message, {"option": option, "other_option": other}


def _number(context: SetContext, name: str, default: int) -> int:
    value = context.settings.get(name, default)
    return value if isinstance(value, int) else default


@check(BLOCK, gettext_noop("No answer chosen"))
def answer_missing(context: SetContext) -> Iterator[FindingHit]:
    """A question of which no choice is called the answer."""
    for slot in context.slots:
        if slot.more.get("answer", "") not in context.labels:
            yield slot.key, gettext_noop("Choose which one is the answer."), {"field": "answer"}


@check(BLOCK, gettext_noop("No wrong answer that looks right chosen"))
def distractor_missing(context: SetContext) -> Iterator[FindingHit]:
    """A question of which no choice is called the distractor, or the answer itself is."""
    for slot in context.slots:
        distractor = slot.more.get("distractor", "")
        if distractor not in context.labels:
            message = gettext_noop(
                "Choose the wrong answer that looks right: people could easily take it for the answer."
            )
            yield slot.key, message, {"field": "distractor"}
        elif distractor == slot.more.get("answer", ""):
            message = gettext_noop("%(option)s is the answer: choose another one as the wrong answer that looks right.")
            yield slot.key, message, {"field": "distractor", "option": distractor}


@check(WARN, gettext_noop("A choice repeats the question"))
def choice_repeats_question(context: SetContext) -> Iterator[FindingHit]:
    """A choice that holds a content word of the question: it may give the answer away."""
    for slot in context.filled_slots:
        asked_for = set(slot.words) - context.word_lists.stopwords
        choices = slot.choices(context.labels)
        again = {option: [word for word in words(text) if word in asked_for] for option, text in choices}
        in_all = asked_for.intersection(*again.values()) if again else set[str]()
        if in_all:
            # Five kinds of chicken give nothing away: one line is enough.
            message = gettext_noop("Every choice repeats words of the question: %(words)s.")
            yield slot.key, message, {"words": ", ".join(sorted(in_all))}
        for option, repeated in again.items():
            own = [word for word in dict.fromkeys(repeated) if word not in in_all]
            if own:
                message = gettext_noop("Choice %(option)s repeats words of the question: %(words)s.")
                yield slot.key, message, {"option": option, "words": ", ".join(own)}


@check(WARN, gettext_noop("The answer is often at the same place"))
def answer_place(context: SetContext) -> Iterator[FindingHit]:
    """A writer of 20 questions or more (`answer_place_from`), over half of whose answers have one letter."""
    total = sum(context.answers.values())
    if total == 0 or total < _number(context, "answer_place_from", ANSWER_PLACE_FROM):
        return
    place, count = max(context.answers.items(), key=lambda item: item[1])
    if 2 * count > total:
        message = gettext_noop(
            "Of your %(total)s questions so far, %(count)s have their answer at %(place)s: put it at other places too."
        )
        yield WHOLE_SET, message, {"place": place, "count": count, "total": total}
