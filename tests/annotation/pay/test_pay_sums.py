"""What was approved is never more than what the ledger says, whatever people do in whatever order."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.utils.timezone import get_default_timezone
from hypothesis import example, given
from hypothesis import settings as looked_for
from hypothesis import strategies as st

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.pay import queries as fetch
from annotation.pay.actions import dispute_answer, dispute_open, entry_reverse, period_approve, waiting
from annotation.pay.models import ApprovedEntry, Dispute, LedgerEntry
from annotation.pay.rules import Span
from tests.pay import At, browser, vote
from tests.standing import Standing
from validation.voting.actions.votes import vote_take_back

pytestmark = pytest.mark.django_db


def total(entries: QuerySet[LedgerEntry]) -> Decimal:
    return entries.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)


class Walk:
    """One validator and an administrator; each step names what is done, and to which entry or dispute."""

    def __init__(self, at: At) -> None:
        self.project: Project = at.project
        self.ana: Annotator = at.ana
        self.by: User = at.by
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
            "night": lambda n: self.entries.update(at=F("at") - timedelta(days=1)),
        }

    @property
    def entries(self) -> QuerySet[LedgerEntry]:
        return LedgerEntry.objects.filter(annotator=self.ana)

    def _entry(self, n: int) -> LedgerEntry:
        rows = self.entries.order_by("-pk")
        return rows[n % len(rows)]

    def _answer(self, n: int, outcome: str) -> None:
        asked = Dispute.objects.filter(entry__annotator=self.ana, answered_at=None).order_by("-pk")
        if asked:
            dispute = asked[n % len(asked)]
            dispute_answer(dispute=dispute, by=self.by, answer="So.", outcome=outcome, units=1 + n)

    def _approve(self, days_ago: int) -> None:
        end = fetch.today() - timedelta(days=days_ago)
        period_approve(project=self.project, end=end, by=self.by)
        until = Span(end, end).moments(get_default_timezone())[1]
        earlier = self.entries.filter(at__lt=until)
        assert total(earlier.filter(approved__isnull=False)) <= total(earlier)

    def step(self, name: str, n: int) -> None:
        try:
            with transaction.atomic():
                self.steps[name](n)
        except (Conflict, Invalid):
            pass  # refused: nothing was written
        self.check()

    def check(self) -> None:
        """What is approved with all that could be approved now is the ledger without what is in dispute."""
        until = Span(fetch.today(), fetch.today()).moments(get_default_timezone())[1]
        approved = total(self.entries.filter(approved__isnull=False))
        wait = total(waiting(self.project, until).filter(annotator=self.ana))
        assert approved + wait <= total(self.entries)
        assert total(self.entries) >= 0


ATTACK = [("vote", 0)]
for _ in range(3):
    ATTACK += [("take back", 0), ("dispute", 0), ("vote", 0)]
ATTACK += [("approve", 0)]


def attacked_after_approval() -> list[tuple[str, int]]:
    """An entry was approved, is disputed, and then taken back: the reversal must not wait for the answer."""
    return [("vote", 0), ("approve", 0), ("dispute", 0), ("take back", 0), ("approve", 0)]


def test_the_approved_sum_never_exceeds_the_ledgers(standing: Standing) -> None:
    at = standing(At)
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


def test_a_reversal_is_not_disputed_and_its_page_says_where_to(standing: Standing) -> None:
    at = standing(At)
    vote_take_back(annotator=at.ana)
    reversal = LedgerEntry.objects.get(annotator=at.ana, reverses__isnull=False)
    with pytest.raises(Invalid) as refused:
        dispute_open(entry=reversal, words="Why?")
    assert refused.value.code == "reversal_disputed"
    client, page = browser(at.ana), f"/me/pay/{reversal.token}/"
    assert client.post(page, {"words": "Why?"}).status_code == 422
    assert not Dispute.objects.exists()
    answer = client.get(page)
    assert answer.status_code == 200
    assert str(reversal.reverses.token) in answer.text  # type: ignore[union-attr]
    assert "<textarea" not in answer.text
    assert str(reversal.token) not in client.get("/me/pay/").text


def test_a_reversal_disputed_before_that_was_refused_is_approved_all_the_same(standing: Standing) -> None:
    """Disputes that older versions let people open stay answerable, and hold nothing back."""
    at = standing(At)
    vote_take_back(annotator=at.ana)
    reversal = LedgerEntry.objects.get(annotator=at.ana, reverses__isnull=False)
    dispute = Dispute.objects.create(entry=reversal, words="Why?")
    period_approve(project=at.project, end=fetch.today(), by=at.by, people=[at.ana])
    assert ApprovedEntry.objects.filter(entry=reversal).exists()
    dispute_answer(dispute=dispute, by=at.by, answer="So.")


def test_an_entry_waits_for_the_day_of_its_reversal(standing: Standing) -> None:
    """Finished before midnight and taken back after it: never paid for the day before, to be deducted later."""
    at = standing(At)
    entry = at.entry(at.ana)
    LedgerEntry.objects.filter(pk=entry.pk).update(at=entry.at - timedelta(days=1))
    entry_reverse(entry=entry, by=at.by, reason="Copied.")
    yesterday = fetch.today() - timedelta(days=1)
    assert period_approve(project=at.project, end=yesterday, by=at.by, people=[at.ana]) == []
    (period,) = period_approve(project=at.project, end=fetch.today(), by=at.by, people=[at.ana])
    assert period.totals == {"USD": "0.61"}
