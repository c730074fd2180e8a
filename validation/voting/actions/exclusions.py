"""Barring: who took part in making or reviewing a prompt is never offered one of its family (domain.md §2, §6).

Barred seats keep these people out of the queue. They are laid when prompts are opened, and again for whoever the
queue or a vote finds to have taken part since: both look for themselves, so that it holds whatever came first.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F, Q

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Lane
from annotation.jobs.database import locked
from validation.consensus.stages import VOTING
from validation.voting.contributors import partakers
from validation.voting.models.assignment import Seat


def bar_family(*, annotator: Annotator, family: int, lane: Lane) -> None:
    """Never offer this person a prompt of the family again; a seat that they hold is free for somebody else.

    What they voted before they took part stands. Locks each item before its seat.
    """
    with transaction.atomic():
        there = Item.objects.filter(project=lane.project_id, family=family).order_by("pk")
        held = {seat.item_id: seat for seat in Seat.objects.filter(item__in=there, annotator=annotator)}
        missing = []
        for item in there:
            seat = held.get(item.pk)
            if seat is None:
                missing.append((item, annotator.pk))
            elif seat.state == Seat.State.OPEN:
                stand_up(seat)
        bar(missing)
        again = Q(state=Seat.State.EXPIRED) | Q(state=Seat.State.DONE, epoch__lt=F("item__epoch"))
        rows = Seat.objects.filter(again, item__in=there, annotator=annotator).values_list("pk", flat=True)
        Seat.objects.filter(pk__in=list(rows)).update(state=Seat.State.BARRED)


def stand_up(seat: Seat) -> None:
    """Bar an open seat; its slot goes back to the item."""
    item = locked(Item.objects.filter(pk=seat.item_id)).get()
    if not Seat.objects.filter(pk=seat.pk, state=Seat.State.OPEN).update(state=Seat.State.BARRED):
        return
    if item.stage == VOTING and item.epoch == seat.epoch:
        Item.objects.filter(pk=item.pk).update(slots_free=F("slots_free") + 1)


def bar_partakers(*, items: Iterable[Item]) -> None:
    """Before prompts are offered: bar everybody who took part in their families. Two statements a project."""
    of_project: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        of_project[item.project_id].append(item)
    for project, there in of_project.items():
        people: dict[int, list[int]] = defaultdict(list)
        for family, who in partakers(project, {item.family for item in there}):
            people[family].append(who)
        bar((item, who) for item in there for who in people[item.family])


def bar(places: Iterable[tuple[Item, int]]) -> None:
    """Lay barred seats where these people have none; nobody has a seat at their own."""
    seats = [
        Seat(
            project_id=item.project_id,
            lane_id=item.lane_id,
            item=item,
            annotator_id=who,
            author_id=item.author_id,
            epoch=item.epoch,
            round=max(item.round, 1),
            revision_n=item.revision_n,
            state=Seat.State.BARRED,
            token=secrets.token_urlsafe(18),
        )
        for item, who in places
        if item.author_id != who
    ]
    Seat.objects.bulk_create(seats, ignore_conflicts=True)
