"""English questions adapted to another place: parts that do not fit are found, adapted, and names are replaced.

id-csqa §4.1: offensive ones and those with choices that only differ in tense are left out; what has a name or a place
is taken not to fit, so that nothing is asked about it; of the others five verdicts say whether the concept fits; what
fits is left out too. Behind the adaptation a question without its concept is dropped.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from annotation.generation.rules.recipes import base
from annotation.generation.rules.recipes import names as naming
from annotation.generation.rules.recipes.answers import Named, Renames, Verdict, Written
from annotation.generation.rules.recipes.base import Ask, AskResult, Fault, Frame, Outcome, Recipe, Step, Work
from annotation.generation.rules.recipes.english import is_verb, same_but_for_tense
from annotation.generation.rules.recipes.forms import QUESTION, QuestionData
from annotation.generation.rules.recipes.wording import (
    choices_fault,
    comparison_form,
    offensive_word,
    question_text_faults,
)
from annotation.generation.rules.recipes.written import (
    as_lines,
    concept_fault,
    questions_taken,
    with_written_texts,
    written_fault,
)
from annotation.text.gettext import gettext_noop

SOURCE = "en"
PROMPT_COUNT = 5
CONCEPT, NAMES, PLACES = "concept", "persons", "places"
YES, NO = "yes", "no"
_VERDICT_WORDS = {
    YES: ("yes", "y", "true", "ya", "iya", "bisa", "ada"),
    NO: ("no", "n", "false", "not", "tidak", "bukan", "teu", "henteu"),
}


def begin(frame: Frame, material: str, group: str, data: Mapping[str, Any]) -> list[Work]:
    """One work: the question as it stands in the source."""
    return [Work(material, material, group, data, QuestionData.model_validate(dict(data)).content(material))]


# --- what is left out without asking anybody ------------------------------------------------------


def _drop_by_words(frame: Frame, work: Work) -> Outcome:
    """Dropped with an offensive word, or with two choices that are, or in translation become, the same."""
    content = work.content
    question, *choices = base.question_texts(content)
    word = offensive_word(frame, "\n".join((question, str(content["concept"]), *choices)), SOURCE)
    if word:
        return base.dropped_outcome(work, "offensive", words=word)
    fault = choices_fault(choices) or _tense_fault(choices)
    return base.refused_outcome(content, fault) if fault else base.kept_outcome(work)


def _tense_fault(choices: Sequence[str]) -> Fault | None:
    for other, choice in combinations(choices, 2):
        if same_but_for_tense(choice, other):
            return Fault("choices_tense", {"choice": choice, "other": other})
    return None


# --- what does not fit ----------------------------------------------------------------------------


def _instruction_values(frame: Frame, work: Work) -> dict[str, str]:
    content = work.content
    keys = [str(option["key"]) for option in content["options"]]
    return {
        "language": frame.language_name,
        "place": frame.place or frame.language_name,
        "question": str(content["question"]),
        "concept": str(content["concept"]),
        "choices": as_lines(base.option_texts(content), keys),
        "answer": base.answer_key(content),
        "names": ", ".join(base.making_of(content).get(NAMES, ())),
    }


def _find_names(frame: Frame, work: Work, answer: Named) -> Outcome:
    """The names of persons and places that do stand in the question or its choices."""
    given = base.question_texts(work.content)
    names = {
        NAMES: naming.names_in_texts(answer.persons, given),
        PLACES: naming.names_in_texts(answer.places, given),
    }
    return base.changed_outcome(work, base.with_making(work.content, **names))


def _has_persons(work: Work) -> bool:
    return bool(base.making_of(work.content).get(NAMES))


def _is_unnamed(work: Work) -> bool:
    """Whether no name and no place stands there."""
    return not (_has_persons(work) or base.making_of(work.content).get(PLACES))


def _ask_verdicts(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """Five calls about each concept, in other words where it is a verb; none where a name or a place stands there."""
    return [
        Ask((work.key,), f"adapt-{sort}-{n}", _instruction_values(frame, work), Verdict)
        for work in filter(_is_unnamed, works)
        for sort in ("verb" if is_verb(str(work.content["concept"])) else "thing",)
        for n in range(1, PROMPT_COUNT + 1)
    ]


def _majority_verdict(frame: Frame, work: Work, answered: Sequence[AskResult]) -> Outcome:
    """The majority of the verdicts that can be read: yes, the concept fits the place, or no."""
    verdicts = [read_verdict(given.answer.answer) for given in answered if isinstance(given.answer, Verdict)]
    if not verdicts:
        return base.unusable_outcome(work, answered)
    yes, no = verdicts.count(YES), verdicts.count(NO)
    if yes == no:
        return base.dropped_outcome(work, "no_majority", yes=yes, no=no, asked=PROMPT_COUNT)
    return base.changed_outcome(work, base.with_making(work.content, fits=yes > no, verdicts={YES: yes, NO: no}))


def read_verdict(text: str) -> str:
    """`yes` or `no` by the first word of an answer; empty where it is neither."""
    word = (comparison_form(text).replace(",", " ").replace(".", " ").split() or [""])[0]
    return next((verdict for verdict, words in _VERDICT_WORDS.items() if word in words), "")


def _choose_adaptations(frame: Frame, work: Work) -> Outcome:
    """What is adapted: whatever does not fit in its concept, in a name or in a place; the rest is left out."""
    making = base.making_of(work.content)
    why = [sort for sort in (NAMES, PLACES) if making.get(sort)]
    why += [CONCEPT] if making.get("fits") is False else []
    if not why:
        return base.dropped_outcome(work, "relevant")
    return base.changed_outcome(work, base.with_making(work.content, adapted_for=sorted(why)))


# --- making it fit --------------------------------------------------------------------------------


def _take_adaptation(frame: Frame, work: Work, answer: Written) -> Outcome:
    content = {**with_written_texts(work.content, answer), "concept": answer.concept}
    return base.change_unless_fault(work, content, written_fault(frame, content, answer, answer.concept))


def _take_renames(frame: Frame, work: Work, answer: Renames) -> Outcome:
    """Each name that the answer names is changed, and nothing else; the names of the source may not be left."""
    fault = naming.rename_fault(answer.names, base.question_texts(work.content), frame.language)
    if fault:
        return base.refused_outcome(work.content, fault)
    content = naming.rename_in_content(work.content, answer.names)
    left = naming.names_in_texts(base.making_of(content)[NAMES], base.question_texts(content))
    return base.change_unless_fault(work, content, Fault("name_stays", {"name": left[0]}) if left else None)


def _final_filter(frame: Frame, works: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
    """The last look: the concept stands in the question, the choices differ, nobody is offended, it is not twice."""
    there, outcomes = questions_taken(frame), {}
    for work in works:
        question = str(work.content["question"])
        fault = (
            next(question_text_faults(frame, question), None)
            or concept_fault(frame, str(work.content["concept"]), question)
            or choices_fault(base.option_texts(work.content))
            or (Fault("duplicate") if comparison_form(question) in there else None)
        )
        outcomes[work.key] = base.change_unless_fault(work, work.content, fault)
        if not fault:
            there.add(comparison_form(question))
    return outcomes


RECIPE = Recipe(
    slug="llm-adapt",
    name=gettext_noop("Questions made to fit another place"),
    description=gettext_noop(
        "Of English questions those that do not fit the place, in their concept, a name or a place: adapted, with "
        "names of that place; what fits as it is, or is offensive, is left out (id-csqa §4.1)."
    ),
    sort=QUESTION,
    material_name=gettext_noop("question to adapt"),
    material_plural=gettext_noop("questions to adapt"),
    material_form=QuestionData,
    build_works=begin,
    steps=(
        Step(
            "select-words",
            gettext_noop("Words that rule it out"),
            apply_answers=base.each_work(_drop_by_words),
        ),
        base.one_answer(
            "names-places",
            gettext_noop("Names and places"),
            "adapt-names-places",
            _instruction_values,
            Named,
            _find_names,
            temperature=0.0,
        ),
        base.chat(
            "concept-verdicts",
            gettext_noop("Verdicts on the concept"),
            _ask_verdicts,
            base.each_answers(_majority_verdict, _is_unnamed),
            {"temperature": 0.0},
            *(f"adapt-{sort}-{n}" for sort in ("thing", "verb") for n in range(1, PROMPT_COUNT + 1)),
        ),
        Step("choice", gettext_noop("What does not fit"), apply_answers=base.each_work(_choose_adaptations)),
        base.one_answer(
            "adapt",
            gettext_noop("Adaptation"),
            "adapt-question",
            _instruction_values,
            Written,
            _take_adaptation,
        ),
        base.one_answer(
            "names",
            gettext_noop("Change of names"),
            "adapt-names",
            _instruction_values,
            Renames,
            _take_renames,
            _has_persons,
        ),
        Step("filter", gettext_noop("Last look"), apply_answers=_final_filter),
    ),
    is_reviewed=True,
)
