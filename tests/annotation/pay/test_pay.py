"""Pay: each finished action earns once, by the rate of its moment; what was approved is never changed."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.pay.actions import dispute_answer, dispute_open, entry_reverse, pay_approve, rate_set
from annotation.pay.models import Adjustment, Approval, LedgerEntry
from annotation.pay.queries import today
from annotation.pay.rules import FIELD, ITEM, SENTENCE, SET
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.pay import a_rate, an_administrator, entries, ledger_rows, set_rates
from tests.prompts import a_prompt, a_prompt_project
from tests.questions import a_question, a_question_project
from tests.translations import (
    a_share,
    a_source_set,
    a_translation,
    a_translation_project,
    member,
    pair_rows,
    target_of,
    translated_slots,
)
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast, vote_take_back, vote_void
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def claim(person: Annotator) -> str:
    assignment = assignment_claim(annotator=person, target=person.project.targets.order_by("pk")[0], spacing=0)
    assert assignment is not None
    return assignment.token


def cast(person: Annotator, token: str, label: str = "e") -> Vote:
    assert person.user_id is not None
    ballot = Ballot(label)
    done = vote_cast(user_id=person.user_id, slug=person.project.slug, token=token, ballot=ballot)
    return done.vote


def opened(project: Project, sets: int = 1) -> Annotator:
    """A validator who may vote on what was written."""
    factory.written_pairs(project, factory.member(project, "writer"), sets)
    while decide_due():
        pass
    return factory.member(project, "validator")


def test_a_set_and_a_vote_earn_once() -> None:
    project = factory.project()
    a_rate(project, "write", "6.00")
    a_rate(project, "vote", "0.30")
    person = opened(project)
    token = claim(person)
    cast(person, token)
    cast(person, token)
    assert ledger_rows(project) == [
        ("write", "set", 1, Decimal("6.0000"), "USD"),
        ("vote", "vote", 1, Decimal("0.3000"), "USD"),
    ]
    allocation = Allocation.objects.get(project=project)
    writer = allocation.writer
    set_submit(writer=writer, token=allocation.token, slots=factory.full_set(project))
    assert len(ledger_rows(project)) == 2


# --- units, by kind ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "units"),
    [(SET, 1), (ITEM, 6), (FIELD, 6), (SENTENCE, 6)],
)
def test_a_set_of_pairs_is_counted_by_what_was_written(unit: str, units: int) -> None:
    """The premise is not the writer's: six hypotheses of one sentence each."""
    project = factory.project()
    a_rate(project, "write", "1.5", unit=unit)
    factory.written_pairs(project, factory.member(project, "writer"))
    assert ledger_rows(project) == [("write", unit, units, Decimal("1.5") * units, "USD")]


@pytest.mark.parametrize(("unit", "units"), [(SET, 1), (ITEM, 1), (FIELD, 6), (SENTENCE, 6)])
def test_a_question_is_its_text_and_its_choices(unit: str, units: int) -> None:
    project = a_question_project()
    a_rate(project, "write", "1", unit=unit)
    a_question(project, factory.member(project, "writer"))
    assert ledger_rows(project) == [("write", unit, units, Decimal(units), "USD")]


def test_a_prompt_is_its_parts_and_its_responses() -> None:
    project = a_prompt_project()
    a_rate(project, "write", "1", unit=FIELD)
    item = a_prompt(project, factory.member(project, "writer"))
    written = {text.key for text in item.project.kind_spec.presentation.texts if not text.derived}
    (entry,) = entries(project)
    content = item.revisions.get().content
    filled = [key for key in written if str(content.get(key, "")).strip()]
    assert entry.units == len(filled) + len(content["options"])
    assert entry.item == item


def test_a_translation_is_paid_by_the_sentences_of_its_source() -> None:
    """LoraxBench, Appendix C: 0.8 for each source sentence translated, 0.3 for each one reviewed."""
    project = a_translation_project()
    set_rates(project)
    unit = a_source_set(project, pair_rows(2)).units.get()
    type(unit).objects.filter(pk=unit.pk).update(sentences=5)
    target = target_of(project)
    item = a_translation(unit, target, member(project, "writer"))
    Item.objects.filter(pk=item.pk).update(sampled=True, due_at="2026-01-01T00:00Z")
    decide_due()
    reviewer = member(project, "validator")
    assignment = assignment_claim(annotator=reviewer, target=target, spacing=0)
    assert assignment is not None
    cast(reviewer, assignment.token, "approve")
    assert ledger_rows(project) == [
        ("write", "sentence", 5, Decimal("4.0"), "USD"),
        ("vote", "sentence", 5, Decimal("1.5"), "USD"),
    ]
    assert {each.target for each in entries(project)} == {target}


@pytest.mark.parametrize(("unit", "units"), [(SET, 1), (ITEM, 1), (FIELD, 3)])
def test_a_translation_is_paid_by_its_fields_too(unit: str, units: int) -> None:
    project = a_translation_project()
    a_rate(project, "write", "2", unit=unit)
    source = a_source_set(project, pair_rows(2)).units.get()
    a_translation(source, target_of(project), member(project, "writer"))
    assert ledger_rows(project) == [("write", unit, units, Decimal(2 * units), "USD")]


# --- which rate -------------------------------------------------------------------------


def test_the_newest_rate_is_in_force_and_nothing_made_before_changes() -> None:
    project = factory.project()
    writer = factory.member(project, "writer")
    factory.written_pairs(project, writer)
    a_rate(project, "write", "5")
    factory.written_pairs(project, writer)
    a_rate(project, "write", "70000", currency="IDR")
    factory.written_pairs(project, writer)
    a_rate(project, "write", "0")
    factory.written_pairs(project, writer)
    assert [(amount, currency) for *_, amount, currency in ledger_rows(project)] == [
        (Decimal(5), "USD"),
        (Decimal(70000), "IDR"),
    ]


def test_a_targets_own_rate_goes_before_that_of_the_project() -> None:
    project = a_translation_project()
    a_rate(project, "write", "2", unit=ITEM)
    a_rate(project, "write", "3", unit=ITEM, target=target_of(project, "jv-krama"))
    a_rate(project, "write", "0", unit=ITEM, target=target_of(project, "su"))
    a_rate(project, "write", "4", unit=ITEM)
    writer = member(project, "writer")
    source = a_source_set(project, pair_rows(2)).units.get()
    for key in ("jv-ngoko", "jv-krama", "su"):
        a_translation(source, target_of(project, key), writer)
    assert [amount for *_, amount, _ in ledger_rows(project)] == [4, 3]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"unit": "vote"}, "rate_unit_unlike"),
        ({"action": "dance"}, "rate_unit_unlike"),
        ({"currency": "XAU"}, "currency_unknown"),
        ({"currency": "usd"}, "currency_unknown"),
        ({"amount": Decimal("-0.01")}, "rate_amount_wrong"),
        ({"amount": Decimal("0.00001")}, "rate_amount_wrong"),
        ({"amount": Decimal("NaN")}, "rate_amount_wrong"),
        ({"amount": Decimal("Infinity")}, "rate_amount_wrong"),
        ({"amount": Decimal("10000000")}, "rate_amount_wrong"),
    ],
)
def test_what_is_no_rate_is_refused(changed: dict[str, object], code: str) -> None:
    project = factory.project()
    rate = {"action": "write", "unit": "set", "amount": Decimal(1), "currency": "USD"}
    with pytest.raises(Invalid) as refused:
        rate_set(project=project, **{**rate, **changed})  # type: ignore[arg-type]
    assert refused.value.code == code
    project.refresh_from_db()
    assert not project.pays


def test_another_projects_target_is_refused() -> None:
    project, other = a_translation_project(), a_translation_project()
    with pytest.raises(Invalid):
        a_rate(project, "write", target=target_of(other))


def test_the_largest_rate_can_be_paid() -> None:
    """Nothing that a rate allows makes the work itself fail."""
    project = a_translation_project()
    a_rate(project, "write", "9999999.9999", unit=SENTENCE, currency="IDR")
    unit = a_source_set(project, pair_rows(2)).units.get()
    type(unit).objects.filter(pk=unit.pk).update(sentences=32767)
    a_translation(unit, target_of(project), member(project, "writer"))
    (entry,) = entries(project)
    assert entry.amount == Decimal("9999999.9999") * 32767
    assert pay_approve(project=project, end=today(), by=an_administrator())
    assert LedgerEntry.objects.get().amount == entry.amount


# --- taken back -------------------------------------------------------------------------


def balance(project: Project) -> Decimal:
    return sum((amount for *_, amount, _ in ledger_rows(project)), Decimal(0))


def test_a_vote_taken_back_earns_nothing_and_the_next_one_earns_again() -> None:
    project = factory.project()
    a_rate(project)
    person = opened(project)
    cast(person, claim(person))
    assignment = vote_take_back(annotator=person)
    assert assignment is not None
    assert ledger_rows(project) == []
    cast(person, assignment.token, "n")
    assert ledger_rows(project) == [("vote", "vote", 1, Decimal("0.3"), "USD")]


def test_a_voided_vote_stays_paid() -> None:
    """Its work was done: whether it counts is another question."""
    project = factory.project()
    a_rate(project)
    person, lead = opened(project), factory.member(project, "lead")
    vote = cast(person, claim(person))
    item = Item.objects.get(pk=vote.item_id)
    vote_void(lead=lead, item_id=item.pk, vote_n=vote.n, version=item.version, reason="Asleep.")
    assert balance(project) == Decimal("0.3")


def test_a_paid_vote_that_is_taken_back_is_paid_back() -> None:
    project, by = factory.project(), an_administrator()
    a_rate(project)
    person = opened(project)
    cast(person, claim(person))
    pay_approve(project=project, end=today(), by=by)
    assignment = vote_take_back(annotator=person)
    assert assignment is not None
    assert [row[2:4] for row in ledger_rows(project)] == [(1, Decimal("0.3")), (-1, Decimal("-0.3"))]
    for _ in range(2):
        pay_approve(project=project, end=today(), by=by)
    assert list(LedgerEntry.objects.order_by("pk").values_list("n", "units")) == [(1, 1), (2, -1)]
    cast(person, assignment.token, "n")
    assert balance(project) == Decimal("0.3")


def test_an_administrator_takes_an_entry_back_once_and_with_a_reason() -> None:
    project, by = factory.project(), an_administrator()
    a_rate(project, "write", "6")
    factory.written_pairs(project, factory.member(project, "writer"))
    (entry,) = entries(project)
    for reason in ("", "   ", "a\0b", "x" * 301):
        with pytest.raises(Invalid):
            entry_reverse(entry=entry, by=by, reason=reason)
    made = entry_reverse(entry=entry, by=by, reason="Copied from the web.")
    assert (made.units, made.answer, made.answered_by) == (0, "Copied from the web.", by)
    with pytest.raises(Conflict):
        entry_reverse(entry=entry, by=by, reason="Again.")
    assert [row[2:4] for row in ledger_rows(project)] == [(0, Decimal(0))]


def test_an_entry_counted_anew_has_another_number_of_units_at_the_same_rate() -> None:
    project, by = factory.project(), an_administrator()
    a_rate(project, "write", "1.5", unit=SENTENCE)
    factory.written_pairs(project, factory.member(project, "writer"))
    a_rate(project, "write", "9")

    def again(units: int | None) -> Decimal:
        dispute = dispute_open(entry=entries(project)[0], words="More.")
        dispute_answer(dispute=dispute, by=by, answer="So.", outcome="again", units=units)
        return balance(project)

    assert again(8) == 12
    for units in (0, -1, 100_001, None):
        with pytest.raises(Invalid):
            again(units)
        Adjustment.objects.filter(answered_at=None).delete()
    pay_approve(project=project, end=today(), by=by)
    assert again(10) == 15
    assert again(1) == Decimal("1.5")
    pay_approve(project=project, end=today(), by=by)
    assert list(LedgerEntry.objects.order_by("n").values_list("units", flat=True)) == [8, -7]


def test_what_was_counted_anew_goes_when_its_vote_is_taken_back() -> None:
    project, by = factory.project(), an_administrator()
    a_rate(project, unit=ITEM)
    person = opened(project)
    cast(person, claim(person))
    dispute = dispute_open(entry=entries(project)[0], words="Two.")
    dispute_answer(dispute=dispute, by=by, answer="Two.", outcome="again", units=2)
    pay_approve(project=project, end=today(), by=by)
    vote_take_back(annotator=person)
    assert [row[2] for row in ledger_rows(project)] == [2, -2]


# --- who pays nothing -------------------------------------------------------------------


def test_nothing_is_written_where_a_project_does_not_pay() -> None:
    project = factory.project()
    person = opened(project)
    cast(person, claim(person))
    assert ledger_rows(project) == []
    assert pay_approve(project=project, end=today(), by=an_administrator()) is None
    assert not Approval.objects.exists()


def test_only_what_has_a_rate_is_paid() -> None:
    project = factory.project()
    a_rate(project, "vote")
    factory.written_pairs(project, factory.member(project, "writer"))
    assert ledger_rows(project) == []


def _statements(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as said:
        act()
    return len([each for each in said if "SAVEPOINT" not in each["sql"]])


def _cost(pays: bool) -> tuple[int, int]:
    """How many statements a vote and a set cost."""
    project = factory.project()
    if pays:
        a_rate(project)
        a_rate(project, "write")
    person = opened(project)
    token = claim(person)
    vote = _statements(lambda: cast(person, token))
    writer = factory.member(project, "writer")
    factory.premises(project, 1, start=90)
    allocations_assign(target=project.targets.get(), writers=[writer], size=1)
    allocation = Allocation.objects.get(writer=writer)
    slots = factory.full_set(project)
    return vote, _statements(lambda: set_submit(writer=writer, token=allocation.token, slots=slots))


def test_pay_costs_no_statement_of_a_vote_or_a_set() -> None:
    free, paid = _cost(False), _cost(True)
    assert paid == free
    assert free[0] <= 8


def test_a_submitted_translation_is_paid_once_whatever_is_sent_again() -> None:
    project = a_translation_project()
    set_rates(project)
    unit = a_source_set(project, pair_rows(2)).units.get()
    writer = member(project, "writer")
    allocation = a_share(unit, target_of(project), writer)
    slots = {"t": translated_slots(unit, target_of(project))}
    for _ in range(3):
        set_submit(writer=writer, token=allocation.token, slots=slots)
    assert len(ledger_rows(project)) == 1
