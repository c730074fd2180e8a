"""People who change roles, hand over, leave, or delete their account."""

import json
from functools import partial

import pytest
from django.contrib.auth import authenticate
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.actions.members import Roles, roles_change
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound
from annotation.core.models.member import Annotator, Event, Invitation
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.projects.actions.invitations import invitation_accept, invitation_create
from annotation.writing.actions.allocation import allocations_assign
from tests import factory, review
from tests.race import run_at_once
from validation.people.actions import account_delete, annotator_remove, hand_over_allocations
from validation.review.models.comment import Comment
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


@pytest.fixture
def project(boss: User) -> Project:
    return factory.project("p1", by=boss)


def _in_the_middle(project: Project) -> tuple[Annotator, Assignment, Annotator]:
    """A person who writes and votes, with an open assignment and open premises; and a second writer."""
    writer, person = factory.member(project, "writer"), factory.member(project, "writer", "validator")
    factory.written_pairs(project, writer)
    decide_due()
    factory.premises(project, 3, start=project.premises.count() + 1)
    allocations_assign(target=project.targets.get(), writers=[person], size=3)
    assignment = assignment_claim(annotator=person, target=project.targets.get(), spacing=0)
    assert assignment is not None
    return person, assignment, writer


def _slots(assignment: Assignment) -> int:
    return Item.objects.get(pk=assignment.item_id).slots_free


def test_who_leaves_leaves_nothing_open(project: Project, boss: User) -> None:
    person, assignment, writer = _in_the_middle(project)
    before = _slots(assignment)
    annotator_remove(project=project, annotator_id=person.pk, by=boss)
    assert Assignment.objects.get(pk=assignment.pk).state == Assignment.State.EXPIRED
    assert _slots(assignment) == before + 1
    assert set(person.allocations.values_list("state", flat=True)) == {"lapsed"}
    assert allocations_assign(target=project.targets.get(), writers=[writer], size=5) == 3
    with pytest.raises(NotFound):
        annotator_remove(project=project, annotator_id=person.pk, by=boss)
    assert person.user_id is not None
    with pytest.raises(NotFound):
        vote_cast(user_id=person.user_id, slug="p1", token=assignment.token, ballot=Ballot(label="e"))


def test_who_goes_with_their_votes_leaves_them_to_others(boss: User) -> None:
    at = review.world()
    settled, kept = at.item("e"), at.item("n")
    review.cast_votes(at, settled, "ee")
    review.cast_votes(at, kept, "n")
    gone = at.validators[0]
    annotator_remove(project=at.project, annotator_id=gone.pk, by=boss, void=True)
    at.sound()
    for item, free in ((settled, 1), (kept, 2)):
        item.refresh_from_db()
        assert (item.stage, item.gold, item.slots_free) == ("voting", "", free)
    votes = Vote.objects.filter(project=at.project)
    assert set(votes.filter(annotator=gone).values_list("withdrawn_why", flat=True)) == {"voided"}
    assert votes.filter(withdrawn_at=None).count() == 1
    review.cast_vote(review.assign(settled, at.validators[3]), "e")
    at.sound()
    settled.refresh_from_db()
    assert (settled.stage, settled.gold) == ("settled", "e")


def test_premises_go_to_an_heir(project: Project, boss: User) -> None:
    person, _, writer = _in_the_middle(project)
    assert hand_over_allocations(project=project, annotator_id=person.pk, heir_id=writer.pk, by=boss) == 3
    assert writer.allocations.filter(state=Allocation.State.OPEN).count() == 3
    assert hand_over_allocations(project=project, annotator_id=person.pk, heir_id=writer.pk, by=boss) == 0
    assert hand_over_allocations(project=project, annotator_id=writer.pk, heir_id=person.pk, by=boss) == 0
    with pytest.raises(Invalid):
        annotator_remove(project=project, annotator_id=person.pk, by=boss, heir_id=person.pk)
    assert Event.objects.filter(verb="handed_over").count() == 3


def test_a_lead_removes_neither_leads_nor_oneself(project: Project, boss: User) -> None:
    lead, other = factory.member(project, "lead"), factory.member(project, "lead")
    writer = factory.member(project, "writer")
    assert lead.user is not None
    assert writer.user is not None
    for target, by in ((lead, lead.user), (other, lead.user), (lead, writer.user), (writer, writer.user)):
        with pytest.raises(Forbidden):
            annotator_remove(project=project, annotator_id=target.pk, by=by)
    annotator_remove(project=project, annotator_id=writer.pk, by=lead.user)
    annotator_remove(project=project, annotator_id=lead.pk, by=boss)


def test_back_by_an_invitation_under_the_old_pseudonym(project: Project, boss: User) -> None:
    writer = factory.member(project, "writer")
    assert writer.user is not None
    annotator_remove(project=project, annotator_id=writer.pk, by=boss)
    roles = Roles(validator=True)
    made = invitation_create(project=project, email=writer.user.email, roles=roles, by=boss)
    back = invitation_accept(token=made.token, user=writer.user)
    assert (back.pk, back.pseudonym, back.left_at) == (writer.pk, writer.pseudonym, None)
    assert (back.is_writer, back.is_validator) == (False, True)


def test_an_account_deleted(project: Project, boss: User, client: Client) -> None:
    """Ruling 20: name and address go, votes stay, sessions end, nothing is left open."""
    person, assignment, _ = _in_the_middle(project)
    user = person.user
    assert user is not None
    User.objects.filter(pk=user.pk).update(name="Somebody Known")
    user.refresh_from_db()
    email = user.email
    vote_cast(user_id=user.pk, slug="p1", token=assignment.token, ballot=Ballot(label="e"))
    invitation_create(project=project, email=email, roles=Roles(writer=True), by=boss)
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert client.get(reverse("people", args=["p1"])).status_code == 403
    with pytest.raises(Invalid):
        account_delete(user=user, password="wrong")
    account_delete(user=user, password=factory.PASSWORD)
    assert client.get(reverse("people", args=["p1"])).status_code == 302
    user.refresh_from_db()
    assert user.email.endswith("@invalid")
    assert (user.name, user.is_active, user.is_administrator) == ("", False, False)
    assert user.deleted_at is not None
    assert authenticate(None, email=email, password=factory.PASSWORD) is None
    kept = Vote.objects.get()
    assert (kept.annotator.pseudonym, kept.withdrawn_at) == (person.pseudonym, None)
    assert not Invitation.objects.open().exists()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT count(*) FROM {table} t WHERE t::text ~ %s", [f"{email}|Somebody Known"])  # noqa: S608
            assert cursor.fetchone() == (0,), table
    assert factory.user(email).pk != user.pk


def test_the_last_administrator_stays(boss: User) -> None:
    with pytest.raises(Conflict):
        account_delete(user=boss, password=factory.PASSWORD)
    factory.user(administrator=True)
    account_delete(user=boss, password=factory.PASSWORD)


# --- the page --------------------------------------------------------------------------


def _as(user: User | None) -> Client:
    client = Client()
    assert user is not None
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def test_inviting_on_the_page(project: Project, boss: User) -> None:
    client = _as(boss)
    answer = client.post(reverse("people_invite", args=["p1"]), {"email": "New@Example.org", "validator": "on"})
    token = answer.context["link"].rstrip("/").rsplit("/", 1)[1]
    assert answer.context["link"] in mail.outbox[0].body
    assert mail.outbox[0].to == ["new@example.org"]
    assert token not in client.get(reverse("people", args=["p1"])).text
    fields = {"email": "not an address", "validator": "on"}
    wrong = client.post(reverse("people_invite", args=["p1"]), fields)
    assert wrong.status_code == 422
    assert "not an address" in wrong.text


def test_a_subject_is_one_line(project: Project, boss: User) -> None:
    Project.objects.update(name="One\r\nBcc: evil@example.org")
    _as(boss).post(reverse("people_invite", args=["p1"]), {"email": "a@example.org", "writer": "on"})
    assert "\n" not in mail.outbox[0].subject
    assert mail.outbox[0].recipients() == ["a@example.org"]


def test_a_page_that_is_behind_keeps_what_was_chosen(project: Project, boss: User) -> None:
    writer = factory.member(project, "writer")
    client, url = _as(boss), reverse("people_roles", args=["p1", writer.pk])
    assert client.post(url, {"seen": "writer", "writer": "on", "validator": "on"}).status_code == 302
    stale = client.post(url, {"seen": "writer", "lead": "on"})
    assert stale.status_code == 409
    assert stale.context["chosen_roles"] == Roles(lead=True)
    writer.refresh_from_db()
    assert (writer.is_validator, writer.is_lead) == (True, False)
    assert client.post(url, {"seen": "writer validator"}).status_code == 422


def test_leads_see_people_and_annotators_do_not(project: Project, boss: User) -> None:
    lead, writer = factory.member(project, "lead"), factory.member(project, "writer")
    assert writer.user is not None
    assert writer.user.email in _as(lead.user).get(reverse("people", args=["p1"])).text
    assert writer.user.email not in _as(lead.user).get(reverse("project", args=["p1"])).text
    assert _as(writer.user).get(reverse("people", args=["p1"])).status_code == 403


def test_the_number_of_statements_does_not_grow(project: Project, boss: User, django_assert_num_queries) -> None:
    client = _as(boss)
    url = reverse("people", args=["p1"])
    factory.member(project, "writer")
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        client.get(url)
    for _ in range(8):
        factory.member(project, "writer", "validator")
    with django_assert_num_queries(len(few)):
        client.get(url)


def _cast(person: Annotator, assignment: Assignment) -> str:
    try:
        assert person.user_id is not None
        ballot = Ballot(label="e")
        vote_cast(user_id=person.user_id, slug="p1", token=assignment.token, ballot=ballot)
    except (NotFound, Conflict) as refusal:
        return refusal.code
    return "stored"


@pytest.mark.django_db(transaction=True)
def test_leaving_while_a_vote_arrives(project: Project, boss: User) -> None:
    """A26: whichever is first, the vote is stored whole or not at all, and no slot is lost."""
    for _ in range(5):
        person, assignment, _ = _in_the_middle(project)
        remove = partial(annotator_remove, project=project, annotator_id=person.pk, by=boss)
        outcome, removed = run_at_once([partial(_cast, person, assignment), remove])
        assert not isinstance(removed, Exception), removed
        assert isinstance(outcome, str), outcome
        item = Item.objects.get(pk=assignment.item_id)
        held = Assignment.objects.filter(item=item, state=Assignment.State.OPEN).count()
        assert item.pending - item.slots_free == held
        assert Vote.objects.filter(item=item).count() == item.votes_n
        assert Vote.objects.filter(annotator=person).count() == (outcome == "stored")


def test_roles_go_into_the_audit(project: Project, boss: User) -> None:
    writer = factory.member(project, "writer")
    roles_change(project=project, annotator_id=writer.pk, roles=Roles(validator=True), by=boss)
    last = Event.objects.filter(verb="roles").latest("id")
    assert (last.actor, last.data["before"]["writer"]) == (boss, True)
    assert "example.org" not in json.dumps(last.data)


def test_a_deleted_account_leaves_no_comments(project: Project, boss: User) -> None:
    """What somebody wrote beside their answers may tell who they are; a reason keeps its code, a vote its label."""
    person, assignment, _ = _in_the_middle(project)
    user = person.user
    assert user is not None
    said = Ballot(label="e", comment="Di kampung saya, Cibiuk, begitu.")
    vote_cast(user_id=user.pk, slug="p1", token=assignment.token, ballot=said)
    Assignment.objects.filter(annotator=person).update(reason="not-my-field: I am from Cibiuk")
    Allocation.objects.filter(writer=person).update(skip_reason="broken: I, Ana, wrote it")
    Comment.objects.create(project=project, item=Item.objects.order_by("pk")[0], by=person, text="I am Ana.")
    account_delete(user=user, password=factory.PASSWORD)
    kept = Vote.objects.get()
    assert (kept.label, kept.comment) == ("e", "")
    assert set(Assignment.objects.filter(annotator=person).values_list("reason", flat=True)) == {"not-my-field"}
    assert set(Allocation.objects.filter(writer=person).values_list("skip_reason", flat=True)) == {"broken"}
    assert not Comment.objects.exists()


@pytest.mark.parametrize("sent", [{}, {"comments": "clear"}])
def test_comments_go_where_their_author_says_so(project: Project, client: Client, sent: dict[str, str]) -> None:
    person, assignment, _ = _in_the_middle(project)
    user = person.user
    assert user is not None
    said = Ballot(label="e", comment="Begitu.")
    vote_cast(user_id=user.pk, slug="p1", token=assignment.token, ballot=said)
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    client.post(reverse("my_deletion"), {"password": factory.PASSWORD, **sent})
    user.refresh_from_db()
    assert user.deleted_at is not None
    assert Vote.objects.get().comment == ("" if sent else "Begitu.")
