"""Who goes through tags sees gold: dealt evenly, only what is settled, and nobody votes on what is theirs."""

import threading
from collections import Counter

import pytest
from django.db import connections, transaction

from annotation.content.models.item import Item
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.jobs.database import after
from tests import factory, review
from tests.alive import watched
from tests.baselines import a_gold_project, a_set
from tests.race import waiting_for_locks
from tests.wait import wait_until
from validation.studies.actions import diagnostic
from validation.studies.actions.diagnostic import diagnostic_confirm, diagnostic_deal
from validation.studies.models import DiagnosticSet
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db


def dealt(made: DiagnosticSet, *experts: Annotator) -> int:
    return diagnostic_deal(
        project=made.project,
        n=made.n,
        experts=[each.pk for each in experts],
        by=factory.user(administrator=True),
    )


def settled() -> tuple[review.World, Item, DiagnosticSet]:
    """A pair that votes settled on, in a set whose only expert is the last of the validators."""
    at = review.world()
    item = review.votes(at, at.item(), "ee")
    return at, item, a_set(at.project, [at.validators[5]])


def opened_again(item: Item, person: Annotator) -> Assignment:
    """The item is before voters again, and this person is one of them."""
    Item.objects.filter(pk=item.pk).update(
        stage="voting", gold="", gold_from="", epoch=2, pending=2, slots_free=2
    )
    item.refresh_from_db()
    return review.assign(item, person)


def test_an_item_that_is_not_settled_any_more_is_not_dealt() -> None:
    at, item, made = settled()
    voter = at.validators[4]
    assignment = opened_again(item, voter)
    assert dealt(made, voter) == 0
    assert made.rows.get().expert == at.validators[5]
    assert review.cast(assignment, "n").epoch == 2
    Item.objects.filter(pk=item.pk).update(
        stage="settled", gold="n", gold_from="votes", pending=0, slots_free=0
    )
    assert dealt(made, voter) == 0
    assert made.rows.get().expert == voter


def test_an_expert_stands_up_from_an_open_assignment() -> None:
    at, item, made = settled()
    voter, other = at.validators[4], at.validators[3]
    for person in (voter, other):
        Assignment.objects.create(
            project=at.project,
            target=item.target,
            item=item,
            annotator=person,
            author=item.author,
            state=Assignment.State.OPEN,
            token=f"open-{person.pk}",
            until=after(1800),
        )
    dealt(made, voter)
    assert made.rows.get().expert == voter
    states = {assignment.annotator_id: assignment for assignment in Assignment.objects.filter(item=item)}
    assert states[voter.pk].state == Assignment.State.BARRED
    assert states[other.pk].state == Assignment.State.OPEN
    item.refresh_from_db()
    assert (item.slots_free, item.pending) == (0, 0)
    Item.objects.filter(pk=item.pk).update(stage="voting", gold="", gold_from="", pending=2, slots_free=1)
    with pytest.raises(Conflict):
        review.cast(states[voter.pk], "n")
    assert review.cast(states[other.pk], "n").label == "n"


@pytest.mark.django_db(transaction=True)
def test_an_item_that_is_opened_while_it_is_dealt_is_not_dealt() -> None:
    at, item, made = settled()
    voter = at.validators[4]
    came: list[int] = []

    def deal() -> None:
        try:
            came.append(dealt(made, voter))
        finally:
            connections.close_all()

    dealing = threading.Thread(target=deal)
    with transaction.atomic():
        Item.objects.select_for_update().get(pk=item.pk)
        dealing.start()
        wait_until(lambda: waiting_for_locks() or not dealing.is_alive(), what="a deal that waits")
        assert came == []
        assignment = opened_again(item, voter)
    dealing.join(60)
    assert came == [0]
    assert made.rows.get().expert == at.validators[5]
    assert review.cast(assignment, "n").epoch == 2


def test_what_experts_have_done_counts_when_the_rest_is_dealt() -> None:
    project = a_gold_project("gold")
    people = [factory.member(project, "validator") for _ in range(3)]
    made = a_set(project, people[:2])
    assert [made.rows.filter(expert=each).count() for each in people] == [12, 12, 0]
    for expert, done in zip(people, (5, 1, 0), strict=True):
        for row in made.rows.filter(expert=expert).order_by("position")[:done]:
            diagnostic_confirm(expert=expert, token=row.token, tags=["NUM"])
            diagnostic_confirm(expert=expert, token=row.token, tags=["CS"])
    assert dealt(made, *people) == 0
    assert Counter(made.rows.values_list("expert", flat=True)) == {each.pk: 8 for each in people}


def test_where_everything_is_done_nothing_is_dealt() -> None:
    at, _, made = settled()
    diagnostic_confirm(expert=at.validators[5], token=made.rows.get().token, tags=["NUM"])
    assert dealt(made, at.validators[4]) == 0
    assert made.rows.get().expert == at.validators[5]


def test_an_expert_for_whom_there_is_nothing_is_none_the_less_one() -> None:
    at, _, made = settled()
    assert dealt(made, at.validators[3], at.validators[4]) == 0
    assert made.rows.get().expert in at.validators[3:5]


def test_no_more_rows_are_held_than_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    project = a_gold_project("gold")
    held = watched(diagnostic.Candidate)
    monkeypatch.setattr(diagnostic, "Candidate", held)
    made = a_set(project, [factory.member(project, "validator")], size=3)
    assert made.rows.count() == 3
    assert 3 <= held.most <= 3 + 2
