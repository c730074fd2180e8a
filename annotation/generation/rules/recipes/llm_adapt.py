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
from annotation.generation.rules.recipes.base import Answered, Ask, Fault, Frame, Outcome, Recipe, Step, Work
from annotation.generation.rules.recipes.english import is_verb, same_but_for_tense
from annotation.generation.rules.recipes.forms import QUESTION, QuestionData
from annotation.generation.rules.recipes.wording import asked_faults, choices_fault, offensive, same
from annotation.generation.rules.recipes.written import (
    as_lines,
    concept_fault,
    questions_taken,
    with_texts,
    written_fault,
)
from annotation.text.gettext import gettext_noop

SOURCE = "en"
PROMPTS = 5
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


def _words(frame: Frame, work: Work) -> Outcome:
    """Dropped with an offensive word, or with two choices that are, or in translation become, the same."""
    content = work.content
    question, *choices = base.question_texts(content)
    word = offensive(frame, "\n".join((question, str(content["concept"]), *choices)), SOURCE)
    if word:
        return base.dropped(work, "offensive", words=word)
    fault = choices_fault(choices) or _tense_fault(choices)
    return base.refused(content, fault) if fault else base.kept(work)


def _tense_fault(choices: Sequence[str]) -> Fault | None:
    for other, choice in combinations(choices, 2):
        if same_but_for_tense(choice, other):
            return Fault("choices_tense", {"choice": choice, "other": other})
    return None


# --- what does not fit ----------------------------------------------------------------------------


def _values(frame: Frame, work: Work) -> dict[str, str]:
    content = work.content
    keys = [str(option["key"]) for option in content["options"]]
    return {
        "language": frame.language_name,
        "place": frame.place or frame.language_name,
        "question": str(content["question"]),
        "concept": str(content["concept"]),
        "choices": as_lines(base.texts(content), keys),
        "answer": base.answer_key(content),
        "names": ", ".join(base.made(content).get(NAMES, ())),
    }


def _names(frame: Frame, work: Work, answer: Named) -> Outcome:
    """The names of persons and places that do stand in the question or its choices."""
    given = base.question_texts(work.content)
    names = {NAMES: naming.in_texts(answer.persons, given), PLACES: naming.in_texts(answer.places, given)}
    return base.changed(work, base.with_made(work.content, **names))


def _has_persons(work: Work) -> bool:
    return bool(base.made(work.content).get(NAMES))


def _is_unnamed(work: Work) -> bool:
    """Whether no name and no place stands there."""
    return not (_has_persons(work) or base.made(work.content).get(PLACES))


def _ask_verdicts(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """Five calls about each concept, in other words where it is a verb; none where a name or a place stands there."""
    return [
        Ask((work.key,), f"adapt-{sort}-{n}", _values(frame, work), Verdict)
        for work in filter(_is_unnamed, works)
        for sort in ("verb" if is_verb(str(work.content["concept"])) else "thing",)
        for n in range(1, PROMPTS + 1)
    ]


def _verdict(frame: Frame, work: Work, answered: Sequence[Answered]) -> Outcome:
    """The majority of the verdicts that can be read: yes, the concept fits the place, or no."""
    verdicts = [read_verdict(given.answer.answer) for given in answered if isinstance(given.answer, Verdict)]
    if not verdicts:
        return base.unusable(work, answered)
    yes, no = verdicts.count(YES), verdicts.count(NO)
    if yes == no:
        return base.dropped(work, "no_majority", yes=yes, no=no, asked=PROMPTS)
    return base.changed(work, base.with_made(work.content, fits=yes > no, verdicts={YES: yes, NO: no}))


def read_verdict(text: str) -> str:
    """`yes` or `no` by the first word of an answer; empty where it is neither."""
    word = (same(text).replace(",", " ").replace(".", " ").split() or [""])[0]
    return next((verdict for verdict, words in _VERDICT_WORDS.items() if word in words), "")


def _choice(frame: Frame, work: Work) -> Outcome:
    """What is adapted: whatever does not fit in its concept, in a name or in a place; the rest is left out."""
    making = base.made(work.content)
    why = [sort for sort in (NAMES, PLACES) if making.get(sort)]
    why += [CONCEPT] if making.get("fits") is False else []
    if not why:
        return base.dropped(work, "relevant")
    return base.changed(work, base.with_made(work.content, adapted_for=sorted(why)))


# --- making it fit --------------------------------------------------------------------------------


def _adapted(frame: Frame, work: Work, answer: Written) -> Outcome:
    content = {**with_texts(work.content, answer), "concept": answer.concept}
    return base.unless(work, content, written_fault(frame, content, answer, answer.concept))


def _renamed(frame: Frame, work: Work, answer: Renames) -> Outcome:
    """Each name that the answer names is changed, and nothing else; the names of the source may not be left."""
    fault = naming.rename_fault(answer.names, base.question_texts(work.content), frame.language)
    if fault:
        return base.refused(work.content, fault)
    content = naming.renamed_content(work.content, answer.names)
    left = naming.in_texts(base.made(content)[NAMES], base.question_texts(content))
    return base.unless(work, content, Fault("name_stays", {"name": left[0]}) if left else None)


def _take_filtered(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """The last look: the concept stands in the question, the choices differ, nobody is offended, it is not twice."""
    there, outcomes = questions_taken(frame), {}
    for work in works:
        question = str(work.content["question"])
        fault = (
            next(asked_faults(frame, question), None)
            or concept_fault(frame, str(work.content["concept"]), question)
            or choices_fault(base.texts(work.content))
            or (Fault("duplicate") if same(question) in there else None)
        )
        outcomes[work.key] = base.unless(work, work.content, fault)
        if not fault:
            there.add(same(question))
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
        Step("select-words", gettext_noop("Words that rule it out"), apply_answers=base.each_work(_words)),
        base.one_answer(
            "names-places",
            gettext_noop("Names and places"),
            "adapt-names-places",
            _values,
            Named,
            _names,
            temperature=0.0,
        ),
        base.chat(
            "concept-verdicts",
            gettext_noop("Verdicts on the concept"),
            _ask_verdicts,
            base.each_answers(_verdict, _is_unnamed),
            {"temperature": 0.0},
            *(f"adapt-{sort}-{n}" for sort in ("thing", "verb") for n in range(1, PROMPTS + 1)),
        ),
        Step("choice", gettext_noop("What does not fit"), apply_answers=base.each_work(_choice)),
        base.one_answer("adapt", gettext_noop("Adaptation"), "adapt-question", _values, Written, _adapted),
        base.one_answer(
            "names", gettext_noop("Change of names"), "adapt-names", _values, Renames, _renamed, _has_persons
        ),
        Step("filter", gettext_noop("Last look"), apply_answers=_take_filtered),
    ),
    is_reviewed=True,
)
