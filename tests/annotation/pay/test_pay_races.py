"""Approval at the same instant as votes are sent and taken back: each is paid for as often as it stands."""

import threading
from functools import partial

import pytest
from django.db import transaction

from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.pay.actions import pay_approve
from annotation.pay.models import LedgerEntry
from annotation.pay.queries import today
from tests.pay import PaidProject, entries, ledger_breaches, vote
from tests.race import run_at_once
from validation.voting.actions.votes import vote_take_back
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 6


def _standing(person: Annotator) -> dict[str, int]:
    """How many votes count for pay, by the key of their action: 0 where one was taken back."""
    rows = Vote.objects.filter(annotator=person).values_list("pk", "withdrawn_why")
    return {f"vote:{pk}": int(why != Vote.Withdrawn.TAKEN_BACK) for pk, why in rows}


def _paid() -> dict[str, int]:
    """What the entries of each vote in the ledger come to."""
    found: dict[str, int] = {}
    for key, units in LedgerEntry.objects.filter(key__startswith="vote:").values_list("key", "units"):
        found[key] = found.get(key, 0) + units
    return found


def _approved(at: PaidProject) -> dict[str, int]:
    """The ledger when nothing is open any more."""
    pay_approve(project=at.project, end=today(), by=at.by)
    assert all(each.approval_id for each in entries(at.project))
    return _paid()


def test_a_vote_sent_while_it_is_approved_is_paid_once() -> None:
    at = PaidProject()
    approve = partial(pay_approve, project=at.project, end=today(), by=at.by)
    for _ in range(3):
        results = run_at_once([partial(vote, at.ana), partial(vote, at.budi), approve, approve])
        assert [each for each in results if isinstance(each, Exception)] == []
    paid = _approved(at)
    assert paid == _standing(at.ana) | _standing(at.budi)
    assert set(paid.values()) == {1}
    assert ledger_breaches(at.project) == []


def test_a_vote_taken_back_while_it_is_approved_comes_to_nothing() -> None:
    at = PaidProject()
    for _ in range(ROUNDS):
        results = run_at_once(
            [
                partial(vote_take_back, annotator=at.ana),
                partial(pay_approve, project=at.project, end=today(), by=at.by),
            ]
        )
        assert [each for each in results if isinstance(each, Exception)] == []
        vote(at.ana, "n")
    paid, standing = _approved(at), _standing(at.ana)
    assert list(standing.values()).count(0) == ROUNDS
    assert {key: paid.get(key, 0) for key in standing} == standing
    assert set(paid) <= set(standing)
    assert ledger_breaches(at.project) == []


def test_a_vote_stored_before_the_end_and_committed_after_the_approval_waits_for_the_next() -> None:
    """What is open is what has no entry, not what is younger than the last approval."""
    at, voted, approved = PaidProject(), threading.Event(), threading.Event()

    def held() -> None:
        """A vote whose transaction stays open until the approval is done."""
        with transaction.atomic():
            vote(at.budi)
            voted.set()
            assert approved.wait(60)

    def approve() -> None:
        assert voted.wait(60)
        assert pay_approve(project=at.project, end=today(), by=at.by)
        approved.set()

    assert run_at_once([held, approve]) == [None, None]
    mine = Vote.objects.get(annotator=at.budi)
    assert mine.cast_at < LedgerEntry.objects.latest("pk").approval.at
    assert f"vote:{mine.pk}" not in _paid()
    assert _approved(at)[f"vote:{mine.pk}"] == 1


def test_the_same_vote_taken_back_many_times_is_paid_back_once() -> None:
    at = PaidProject()
    pay_approve(project=at.project, end=today(), by=at.by)
    results = run_at_once([partial(vote_take_back, annotator=at.ana)] * 4)
    assert [type(each) for each in results].count(Conflict) == 3
    approve = partial(pay_approve, project=at.project, end=today(), by=at.by)
    run_at_once([approve] * 4)
    assert sorted(_paid().values()) == [0, 1, 1]
    assert LedgerEntry.objects.filter(units=-1).count() == 1
