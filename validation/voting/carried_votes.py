"""Votes on an earlier revision of an item, read in its present text.

A vote is stored once and never changed: the places that it names belong to the revision that it was given on. Whoever
compares votes, or shows them beside the text, reads them here: places are those where the marked words stand now. A
vote whose words do not stand there once answers nothing; the correction that took them away asks the item anew.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import F

from annotation.answers import PlaceLost, Question, carried_answers, label_of, marks_places, type_of
from annotation.content.models.item import Item, Revision
from annotation.core.models.project import Project
from annotation.jobs.bulk import any_of
from annotation.kinds import Kind
from validation.voting.models.vote import Vote

Content = Mapping[str, Any]
# An item and the number of one of its revisions.
RevisionKey = tuple[int, int]


def contents_of(revisions: Collection[RevisionKey], using: str = "default") -> dict[RevisionKey, dict[str, Any]]:
    """The contents of these revisions, in one statement; none where there are none."""
    if not revisions:
        return {}
    rows = Revision.objects.using(using).filter(item__in=any_of(sorted({item for item, _ in revisions})))
    wanted = rows.filter(n__in=sorted({n for _, n in revisions})).values_list("item_id", "n", "content")
    return {(item, n): content for item, n, content in wanted if (item, n) in revisions}


def answers_now(
    kind: Kind, asked: Sequence[Question], answers: Mapping[str, Any], before: Content, now: Content
) -> dict[str, Any]:
    """Answers to one revision as they stand in another. Raises PlaceLost."""
    return carried_answers(asked, answers, kind.card_view(before), kind.card_view(now))


def without_places(asked: Sequence[Question], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers but those that name places."""
    lost = {question.key for question in asked if type_of(question).marks_places}
    return {name: answer for name, answer in answers.items() if name not in lost}


def carry_votes(
    items: Mapping[int, Item], votes: Iterable[Vote], questions_of: Callable[[Item], Sequence[Question]]
) -> None:
    """Let votes say, in memory, what they say of the present text; no statement where all are on it."""
    behind = [vote for vote in votes if vote.revision_n != items[vote.item_id].revision_n]
    asked = {pk: questions_of(items[pk]) for pk in {vote.item_id for vote in behind}}
    behind = [vote for vote in behind if marks_places(asked[vote.item_id])]
    now = {(vote.item_id, items[vote.item_id].revision_n) for vote in behind}
    contents = contents_of({(vote.item_id, vote.revision_n) for vote in behind} | now)
    for vote in behind:
        item, questions = items[vote.item_id], asked[vote.item_id]
        texts = contents[item.pk, vote.revision_n], contents[item.pk, item.revision_n]
        try:
            vote.answers = answers_now(item.project.kind_spec, questions, vote.answers, *texts)
        except PlaceLost:
            vote.answers = without_places(questions, vote.answers)
        vote.label = label_of(questions, vote.answers)


def carried_in(project: Project, using: str = "default") -> dict[tuple[int, int], tuple[str, dict[str, Any]]]:
    """Label and answers of a project's standing votes on earlier texts, as they stand in the present ones.

    By item and number of the vote; two statements, none where nobody marks places.
    """
    kind = project.kind_spec
    if not kind.asks_for_places:
        return {}
    asked, standing = kind.question.leaf_questions(()), Vote.objects.using(using).filter(withdrawn_at=None)
    behind = standing.filter(project=project, epoch=F("item__epoch")).exclude(revision_n=F("item__revision_n"))
    rows = list(behind.values_list("item_id", "n", "revision_n", "item__revision_n", "answers"))
    contents = contents_of({(item, n) for item, _, *revisions, _ in rows for n in revisions}, using)
    found = {}
    for item, n, seen, present, answers in rows:
        try:
            moved = answers_now(kind, asked, answers, contents[item, seen], contents[item, present])
        except PlaceLost:
            moved = without_places(asked, answers)
        found[item, n] = label_of(asked, moved), moved
    return found
