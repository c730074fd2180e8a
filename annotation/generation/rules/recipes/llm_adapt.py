"""English questions made to fit another place: what does not fit is found, adapted, and its names are changed.

id-csqa §4.1: offensive ones and those with choices that only differ in tense are left out; what has a name or a place
is taken not to fit, so that nothing is asked about it; of the others five verdicts say whether the concept fits; what
fits is left out too. Behind the adaptation a question without its concept is dropped.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from annotation.generation.rules.recipes import names as naming
from annotation.generation.rules.recipes import whole
from annotation.generation.rules.recipes.answers import Named, Renames, Verdict, Written
from annotation.generation.rules.recipes.base import (
    CHAT,
    Answered,
    Ask,
    Frame,
    Outcome,
    Recipe,
    Step,
    Work,
    changed,
    dropped,
    gettext_noop,
    kept,
)
from annotation.generation.rules.recipes.english import is_verb, same_but_for_tense
from annotation.generation.rules.recipes.forms import QUESTION, QuestionData
from annotation.generation.rules.recipes.making import (
    about,
    choices_fault,
    each,
    key_of,
    made,
    refused,
    texts,
    unless,
    unusable,
    with_made,
)
from annotation.generation.rules.recipes.shown import as_lines
from annotation.generation.rules.recipes.wording import (
    Fault,
    asked_faults,
    first,
    offensive_in,
    same,
)

SOURCE = "en"
PROMPTS = 5
CONCEPT, NAMES, PLACES = "concept", "persons", "places"
YES, NO = "yes", "no"
_SAID = {
    YES: ("yes", "y", "true", "ya", "iya", "bisa", "ada"),
    NO: ("no", "n", "false", "not", "tidak", "bukan", "teu", "henteu"),
}


def begin(frame: Frame, material: str, group: str, data: Mapping[str, Any]) -> list[Work]:
    """One work: the question as it stands in the source."""
    given = QuestionData.model_validate(dict(data))
    content = {**given.content(), "made": {"level": "", "set": material, "from": given.id}}
    return [Work(material, material, group, data, content)]


# --- what is left out without asking anybody -------------------------------------------------------------------------


def _take_words(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """Dropped with an offensive word, or with two choices that are, or in translation become, the same."""
    return {work.key: _words(frame, work) for work in works}


def _words(frame: Frame, work: Work) -> Outcome:
    content = work.content
    said = "\n".join((str(content["question"]), str(content["concept"]), *texts(content)))
    word = offensive_in(said, SOURCE, frame.settings.offensive_words)
    if word:
        return dropped(work, "offensive", words=word)
    fault = choices_fault(texts(content)) or _tense_fault(texts(content))
    return refused(work, content, fault) if fault else kept(work)


def _tense_fault(choices: Sequence[str]) -> Fault | None:
    for other, choice in combinations(choices, 2):
        if same_but_for_tense(choice, other):
            return Fault("choices_tense", {"choice": choice, "other": other})
    return None


# --- what does not fit -----------------------------------------------------------------------------------------------


def _as_asked(frame: Frame, work: Work) -> dict[str, str]:
    content = work.content
    keys = [str(option["key"]) for option in content["options"]]
    return {
        "language": frame.language_name,
        "place": frame.place or frame.language_name,
        "question": str(content["question"]),
        "concept": str(content["concept"]),
        "choices": as_lines(texts(content), keys),
        "answer": key_of(content),
    }


def _ask_names(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    return [Ask((work.key,), "adapt-names-places", _as_asked(frame, work), Named) for work in works]


def _take_names(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """The names of persons and places that do stand in the question or its choices."""

    def take(work: Work, answer: Named) -> Outcome:
        said = [str(work.content["question"]), *texts(work.content)]
        found = {
            NAMES: naming.in_texts(answer.persons, said),
            PLACES: naming.in_texts(answer.places, said),
        }
        return changed(work, with_made(work.content, **found))

    return each(works, answered, Named, take)


def _is_named(work: Work) -> bool:
    told = made(work.content)
    return bool(told.get(NAMES) or told.get(PLACES))


def _ask_verdicts(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """Five calls about each concept, in other words where it is a verb; none where a name or a place stands there."""
    return [
        Ask((work.key,), name, _as_asked(frame, work), Verdict)
        for work in works
        if not _is_named(work)
        for name in _prompts(str(work.content["concept"]))
    ]


def _prompts(concept: str) -> list[str]:
    sort = "verb" if is_verb(concept) else "thing"
    return [f"adapt-{sort}-{n}" for n in range(1, PROMPTS + 1)]


def _take_verdicts(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    by_work = about(answered)
    return {work.key: _verdict(work, by_work.get(work.key, ())) for work in works}


def _verdict(work: Work, answered: Sequence[Answered]) -> Outcome:
    """The majority of the verdicts that can be read: yes, the concept fits the place, or no."""
    if _is_named(work):
        return kept(work)
    said = [read_verdict(given.answer.answer) for given in answered if isinstance(given.answer, Verdict)]
    if not said:
        return unusable(work, answered)
    yes, no = said.count(YES), said.count(NO)
    if yes == no:
        return dropped(work, "no_majority", yes=yes, no=no, asked=PROMPTS)
    verdict = {"fits": yes > no, "verdicts": {YES: yes, NO: no}}
    return changed(work, with_made(work.content, **verdict))


def read_verdict(text: str) -> str:
    """`yes` or `no` by the first word of an answer; empty where it is neither."""
    word = (same(text).replace(",", " ").replace(".", " ").split() or [""])[0]
    return next((verdict for verdict, words in _SAID.items() if word in words), "")


def _take_choice(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """What is adapted: whatever does not fit in its concept, in a name or in a place; the rest is left out."""
    return {work.key: _chosen(work) for work in works}


def _chosen(work: Work) -> Outcome:
    told = made(work.content)
    why = [sort for sort in (NAMES, PLACES) if told.get(sort)]
    why += [CONCEPT] if told.get("fits") is False else []
    if not why:
        return dropped(work, "relevant")
    return changed(work, with_made(work.content, adapted_for=sorted(why)))


# --- making it fit ---------------------------------------------------------------------------------------------------


def _ask_adapted(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    return [Ask((work.key,), "adapt-question", _as_asked(frame, work), Written) for work in works]


def _take_adapted(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    def take(work: Work, answer: Written) -> Outcome:
        content = {**whole.with_texts(work.content, answer), "concept": answer.concept}
        fault = first(whole.written_faults(frame, content, answer))
        return unless(work, content, fault or whole.concept_fault(frame, answer.concept, answer.question))

    return each(works, answered, Written, take)


def _ask_renames(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """Only where names of persons were found."""
    return [
        Ask(
            (work.key,),
            "adapt-names",
            {**_as_asked(frame, work), "names": ", ".join(made(work.content)[NAMES])},
            Renames,
        )
        for work in works
        if made(work.content).get(NAMES)
    ]


def _take_renames(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """Each name that the answer names is changed, and nothing else; the names of the source may not be left."""

    def take(work: Work, answer: Renames) -> Outcome:
        said = [str(work.content["question"]), *texts(work.content)]
        fault = naming.rename_fault(answer.names, said, frame.language)
        if fault:
            return refused(work, work.content, fault)
        content = naming.renamed_content(work.content, answer.names)
        left = naming.in_texts(made(content)[NAMES], [str(content["question"]), *texts(content)])
        return unless(work, content, Fault("name_stays", {"name": left[0]}) if left else None)

    named = [work for work in works if made(work.content).get(NAMES)]
    unnamed = {work.key: kept(work) for work in works if not made(work.content).get(NAMES)}
    return unnamed | each(named, answered, Renames, take)


def _take_filtered(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """The last look: the concept stands in the question, the choices differ, nobody is offended, it is not twice."""
    there, outcomes = whole.taken(frame), {}
    for work in works:
        question = str(work.content["question"])
        fault = (
            first(asked_faults(frame, question))
            or whole.concept_fault(frame, str(work.content["concept"]), question)
            or choices_fault(texts(work.content))
            or (Fault("duplicate") if same(question) in there else None)
        )
        outcomes[work.key] = refused(work, work.content, fault) if fault else kept(work)
        if not fault:
            there.add(same(question))
    return outcomes


_VERDICT = tuple(f"adapt-{sort}-{n}" for sort in ("thing", "verb") for n in range(1, PROMPTS + 1))

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
    material=QuestionData,
    begin=begin,
    steps=(
        Step("select-words", gettext_noop("Words that rule it out"), takes=_take_words),
        Step(
            slug="names-places",
            name=gettext_noop("Names and places"),
            asks=_ask_names,
            takes=_take_names,
            asked=CHAT,
            instructions=("adapt-names-places",),
            parameters={"temperature": 0.0},
        ),
        Step(
            slug="concept-verdicts",
            name=gettext_noop("Verdicts on the concept"),
            asks=_ask_verdicts,
            takes=_take_verdicts,
            asked=CHAT,
            instructions=_VERDICT,
            parameters={"temperature": 0.0},
        ),
        Step("choice", gettext_noop("What does not fit"), takes=_take_choice),
        Step(
            slug="adapt",
            name=gettext_noop("Adaptation"),
            asks=_ask_adapted,
            takes=_take_adapted,
            asked=CHAT,
            instructions=("adapt-question",),
        ),
        Step(
            slug="names",
            name=gettext_noop("Change of names"),
            asks=_ask_renames,
            takes=_take_renames,
            asked=CHAT,
            instructions=("adapt-names",),
        ),
        Step("filter", gettext_noop("Last look"), takes=_take_filtered),
    ),
    reviewed=True,
)
