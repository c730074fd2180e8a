"""Barring: who took part in making or reviewing a prompt is never offered one of its family (domain.md §2, §6).

Barred assignments keep these people out of the queue. They are laid when prompts are opened, and again for whoever the
queue or a vote finds to have taken part since: both look for themselves, so that it holds whatever came first.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, When
from django.db.models.functions import Now

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.core.models.member import Annotator
from annotation.core.models.project import Target
from annotation.jobs.bulk import any_of
from validation.consensus.stages import VOTING
from validation.voting.contributors import contributors_of
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote


def bar_family(*, annotator: Annotator, family: int, target: Target) -> None:
    """Never offer this person a prompt of the family again; an assignment that they hold is free for somebody else.

    What they voted before they took part stands. Locks each item before its assignment.
    """
    with transaction.atomic():
        there = Item.objects.filter(project=target.project_id, family=family).order_by("pk")
        held = {
            assignment.item_id: assignment
            for assignment in Assignment.objects.filter(item__in=there, annotator=annotator)
        }
        missing = []
        for item in there:
            assignment = held.get(item.pk)
            if assignment is None:
                missing.append((item, annotator.pk))
            elif assignment.state == Assignment.State.OPEN:
                bar_assignment(assignment)
        bar_people(missing)
        again = Q(state=Assignment.State.EXPIRED) | Q(state=Assignment.State.DONE, epoch__lt=F("item__epoch"))
        rows = Assignment.objects.filter(again, item__in=there, annotator=annotator).values_list("pk", flat=True)
        Assignment.objects.filter(pk__in=list(rows)).update(state=Assignment.State.BARRED)


def bar_for_good(items: Sequence[Item], annotator: Annotator) -> None:
    """Never offer these items to this person, unless they hold one; what they voted on them stands."""
    ended = Assignment.objects.filter(item__in=[item.pk for item in items], annotator=annotator)
    ended.exclude(state=Assignment.State.OPEN).update(state=Assignment.State.BARRED)
    bar_people((item, annotator.pk) for item in items)


def bar_assignment(assignment: Assignment) -> None:
    """Bar an open assignment; its slot goes back to the item."""
    item = locked(Item.objects.filter(pk=assignment.item_id)).get()
    if not Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.OPEN).update(
        state=Assignment.State.BARRED
    ):
        return
    if item.stage == VOTING and item.epoch == assignment.epoch:
        free_slot(item.pk)


def bar_contributors(*, items: Iterable[Item]) -> None:
    """Before prompts are offered: bar everybody who took part in their families. Two statements a project."""
    of_project: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        of_project[item.project_id].append(item)
    for project, there in of_project.items():
        people: dict[int, list[int]] = defaultdict(list)
        for family, who in contributors_of(project, {item.family for item in there}):
            people[family].append(who)
        bar_people((item, who) for item in there for who in people[item.family])


def free_slot(item_id: int) -> None:
    """Give back the slot of an assignment that ended. Where votes were withdrawn more may be held than is asked for, so
    that the item is looked at again."""
    withdrawn = Vote.objects.filter(item=OuterRef("pk"), epoch=OuterRef("epoch"), withdrawn_at__isnull=False)
    withdrawn = withdrawn.filter(item__project__kept_for=None)
    due = Case(When(Exists(withdrawn), then=Now()), default=F("due_at"))
    Item.objects.filter(pk=item_id).update(slots_free=F("slots_free") + 1, due_at=due)


def bar_people(places: Iterable[tuple[Item, int]]) -> None:
    """Lay barred assignments where these people have none; nobody has an assignment at their own."""
    assignments = [
        Assignment(
            project_id=item.project_id,
            target_id=item.target_id,
            item=item,
            annotator_id=who,
            author_id=item.author_id,
            epoch=item.epoch,
            round=max(item.round, 1),
            revision_n=item.revision_n,
            state=Assignment.State.BARRED,
            token=secrets.token_urlsafe(18),
        )
        for item, who in places
        if item.author_id != who
    ]
    Assignment.objects.bulk_create(assignments, ignore_conflicts=True)


def close_gold_copies(items: Iterable[int]) -> None:
    """Before items are voted on that are asked as gold questions, or were: the copies are asked of nobody any more,
    and whoever was shown one is never offered the item. One statement where there are none. Copies are locked in the
    order of their keys."""
    copies = Item.objects.filter(gold_question__of_item__in=any_of(list(items))).order_by("pk")
    if not (pks := list(locked(copies).values_list("pk", flat=True))):
        return
    Item.objects.filter(pk__in=pks).update(slots_free=0)
    shown = Assignment.objects.filter(item__in=pks).exclude(state=Assignment.State.BARRED)
    sources = Item.objects.in_bulk(shown.values_list("item__gold_question__of_item", flat=True))
    bar_people((sources[pk], who) for pk, who in shown.values_list("item__gold_question__of_item", "annotator"))
