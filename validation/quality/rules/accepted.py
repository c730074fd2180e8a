"""Which answers to an item count as right where they are known: labels, or of each question a set of answers. Pure.

`Accepted` is stored as JSON: the labels, where voters give one; else by question what its answer type knows
(`AnswerType.known`): `one`, the keys of which any is right, or `set`, the keys that must and those that may be
chosen. Of an ordinal scale several points can be right. Spans and free texts have no known answers: two people who mean
the same mark and word it differently. Where such a question stands beside others, people are judged by those.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.answers import Answer, Question, ShownItem, type_of

Accepted = list[str] | dict[str, Any]
ONE_ANSWER, ANSWER_SET = "one", "set"
MUST, MAY = "must", "may"


def judgeable_questions(asked: Sequence[Question]) -> list[Question]:
    """Of the questions of a card those whose answers can be known."""
    return [question for question in asked if type_of(question).known_answer_form]


def acceptable_choices(question: Question, shown: ShownItem) -> list[tuple[str, str]]:
    """The keys that can be accepted, each with its name; of an item's own options their texts."""
    kind = type_of(question)
    labels = shown.labels(question)
    if labels:
        return [(label.key, label.name) for label in labels]
    return [(label.key, kind.display_text(question, label.key)) for label in kind.choices(question, shown)]


def is_right(accepted: Accepted, label: str, answers: Mapping[str, Answer]) -> bool:
    """Whether a vote counts as right: its label, or its answer to each question that has a known one."""
    if not isinstance(accepted, Mapping):
        return label in accepted
    return all(_is_accepted(known, answers.get(key)) for key, known in accepted.items())


def _is_accepted(known: Any, answer: Answer) -> bool:
    if not isinstance(known, Mapping):
        return answer in known
    chosen = set(answer or ())
    return set(known[MUST]) <= chosen <= {*known[MUST], *known[MAY]}


def clean_accepted(
    accepted: Any, asked: Sequence[Question], labels: Sequence[str], shown: ShownItem
) -> Accepted | None:
    """What was given, in one order and without what accepts anything; None where something cannot be accepted.

    `labels` are those of the item where voters give one label and no more (`asked` is empty).
    """
    if not asked:
        given = set(accepted) if isinstance(accepted, list | tuple) else set()
        return sorted(given) if given and given <= set(labels) else None
    questions = {question.key: question for question in judgeable_questions(asked)}
    if not isinstance(accepted, Mapping) or not set(accepted) <= questions.keys():
        return None
    found: dict[str, Any] = {}
    for key, known in accepted.items():
        keys = [each for each, _ in acceptable_choices(questions[key], shown)]
        one = type_of(questions[key]).known_answer_form == ONE_ANSWER
        said = {ONE_ANSWER: known} if one else known
        if not isinstance(said, Mapping) or not all(
            isinstance(part, list) and set(part) <= set(keys) for part in said.values()
        ):
            return None
        if one and known:
            found[key] = [each for each in keys if each in known]
        elif not one and (said.get(MUST) or questions[key].optional):
            must = [each for each in keys if each in said.get(MUST, ())]
            may = [each for each in keys if each in said.get(MAY, ()) and each not in must]
            found[key] = {MUST: must, MAY: may}
    return found or None


def agreed_answers(asked: Sequence[Question], given: Sequence[Mapping[str, Answer]], least: int = 3) -> Accepted | None:
    """What counts as right where so many people gave the same answer: of each question on which nobody differs that
    answer, on a scale the points beside it as well. None where they agree on nothing that can be known."""
    found: dict[str, Any] = {}
    for question in judgeable_questions(asked):
        answers = [each.get(question.key) for each in given]
        if len(answers) < least or answers[0] is None or any(each != answers[0] for each in answers):
            continue
        kind = type_of(question)
        near = kind.accepted_keys(question, answers[0])
        found[question.key] = near if kind.known_answer_form == ONE_ANSWER else {MUST: near, MAY: []}
    return found or None


def accepted_in_words(
    accepted: Accepted, asked: Sequence[Question], shown: ShownItem
) -> list[tuple[str, list[str], list[str]]]:
    """What is accepted, for people: of each question its words, what is right or must be chosen, and what may be."""
    if not isinstance(accepted, Mapping):
        return [("", list(accepted), [])]
    found = []
    for question in asked:
        known = accepted.get(question.key)
        if known is None:
            continue
        names = dict(acceptable_choices(question, shown))
        must, may = (known[MUST], known[MAY]) if isinstance(known, Mapping) else (known, [])
        found.append((question.text, [names.get(k, k) for k in must], [names.get(k, k) for k in may]))
    return found
