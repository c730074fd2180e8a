"""Taking back strands nothing; nobody acts in a closed project, after a promotion, or on their own item."""

import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction
from django.test import Client
from django.utils.timezone import now

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.actions.members import Roles
from annotation.core.errors import Conflict, NotFound
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import source_skip
from tests import factory
from tests.race import run_at_once, waiting_for_locks
from tests.review import World, assign, cast_vote, cast_votes, decide, world
from tests.shared_worlds import SharedWorlds
from tests.validation.voting.test_walk import python_on_sqlite
from tests.wait import wait_until
from validation.consensus.protocol import Protocol
from validation.people.actions import member_roles_change
from validation.voting import triggers as guards
from validation.voting.actions.assignments import assignment_claim, assignment_pass
from validation.voting.actions.votes import vote_take_back, vote_void
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Verdict, Vote

HTMX = {"HX-Request": "true"}


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(world)


def claim(person: Annotator) -> Assignment | None:
    return assignment_claim(annotator=person, target=person.project.targets.get(), spacing=0)


def browser_of(person: Annotator) -> Client:
    client = Client()
    assert person.user is not None
    client.force_login(person.user)
    return client


def voters(item: Item) -> list[Annotator]:
    return [vote.annotator for vote in Vote.objects.select_related("annotator").filter(item=item).order_by("n")]


def test_a_settled_item_asks_again_at_once(at: World) -> None:
    """Before anybody decides: taken back twice, the page loaded anew, and voted on again."""
    item = cast_votes(at, at.item("e"), "ee")
    person = voters(item)[-1]
    assignment = vote_take_back(annotator=person)
    item.refresh_from_db()
    assert assignment is not None
    assert (item.stage, item.gold, item.pending, item.slots_free, item.due_at) == ("voting", "", 1, 0, None)
    with pytest.raises(Conflict) as refusal:
        vote_take_back(annotator=person)
    assert refusal.value.code == "nothing_to_take_back"
    again = claim(person)
    assert again is not None
    assert again.pk == assignment.pk
    cast_vote(again, "e")
    at.sound()
    item.refresh_from_db()
    assert (item.stage, item.gold) == ("settled", "e")


def test_the_page_without_a_script_shows_it_again(at: World) -> None:
    item = cast_votes(at, at.item("e"), "ee")
    client = browser_of(voters(item)[-1])
    room = f"/p/{at.project.slug}/vote/"
    assert client.post(f"{room}back/").status_code == 302
    token = client.get(room).context["card"].token
    assert Assignment.objects.get(token=token).item_id == item.pk
    assert client.post(f"{room}{token}/", {"label": "e"}).status_code == 302
    assert Vote.objects.filter(item=item, withdrawn_at=None).count() == 2


def test_the_round_follows_the_votes_that_stand(at: World) -> None:
    """n e n e settles in round 3 on the author's e; without the first vote e e had it in round 2."""
    item = cast_votes(at, at.item("e"), "nene")
    assert (item.stage, item.gold, item.round) == ("settled", "e", 3)
    assert vote_take_back(annotator=voters(item)[0]) is None
    item.refresh_from_db()
    assert (item.stage, item.gold, item.round) == ("settled", "e", 2)
    told = Verdict.objects.filter(item=item).order_by("version").values_list("event", "round")
    assert list(told)[-2:] == [("recompute", 2), ("settle", 2)]
    at.sound()


@pytest.mark.django_db
def test_votes_beyond_the_decision_are_marked() -> None:
    at = world(protocol=Protocol("one-then-three", rounds=(1, 3), quorum=2))
    item = cast_votes(at, at.item("e"), "neee")
    first = voters(item)[0]
    assert vote_take_back(annotator=first) is None
    item.refresh_from_db()
    assert (item.stage, item.gold, item.round, item.pending) == ("settled", "e", 1, 0)
    assert list(Vote.objects.filter(item=item).order_by("n").values_list("n", "surplus")) == [
        (1, False),
        (2, False),
        (3, True),
        (4, True),
    ]
    # Nobody is asked for another vote on it: the page goes on with the next item.
    answer = browser_of(first).get(f"/p/{at.project.slug}/vote/")
    assert Assignment.objects.get(token=answer.context["card"].token).item_id != item.pk
    vote_void(lead=at.lead, item_id=item.pk, vote_n=2, version=item.version, reason="Not theirs.")
    assert not Vote.objects.filter(item=item, surplus=True, n=3).exists()
    at.sound()


def test_a_card_of_round_two_counts_for_the_round_that_is_open_again(at: World) -> None:
    """Whoever sits at it keeps it and is refused nothing; a reload shows it again; both answers count."""
    item = cast_votes(at, at.item("e"), "en")
    first, second = voters(item)
    third = at.validators[2]
    held = assign(item, third)
    again = vote_take_back(annotator=second)
    assert again is not None
    item.refresh_from_db()
    assert (item.stage, item.round, item.pending, item.slots_free) == ("voting", 1, 2, 0)
    at.sound()
    kept = claim(third)
    assert kept is not None
    assert kept.token == held.token
    cast_vote(held, "e")
    at.sound()
    cast_vote(again, "c")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.round) == ("settled", "e", 1)
    rows = Vote.objects.filter(item=item, withdrawn_at=None).order_by("n")
    assert [(vote.annotator, vote.round, vote.surplus) for vote in rows] == [
        (first, 1, False),
        (third, 1, False),
        (second, 1, True),
    ]
    at.sound()


@pytest.mark.parametrize("leaves", ["third", "second"])
def test_a_card_beyond_the_open_round_goes_when_its_holder_leaves(at: World, leaves: str) -> None:
    """Its slot is offered to nobody: what is missing is held by the other."""
    item = cast_votes(at, at.item("e"), "en")
    held = assign(item, at.validators[2])
    again = vote_take_back(annotator=voters(item)[1])
    assert again is not None
    gone, stays = (held, again) if leaves == "third" else (again, held)
    assignment_pass(annotator=gone.annotator, token=gone.token, reason="other")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.round, item.pending, item.slots_free) == ("voting", 1, 1, 0)
    at.sound()
    cast_vote(stays, "e")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.gold) == ("settled", "e")
    at.sound()


@pytest.mark.django_db
def test_what_the_other_votes_decide_waits_for_whoever_sits_at_it() -> None:
    at = world(protocol=Protocol("one-then-three", rounds=(1, 3), quorum=2))
    item = cast_votes(at, at.item("e"), "nee")
    sitting = assign(item, at.validators[4])
    assert vote_take_back(annotator=voters(item)[2]) is not None
    cast_vote(Assignment.objects.get(item=item, annotator=voters(item)[2]), "e")
    assert vote_take_back(annotator=voters(item)[0]) is None
    item.refresh_from_db()
    assert (item.stage, item.gold, item.pending, item.slots_free) == ("voting", "", 1, 0)
    at.sound()
    cast_vote(sitting, "n")
    decide()
    item.refresh_from_db()
    assert (item.stage, item.gold, item.round) == ("settled", "e", 1)
    surplus = Vote.objects.filter(item=item, surplus=True, withdrawn_at=None).values_list("annotator", flat=True)
    assert sitting.annotator_id in surplus
    at.sound()


def test_a_void_is_decided_at_once(at: World) -> None:
    item = cast_votes(at, at.item("e"), "ee")
    vote_void(lead=at.lead, item_id=item.pk, vote_n=1, version=item.version, reason="No.")
    item.refresh_from_db()
    assert (item.stage, item.pending, item.slots_free, item.due_at) == ("voting", 1, 1, None)


# --- two tabs -----------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_another_tab_sits_down_while_a_vote_is_taken_back() -> None:
    """The take-back waits for its item; meanwhile the other tab gets the next one: that assignment ends, no error."""
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 1)
    decide()
    person = factory.member(project, "validator")
    assignment = claim(person)
    assert assignment is not None
    cast_vote(assignment, "e")
    done: list[Any] = []

    def take_back() -> None:
        try:
            done.append(vote_take_back(annotator=person))
        except Exception as error:
            done.append(error)
        finally:
            connections.close_all()

    taking = threading.Thread(target=take_back)
    with transaction.atomic():
        Item.objects.select_for_update().get(pk=assignment.item_id)
        taking.start()
        wait_until(waiting_for_locks, what="the take-back to wait for the item")
        other = run_at_once([partial(claim, person)])[0]
        assert isinstance(other, Assignment)
        assert other.item_id != assignment.item_id
    taking.join(60)
    assert [each.pk for each in done if isinstance(each, Assignment)] == [assignment.pk], done
    assert [each.item_id for each in Assignment.objects.filter(annotator=person, state="open")] == [assignment.item_id]
    assert Item.objects.filter(project=project, slots_free__lt=2).count() == 1


# --- closed, promoted -----------------------------------------------------------------


def test_a_closed_project_takes_nothing_more(at: World) -> None:
    item = cast_votes(at, at.item("e"), "n")
    taking, passing = voters(item)[0], at.validators[1]
    assignment = assign(at.item("n"), passing)
    factory.premises(at.project, 1, start=50)
    allocations_assign(target=at.project.targets.get(), writers=[at.writer], size=1)
    allocation = Allocation.objects.get(writer=at.writer, state="open")
    Project.objects.filter(pk=at.project.pk).update(closed_at=now())
    with pytest.raises(Conflict) as refusal:
        vote_take_back(annotator=taking)
    assert refusal.value.code == "nothing_to_take_back"
    with pytest.raises(Conflict) as refusal:
        assignment_pass(annotator=passing, token=assignment.token, reason="other")
    assert refusal.value.code == "project_closed"
    with pytest.raises(Conflict) as refusal:
        source_skip(writer=at.writer, token=allocation.token, reason="other")
    assert refusal.value.code == "closed_writing"
    assert Vote.objects.filter(withdrawn_at=None).count() == 1
    assert {
        Assignment.objects.get(pk=assignment.pk).state,
        Allocation.objects.get(pk=allocation.pk).state,
    } == {"open"}
    room = f"/p/{at.project.slug}/vote/"
    for person, path in ((taking, "back/"), (passing, f"{assignment.token}/pass/")):
        assert browser_of(person).post(room + path, {"reason": "other"}, headers=HTMX).status_code == 409
    page = browser_of(at.writer).post(f"/p/{at.project.slug}/write/{allocation.token}/skip/", {"reason": "other"})
    assert page.status_code == 409


def promoted_to_lead(at: World, person: Annotator) -> None:
    boss = factory.user(administrator=True)
    member_roles_change(project=at.project, annotator_id=person.pk, roles=Roles(lead=True), by=boss)


def promoted_to_administrator(at: World, person: Annotator) -> None:
    assert person.user is not None
    person.user.is_administrator = True
    person.user.save()


def switched_off(at: World, person: Annotator) -> None:
    assert person.user is not None
    person.user.is_active = False
    person.user.save()


@pytest.mark.parametrize("promote", [promoted_to_lead, promoted_to_administrator, switched_off])
def test_whoever_was_promoted_votes_no_more(at: World, promote: Callable[[World, Annotator], None]) -> None:
    person = at.validators[0]
    assignment = assign(at.item("e"), person)
    promote(at, person)
    with pytest.raises(NotFound):
        cast_vote(assignment, "e")
    assert not Vote.objects.exists()


def test_their_slot_is_free_at_once(at: World) -> None:
    person, item = at.validators[0], at.item("e")
    assignment = assign(item, person)
    promoted_to_lead(at, person)
    item.refresh_from_db()
    assert (Assignment.objects.get(pk=assignment.pk).state, item.pending, item.slots_free) == (
        "expired",
        2,
        2,
    )
    at.sound()


# --- the author -------------------------------------------------------------------------


def test_postgresql_refuses_the_authors_vote(at: World) -> None:
    item = at.item("e")
    fields: dict[str, Any] = {
        "epoch": 1,
        "round": 1,
        "revision_n": 1,
        "label": "e",
        "unsure": False,
        "ambiguous": False,
    }
    with pytest.raises(IntegrityError, match=guards.TRIGGER_NAME), transaction.atomic():
        Vote.objects.create(project=at.project, item=item, annotator=at.writer, n=1, **fields)
    vote = Vote.objects.create(project=at.project, item=item, annotator=at.validators[0], n=1, **fields)
    with pytest.raises(IntegrityError, match=guards.TRIGGER_NAME), transaction.atomic():
        Vote.objects.filter(pk=vote.pk).update(annotator=at.writer)
    # Bulk inserts too.
    both = [
        Vote(project=at.project, item=item, annotator=who, n=n, **fields)
        for n, who in enumerate((at.validators[1], at.writer), start=2)
    ]
    with pytest.raises(IntegrityError, match=guards.TRIGGER_NAME), transaction.atomic():
        Vote.objects.bulk_create(both)


ON_SQLITE = """
import json
import django
django.setup()
from django.db import IntegrityError, connection, transaction
from annotation.models import Item
from tests.review import world
from validation.voting import triggers as guards
from validation.models import Vote
at = world()
fields = {"project": at.project, "item": at.item("e"), "n": 1, "epoch": 1, "round": 1, "revision_n": 1, "label": "e",
          "unsure": False, "ambiguous": False}
def refused():
    try:
        with transaction.atomic():
            vote = Vote.objects.create(annotator=at.validators[0], **fields)
            Vote.objects.filter(pk=vote.pk).update(annotator=at.writer)
    except IntegrityError as error:
        yield str(error)
    try:
        with transaction.atomic():
            Vote.objects.create(annotator=at.writer, **fields)
    except IntegrityError as error:
        yield str(error)
said = list(refused())
guards.drop_triggers(connection)
with connection.schema_editor() as editor:
    for model in (Item, Vote):
        editor._remake_table(model)
guards.create_triggers(connection)
print(json.dumps([*said, *refused()]))
"""


def test_sqlite_refuses_the_authors_vote(tmp_path: Path, migrated_sqlite: Path, process_env: dict[str, str]) -> None:
    """Its triggers stand after the last migration, and again after one that makes their tables anew."""
    told = json.loads(python_on_sqlite(tmp_path, migrated_sqlite, process_env, "-c", ON_SQLITE))
    assert [guards.TRIGGER_NAME in each for each in told] == [True] * 4


def test_undo_is_offered_only_where_something_can_be_undone(at: World) -> None:
    person = at.validators[0]
    browser, page = browser_of(person), f"/p/{at.project.slug}/vote/"
    assert "Undo last answer" not in browser.get(page).content.decode()
    held = claim(person)
    assert held is not None
    cast_vote(held, "e")
    assert "Undo last answer" in browser.get(page).content.decode()
    assert browser.post(f"{page}back/", headers=HTMX).status_code == 200
    assert "Undo last answer" not in browser.get(page).content.decode()
