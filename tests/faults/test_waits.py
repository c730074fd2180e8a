"""Locks, time-outs, wrong clocks and backlogs: a refusal that passes is 503, and the database's clock counts."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest
import time_machine
from django.db import connection
from django.test import Client

from annotation.content.models.item import Item
from annotation.core.database import now
from annotation.core.models.member import Annotator
from annotation.jobs import queue as jobs
from config.settings import databases
from tests import factory
from tests.conftest import database_url
from tests.race import run_at_once, waiting_for_locks
from tests.wait import wait_until
from validation.voting import tasks
from validation.voting.actions import decide
from validation.voting.actions.assignments import assignment_claim, assignments_expire
from validation.voting.actions.decide import decide_due
from validation.voting.actions.verdicts import decision_of
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Verdict, Vote

pytestmark = pytest.mark.django_db(transaction=True)


def sat_down() -> tuple[Annotator, Assignment]:
    """A validator at a card."""
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 1)
    decide_due()
    person = factory.member(project, "validator")
    assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
    assert assignment is not None
    return person, assignment


def signed_in(person: Annotator) -> Client:
    """Their browser; the faults of Django become answers."""
    assert person.user is not None
    client = Client(raise_request_exception=False)
    client.force_login(person.user)
    return client


def send(person: Annotator, assignment: Assignment, browser: Client | None = None) -> int:
    """One vote over the whole of Django."""
    client = browser or signed_in(person)
    return client.post(f"/p/{person.project.slug}/vote/{assignment.token}/", {"label": "e"}).status_code


@pytest.fixture
def other() -> Iterator[psycopg.Connection]:
    """Somebody else at the same database."""
    with psycopg.connect(database_url()) as connected:
        yield connected


third = other


@pytest.fixture
def impatient() -> Iterator[None]:
    """This process waits for no lock, and finds a deadlock at once."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
    yield
    connection.close()


def test_a_row_that_stays_locked_is_503(other: psycopg.Connection, impatient: None) -> None:
    """F16: nothing is stored, the answer says try again, and trying again works."""
    person, assignment = sat_down()
    other.execute("SELECT 1 FROM annotation_item WHERE id = %s FOR UPDATE", [assignment.item_id])
    assert send(person, assignment) == 503
    assert Vote.objects.count() == 0
    other.rollback()
    assert send(person, assignment) == 302
    assert Vote.objects.count() == 1


def waiting(count: int) -> None:
    """Wait until so many wait for a lock."""
    wait_until(lambda: waiting_for_locks() == count, what=f"{count} to wait")


def test_a_deadlock_is_503(other: psycopg.Connection, third: psycopg.Connection) -> None:
    """F16: opposite order of locks; the vote is the one that gives way, whole.

    The database looks for a deadlock once, when a wait has lasted so long: so the other one waits for the item already
    when the vote, which is before it in the queue there, comes to wait for the assignment.
    """
    person, assignment = sat_down()
    other.execute("SET deadlock_timeout = '60s'")
    other.execute("UPDATE validation_assignment SET reason = '' WHERE id = %s", [assignment.pk])
    third.execute("SELECT 1 FROM annotation_item WHERE id = %s FOR UPDATE", [assignment.item_id])

    def opposite() -> None:
        waiting(1)
        other.execute("UPDATE annotation_item SET version = version WHERE id = %s", [assignment.item_id])

    def let_both_in() -> None:
        waiting(2)
        third.rollback()

    status, *done = run_at_once([partial(send, person, assignment), opposite, let_both_in])
    other.rollback()
    assert (status, done) == (503, [None, None])
    assert Vote.objects.count() == 0
    assert Assignment.objects.get(pk=assignment.pk).state == "open"
    assert send(person, assignment) == 302


def test_a_statement_that_takes_too_long_is_503(other: psycopg.Connection, impatient: None) -> None:
    """F17: only that request; the connection goes on."""
    person, assignment = sat_down()
    browser = signed_in(person)
    other.execute("SELECT 1 FROM annotation_item WHERE id = %s FOR UPDATE", [assignment.item_id])
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SET statement_timeout = '300ms'")
    held = connection.connection
    assert send(person, assignment, browser) == 503
    other.rollback()
    with connection.cursor() as cursor:
        # On a busy machine any statement may take as long; none is meant here.
        cursor.execute("SET statement_timeout = 0")
    assert connection.connection is held
    assert send(person, assignment, browser) == 302


def test_web_processes_wait_for_so_long_and_jobs_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    url = database_url()
    assert databases.database(url)["OPTIONS"]["options"] == "-c jit=off"
    monkeypatch.setenv("STATEMENT_SECONDS", "30")
    monkeypatch.setenv("LOCK_SECONDS", "5")
    with psycopg.connect(url, options=databases.database(url)["OPTIONS"]["options"]) as limited:
        assert limited.execute("SHOW statement_timeout").fetchone() == ("30s",)
        assert limited.execute("SHOW lock_timeout").fetchone() == ("5s",)


@pytest.mark.parametrize(
    "moment",
    [
        timedelta(minutes=10),
        timedelta(minutes=-10),
        datetime(2028, 2, 29, 23, 59, 59, tzinfo=ZoneInfo("UTC")),
        datetime(2026, 10, 25, 2, 59, 59, tzinfo=ZoneInfo("Europe/Berlin")),
    ],
    ids=["ahead", "behind", "leap-day", "summer-time-ends"],
)
def test_a_machine_whose_clock_is_wrong(moment: timedelta | datetime) -> None:
    """F26: assignments, leases, due times and moments come from the database's clock, votes count by their number."""
    started = now()
    wrong = moment if isinstance(moment, datetime) else started + moment
    with time_machine.travel(wrong, tick=True):
        person, assignment = sat_down()
        other = factory.member(person.project, "validator")
        assert Assignment.objects.filter(pk=assignment.pk, until__lt=started + timedelta(minutes=31)).exists()
        assert not assignments_expire()
        assert send(person, assignment) == 302
        second = assignment_claim(annotator=other, target=assignment.target, spacing=0)
        assert second is not None
        assert second.item_id == assignment.item_id
        assert send(other, second) == 302
        tasks.sweep()
        job = jobs.enqueue(kind="unheard-of", project=None, by=None, args={})
        claimed = jobs.claim(job.pk)
        assert claimed is not None
        assert claimed.lease_until is not None
        assert jobs.claim(job.pk) is None, "the lease holds"
    item = Item.objects.get(pk=assignment.item_id)
    assert item.due_at is None
    assert Verdict.objects.filter(item=item).count() == 2
    later = now()
    votes = list(Vote.objects.filter(item=item).order_by("n"))
    assert [vote.n for vote in votes] == [1, 2]
    for vote in votes:
        assert started <= vote.cast_at <= later
        assert vote.seconds is not None
        assert vote.seconds < 120
    assert claimed.lease_until < later + timedelta(seconds=jobs.LEASE_SECONDS)


def test_two_sweeps_at_once_decide_a_backlog_once() -> None:
    """F27: beat twice, and rings beside it: every item gets its verdict once."""
    project = factory.project()
    items = factory.written_pairs(project, factory.member(project, "writer"), 20)
    assert run_at_once([partial(tasks.sweep)] * 3 + [partial(tasks.decide_due)] * 3) == [None] * 6
    assert set(Item.objects.values_list("stage", "due_at", "pending", "slots_free")) == {("voting", None, 2, 2)}
    assert Verdict.objects.count() == len(items)


def test_an_item_that_cannot_be_decided_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """F03: one item on which the engine fails is put off and logged; the rest of its batch is decided."""
    project = factory.project()
    items = factory.written_pairs(project, factory.member(project, "writer"), 3)
    tasks.decide_due()
    Item.objects.filter(project=project).update(due_at=now())
    right, poison = decision_of, items[0].pk

    def wrong(item: Item, votes: list[Vote]) -> Any:
        if item.pk == poison:
            raise LookupError("a label that no kind knows")
        return right(item, votes)

    monkeypatch.setattr(decide, "decision_of", wrong)
    tasks.decide_due()
    assert list(Item.objects.filter(due_at__isnull=False).values_list("pk", flat=True)) == [poison]
    assert not Item.objects.filter(due_at__lte=now()).exists()
    monkeypatch.undo()
    Item.objects.filter(pk=poison).update(due_at=now())
    tasks.decide_due()
    assert not Item.objects.exclude(stage="voting", due_at=None).exists()
