"""Questions from ConceptNet: three choices, a question, its bettering, two distractors, and can the model answer it?

mCSQA §3.2 and §3.3, with the parameters of its Table 4. Each question set gives three questions, one with each target
as the only right answer. The key of each choice is drawn once, when the question is begun, and is for good.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.core.rules.draws import order
from annotation.generation.rules.recipes import making
from annotation.generation.rules.recipes.answers import Chosen, Distractors, QuestionText
from annotation.generation.rules.recipes.base import (
    CHAT,
    EASY,
    HARD,
    Answered,
    Ask,
    Frame,
    Outcome,
    Recipe,
    Step,
    Work,
    changed,
    gettext_noop,
)
from annotation.generation.rules.recipes.forms import SET, SetData
from annotation.generation.rules.recipes.making import option, refused, texts
from annotation.generation.rules.recipes.shown import as_lines, read_letter
from annotation.generation.rules.recipes.wording import (
    Fault,
    choice_in_question,
    first,
    offensive_choice,
    question_faults,
    same,
    text_faults,
)
from annotation.kinds.mcq import ANSWER, DISTRACTOR, KEYS

SLUG = "mcsqa"
TARGETS, ADDED = 3, 2


def begin(frame: Frame, material: str, group: str, data: Mapping[str, Any]) -> list[Work]:
    """Three works of a set, the n-th with the n-th target as its answer; the choices stand at drawn letters."""
    given = SetData.model_validate(dict(data))
    return [_begun(frame, material, group or given.relation, data, given, n) for n in range(TARGETS)]


def _begun(frame: Frame, material: str, group: str, data: Mapping[str, Any], given: SetData, n: int) -> Work:
    key = f"{material}-{n + 1}"
    choices = [
        option(letter, target, ANSWER if place == n else "")
        for place, (letter, target) in enumerate(zip(_letters(frame, key), given.targets, strict=False))
    ]
    content = {
        "concept": given.source,
        "category": given.relation,
        "question": "",
        "options": sorted(choices, key=lambda each: each["key"]),
        "made": {"level": "", "set": material},
    }
    return Work(key, material, group, data, content)


def _letters(frame: Frame, key: str) -> list[str]:
    """The letters A to E in drawn order: the first three are the targets', the others the distractors'."""
    return order(frame.seed, f"letters:{key}", KEYS)


def _told(frame: Frame, work: Work) -> dict[str, str]:
    """What an instruction about one question may name."""
    given = SetData.model_validate(dict(work.data))
    right = making.key_of(work.content)
    wrong = [each["text"] for each in work.content["options"] if each["key"] != right]
    ends = (given.source, "X") if given.direction == "forward" else ("X", given.source)
    return {
        "language": frame.language_name,
        "concept": given.source,
        "relation": given.relation,
        "fact": f"{ends[0]} → {given.relation} → {ends[1]}",
        "answer": making.text_of(work.content, right),
        "others": as_lines(wrong),
        "question": str(work.content["question"]),
    }


def _ruled_out(frame: Frame, work: Work) -> Fault | None:
    """What rules a set out before anybody is asked: an offensive word in its concept or choices."""
    return offensive_choice(frame, [str(work.content["concept"]), *texts(work.content)])


def _ask_question(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    return [
        Ask((work.key,), "mcsqa-question", _told(frame, work), QuestionText)
        for work in works
        if not _ruled_out(frame, work)
    ]


def _ask_refinement(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    return [Ask((work.key,), "mcsqa-refinement", _told(frame, work), QuestionText) for work in works]


def _take_question(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """The question that came back, by the five rules; the same filter judges what bettering made of it."""

    ruled_out = {work.key: fault for work in works if (fault := _ruled_out(frame, work))}

    def take(work: Work, answer: QuestionText) -> Outcome:
        content = {**work.content, "question": answer.question}
        return making.unless(
            work, content, first(question_faults(frame, answer.question, texts(work.content)))
        )

    asked = [work for work in works if work.key not in ruled_out]
    out = {
        work.key: refused(work, work.content, ruled_out[work.key]) for work in works if work.key in ruled_out
    }
    return out | making.each(asked, answered, QuestionText, take)


def _ask_distractors(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """One call a set: the question is not told, so all questions of a set would ask the same."""
    sets: dict[tuple[str, ...], list[str]] = {}
    for work in works:
        given = SetData.model_validate(dict(work.data))
        sets.setdefault((work.material, *given.targets), []).append(work.key)
    return [
        Ask(
            tuple(keys),
            "mcsqa-distractors",
            {"language": frame.language_name, "choices": as_lines(targets), "count": str(ADDED)},
            Distractors,
        )
        for (_material, *targets), keys in sets.items()
    ]


def _take_distractors(
    frame: Frame, works: Sequence[Work], answered: Sequence[Answered]
) -> dict[str, Outcome]:
    def take(work: Work, answer: Distractors) -> Outcome:
        return _with_distractors(frame, work, answer.distractors[:ADDED])

    return making.each(works, answered, Distractors, take)


def _with_distractors(frame: Frame, work: Work, added: Sequence[str]) -> Outcome:
    """The question with the two choices added; the first of them is the distractor that the kind knows."""
    free = _letters(frame, work.key)[TARGETS:]
    more = [
        option(letter, text, "" if n else DISTRACTOR)
        for n, (letter, text) in enumerate(zip(free, added, strict=False))
    ]
    choices = sorted([*work.content["options"], *more], key=lambda each: each["key"])
    content = making.with_made(
        {**work.content, "options": choices}, added=sorted(each["key"] for each in more)
    )
    if len(added) < ADDED:
        return refused(work, content, Fault("distractors_few", {"count": len(added), "wanted": ADDED}))
    fault = _distractor_fault(frame, work.content, added) or choice_in_question(
        str(content["question"]), texts(content), frame.language
    )
    return making.unless(work, content, fault)


def _distractor_fault(frame: Frame, content: Mapping[str, Any], added: Sequence[str]) -> Fault | None:
    """What is wrong with added choices by themselves: unfit, too long, or one that is there already (folded)."""
    there = {same(text): text for text in texts(content)}
    for text in added:
        fault = first(text_faults(frame, text)) or making.length_fault(text)
        if fault:
            return replace(fault, params={**fault.params, "choice": text})
        if same(text) in there:
            return Fault("distractor_repeats", {"choice": text, "other": there[same(text)]})
        there[same(text)] = text
    return None


def _shown(frame: Frame, work: Work) -> list[str]:
    """The keys of the choices in the order in which the model is shown them."""
    return order(frame.seed, f"answering:{work.key}", [each["key"] for each in work.content["options"]])


def _ask_answer(frame: Frame, works: Sequence[Work]) -> list[Ask]:
    """The question with its choices in drawn order, under new letters."""
    return [
        Ask(
            (work.key,),
            "mcsqa-answering",
            {
                "language": frame.language_name,
                "question": str(work.content["question"]),
                "choices": as_lines([making.text_of(work.content, key) for key in _shown(frame, work)], KEYS),
            },
            Chosen,
        )
        for work in works
    ]


def _take_answer(frame: Frame, works: Sequence[Work], answered: Sequence[Answered]) -> dict[str, Outcome]:
    """Right is easy, wrong is hard and is judged by people; an answer that is no choice counts as wrong."""

    def take(work: Work, answer: Chosen) -> Outcome:
        shown = _shown(frame, work)
        place = read_letter(answer.answer, [making.text_of(work.content, key) for key in shown])
        chosen = "" if place is None else shown[place]
        level = EASY if chosen == making.key_of(work.content) else HARD
        return changed(work, making.with_made(work.content, level=level, answered=chosen))

    return making.each(works, answered, Chosen, take)


RECIPE = Recipe(
    slug=SLUG,
    name=gettext_noop("Questions from ConceptNet"),
    description=gettext_noop(
        "From three entities that one relation ties to the same other one: a question for each of them, bettered, with "
        "two distractors made without it; the model then answers, and people judge what it could not (mCSQA §3)."
    ),
    sort=SET,
    material_name=gettext_noop("question set"),
    material_plural=gettext_noop("question sets"),
    material=SetData,
    begin=begin,
    steps=(
        Step(
            slug="question",
            name=gettext_noop("Question"),
            asks=_ask_question,
            takes=_take_question,
            asked=CHAT,
            instructions=("mcsqa-question",),
            parameters={"temperature": 0.0, "top_p": 0.0, "seed": 0},
        ),
        Step(
            slug="refinement",
            name=gettext_noop("Bettering"),
            asks=_ask_refinement,
            takes=_take_question,
            asked=CHAT,
            instructions=("mcsqa-refinement",),
            parameters={"temperature": 0.7, "top_p": 0.5, "seed": 0},
        ),
        Step(
            slug="distractors",
            name=gettext_noop("Distractors"),
            asks=_ask_distractors,
            takes=_take_distractors,
            asked=CHAT,
            instructions=("mcsqa-distractors",),
            parameters={"temperature": 1.2, "top_p": 0.7, "seed": 0},
        ),
        Step(
            slug="answering",
            name=gettext_noop("The model's own answer"),
            asks=_ask_answer,
            takes=_take_answer,
            asked=CHAT,
            instructions=("mcsqa-answering",),
            parameters={"temperature": 0.0},
        ),
    ),
)
