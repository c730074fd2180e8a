"""Questions for the concepts of people: several concepts of one category a call, a whole question for each.

id-csqa §4.3: answers are matched back by their concept, one that was not asked for is refused, a question without its
concept and one that is there already are dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.generation.rules.recipes import base
from annotation.generation.rules.recipes.answers import Written, WrittenQuestions
from annotation.generation.rules.recipes.base import Ask, AskResult, Fault, Frame, Outcome, Recipe, Work
from annotation.generation.rules.recipes.forms import CONCEPT, ConceptData
from annotation.generation.rules.recipes.wording import comparison_form, fold_text
from annotation.generation.rules.recipes.written import (
    as_lines,
    questions_taken,
    with_written_texts,
    written_fault,
)
from annotation.text.gettext import gettext_noop

# Of answers that were refused so many are noted beside an outcome: as many as a person would read.
MOST_NOTED = 10


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


def _concept_form(frame: Frame, concept: str) -> str:
    """The form under which an answer's concept is the one that was asked for."""
    return comparison_form(fold_text(concept, frame.language))


def _ask(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """One call for at most `concepts_per_call` concepts of one category."""
    categories: dict[str, dict[str, list[Work]]] = {}
    for work in works:
        concepts = categories.setdefault(str(work.content["category"]), {})
        concepts.setdefault(_concept_form(frame, work.content["concept"]), []).append(work)
    asks, size = [], max(1, frame.settings.concepts_per_call)
    for category, concepts in categories.items():
        each = list(concepts.values())
        for called in (each[start : start + size] for start in range(0, len(each), size)):
            values = {
                "language": frame.language_name,
                "place": frame.place or frame.language_name,
                "category": category,
                "concepts": as_lines([str(some[0].content["concept"]) for some in called]),
                "count": str(max(map(len, called))),
            }
            about = tuple(work.key for some in called for work in some)
            asks.append(Ask(about, "gen-questions", values, WrittenQuestions))
    return asks


def _take(frame: Frame, works: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
    """Each work gets the next question that came for its concept; one that is there already is dropped.

    There already: in the project, or before it in this batch.
    """
    by_key = {work.key: work for work in works}
    outcomes: dict[str, Outcome] = {}
    for given in answered:
        asked = [by_key[key] for key in given.ask.work_keys if key in by_key]
        if isinstance(given.answer, WrittenQuestions):
            outcomes |= _match_to_concepts(frame, asked, given.answer.questions)
        else:
            outcomes |= {work.key: base.unusable_outcome(work, [given]) for work in asked}
    there, filtered = questions_taken(frame), {}
    for work in works:
        outcome = outcomes.get(work.key) or base.unusable_outcome(work, ())
        form = comparison_form(str(outcome.content["question"]))
        if not outcome.reason and form in there:
            outcome = base.refused_outcome(outcome.content, Fault("duplicate", outcome.params))
        elif not outcome.reason:
            there.add(form)
        filtered[work.key] = outcome
    return filtered


def _match_to_concepts(frame: Frame, asked: Sequence[Work], written: Sequence[Written]) -> dict[str, Outcome]:
    """The questions of one call by their concepts; what nobody asked for is noted with its first work, once."""
    waiting: dict[str, list[Work]] = {}
    for work in asked:
        waiting.setdefault(_concept_form(frame, work.content["concept"]), []).append(work)
    outcomes: dict[str, Outcome] = {}
    notes: dict[str, list[str]] = {"not_asked_for": [], "too_many": []}
    for question in written:
        form = _concept_form(frame, question.concept)
        if waiting.get(form):
            work = waiting[form].pop(0)
            content = with_written_texts(work.content, question)
            fault = written_fault(frame, content, question, str(content["concept"]))
            outcomes[work.key] = base.change_unless_fault(work, content, fault)
        else:
            notes["too_many" if form in waiting else "not_asked_for"].append(question.concept)
    for some in waiting.values():
        for work in some:
            outcomes[work.key] = base.dropped_outcome(work, "not_written", concept=work.content["concept"])
    if asked:
        head = outcomes[asked[0].key]
        noted = {name: concepts[:MOST_NOTED] for name, concepts in notes.items() if concepts}
        outcomes[asked[0].key] = replace(head, params={**head.params, **noted})
    return outcomes


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
    material_form=ConceptData,
    build_works=begin,
    steps=(base.chat("questions", gettext_noop("Questions"), _ask, _take, {}, "gen-questions"),),
    is_reviewed=True,
)
