"""People who were shown the right answers of items are never asked to vote on them."""

from django.db.models import QuerySet

from annotation.content.models.item import Item
from annotation.core.database import locked
from annotation.core.models.member import Annotator
from annotation.jobs.bulk import any_of
from validation.voting.actions.exclusions import bar_assignment, bar_people
from validation.voting.models.assignment import Assignment

ENDED_STATES = (Assignment.State.DONE, Assignment.State.EXPIRED)


def bar_from(person: Annotator, items: "QuerySet[Item]") -> None:
    """Bar somebody from these items, also should they be opened again; what they hold open ends.

    The items are locked first: nobody is given one of them meanwhile.
    """
    there = list(locked(items.order_by("pk")))
    held = Assignment.objects.filter(annotator=person, item__in=any_of([item.pk for item in there]))
    for assignment in held.filter(state=Assignment.State.OPEN):
        bar_assignment(assignment)
    held.filter(state__in=ENDED_STATES).update(state=Assignment.State.BARRED)
    bar_people((item, person.pk) for item in there)
