"""Ten thousand finishes, each sent twice at the same instant, approved meanwhile: each is paid once."""

import threading
import time
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connections

from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.pay.actions import pay_approve
from annotation.pay.models import LedgerEntry
from annotation.pay.queries import today
from annotation.pay.rules import ITEM
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.pay import a_rate, an_administrator, cast_ballot, ledger_breaches, recount_earnings, sums_in_ledger
from tests.race import run_at_once
from validation.consensus.protocol import Protocol
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote


def finishes(votes_wanted: int, people_n: int) -> tuple[int, float]:
    """So many sets and votes, each sent twice at the same instant; how many were finished, in how many seconds.

    Two threads a person: one takes the assignment, then both send the same ballot. The sets are handed in twice too.
    """
    protocol = Protocol("test", rounds=(people_n,), quorum=people_n, author="none")
    project = factory.project(protocol=protocol)
    a_rate(project, "write", "6.0001")
    a_rate(project, "vote", "137.5", currency="IDR", unit=ITEM)
    # One set more than that: the last slots of a queue may be held by others for a moment, and then somebody stops.
    sets = -(-votes_wanted // (6 * people_n)) + 1
    writer, slots = factory.member(project, "writer"), factory.full_set(project)
    factory.premises(project, sets)
    target = project.targets.get()
    allocations_assign(target=target, writers=[writer], size=sets)
    tokens = list(Allocation.objects.order_by("pk").values_list("token", flat=True))
    begun = time.perf_counter()
    parts = [tokens[number::4] for number in range(4)]
    submit = [partial(_submit, writer, part, slots) for part in parts]
    assert run_at_once([*submit, *submit]) == [None] * 8
    while decide_due():
        pass
    people = [factory.member(project, "validator") for _ in range(people_n)]
    errors: list[Exception] = []
    threads = [thread for person in people for thread in _pair(person, target, errors)]
    over = threading.Event()
    approving = threading.Thread(target=_approve, args=(project, over, errors))
    approving.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(1700)
    over.set()
    approving.join()
    took = time.perf_counter() - begun
    assert errors == []
    assert sums_in_ledger(project) == recount_earnings(project)
    done = Vote.objects.filter(project=project).count() + len(tokens)
    assert LedgerEntry.objects.count() == LedgerEntry.objects.filter(n=1).count() == done
    assert ledger_breaches(project) == []
    assert Vote.objects.filter(project=project).count() >= votes_wanted
    return done, took


def _approve(project: Project, over: threading.Event, errors: list[Exception]) -> None:
    """Approve again and again, and once more when everything is done."""
    try:
        by, last = an_administrator(), False
        while not last:
            last = over.is_set()
            pay_approve(project=project, end=today(), by=by)
    except Exception as error:
        errors.append(error)
    finally:
        connections.close_all()


def _submit(writer: Annotator, tokens: list[str], slots: object) -> None:
    for token in tokens:
        set_submit(writer=writer, token=token, slots=slots)  # type: ignore[arg-type]


def _pair(person: Annotator, target: object, errors: list[Exception]) -> list[threading.Thread]:
    """Two browsers of one person: each ballot is sent by both at the same instant."""
    barrier, assignment = threading.Barrier(2), [""]

    def run(first: bool) -> None:
        try:
            while True:
                if first:
                    taken = assignment_claim(annotator=person, target=target, spacing=0)  # type: ignore[arg-type]
                    assignment[0] = taken.token if taken else ""
                barrier.wait(120)
                if not assignment[0]:
                    return
                cast_ballot(person, assignment[0])
                barrier.wait(120)
        except Exception as error:
            errors.append(error)
            barrier.abort()
        finally:
            connections.close_all()

    runs: list[Callable[[], None]] = [partial(run, True), partial(run, False)]
    return [threading.Thread(target=one) for one in runs]


@pytest.mark.django_db(transaction=True)
def test_hundreds_of_concurrent_finishes_are_paid_once() -> None:
    done, _ = finishes(480, 4)
    assert done >= 480 + 21


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_ten_thousand_concurrent_finishes_are_paid_once() -> None:
    done, took = finishes(10_000, 8)
    assert done >= 10_000
    print(f"\n{done} finishes, each sent twice at once, in {took:.0f} s: {done / took:.0f} a second")
