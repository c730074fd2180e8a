"""Questions from ConceptNet: three choices, a question, its refinement, two distractors, and can the model answer it?

mCSQA §3.2 and §3.3, with the parameters of its Table 4. Each question set gives three questions, one with each target
as the only right answer. The key of each choice is drawn once, when the question is begun, and is for good.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.core.rules.draws import order
from annotation.generation.rules.recipes import base
from annotation.generation.rules.recipes.answers import Chosen, Distractors, QuestionText
from annotation.generation.rules.recipes.base import Ask, AskResult, Fault, Frame, Outcome, Recipe, Work
from annotation.generation.rules.recipes.forms import SET, SetData
from annotation.generation.rules.recipes.wording import (
    choice_faults,
    choice_in_question,
    comparison_form,
    offensive_word,
    question_faults,
)
from annotation.generation.rules.recipes.written import as_lines, read_letter
from annotation.kinds.mcq import ANSWER, DISTRACTOR, KEYS
from annotation.text.gettext import gettext_noop

TARGET_COUNT, ADDED_COUNT = 3, 2


def begin(frame: Frame, material: str, group: str, data: Mapping[str, Any]) -> list[Work]:
    """Three works of a set, the n-th with the n-th target as its answer; the choices stand at drawn letters."""
    given, works = SetData.model_validate(dict(data)), []
    for n in range(TARGET_COUNT):
        key = f"{material}-{n + 1}"
        lettered = enumerate(zip(_drawn_letters(frame, key), given.targets, strict=False))
        choices = [base.option(letter, target, ANSWER if at == n else "") for at, (letter, target) in lettered]
        content = {
            "concept": given.source,
            "category": given.relation,
            "question": "",
            "options": sorted(choices, key=lambda each: each["key"]),
            "made": {"level": "", "set": material},
        }
        works.append(Work(key, material, group or given.relation, data, content))
    return works


def _drawn_letters(frame: Frame, key: str) -> list[str]:
    """The letters A to E in drawn order: the first three are the targets', the others the distractors'."""
    return order(frame.seed, f"letters:{key}", KEYS)


def _instruction_values(frame: Frame, work: Work) -> dict[str, str]:
    """What an instruction about one question may name."""
    given = SetData.model_validate(dict(work.data))
    right = base.answer_key(work.content)
    wrong = [each["text"] for each in work.content["options"] if each["key"] != right]
    ends = (given.source, "X") if given.direction == "forward" else ("X", given.source)
    return {
        "language": frame.language_name,
        "concept": given.source,
        "relation": given.relation,
        "fact": f"{ends[0]} → {given.relation} → {ends[1]}",
        "answer": base.option_text(work.content, right),
        "others": as_lines(wrong),
        "question": str(work.content["question"]),
    }


def _ruled_out(frame: Frame, work: Work) -> Fault | None:
    """What rules a set out before anybody is asked: an offensive word in its concept or choices."""
    for text in (str(work.content["concept"]), *base.option_texts(work.content)):
        word = offensive_word(frame, text)
        if word:
            return Fault("offensive", {"words": word, "choice": text})
    return None


def _ask_question(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    asked = [work for work in works if not _ruled_out(frame, work)]
    return base.one_call("mcsqa-question", _instruction_values, QuestionText)(frame, asked)


def _judge_question(frame: Frame, work: Work, answer: QuestionText) -> Outcome:
    content = {**work.content, "question": answer.question}
    return base.change_unless_fault(
        work, content, next(question_faults(frame, answer.question, base.option_texts(work.content)), None)
    )


def _take_question(frame: Frame, works: Sequence[Work], answered: Sequence[AskResult]) -> dict[str, Outcome]:
    """The question that came back, by the five rules; the same filter judges what the refinement made of it."""
    ruled_out = {work.key: fault for work in works if (fault := _ruled_out(frame, work))}
    asked = [work for work in works if work.key not in ruled_out]
    outcomes = {
        work.key: base.refused_outcome(work.content, ruled_out[work.key]) for work in works if work.key in ruled_out
    }
    return outcomes | base.each_answer(QuestionText, _judge_question)(frame, asked, answered)


def _ask_distractors(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """One call a set: the question is not shown, so all questions of a set would ask the same."""
    sets: dict[tuple[str, ...], list[str]] = {}
    for work in works:
        given = SetData.model_validate(dict(work.data))
        sets.setdefault((work.material, *given.targets), []).append(work.key)
    fixed = {"language": frame.language_name, "count": str(ADDED_COUNT)}
    return [
        Ask(tuple(keys), "mcsqa-distractors", {**fixed, "choices": as_lines(targets)}, Distractors)
        for (_material, *targets), keys in sets.items()
    ]


def _with_distractors(frame: Frame, work: Work, answer: Distractors) -> Outcome:
    """The question with the two choices added; the first of them is the distractor that the kind knows."""
    added = answer.distractors[:ADDED_COUNT]
    free = enumerate(zip(_drawn_letters(frame, work.key)[TARGET_COUNT:], added, strict=False))
    more = [base.option(letter, text, "" if n else DISTRACTOR) for n, (letter, text) in free]
    choices = sorted([*work.content["options"], *more], key=lambda each: each["key"])
    content = base.with_making({**work.content, "options": choices}, added=sorted(each["key"] for each in more))
    if len(added) < ADDED_COUNT:
        return base.refused_outcome(content, Fault("distractors_few", {"count": len(added), "wanted": ADDED_COUNT}))
    fault = _distractor_fault(frame, work.content, added)
    question = str(content["question"])
    return base.change_unless_fault(
        work, content, fault or choice_in_question(question, base.option_texts(content), frame.language)
    )


def _distractor_fault(frame: Frame, content: Mapping[str, Any], added: Sequence[str]) -> Fault | None:
    """What is wrong with added choices by themselves: unfit, too long, or one that is there already (folded)."""
    there = {comparison_form(text): text for text in base.option_texts(content)}
    for text in added:
        fault = next(choice_faults(frame, text), None)
        if fault:
            return fault
        if comparison_form(text) in there:
            return Fault("distractor_repeats", {"choice": text, "other": there[comparison_form(text)]})
        there[comparison_form(text)] = text
    return None


def _shown_order(frame: Frame, work: Work) -> list[str]:
    """The keys of the choices in the order in which the model is shown them."""
    return order(frame.seed, f"answering:{work.key}", [each["key"] for each in work.content["options"]])


def _shown_texts(frame: Frame, work: Work) -> list[str]:
    return [base.option_text(work.content, key) for key in _shown_order(frame, work)]


def _values_answering(frame: Frame, work: Work) -> dict[str, str]:
    """The question with its choices in drawn order, under new letters."""
    question, choices = str(work.content["question"]), as_lines(_shown_texts(frame, work), KEYS)
    return {"language": frame.language_name, "question": question, "choices": choices}


def _judge_answer(frame: Frame, work: Work, answer: Chosen) -> Outcome:
    """Right is easy, wrong is hard and is judged by people; an answer that is no choice counts as wrong."""
    place = read_letter(answer.answer, _shown_texts(frame, work))
    chosen = "" if place is None else _shown_order(frame, work)[place]
    level = base.EASY if chosen == base.answer_key(work.content) else base.HARD
    return base.changed_outcome(work, base.with_making(work.content, level=level, answered=chosen))


RECIPE = Recipe(
    slug="mcsqa",
    name=gettext_noop("Questions from ConceptNet"),
    description=gettext_noop(
        "From three entities that one relation ties to the same other one: a question for each of them, bettered, with "
        "two distractors made without it; the model then answers, and people judge what it could not (mCSQA §3)."
    ),
    sort=SET,
    material_name=gettext_noop("question set"),
    material_plural=gettext_noop("question sets"),
    material_form=SetData,
    build_works=begin,
    steps=(
        base.chat(
            "question",
            gettext_noop("Question"),
            _ask_question,
            _take_question,
            {"temperature": 0.0, "top_p": 0.0, "seed": 0},
            "mcsqa-question",
        ),
        base.chat(
            "refinement",
            gettext_noop("Refinement"),
            base.one_call("mcsqa-refinement", _instruction_values, QuestionText),
            _take_question,
            {"temperature": 0.7, "top_p": 0.5, "seed": 0},
            "mcsqa-refinement",
        ),
        base.chat(
            "distractors",
            gettext_noop("Distractors"),
            _ask_distractors,
            base.each_answer(Distractors, _with_distractors),
            {"temperature": 1.2, "top_p": 0.7, "seed": 0},
            "mcsqa-distractors",
        ),
        base.one_answer(
            "answering",
            gettext_noop("The model's own answer"),
            "mcsqa-answering",
            _values_answering,
            Chosen,
            _judge_answer,
            temperature=0.0,
        ),
    ),
)
