"""Agreement on questions: each by the coefficient that fits how it is answered, and how often it has a gold answer."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotation.answers import Question, type_of
from annotation.answers.agreement import agreement
from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.text.gettext import gettext_noop
from validation.insights.reports.base import Column, Insight, Row, Table, TableRows
from validation.insights.reports.protocols import protocols_of
from validation.insights.reports.reading import PAGE, Reading
from validation.insights.rules.agreement import ONE_LABEL, REASONS
from validation.voting.carried_votes import carried_in
from validation.voting.models.vote import Vote

LEVELS = {
    "nominal": gettext_noop("nominal: equal or not"),
    "ordinal": gettext_noop("ordinal: by the answers between two points"),
    "interval": gettext_noop("interval: by the difference, squared"),
    "masi": gettext_noop("MASI: by what two sets share"),
    "overlap": gettext_noop("overlap: 1 − F1 of the tokens"),
}
TOO_FEW_ANSWERS = gettext_noop("no item was answered by two people")


def questions_of(project: Project) -> tuple[Question, ...]:
    """What voters answer under any of the project's protocols, each once."""
    found: dict[str, Question] = {}
    for protocol in protocols_of(project).values():
        found |= {question.key: question for question in project.kind_spec.question.leaf_questions(protocol.criteria)}
    return tuple(found.values())


def compute(reading: Reading) -> TableRows:
    """One statement a page of votes and of items; what is kept are the answers that differ."""
    asked = questions_of(reading.project)
    answers: dict[str, list[list[Any]]] = {question.key: [] for question in asked}
    for _, votes in groupby(_answers_by_item(reading), key=itemgetter(0)):
        given = [answered for _, answered in votes]
        for key, units in answers.items():
            units.append([each.get(key) for each in given])
    gold = dict.fromkeys(answers, 0)
    items = Item.objects.using(reading.using).filter(project=reading.project, gold_answers__isnull=False)
    rows = reading.counted_rows(items, "stage")
    for found in reading.keeping_lease(rows.values_list("gold_answers", flat=True).iterator(chunk_size=PAGE)):
        for key in gold:
            gold[key] += (found or {}).get(key) is not None
    return {"questions": [_row(question, answers[question.key], gold[question.key]) for question in asked]}


def _answers_by_item(reading: Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    """The item and the answers of every standing vote of an item's present epoch, item by item, as they stand in its
    present text."""
    from django.db.models import F

    votes = Vote.objects.using(reading.using).filter(project=reading.project, withdrawn_at=None)
    rows = reading.counted_rows(votes.filter(epoch=F("item__epoch")), "item__stage")
    found = rows.order_by("item_id", "n").values_list("item_id", "n", "answers")
    carried = carried_in(reading.project, reading.using)
    for item, n, answers in reading.keeping_lease(found.iterator(chunk_size=PAGE)):
        yield item, carried[item, n][1] if (item, n) in carried else answers


def _row(question: Question, units: list[list[Any]], gold: int) -> Row:
    kind = type_of(question)
    found = agreement(kind, question, units)
    return {
        "question": question.text,
        "type": kind.name,
        "level": LEVELS[found.level],
        "alpha": found.alpha,
        "distance": found.distance,
        "items": found.items,
        "answers": found.answers,
        "gold": gold,
        "why": TOO_FEW_ANSWERS if not found.items else REASONS[ONE_LABEL] if found.alpha is None else "",
    }


INSIGHT = Insight(
    slug="questions",
    title=gettext_noop("Agreement on questions"),
    introduction=gettext_noop(
        "Krippendorff's alpha of each question, with the distance that fits its answers: 1 where everybody agrees, 0 "
        "where they agree no more than by chance."
    ),
    tables=(
        Table(
            "questions",
            gettext_noop("Each question by itself"),
            (
                Column("question", gettext_noop("Question")),
                Column("type", gettext_noop("Answered by")),
                Column("level", gettext_noop("Distance")),
                Column("alpha", gettext_noop("Krippendorff's alpha"), "figure"),
                Column(
                    "distance",
                    gettext_noop("Mean distance of two answers"),
                    "figure",
                    gettext_noop("on a scale in points; else from 0, equal, to 1"),
                ),
                Column("items", gettext_noop("Items"), "number"),
                Column("answers", gettext_noop("Answers"), "number"),
                Column("gold", gettext_noop("Gold answers"), "number"),
            ),
        ),
    ),
    compute=compute,
    order=12,
    applies_to=lambda project: bool(questions_of(project)),
    headline=("questions", "alpha"),
)
