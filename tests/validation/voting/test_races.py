"""What happens at the same instant, on PostgreSQL: nothing is counted twice, lost, or handed out beyond its quota."""

import os
import subprocess
import sys
import threading
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest
from django.db import connections, transaction

from annotation.content.models.item import Item
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from tests import factory
from tests.race import run_at_once, waiting_for_locks
from tests.wait import wait_until
from validation import integrity
from validation.voting.actions.assignments import assignment_claim, assignments_expire
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast, vote_take_back
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Verdict, Vote

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 500
PAST = "2020-01-01T00:00:00Z"


def opened(project: Project, sets: int) -> None:
    factory.written_pairs(project, factory.member(project, "writer"), sets)
    while decide_due():
        pass


def only_one(project: Project) -> Item:
    keep = Item.objects.filter(project=project).order_by("pk")[0]
    Item.objects.filter(project=project).exclude(pk=keep.pk).update(slots_free=0, pending=0)
    return keep


def claim(person: Annotator) -> Assignment | None:
    return assignment_claim(annotator=person, target=person.project.targets.get(), spacing=0)


def cast(person: Annotator, token: str, label: str = "e") -> bool:
    """Whether the ballot was stored now (False: it had been stored before)."""
    assert person.user_id is not None
    done = vote_cast(user_id=person.user_id, slug=person.project.slug, token=token, ballot=Ballot(label))
    return not done.is_replay


@pytest.mark.timeout(900)  # two minutes and more where four others are at work on two cores
def test_two_deciding_votes_at_once_500_times() -> None:
    """F21: two validators send the deciding votes together, two deciders run; no item stays undecided."""
    project = factory.project()
    opened(project, ROUNDS // 6 + 1)
    people = [factory.member(project, "validator") for _ in range(2)]
    barrier = threading.Barrier(2)
    errors: list[Exception] = []

    def validator(person: Annotator) -> None:
        try:
            for _ in range(ROUNDS):
                # One after the other, so that both sit at the same item.
                if person is people[1]:
                    barrier.wait(60)
                assignment = claim(person)
                assert assignment is not None
                if person is people[0]:
                    barrier.wait(60)
                barrier.wait(60)
                cast(person, assignment.token)
                decide_due()
                barrier.wait(60)
        except Exception as error:
            errors.append(error)
            barrier.abort()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=validator, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()  # each round has its barrier, which gives up after a minute
    assert errors == []
    decide_due()
    assert Vote.objects.filter(project=project).count() == 2 * ROUNDS
    voted = Item.objects.filter(project=project, votes_n=2)
    assert voted.count() == ROUNDS
    assert not Item.objects.filter(project=project, due_at__isnull=False).exists()
    told: dict[int, list[str]] = defaultdict(list)
    for pk, event in Verdict.objects.filter(item__in=voted).order_by("version").values_list("item_id", "event"):
        told[pk].append(event)
    for item in voted:
        assert told[item.pk] == (["open", "settle"] if item.author_label == "e" else ["open", "ask"])
        assert (item.pending, item.slots_free) == ((0, 0) if item.stage == "settled" else (1, 1))


def test_the_same_ballot_many_times_at_once_is_one_vote() -> None:
    """F23: a double click, two tabs, a browser that sends again."""
    project = factory.project()
    opened(project, 1)
    person = factory.member(project, "validator")
    assignment = claim(person)
    assert assignment is not None
    results = run_at_once([partial(cast, person, assignment.token)] * 8)
    assert sorted(results) == [False] * 7 + [True]
    assert Vote.objects.filter(annotator=person).count() == 1


def test_different_ballots_at_once_store_one_and_refuse_the_rest() -> None:
    project = factory.project()
    opened(project, 1)
    person = factory.member(project, "validator")
    assignment = claim(person)
    assert assignment is not None
    results = run_at_once([partial(cast, person, assignment.token, label) for label in "enc"])
    assert [type(result) for result in results].count(Conflict) == 2
    assert Vote.objects.filter(annotator=person).count() == 1


def test_fifty_ask_for_the_last_slot() -> None:
    """F22: one gets it, the others get nothing."""
    project = factory.project()
    opened(project, 1)
    item = only_one(project)
    Item.objects.filter(pk=item.pk).update(slots_free=1, pending=1)
    people = [factory.member(project, "validator") for _ in range(50)]
    results = run_at_once([partial(claim, person) for person in people])
    assert [result for result in results if isinstance(result, Exception)] == []
    assert len([result for result in results if result is not None]) == 1
    item.refresh_from_db()
    assert (item.slots_free, item.pending) == (0, 1)


def test_the_only_item_is_waited_for_where_it_is_held_for_a_moment() -> None:
    """Nobody is told that there is nothing for them while the last item is being decided or corrected."""
    project = factory.project()
    opened(project, 1)
    item = only_one(project)
    person = factory.member(project, "validator")
    found: list[Assignment | None] = []

    def ask() -> None:
        found.append(claim(person))
        connections.close_all()

    asking = threading.Thread(target=ask)
    with transaction.atomic():
        Item.objects.select_for_update().get(pk=item.pk)
        asking.start()
        wait_until(lambda: waiting_for_locks() or not asking.is_alive(), what="a look that waits")
        assert found == []
    asking.join(60)
    assert [assignment.item_id for assignment in found if assignment] == [item.pk]


def test_one_person_in_many_tabs_holds_one_assignment() -> None:
    """A60: no stock of open assignments, however many requests ask at once."""
    project = factory.project()
    opened(project, 2)
    person = factory.member(project, "validator")
    results = run_at_once([partial(claim, person)] * 8)
    assert {result.token for result in results if isinstance(result, Assignment)} == {
        Assignment.objects.get(annotator=person, state="open").token
    }
    assert not [result for result in results if isinstance(result, Exception)]
    taken = Item.objects.filter(project=project, slots_free=1).count()
    assert taken == 1


def test_the_reaper_and_the_ballot_at_once() -> None:
    """F24, F25: an ended assignment is accepted once or refused, never both, and the slots stay right."""
    project = factory.project()
    opened(project, 2)
    for _ in range(6):
        person = factory.member(project, "validator")
        assignment = claim(person)
        assert assignment is not None
        Assignment.objects.filter(pk=assignment.pk).update(until=PAST)
        run_at_once([partial(cast, person, assignment.token), assignments_expire])
        item = Item.objects.get(pk=assignment.item_id)
        standing = Vote.objects.filter(item=item, withdrawn_at=None).count()
        held = Assignment.objects.filter(item=item, state="open").count()
        assert item.pending == 2 - standing
        assert item.slots_free == item.pending - held


def test_taking_back_and_deciding_at_once() -> None:
    project = factory.project()
    opened(project, 1)
    item = only_one(project)
    people = [factory.member(project, "validator") for _ in range(2)]
    for person in people:
        assignment = claim(person)
        assert assignment is not None
        cast(person, assignment.token, item.author_label)
    run_at_once([partial(vote_take_back, annotator=people[0]), decide_due, decide_due])
    decide_due()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.pending, item.slots_free) == ("voting", "", 1, 0)
    assert Vote.objects.filter(item=item, withdrawn_at=None).count() == 1


def test_a_vote_is_stored_where_another_tab_holds_the_next_item() -> None:
    """A late vote asks for the next item while one is open: the vote stands, and no slot is lost."""
    project = factory.project(settings={"spacing": 0})
    opened(project, 1)
    person = factory.member(project, "validator")
    late = claim(person)
    assert late is not None
    Assignment.objects.filter(pk=late.pk).update(until=PAST)
    assignments_expire()
    held = claim(person)
    assert held is not None
    assert held.item_id != late.item_id
    free = dict(Item.objects.values_list("pk", "slots_free"))
    assert person.user_id is not None
    done = vote_cast(user_id=person.user_id, slug=project.slug, token=late.token, ballot=Ballot("e"), go_on=True)
    assert done.next_assignment is None
    assert done.vote.item_id == late.item_id
    assert dict(Item.objects.values_list("pk", "slots_free")) == free | {late.item_id: free[late.item_id] - 1}
    assert Assignment.objects.get(annotator=person, state=Assignment.State.OPEN).pk == held.pk


KILLED = """
import os, sys, django
django.setup()
from django.db import transaction
from validation.voting import wake
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.votes import vote_cast
if sys.argv[1] == "after":
    wake.wake_worker = lambda: os._exit(9)
else:
    from validation.voting import sql
    make = sql.vote_insert
    sql.vote_insert = lambda *args, **values: (make(*args, **values), os._exit(9))[0]
vote_cast(user_id=int(sys.argv[2]), slug=sys.argv[3], token=sys.argv[4], ballot=Ballot("e"))
"""


@pytest.mark.parametrize(("when", "stored"), [("after", 1), ("before", 0)])
def test_killed_around_the_commit(when: str, stored: int, process_env: dict[str, str]) -> None:
    """F06, F07: killed after the commit the vote stands and a retry is a replay; before it, there is nothing."""
    project = factory.project()
    opened(project, 1)
    item = only_one(project)
    Item.objects.filter(pk=item.pk).update(slots_free=1, pending=1)
    person = factory.member(project, "validator")
    assignment = claim(person)
    assert assignment is not None
    code = subprocess.run(
        [sys.executable, "-c", KILLED, when, str(person.user_id), project.slug, assignment.token],
        env={**os.environ, **process_env},
        cwd=Path(__file__).parents[3],
        check=False,
    ).returncode
    assert code == 9
    assert Vote.objects.filter(item=item).count() == stored
    assert cast(person, assignment.token) == (not stored)
    assert Vote.objects.filter(item=item).count() == 1
    item.refresh_from_db()
    assert (item.pending, item.votes_n) == (0, 1)
    decide_due()
    item.refresh_from_db()
    assert item.due_at is None


@pytest.mark.parametrize("labels", ["en", "ne"])
def test_a_round_opened_again_takes_the_answer_of_whoever_sits_at_the_next(labels: str) -> None:
    """Whichever comes first, the take-back of round 1 or the vote of round 2: every answer is stored and counts."""
    project = factory.project()
    opened(project, 1)
    item = only_one(project)
    first, second, third = (factory.member(project, "validator") for _ in range(3))
    for person, label in zip((first, second), labels, strict=True):
        held = claim(person)
        assert held is not None
        cast(person, held.token, label)
        decide_due()
    held = claim(third)
    assert held is not None
    item.refresh_from_db()
    assert (item.round, held.round) == (2, 2)
    found = run_at_once([partial(cast, third, held.token, "e"), partial(vote_take_back, annotator=second)])
    assert found[0] is True
    decide_due()
    again = Assignment.objects.get(item=item, annotator=second)
    if again.state == "open":
        assert cast(second, again.token, "e")
        decide_due()
    item.refresh_from_db()
    assert (item.stage, item.gold) == ("settled", "e")
    # The others were taken out of the queue by hand.
    assert [each for each in integrity.run(project=project) if each.subject == item.key] == []
