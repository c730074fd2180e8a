"""Questions for the concepts of people: several concepts of one category a call, a whole question for each.

id-csqa §4.3: answers are matched back by their concept, one that was not asked for is refused, a question without its
concept and one that is there already are dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.generation.rules.recipes import whole
from annotation.generation.rules.recipes.answers import Written, WrittenQuestions
from annotation.generation.rules.recipes.base import (
    CHAT,
    Answered,
    Ask,
    Frame,
    Outcome,
    Recipe,
    Step,
    Work,
    dropped,
    gettext_noop,
)
from annotation.generation.rules.recipes.forms import CONCEPT, ConceptData
from annotation.generation.rules.recipes.making import refused, unless, unusable
from annotation.generation.rules.recipes.shown import as_lines
from annotation.generation.rules.recipes.wording import Fault, first, folded, same

# What is told, beside an outcome, of answers that were refused: as many as a person would read.
MOST_TOLD = 10


def begin(frame: Frame, material: str, group: str, data: Mapping[str, Any]) -> list[Work]:
    """As many works of a concept as the project wants questions for each."""
    given = ConceptData.model_validate(dict(data))
    content: dict[str, Any] = {
        "concept": given.concept,
        "category": given.category,
        "question": "",
        "options": [],
        "made": {"level": "", "set": material},
    }
    if given.parallel:
        content["parallel"] = given.parallel
    wanted = max(1, frame.settings.questions_per_concept)
    return [Work(f"{material}-{n}", material, group, data, content) for n in range(1, wanted + 1)]


def _concepts(frame: Frame, works: Sequence[Work]) -> dict[tuple[str, str], list[Work]]:
    """The works by category and concept (folded), in their order."""
    found: dict[tuple[str, str], list[Work]] = {}
    for work in works:
        found.setdefault((str(work.content["category"]), _form(frame, work.content["concept"])), []).append(
            work
        )
    return found


def _form(frame: Frame, concept: str) -> str:
    """The form under which an answer's concept is the one that was asked for."""
    return same(folded(concept, frame.language))


def _ask(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """One call for at most `concepts_per_call` concepts of one category."""
    by_category: dict[str, list[list[Work]]] = {}
    for (category, _concept), some in _concepts(frame, works).items():
        by_category.setdefault(category, []).append(some)
    return [
        _one_call(frame, category, called)
        for category, concepts in by_category.items()
        for called in _chunks(concepts, max(1, frame.settings.concepts_per_call))
    ]


def _chunks(concepts: Sequence[list[Work]], size: int) -> list[Sequence[list[Work]]]:
    return [concepts[start : start + size] for start in range(0, len(concepts), size)]


def _one_call(frame: Frame, category: str, concepts: Sequence[list[Work]]) -> Ask:
    values = {
        "language": frame.language_name,
        "place": frame.place or frame.language_name,
        "category": category,
        "concepts": as_lines([str(some[0].content["concept"]) for some in concepts]),
        "count": str(max(len(some) for some in concepts)),
    }
    return Ask(
        tuple(work.key for some in concepts for work in some), "gen-questions", values, WrittenQuestions
    )


def _take(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """Each work gets the next question that came for its concept; what nobody asked for is told with the first."""
    by_key = {work.key: work for work in works}
    outcomes: dict[str, Outcome] = {}
    for given in answered:
        asked = [by_key[key] for key in given.ask.about if key in by_key]
        if isinstance(given.answer, WrittenQuestions):
            outcomes |= _matched(frame, asked, given.answer.questions)
        else:
            outcomes |= {work.key: unusable(work, [given]) for work in asked}
    outcomes |= {work.key: unusable(work, ()) for work in works if work.key not in outcomes}
    return _without_duplicates(frame, works, outcomes)


def _matched(frame: Frame, asked: Sequence[Work], written: Sequence[Written]) -> dict[str, Outcome]:
    """The questions of one call by their concepts."""
    waiting: dict[str, list[Work]] = {}
    for work in asked:
        waiting.setdefault(_form(frame, work.content["concept"]), []).append(work)
    outcomes: dict[str, Outcome] = {}
    strangers, surplus = [], []
    for question in written:
        form = _form(frame, question.concept)
        if form not in waiting:
            strangers.append(question.concept)
        elif not waiting[form]:
            surplus.append(question.concept)
        else:
            work = waiting[form].pop(0)
            outcomes[work.key] = _judged(frame, work, question)
    outcomes |= {
        work.key: dropped(work, "not_written", concept=work.content["concept"])
        for some in waiting.values()
        for work in some
    }
    told = {"not_asked_for": strangers[:MOST_TOLD], "too_many": surplus[:MOST_TOLD]}
    return _telling(asked, outcomes, {name: found for name, found in told.items() if found})


def _telling(
    asked: Sequence[Work], outcomes: dict[str, Outcome], told: Mapping[str, list[str]]
) -> dict[str, Outcome]:
    """What was refused of a call's answer goes with its first work, once."""
    if asked and told:
        head = outcomes[asked[0].key]
        outcomes[asked[0].key] = replace(head, params={**head.params, **told})
    return outcomes


def _judged(frame: Frame, work: Work, question: Written) -> Outcome:
    content = whole.with_texts(work.content, question)
    fault = first(whole.written_faults(frame, content, question)) or whole.concept_fault(
        frame, str(content["concept"]), question.question
    )
    return unless(work, content, fault)


def _without_duplicates(
    frame: Frame, works: Sequence[Work], outcomes: Mapping[str, Outcome]
) -> dict[str, Outcome]:
    """The outcomes, a question that is there already (in the project, or before it in this batch) dropped."""
    there, found = whole.taken(frame), {}
    for work in works:
        outcome = outcomes[work.key]
        form = same(str(outcome.content["question"]))
        if not outcome.reason and form in there:
            outcome = refused(work, outcome.content, Fault("duplicate", outcome.params))
        elif not outcome.reason:
            there.add(form)
        found[work.key] = outcome
    return found


RECIPE = Recipe(
    slug="llm-gen",
    name=gettext_noop("Questions for concepts"),
    description=gettext_noop(
        "For each concept of the project's list a whole question with five choices, several concepts a call; what does "
        "not contain its concept, or is there already, is dropped (id-csqa §4.3)."
    ),
    sort=CONCEPT,
    material_name=gettext_noop("concept"),
    material_plural=gettext_noop("concepts"),
    material=ConceptData,
    begin=begin,
    steps=(
        Step(
            slug="questions",
            name=gettext_noop("Questions"),
            asks=_ask,
            takes=_take,
            asked=CHAT,
            instructions=("gen-questions",),
        ),
    ),
    reviewed=True,
)
