"""Two-agree-audit as a project runs it: where items go, what is written down, and that nothing of it can be altered."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.urls import reverse

from annotation.api.views import READ
from annotation.content.models.item import Item
from annotation.core.database import now
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import ProtocolVersion
from annotation.projects.actions.projects import protocol_change
from tests import factory
from tests.api import script
from tests.race import run_at_once
from tests.review import WRONG, World, assign, cast_vote, cast_votes, decide, world
from tests.targets import browser_of
from validation import integrity
from validation.consensus import audit
from validation.consensus.audit import AuditState
from validation.consensus.protocol import FIRST_AUDIT_RULE, PRESETS, Protocol
from validation.voting.actions.assignments import assignment_next
from validation.voting.actions.audits import make_all_held_due
from validation.voting.actions.decide import age_queues, decide_due
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_take_back, vote_void
from validation.voting.audit_steps import audit_status
from validation.voting.models.stopping import StopStep
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
# A look after each item, so that a handful of items shows what a thousand would.
AUDITS = replace(PRESETS["two-agree-audit"], alpha=0.05, planned=100_000, batch=1, panel=0.0)


def audited(sets: int = 1, **rules: object) -> World:
    return world(sets, protocol=replace(AUDITS, **rules), settings={"spacing": 0})  # type: ignore[arg-type]


def steps(at: World) -> list[StopStep]:
    return list(StopStep.objects.filter(protocol__project=at.project).order_by("n"))


def test_two_that_agree_stop_and_audits_go_on() -> None:
    at = audited(8)
    for item in Item.objects.filter(project=at.project).order_by("pk"):
        cast_votes(at, item, item.author_label)
    while waiting := list(Item.objects.filter(project=at.project, route=audit.AUDITED, stage="voting")):
        for item in waiting:
            assert (item.gold, item.round, item.pending) == ("", 2, 1)
            cast_votes(at, item, item.author_label)
    routes = dict(Item.objects.filter(project=at.project).values_list("key", "route"))
    assert set(routes.values()) == {audit.TWO_AGREE, audit.AUDITED}
    for item in Item.objects.filter(project=at.project, route=audit.TWO_AGREE):
        assert (item.stage, item.gold, item.round, item.pending) == ("settled", item.author_label, 1, 0)
    at.sound()
    taken = steps(at)
    assert [step.n for step in taken] == list(range(1, len(taken) + 1))
    assert sum(step.event == "outcome" for step in taken) == list(routes.values()).count(audit.AUDITED)
    found = audit_status(at.project.protocols.latest("n"))
    assert found is not None
    assert taken[-1].account[0] == found.figures["seen"] == 48
    assert (found.figures["open"], found.figures["changed"], found.figures["bound95"]) == (0, 0, 73.005)


@pytest.mark.parametrize(
    ("label", "marks", "route"),
    [("n", {}, "disagreement"), ("e", {"unsure": True}, "doubt"), ("e", {"ambiguous": True}, "doubt")],
)
def test_who_differs_or_doubts_is_not_stopped_at(label: str, marks: dict[str, bool], route: str) -> None:
    at = audited()
    item = cast_votes(at, at.item("e"), label, **marks)
    assert (item.route, item.stage, item.round) == (route, "voting", 2)
    at.sound()


def test_what_counts_as_doubt_is_the_protocol_s_to_say() -> None:
    at = audited(doubt="unsure")
    assert cast_votes(at, at.item("e"), "e", ambiguous=True).route in (audit.TWO_AGREE, audit.AUDITED)


def test_the_panel_gets_every_label_and_its_gold_is_that_of_three() -> None:
    at = audited(panel=1.0)
    item = cast_votes(at, at.item("e"), "eee")
    assert (item.route, item.stage) == (audit.PANEL, "voting")
    item = cast_votes(at, item, "n")
    assert (item.stage, item.gold, item.votes_n) == ("settled", "e", 4)
    at.sound()


def test_without_a_planned_number_every_agreement_is_audited() -> None:
    at = audited(planned=0)
    assert {cast_votes(at, item, item.author_label).route for item in at.items} == {audit.AUDITED}
    found = audit_status(at.project.protocols.latest("n"))
    assert found is not None
    assert (found.figures["open"], found.figures["bound95"]) == (6, None)


def test_an_audit_that_changes_the_gold_is_found_and_taken_back_with_its_vote() -> None:
    at = audited(planned=0)
    item = cast_votes(at, at.item("e"), "ennn")
    assert (item.stage, item.gold) == ("settled", "n")
    assert steps(at)[-1].changed is True
    last = Vote.objects.filter(item=item).order_by("n").last()
    assert last is not None
    vote_void(lead=at.lead, item_id=item.pk, vote_n=last.n, version=item.version, reason="Not read.")
    decide()
    item = cast_votes(at, item, "c")
    assert (item.stage, item.gold) == ("no_consensus", "")
    # No gold is a change as well; nothing new is written down for what is as it was.
    assert [(step.event, step.changed) for step in steps(at)] == [("first", None), ("outcome", None), ("outcome", True)]
    at.sound()


def test_agreements_behind_open_audits_wait_for_their_draw() -> None:
    """However many first votes come at once: few audits are open at which nobody has looked again."""
    at = audited(8)
    for item in at.items:
        cast_votes(at, item, item.author_label)
    project = Item.objects.filter(project=at.project)
    assert project.filter(route=audit.AUDITED).count() == audit.MOST_UNSEEN
    held = list(project.filter(route=audit.HELD))
    assert {(item.stage, item.gold, item.pending, item.slots_free) for item in held} == {("voting", "", 0, 0)}
    assert not StopStep.objects.filter(item__in=held).exists()
    at.sound()
    # A further vote that disputes one makes room for the next; the audit counts as changed until it is decided.
    first = project.filter(route=audit.AUDITED)[0]
    cast_votes(at, first, WRONG[first.author_label])
    account = AuditState(*steps(at)[-1].account)
    assert (account.disputed, account.unseen, account.changed) == (1, audit.MOST_UNSEEN, 0)
    assert project.filter(route=audit.HELD).count() < len(held)
    cast_votes(at, first, first.author_label)
    account = AuditState(*steps(at)[-1].account)
    assert (account.disputed, account.disputed_changes, account.decided, account.changed) == (0, 0.0, 1, 0)
    at.sound()


def test_audits_of_items_that_were_taken_out_hold_up_no_draw() -> None:
    """They get no outcome, and count as changed."""
    at = audited(2)
    for item in at.items:
        cast_votes(at, item, item.author_label)
    held = Item.objects.filter(project=at.project, route=audit.HELD)
    before = held.count()
    for item in Item.objects.filter(project=at.project, route=audit.AUDITED):
        exclude(lead=at.lead, item_id=item.pk, version=item.version, words="Off topic.")
    assert make_all_held_due() == before
    decide()
    assert held.count() < before
    assert AuditState(*steps(at)[-1].account).disputed == audit.MOST_UNSEEN
    at.sound()


def test_a_first_vote_that_waits_for_its_draw_can_be_taken_back() -> None:
    at = audited(2)
    for item in at.items:
        held = cast_votes(at, item, item.author_label)
    assert held.route == audit.HELD
    again = vote_take_back(annotator=Vote.objects.get(item=held).annotator)
    assert again is not None
    cast_vote(again, WRONG[held.author_label])
    decide()
    held.refresh_from_db()
    assert (held.route, held.stage, held.round) == (audit.DISAGREEMENT, "voting", 2)
    at.sound()


def test_an_agreement_whose_vote_was_withdrawn_waits_for_no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked again from the beginning, and takes no place of those that wait, in counts neither."""
    monkeypatch.setattr("validation.voting.actions.audits.HELD_AT_ONCE", 1)
    at = audited(2)
    for item in at.items:
        cast_votes(at, item, item.author_label)
    held = list(Item.objects.filter(project=at.project, route=audit.HELD).order_by("pk"))
    assert len(held) > 2
    *voided, last = held
    for item in voided:
        vote_void(lead=at.lead, item_id=item.pk, vote_n=1, version=item.version, reason="Not read.")
    # Not decided again yet: nothing of it is counted or drawn.
    figures = audit_status(at.project.protocols.latest("n"))
    assert figures is not None
    assert figures.held == 1
    decide()
    asked = Item.objects.filter(pk__in=[item.pk for item in voided])
    assert set(asked.values_list("route", "stage", "round", "pending")) == {("", "voting", 1, 1)}
    # As items stood that earlier versions left waiting.
    asked.update(route=audit.HELD)
    for item in Item.objects.filter(project=at.project, route=audit.AUDITED):
        cast_votes(at, item, item.author_label)
    last.refresh_from_db()
    assert last.route in (audit.TWO_AGREE, audit.AUDITED)
    assert make_all_held_due() == 0
    at.sound()


def test_with_fewer_than_four_voters_agreements_wait_until_others_join() -> None:
    """An audit that finds another gold needs four voters: before that nothing is drawn, and no agreement settles."""
    at = audited()
    for person in at.validators[3:]:
        Annotator.objects.filter(pk=person.pk).update(left_at=Now())
    for item in at.items:
        cast_votes(at, item, item.author_label)
    assert set(Item.objects.filter(project=at.project).values_list("route", "stage")) == {(audit.HELD, "voting")}
    assert make_all_held_due() == 0
    found = audit_status(at.project.protocols.latest("n"))
    assert found is not None
    assert (found.held, found.voters, found.lacks_voters) == (len(at.items), 3, True)
    factory.member(at.project, "validator")
    page = browser_of(at.lead.user).get(reverse("project", args=[at.project.slug])).content.decode()
    assert "are drawn within ten minutes" in page
    assert "while five audits are open" not in page
    assert make_all_held_due() == len(at.items)
    decide()
    assert steps(at)
    at.sound()


def test_audits_are_refused_where_too_few_people_vote() -> None:
    """Who writes and votes counts as one fewer. Before anybody votes the protocol can be chosen: people come later."""
    project = factory.project()
    protocol_change(project=project, by=None, protocol=AUDITS)
    for role in ("validator", "validator", "validator"):
        factory.member(project, role)
        with pytest.raises(Invalid) as refusal:
            protocol_change(project=project, by=None, protocol=AUDITS)
        assert (refusal.value.code, refusal.value.field) == ("audits_need_voters", "alpha")
    base = f"/p/{project.slug}/"
    boss = browser_of(factory.user(administrator=True))
    for page in (base, f"{base}settings/"):
        assert "needs four voters besides the writer of an item; this project has 3" in boss.get(page).content.decode()
    (figures,) = script(factory.user(administrator=True), READ).pages(f"projects/{project.slug}/audits")
    assert (figures["voters"], figures["held"]) == (3, 0)
    fourth = factory.member(project, "validator")
    protocol_change(project=project, by=None, protocol=AUDITS)
    Annotator.objects.filter(pk=fourth.pk).update(is_writer=True)
    with pytest.raises(Invalid):
        protocol_change(project=project, by=None, protocol=AUDITS)
    factory.member(project, "validator")
    protocol_change(project=project, by=None, protocol=AUDITS)
    for page in (base, f"{base}settings/"):
        assert "besides the writer of an item; this project" not in boss.get(page).content.decode()


def test_audits_come_before_everything_else_in_the_queue() -> None:
    """Also before items of later rounds, and before what has waited for days."""
    at = audited(2, planned=0)
    for n, item in enumerate(at.items):
        cast_votes(at, item, item.author_label if n % 3 == 0 else WRONG[item.author_label] * (1 + n % 3))
    Item.objects.filter(project=at.project).update(at=now() - timedelta(days=400))
    age_queues()
    waiting = Item.objects.filter(project=at.project, slots_free__gt=0).order_by("-priority")
    routes = list(waiting.values_list("route", flat=True))
    assert routes == sorted(routes, key=lambda route: route != audit.AUDITED)
    assert {audit.AUDITED, audit.DISAGREEMENT} == set(routes)
    last, first = (waiting.filter(route=route) for route in (audit.DISAGREEMENT, audit.AUDITED))
    assert max(last.values_list("priority", flat=True)) < min(first.values_list("priority", flat=True))
    taken = assignment_next(annotator=factory.member(at.project, "validator"), target=at.items[0].target, spacing=0)
    assert taken is not None
    assert taken.item.route == audit.AUDITED


def test_a_first_vote_taken_back_does_not_draw_again() -> None:
    at = audited(8)
    for item in at.items:
        if (item := cast_votes(at, item, item.author_label)).route == audit.TWO_AGREE:
            break
        cast_votes(at, item, item.author_label)
    q = StopStep.objects.get(item=item).q
    person = Vote.objects.get(item=item).annotator
    again = vote_take_back(annotator=person)
    assert again is not None
    cast_vote(again, WRONG[item.author_label])
    decide()
    item.refresh_from_db()
    assert (item.route, item.stage) == (audit.DISAGREEMENT, "voting")
    assert StopStep.objects.filter(item=item).order_by("n").last().q == q  # type: ignore[union-attr]
    at.sound()


@pytest.mark.django_db(transaction=True)
def test_batches_beside_each_other_number_steps_once() -> None:
    """Two workers, each with items of its own: the protocol's lock puts their steps into one order."""
    at = audited(2, planned=0)
    for item in at.items:
        cast_vote(assign(Item.objects.get(pk=item.pk), at.validators[0]), item.author_label)
    assert run_at_once([partial(decide_due, limit=6)] * 2) == [6, 6]
    decide()
    assert sorted(step.n for step in steps(at)) == list(range(1, len(at.items) + 1))
    at.sound()


def test_a_version_is_sealed_with_its_hash_and_bound_to_its_seed() -> None:
    at = audited()
    made = at.project.protocols.get()
    rules = Protocol.from_stored(made.rules)
    assert made.digest == rules.digest
    assert rules.commitment == audit.commitment(audit.seed_of(at.project.secret, 1))
    second = protocol_change(project=at.project, by=None, protocol=replace(rules, planned=500))
    assert Protocol.from_stored(second.rules).commitment != rules.commitment
    at.sound()
    ProtocolVersion.objects.filter(pk=made.pk).update(rules={**made.rules, "alpha": 0.01})
    assert {breach.invariant for breach in integrity.run(project=at.project)} >= {"A1"}


def test_audits_begun_under_the_first_rule_go_on_under_it() -> None:
    """Its steps knew nothing of open audits: seven figures, which stay what they were."""
    at = audited(3)
    made = at.project.protocols.get()
    rules = replace(Protocol.from_stored(made.rules), audit_rule=FIRST_AUDIT_RULE)
    ProtocolVersion.objects.filter(pk=made.pk).update(rules=rules.to_dict(), digest=rules.digest)
    begun, later = at.items[:6], at.items[6:]
    for item in begun:
        cast_votes(at, Item.objects.get(pk=item.pk), item.author_label)
    for step in steps(at):
        StopStep.objects.filter(pk=step.pk).update(account=step.account[:7])
    at.sound()
    for item in later:
        cast_votes(at, Item.objects.get(pk=item.pk), item.author_label)
    for item in Item.objects.filter(project=at.project, route=audit.AUDITED):
        cast_votes(at, item, item.author_label)
    assert steps(at)[-1].account[7:] == [0, 0.0, 0.0, 0, 0.0]
    at.sound()


def test_too_few_votes_for_audits_are_refused_with_the_field() -> None:
    with pytest.raises(Invalid) as refusal:
        protocol_change(project=audited().project, by=None, protocol=replace(AUDITS, rounds=(1, 1, 1), audit_rule=1))
    assert (refusal.value.code, refusal.value.field) == ("protocol_wrong", "rounds")


@pytest.mark.parametrize("how", [{"q": 0.5}, {"agrees": False, "route": "disagreement", "q": None}])
def test_a_step_altered_afterwards_is_found(how: dict[str, object]) -> None:
    at = audited()
    for item in at.items:
        cast_votes(at, item, item.author_label)
    at.sound()
    StopStep.objects.filter(pk=steps(at)[1].pk).update(**how)
    assert "A2" in {breach.invariant for breach in integrity.run(project=at.project)}


def test_only_kinds_with_one_label_can_stop_at_two() -> None:
    project = factory.project(preset="mcsqa")
    with pytest.raises(Invalid) as refusal:
        protocol_change(project=project, by=None, protocol=AUDITS)
    assert refusal.value.code == "audits_need_labels"


@pytest.mark.parametrize(
    ("how", "name"),
    [
        ({"n": 1}, "stop_step_number_once"),
        ({"q": 0.0}, "stop_step_q_is_a_chance"),
        ({"route": "elsewhere"}, "stop_step_"),
        ({"route": "two_agree", "q": None}, "stop_step_drawn_with_a_chance"),
    ],
)
def test_the_database_refuses_what_cannot_be(how: dict[str, object], name: str) -> None:
    at = audited()
    for item in at.items[:2]:
        cast_votes(at, item, item.author_label)
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        StopStep.objects.filter(pk=steps(at)[1].pk).update(**how)
    assert connection.vendor == "postgresql"
