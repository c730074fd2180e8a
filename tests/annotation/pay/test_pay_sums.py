"""What was approved is never more than what people earned, whatever they do in whatever order."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.db.models import F
from django.utils.timezone import get_default_timezone
from hypothesis import example, given
from hypothesis import settings as looked_for
from hypothesis import strategies as st

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.pay import earnings
from annotation.pay import queries as fetch
from annotation.pay.actions import dispute_answer, dispute_open, entry_reverse, pay_approve
from annotation.pay.models import Adjustment, LedgerEntry, Rate
from annotation.pay.rules import Span
from tests.pay import PaidProject, entries, vote
from tests.shared_worlds import SharedWorlds
from validation.voting.actions.votes import vote_take_back
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def total(found: Sequence[LedgerEntry]) -> Decimal:
    return sum((each.amount for each in found), Decimal(0))


class Walk:
    """One validator and an administrator; each step names what is done, and to which entry or dispute."""

    def __init__(self, at: PaidProject) -> None:
        self.project: Project = at.project
        self.ana: Annotator = at.ana
        self.by: User = at.by
        Rate.objects.update(at=F("at") - timedelta(days=60))
        self.steps: dict[str, Callable[[int], object]] = {
            "vote": lambda n: vote(self.ana),
            "take back": lambda n: vote_take_back(annotator=self.ana),
            "dispute": lambda n: dispute_open(entry=self._entry(n), words="Why?"),
            "reverse": lambda n: entry_reverse(entry=self._entry(n), by=self.by, reason="Copied."),
            "keep": lambda n: self._answer(n, "keep"),
            "answer by reversal": lambda n: self._answer(n, "reverse"),
            "count anew": lambda n: self._answer(n, "again"),
            "approve": lambda n: self._approve(0),
            "approve yesterday": lambda n: self._approve(1),
            "night": lambda n: self._night(),
        }

    @property
    def entries(self) -> list[LedgerEntry]:
        return entries(self.project, self.ana)

    def _entry(self, n: int) -> LedgerEntry:
        rows = self.entries
        if not rows:
            raise Conflict(code="nothing_there")
        return rows[-1 - n % len(rows)]

    def _answer(self, n: int, outcome: str) -> None:
        asked = Adjustment.objects.filter(annotator=self.ana, answered_at=None).order_by("-pk")
        if asked:
            dispute = asked[n % len(asked)]
            dispute_answer(dispute=dispute, by=self.by, answer="So.", outcome=outcome, units=1 + n)

    def _night(self) -> None:
        """Everything that was done, was done a day before."""
        Vote.objects.filter(annotator=self.ana).update(cast_at=F("cast_at") - timedelta(days=1))

    def _approve(self, days_ago: int) -> None:
        end = fetch.today() - timedelta(days=days_ago)
        pay_approve(project=self.project, end=end, by=self.by)
        assert not self._open(end)

    def _open(self, end: date) -> list[LedgerEntry]:
        until = Span(end, end).moments(get_default_timezone())[1]
        scope = earnings.Scope.of_project(self.project, [self.ana.pk])
        return list(earnings.entries(scope, earnings.approvable_until(until)))

    def step(self, name: str, n: int) -> None:
        before = {each.pk: each.amount for each in LedgerEntry.objects.all()}
        try:
            with transaction.atomic():
                self.steps[name](n)
        except (Conflict, Invalid):
            pass  # refused: nothing was written
        after = {each.pk: each.amount for each in LedgerEntry.objects.all()}
        assert before.items() <= after.items()
        self.check()

    def check(self) -> None:
        """What is approved and what can be approved now is at most what stands; nothing is paid for what does not."""
        found = self.entries
        due: dict[str, int] = {}
        for each in found:
            due[each.key] = due.get(each.key, 0) + each.units
        votes = Vote.objects.filter(annotator=self.ana)
        for pk, why in votes.values_list("pk", "withdrawn_why"):
            said = Adjustment.objects.filter(key=f"vote:{pk}", units__isnull=False)
            counts = said.order_by("-answered_at", "-pk").values_list("units", flat=True).first()
            wanted = 0 if why == Vote.Withdrawn.TAKEN_BACK else 1 if counts is None else counts
            assert due.pop(f"vote:{pk}", 0) == wanted
        assert due == {}
        approved = total([each for each in found if each.approval_id])
        assert approved + total(self._open(fetch.today())) <= total(found)


ATTACK = [("vote", 0)]
for _ in range(3):
    ATTACK += [("take back", 0), ("dispute", 0), ("vote", 0)]
ATTACK += [("approve", 0)]


def attacked_after_approval() -> list[tuple[str, int]]:
    """What was approved is disputed, and then taken back: that must not wait for the answer."""
    return [("vote", 0), ("approve", 0), ("dispute", 0), ("take back", 0), ("approve", 0)]


def test_what_is_approved_and_open_is_what_stands(standing: SharedWorlds) -> None:
    at = standing(PaidProject)
    names = st.sampled_from(sorted(Walk(at).steps))

    @looked_for(max_examples=60)
    @example(ATTACK)
    @example(attacked_after_approval())
    @given(st.lists(st.tuples(names, st.integers(0, 5)), max_size=25))
    def walk(steps: list[tuple[str, int]]) -> None:
        with transaction.atomic():
            walker = Walk(at)
            for name, n in steps:
                walker.step(name, n)
            transaction.set_rollback(True)

    walk()


def test_what_is_taken_back_the_next_day_is_never_paid_for_the_day_before(standing: SharedWorlds) -> None:
    """Finished before midnight and taken back after it: approved with nothing, and not deducted later."""
    at = standing(PaidProject)
    Rate.objects.update(at=F("at") - timedelta(days=2))
    Vote.objects.filter(annotator=at.ana).update(cast_at=F("cast_at") - timedelta(days=1))
    entry_reverse(entry=at.entry(at.ana), by=at.by, reason="Copied.")
    for _ in range(2):
        pay_approve(project=at.project, end=fetch.today() - timedelta(days=1), by=at.by)
    assert sorted(LedgerEntry.objects.filter(annotator=at.ana).values_list("units", flat=True)) == [0, 1, 1]
