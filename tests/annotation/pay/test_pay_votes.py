"""Corrections, votes and ratings in the ledger, its recount from what was done, and what happens at once."""

from collections import Counter
from decimal import Decimal
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.pay.actions import dispute_open, entry_again, entry_reverse, period_approve
from annotation.pay.models import ApprovedEntry, LedgerEntry, PayPeriod
from annotation.pay.queries import today
from annotation.pay.rules import SENTENCE
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.pay import a_rate, an_administrator, broken, cast, in_ledger, ledger, rates
from tests.questions import a_question, a_question_project
from tests.race import together
from tests.ratings import a_rated_world, save, waiting_of
from tests.review import give_back, resubmit, votes, world
from tests.wait import wait_until
from validation.consensus.protocol import Protocol
from validation.people.actions import account_delete
from validation.people.queries import everything
from validation.studies.actions.ratings import rating_back
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast, vote_take_back
from validation.voting.models.vote import Vote


def forget(project: Project) -> None:
    """As if the ledger had never been written: by SQL, because no code does it."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM annotation_ledgerentry WHERE project_id = %s", [project.pk])


# --- corrections and ratings ------------------------------------------------------------


@pytest.mark.django_db
def test_a_correction_is_paid_when_the_text_was_changed() -> None:
    at = world()
    a_rate(at.project, "correct", "0.25")
    at.project.refresh_from_db()
    item = give_back(at, votes(at, at.item(), "enc"))
    resubmit(at, item)
    assert ledger(at.project) == [("correct", "item", 1, Decimal("0.25"), "USD")]
    assert LedgerEntry.objects.get().annotator == at.writer
    unchanged = Item.objects.get(pk=item.pk)
    unchanged = give_back(at, unchanged)
    resubmit(at, unchanged)
    assert len(ledger(at.project)) == 1
    assert broken(at.project) == []


@pytest.mark.django_db
def test_a_rating_is_paid_once_and_again_after_it_was_taken_back(tmp_path: Path) -> None:
    at = a_rated_world()
    a_rate(at.project, "rate", "0.125")
    at.open(tmp_path)
    person = at.raters[0]
    token = waiting_of(person)[0].token
    save(person, token)
    save(person, token)
    assert ledger(at.project) == [("rate", "item", 1, Decimal("0.125"), "USD")]
    back = rating_back(annotator=person)
    assert sum(amount for *_, amount, _ in ledger(at.project)) == 0
    assert broken(at.project) == []
    save(person, back.token)
    assert [amount for *_, amount, _ in ledger(at.project)] == [
        Decimal("0.125"),
        Decimal("-0.125"),
        Decimal("0.125"),
    ]
    assert broken(at.project) == []


@pytest.mark.django_db
def test_pay_goes_along_with_ones_data() -> None:
    project = factory.project()
    a_rate(project, "write", "6.0001")
    writer = factory.member(project, "writer")
    factory.written(project, writer)
    dispute_open(entry=LedgerEntry.objects.get(), words="Why?")
    assert writer.user is not None
    (told,) = everything(writer.user)["projects"][0]["pay"]
    assert (told["amount"], told["currency"], told["disputes"][0]["words"]) == ("6.0001", "USD", "Why?")


@pytest.mark.django_db
def test_an_account_that_goes_leaves_its_pay() -> None:
    project = factory.project()
    a_rate(project, "write", "6")
    writer = factory.member(project, "writer")
    factory.written(project, writer)
    assert writer.user is not None
    account_delete(user=writer.user, password=factory.PASSWORD)
    assert LedgerEntry.objects.get(annotator__pseudonym=writer.pseudonym).amount == 6
    (period,) = period_approve(project=project, end=today(), by=an_administrator())
    assert period.totals == {"USD": "6.00"}


# --- the recount ------------------------------------------------------------------------


def work(project: Project) -> Annotator:
    """Sets, votes, one of them taken back, before and after the first rate."""
    writer = factory.member(project, "writer")
    factory.written(project, writer)
    rates(project)
    factory.written(project, writer, 2)
    while decide_due():
        pass
    person = factory.member(project, "validator")
    for _ in range(4):
        assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
        assert assignment is not None
        assert person.user_id is not None
        vote_cast(user_id=person.user_id, slug=project.slug, token=assignment.token, ballot=Ballot("e"))
    vote_take_back(annotator=person)
    return person


@pytest.mark.django_db
def test_what_is_missing_is_posted_and_what_was_before_the_first_rate_is_not() -> None:
    project = factory.project()
    work(project)
    assert broken(project) == []
    before = Counter(ledger(project))
    assert before.total() == 2 + 4 + 1
    forget(project)
    found = broken(project)
    assert [(invariant, corrected) for invariant, _, corrected in found] == [("P1", False)] * 5
    assert {subject.partition(":")[0] for _, subject, _ in found} == {"set", "vote"}
    assert [corrected for *_, corrected in broken(project, repair=True)] == [True] * 5
    assert broken(project) == []
    back = ("vote", "sentence", 1, Decimal("0.3"), "USD")
    assert Counter(ledger(project)) == before - Counter([back, (*back[:3], -back[3], back[4])])


@pytest.mark.django_db
def test_a_repair_posts_at_the_rate_of_its_time() -> None:
    project = factory.project()
    work(project)
    sums = in_ledger(project)
    a_rate(project, "write", "99", unit=SENTENCE)
    a_rate(project, "vote", "0", unit=SENTENCE)
    forget(project)
    broken(project, repair=True)
    assert in_ledger(project) == sums


@pytest.mark.django_db
def test_an_entry_whose_action_is_gone_and_an_amount_that_is_not_its_units_are_seen() -> None:
    project = factory.project()
    work(project)
    entry = LedgerEntry.objects.filter(action="vote").order_by("pk")[0]
    Vote.objects.filter(pk=entry.key.partition(":")[2]).update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_why="taken_back", withdrawn_version=9
    )
    other = LedgerEntry.objects.filter(action="write").order_by("pk")[0]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_ledgerentry SET amount = amount + 0.01 WHERE id = %s", [other.pk])
    assert {(invariant, subject) for invariant, subject, _ in broken(project)} == {
        ("P1", entry.key),
        ("P2", other.key),
    }
    broken(project, repair=True)
    assert [invariant for invariant, *_ in broken(project)] == ["P2"]
    assert entry.reversed_by.amount == -entry.amount


@pytest.mark.django_db
def test_the_command_tells_and_repairs() -> None:
    project = factory.project()
    work(project)
    forget(project)
    said = StringIO()
    with pytest.raises(SystemExit):
        call_command("check_integrity", project.slug, stdout=said)
    assert "P1" in said.getvalue()
    call_command("check_integrity", project.slug, repair=True, stdout=said)
    call_command("check_integrity", project.slug, stdout=said)


@pytest.mark.django_db
def test_imported_votes_earn_nothing() -> None:
    project = a_question_project()
    rates(project)
    item = a_question(project, factory.member(project, "writer"))
    person = factory.member(project, "validator")
    Vote.objects.create(
        project=project,
        item=item,
        annotator=person,
        n=1,
        epoch=1,
        round=1,
        revision_n=1,
        label="A",
        imported=True,
    )
    assert [action for action, *_ in ledger(project)] == ["write"]
    assert broken(project) == []


# --- at the same instant ----------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_same_set_and_the_same_vote_many_times_at_once_are_paid_once() -> None:
    project = factory.project()
    a_rate(project, "write", "6")
    a_rate(project, "vote", "0.3")
    writer = factory.member(project, "writer")
    factory.premises(project, 1)
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    allocation = Allocation.objects.get()
    submit = partial(set_submit, writer=writer, token=allocation.token, slots=factory.full_set(project))
    assert all(len(made) == 6 for made in together([submit] * 8))
    assert len(ledger(project)) == 1
    while decide_due():
        pass
    person = factory.member(project, "validator")
    assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
    assert assignment is not None
    assert sorted(together([partial(cast, person, assignment.token)] * 8)) == [False] * 7 + [True]
    assert [action for action, *_ in ledger(project)] == ["write", "vote"]


@pytest.mark.django_db(transaction=True)
def test_two_administrators_approve_once_while_people_go_on() -> None:
    """Every entry is in one period or waits, and what the periods say is the sum of what they hold."""
    project = factory.project()
    a_rate(project, "write", "1.5")
    writer, by = factory.member(project, "writer"), an_administrator()
    factory.premises(project, 24)
    allocations_assign(target=project.targets.get(), writers=[writer], size=24)
    allocations = list(Allocation.objects.order_by("pk"))
    slots = factory.full_set(project)

    def submit(part: list[Allocation]) -> None:
        for allocation in part:
            set_submit(writer=writer, token=allocation.token, slots=slots)

    def approve() -> int:
        return sum(len(period_approve(project=project, end=today(), by=by)) for _ in range(4))

    results = together(
        [partial(submit, allocations[:12]), partial(submit, allocations[12:]), approve, approve]
    )
    assert [each for each in results if isinstance(each, Exception)] == []
    assert LedgerEntry.objects.count() == 24
    for period in PayPeriod.objects.all():
        held = sum(period.entries.values_list("entry__amount", flat=True), Decimal(0))
        assert period.totals == {"USD": f"{held:.2f}"}
    waiting = LedgerEntry.objects.filter(approved=None).count()
    assert ApprovedEntry.objects.count() + waiting == 24
    together([approve, approve])
    assert ApprovedEntry.objects.count() == 24
    assert sum(Decimal(period.totals["USD"]) for period in PayPeriod.objects.all()) == 36


@pytest.mark.django_db(transaction=True)
def test_one_of_many_reversals_stands() -> None:
    project, by = factory.project(), an_administrator()
    a_rate(project, "write", "6")
    factory.written(project, factory.member(project, "writer"))
    entry = LedgerEntry.objects.get()
    back = partial(entry_reverse, entry=entry, by=by, reason="Copied.")
    again = partial(entry_again, entry=entry, units=2, by=by, reason="Two.")
    results = together([back, again] * 4)
    assert [type(result) for result in results].count(Conflict) == 7
    assert sum(amount for *_, amount, _ in ledger(project)) in (0, 12)


@pytest.mark.django_db(transaction=True)
def test_a_rate_changed_while_people_vote_pays_each_vote_by_one_of_the_two() -> None:
    project = factory.project(protocol=Protocol("test", rounds=(8,), quorum=8, author="none"))
    a_rate(project, "vote", "1")
    factory.written(project, factory.member(project, "writer"))
    while decide_due():
        pass
    people = [factory.member(project, "validator") for _ in range(4)]

    def vote(person: Annotator) -> None:
        """All six of them: what another holds for a moment is asked for again."""

        def voted_on_all() -> bool:
            assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
            if assignment is not None:
                cast(person, assignment.token)
            return Vote.objects.filter(annotator=person).count() == 6

        wait_until(voted_on_all)

    def change() -> None:
        for amount in ("2", "3", "4"):
            a_rate(project, "vote", amount)

    assert together([*(partial(vote, person) for person in people), change]) == [None] * 5
    assert LedgerEntry.objects.count() == Vote.objects.count() == 24
    assert broken(project) == []
