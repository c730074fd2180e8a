"""Why a question in the making was dropped: the words of every reason that a recipe can give, by its code.

Words are English sources for gettext, filled with the outcome's parameters after translation: `words_of` says both.
"""

import re
from collections.abc import Mapping
from typing import Any

from annotation.generation.rules.recipes.base import UNUSABLE
from annotation.text.gettext import gettext_noop

REASONS: Mapping[str, str] = {
    UNUSABLE: gettext_noop("No answer came that could be used."),
    # What the run says of it, whatever the recipe (annotation.generation.rules.plans and carrying).
    "step_failed": gettext_noop("This step broke on it, and on none beside it."),
    "not_storable": gettext_noop("It holds a character that is no text."),
    "key_taken": gettext_noop("The project has this question already."),
    "item_refused": gettext_noop("It cannot be stored as a question: a part of it is missing or too long."),
    # How a question is worded (mCSQA §3.2).
    "empty": gettext_noop("There is nothing to read."),
    "unfit": gettext_noop("It holds what belongs into no question: “%(words)s”."),
    "offensive": gettext_noop("It holds an offensive word: “%(words)s”."),
    "too_long": gettext_noop("It is longer than %(most)s characters."),
    "no_question_mark": gettext_noop("It does not end with a question mark."),
    "several_sentences": gettext_noop("It has more than one sentence."),
    "other_script": gettext_noop("It is written in the letters of another language."),
    "surface_clue": gettext_noop("It speaks of letters, lengths or the choices themselves: “%(words)s”."),
    "opinion": gettext_noop("It asks for an opinion: “%(words)s”."),
    "choice_in_question": gettext_noop("The question contains words of the choice “%(choice)s”: %(words)s."),
    # The choices.
    "choices_count": gettext_noop("It has %(count)s choices and not %(wanted)s."),
    "choice_empty": gettext_noop("A choice says nothing."),
    "choice_too_long": gettext_noop("A choice is longer than %(most)s characters."),
    "choices_equal": gettext_noop("Two choices say the same: “%(choice)s” and “%(other)s”."),
    "distractors_few": gettext_noop("%(count)s distractors came and not %(wanted)s."),
    "distractor_repeats": gettext_noop("The distractor “%(choice)s” is a choice already: “%(other)s”."),
    "answer_no_choice": gettext_noop("What is called the answer is none of the choices: “%(answer)s”."),
    # The concept (id-csqa §4.3), and what was asked for.
    "concept_missing": gettext_noop("The question does not contain the concept “%(concept)s”."),
    "concept_too_long": gettext_noop("Its concept is longer than %(most)s characters."),
    "not_written": gettext_noop("The model wrote no question for this concept."),
    "duplicate": gettext_noop("The same question is there already."),
    # What is adapted (id-csqa §4.1).
    "choices_tense": gettext_noop(
        "Two choices are forms of the same words: “%(choice)s” and “%(other)s” would be one in translation."
    ),
    "relevant": gettext_noop("It fits the place as it is: nothing has to be adapted."),
    "no_majority": gettext_noop(
        "Too few verdicts on the concept could be read: %(yes)s say yes, %(no)s say no, of %(asked)s."
    ),
    "names_only": gettext_noop("What was to be changed is no name of a person: “%(name)s” into “%(other)s”."),
    "name_stays": gettext_noop("The name “%(name)s” was to be changed and is still there."),
    # What is translated (id-csqa §4.1).
    "not_translated": gettext_noop("It was not translated."),
    "similarity_low": gettext_noop(
        "Translated back, it is too little like the original: %(best)s at most, and %(least)s is asked for."
    ),
    "not_scored": gettext_noop("No scorer could compare it with the original."),
}
# What is noted beside an outcome, kept or dropped, by its parameter.
NOTES: Mapping[str, str] = {
    "not_asked_for": gettext_noop("The same answer held questions about what nobody asked for: %(said)s."),
    "too_many": gettext_noop("The same answer held more questions than were asked for: %(said)s."),
    "scores": gettext_noop("Likeness to the original: %(said)s."),
}


def notes_of(params: Mapping[str, Any]) -> list[tuple[str, dict[str, str]]]:
    """What else an outcome has beside its reason, as words to be translated and what fills them."""
    notes = []
    for name, words in NOTES.items():
        value = params.get(name)
        if isinstance(value, Mapping):
            value = [f"{scorer} {score}" for scorer, score in value.items()]
        if value:
            notes.append((words, {"said": ", ".join(map(str, value))}))
    return notes


def words_of(reason: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The words of a reason, to be translated, and what fills them: a parameter that is missing is left blank."""
    words = REASONS.get(reason, reason.replace("%", "%%"))
    return words, {**dict.fromkeys(re.findall(r"%\((\w+)\)s", words), ""), **params}
