"""Projects that pay, for tests: rates, what people earned, and who administers it."""

from collections import Counter
from decimal import Decimal

from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.pay import earnings
from annotation.pay.actions import rate_set
from annotation.pay.models import Approval, LedgerEntry, Rate
from annotation.pay.rules import ITEM, ONE_VOTE, SENTENCE, SET
from tests import factory
from validation import integrity
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.vote import Vote

UNITS = {"write": SET, "correct": ITEM, "vote": ONE_VOTE, "assess": ITEM}


def a_rate(
    of: Project,
    action: str = "vote",
    amount: str = "0.30",
    *,
    unit: str = "",
    currency: str = "USD",
    target: Target | None = None,
    by: User | None = None,
) -> Rate:
    """A rate from now on."""
    return rate_set(
        project=of,
        action=action,
        unit=unit or UNITS[action],
        amount=Decimal(amount),
        currency=currency,
        target=target,
        by=by,
    )


def set_rates(of: Project, *, by: User | None = None) -> None:
    """What LoraxBench pays by source sentence, and something for the rest."""
    a_rate(of, "write", "0.8", unit=SENTENCE, by=by)
    a_rate(of, "correct", "0.25", by=by)
    a_rate(of, "vote", "0.3", unit=SENTENCE, by=by)


def entries(of: Project, *people: Annotator) -> list[LedgerEntry]:
    """Every entry of a project or of some people in it, approved and open, in their order."""
    return list(earnings.entries(earnings.Scope.of_project(of, [each.pk for each in people] or None)))


def ledger_rows(of: Project, *people: Annotator) -> list[tuple[str, str, int, Decimal, str]]:
    """The same as action, unit, units, amount, currency."""
    return [
        (each.rate.action, each.rate.unit, each.units, each.amount, each.rate.currency) for each in entries(of, *people)
    ]


def add_approved_entry(rate: Rate, item: Item, person: Annotator, units: int) -> LedgerEntry:
    """An entry that was approved for a vote, as if there had been one."""
    vote = Vote.objects.create(
        project=rate.project,
        item=item,
        annotator=person,
        n=1,
        epoch=1,
        round=1,
        revision_n=1,
        label="",
        unsure=False,
        ambiguous=False,
    )
    approval = Approval.objects.create(project=rate.project, end="2026-01-31", by=an_administrator())
    return LedgerEntry.objects.create(
        approval=approval,
        annotator=person,
        target_id=item.target_id,
        item=item,
        rate=rate,
        key=f"vote:{vote.pk}",
        n=1,
        at=vote.cast_at,
        units=units,
        amount=units * rate.amount,
    )


def an_administrator() -> User:
    return factory.user(administrator=True)


def recount_earnings(project: Project) -> dict[str, Decimal]:
    """What every action of a project earned by its rates, counted here: one rate an action, by vote, item or set."""
    sums: Counter[str] = Counter()
    for rate in project.rates.all():
        if rate.action == "vote":
            done = Vote.objects.filter(project=project, imported=False).exclude(withdrawn_why="taken_back").count()
        else:
            done = Allocation.objects.filter(project=project, state="submitted").count()
        sums[rate.currency] += rate.amount * done  # type: ignore[assignment]
    return dict(sums)  # type: ignore[arg-type]


def sums_in_ledger(project: Project) -> dict[str, Decimal]:
    """What the entries of a project sum to, by currency."""
    sums: Counter[str] = Counter()
    for *_, amount, currency in ledger_rows(project):
        sums[currency] += amount  # type: ignore[assignment]
    return dict(sums)  # type: ignore[arg-type]


def ledger_breaches(project: Project, *, repair: bool = False) -> list[tuple[str, str, bool]]:
    """What check_integrity finds in the ledger: invariant, subject, and whether it was repaired."""
    found = integrity.run(project=project, repair=repair)
    return [(each.invariant, each.subject, each.repaired) for each in found if each.invariant[0] == "P"]


def cast_ballot(person: Annotator, token: str, label: str = "e") -> bool:
    """Whether the ballot was stored now (False: it had been stored before)."""
    assert person.user_id is not None
    done = vote_cast(user_id=person.user_id, slug=person.project.slug, token=token, ballot=Ballot(label))
    return not done.is_replay


class PaidProject:
    """A project that pays in two currencies: a writer, two validators who voted, a lead, an administrator."""

    def __init__(self) -> None:
        self.by = an_administrator()
        self.project = factory.project()
        a_rate(self.project, "write", "12500", currency="IDR", by=self.by)
        a_rate(self.project, "vote", "0.305", by=self.by)
        self.writer, self.lead = factory.member(self.project, "writer"), factory.member(self.project, "lead")
        factory.written_pairs(self.project, self.writer, 2)
        while decide_due():
            pass
        self.ana, self.budi = (factory.member(self.project, "validator") for _ in range(2))
        for _ in range(3):
            vote(self.ana)

    def entry(self, person: Annotator) -> LedgerEntry:
        return entries(self.project, person)[0]

    def url(self, name: str, *args: object) -> str:
        return reverse(name, args=[self.project.slug, *args])


def vote(person: Annotator, label: str = "e") -> None:
    """One vote on whatever the queue gives."""
    assignment = assignment_claim(annotator=person, target=person.project.targets.get(), spacing=0)
    assert assignment is not None
    assert person.user_id is not None
    vote_cast(user_id=person.user_id, slug=person.project.slug, token=assignment.token, ballot=Ballot(label))


def browser_of(person: Annotator | User) -> Client:
    """A browser in which they are signed in."""
    client = Client()
    user = person.user if isinstance(person, Annotator) else person
    assert user is not None
    client.force_login(user)
    return client
