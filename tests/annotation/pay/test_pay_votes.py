"""What corrections, votes and ratings earn, what check_integrity finds in the ledger, and what happens at once."""

import csv
from collections import Counter
from decimal import Decimal
from functools import partial
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.errors import Conflict
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.problems import PROBLEMS
from annotation.pay.actions import dispute_answer, dispute_open, entry_reverse, pay_approve
from annotation.pay.models import Adjustment, Approval, LedgerEntry
from annotation.pay.queries import today
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.pay import (
    PaidProject,
    a_rate,
    an_administrator,
    browser_of,
    cast_ballot,
    entries,
    ledger_breaches,
    ledger_rows,
    set_rates,
    vote,
)
from tests.questions import a_question, a_question_project
from tests.race import run_at_once
from tests.review import cast_votes, give_back, resubmit, world
from tests.wait import wait_until
from validation.consensus.protocol import Protocol
from validation.people.actions import APPROVE, WAIVE, account_delete
from validation.people.queries import personal_data_of
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast, vote_take_back
from validation.voting.models.vote import Vote

# --- corrections and ratings ------------------------------------------------------------


@pytest.mark.django_db
def test_a_correction_is_paid_when_the_text_was_changed() -> None:
    at = world()
    a_rate(at.project, "correct", "0.25")
    at.project.refresh_from_db()
    item = give_back(at, cast_votes(at, at.item(), "enc"))
    resubmit(at, item)
    assert ledger_rows(at.project) == [("correct", "item", 1, Decimal("0.25"), "USD")]
    assert entries(at.project)[0].annotator == at.writer
    unchanged = Item.objects.get(pk=item.pk)
    unchanged = give_back(at, unchanged)
    resubmit(at, unchanged, words="It is right.")
    assert len(ledger_rows(at.project)) == 1
    assert ledger_breaches(at.project) == []


@pytest.mark.django_db
def test_pay_goes_along_with_ones_data() -> None:
    project = factory.project()
    a_rate(project, "write", "6.0001")
    writer = factory.member(project, "writer")
    factory.written_pairs(project, writer)
    dispute_open(entry=entries(project)[0], words="Why?")
    assert writer.user is not None
    (told,) = personal_data_of(writer.user)["projects"][0]["pay"]
    assert (told["amount"], told["currency"], told["disputes"][0]["words"]) == ("6.0001", "USD", "Why?")


@pytest.mark.django_db
def test_an_account_that_goes_leaves_its_pay_and_the_ledger_says_so() -> None:
    """Nothing is deleted before somebody says what becomes of their pay; then it can be approved, its row marked."""
    at = PaidProject()
    browser, admin, gone = browser_of(at.ana), browser_of(at.by), '<span class="tag tag--warn">account deleted</span>'
    assert "0.92\u00a0USD" in browser.get(reverse("my_record")).text  # three votes, not approved
    refused = browser.post(reverse("my_deletion"), {"password": factory.PASSWORD})
    assert refused.status_code == 409
    assert PROBLEMS["account_unpaid"] in refused.text
    assert User.objects.get(memberships=at.ana).deleted_at is None
    assert browser.post(reverse("my_deletion"), {"password": factory.PASSWORD, "pay": APPROVE}).status_code == 302
    assert admin.get(at.url("pay")).text.count(gone) == 2  # what waits, and what was done
    assert pay_approve(project=at.project, end=today(), by=at.by, people=[at.ana])
    assert LedgerEntry.objects.filter(annotator=at.ana, amount=Decimal("0.305")).count() == 3
    page = admin.get(at.url("pay"), {"person": at.ana.pseudonym}).text
    assert page.count(gone) == 3  # the approved period, what was done, the heading of the entries
    for table, n in (("ledger", 3), ("periods", 1)):
        lines = list(csv.DictReader(StringIO(admin.get(at.url("pay_csv", table)).getvalue().decode("utf-8-sig"))))
        told = [(line["person"], line["account"]) for line in lines]
        assert told.count((at.ana.pseudonym, "deleted")) == n
        assert all(account == "" for person, account in told if person != at.ana.pseudonym)


@pytest.mark.django_db
def test_pay_that_is_waived_earns_nothing_any_more() -> None:
    at = PaidProject()
    assert at.ana.user is not None
    assert pay_approve(project=at.project, end=today(), by=at.by, people=[at.ana])
    vote(at.ana)
    (open_entry,) = (entry for entry in entries(at.project, at.ana) if entry.approval_id is None)
    dispute_open(entry=open_entry, words="It was two.")
    account_delete(user=at.ana.user, password=factory.PASSWORD, pay=WAIVE)
    assert [entry.amount for entry in entries(at.project, at.ana) if entry.approval_id is None] == [0]
    assert not Adjustment.objects.filter(answered_at=None).exists()
    assert pay_approve(project=at.project, end=today(), by=at.by, people=[at.ana])
    assert sum(entry.amount for entry in LedgerEntry.objects.filter(annotator=at.ana)) == Decimal("0.915")
    assert Event.objects.get(verb="pay_waived").data == {"annotator": at.ana.pseudonym}


@pytest.mark.django_db
def test_an_account_that_goes_locks_projects_before_items() -> None:
    """As whoever removes a member does: otherwise the two could wait for each other."""
    at = PaidProject()
    assert at.ana.user is not None
    assert assignment_claim(annotator=at.ana, target=at.project.targets.get(), spacing=0)
    with CaptureQueriesContext(connection) as done:
        account_delete(user=at.ana.user, password=factory.PASSWORD, pay=WAIVE)
    locking = [query["sql"] for query in done.captured_queries if "FOR NO KEY UPDATE" in query["sql"]]
    tables = [sql.split(' FROM "')[1].split('"')[0] for sql in locking]
    assert tables.index("annotation_project") < tables.index("annotation_item")
    assert "annotation_project" not in tables[tables.index("annotation_item") :]


# --- what is found broken --------------------------------------------------------------


def work(project: Project) -> Annotator:
    """Sets, votes, one of them taken back, before and after the first rate."""
    writer = factory.member(project, "writer")
    factory.written_pairs(project, writer)
    set_rates(project)
    factory.written_pairs(project, writer, 2)
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
def test_what_was_before_the_first_rate_earns_nothing() -> None:
    project = factory.project()
    work(project)
    assert Counter(each.rate.action for each in entries(project)) == {"write": 2, "vote": 3}


@pytest.mark.django_db
def test_entries_that_do_not_add_up_are_seen_and_not_touched() -> None:
    project = factory.project()
    work(project)
    assert pay_approve(project=project, end=today(), by=an_administrator())
    assert ledger_breaches(project) == []
    wrong, gone = LedgerEntry.objects.order_by("pk")[:2]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotation_ledgerentry SET amount = amount + 0.01 WHERE id = %s", [wrong.pk])
        cursor.execute("UPDATE annotation_ledgerentry SET n = 3 WHERE id = %s", [gone.pk])
    found = [("P1", f"{wrong.key} #1", False), ("P2", gone.key, False)]
    assert ledger_breaches(project) == ledger_breaches(project, repair=True) == ledger_breaches(project) == found
    said = StringIO()
    with pytest.raises(SystemExit):
        call_command("check_integrity", project.slug, stdout=said)
    assert "P1" in said.getvalue()


@pytest.mark.django_db
def test_imported_votes_earn_nothing() -> None:
    project = a_question_project()
    set_rates(project)
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
    assert [action for action, *_ in ledger_rows(project)] == ["write"]
    assert ledger_breaches(project) == []


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
    assert all(len(made) == 6 for made in run_at_once([submit] * 8))
    assert len(ledger_rows(project)) == 1
    while decide_due():
        pass
    person = factory.member(project, "validator")
    assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
    assert assignment is not None
    assert sorted(run_at_once([partial(cast_ballot, person, assignment.token)] * 8)) == [False] * 7 + [True]
    assert [action for action, *_ in ledger_rows(project)] == ["write", "vote"]


@pytest.mark.django_db(transaction=True)
def test_two_administrators_approve_once_while_people_go_on() -> None:
    """Every set is in one approval or waits for the next."""
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

    def approve() -> None:
        for _ in range(4):
            pay_approve(project=project, end=today(), by=by)

    results = run_at_once([partial(submit, allocations[:12]), partial(submit, allocations[12:]), approve, approve])
    assert [each for each in results if isinstance(each, Exception)] == []
    run_at_once([approve, approve])
    assert sorted(LedgerEntry.objects.values_list("key", "n")) == sorted((f"set:{each.pk}", 1) for each in allocations)
    assert sum(each.amount for each in entries(project)) == 36
    assert all(approval.entries.exists() for approval in Approval.objects.all())


@pytest.mark.django_db(transaction=True)
def test_one_of_many_reversals_stands() -> None:
    project, by = factory.project(), an_administrator()
    a_rate(project, "write", "6")
    factory.written_pairs(project, factory.member(project, "writer"))
    (entry,) = entries(project)
    dispute = dispute_open(entry=entry, words="Two.")
    back = partial(entry_reverse, entry=entry, by=by, reason="Copied.")
    again = partial(dispute_answer, dispute=dispute, by=by, answer="Two.", outcome="reverse")
    results = run_at_once([back, again] * 4)
    assert [type(result) for result in results].count(Conflict) == 7
    assert [each.units for each in entries(project)] == [0]


@pytest.mark.django_db(transaction=True)
def test_a_rate_changed_while_people_vote_pays_each_vote_by_one_of_the_two() -> None:
    project = factory.project(protocol=Protocol("test", rounds=(8,), quorum=8, author="none"))
    a_rate(project, "vote", "1")
    factory.written_pairs(project, factory.member(project, "writer"))
    while decide_due():
        pass
    people = [factory.member(project, "validator") for _ in range(4)]

    def vote(person: Annotator) -> None:
        """All six of them: what another holds for a moment is asked for again."""

        def voted_on_all() -> bool:
            assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
            if assignment is not None:
                cast_ballot(person, assignment.token)
            return Vote.objects.filter(annotator=person).count() == 6

        wait_until(voted_on_all)

    def change() -> None:
        for amount in ("2", "3", "4"):
            a_rate(project, "vote", amount)

    assert run_at_once([*(partial(vote, person) for person in people), change]) == [None] * 5
    rates = list(project.rates.order_by("-pk"))
    at = {f"vote:{vote.pk}": vote.cast_at for vote in Vote.objects.all()}
    assert len(at) == 24
    assert {each.key: each.rate for each in entries(project)} == {
        key: next(rate for rate in rates if rate.at <= moment) for key, moment in at.items()
    }
