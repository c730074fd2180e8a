"""Invitations: one link, one address, one project, one membership; and who may invite whom."""

import re
from collections.abc import Iterator
from functools import partial

import pytest
from django.core import mail
from django.core.cache import cache
from django.db.models.functions import Now
from django.test import Client, override_settings
from django.urls import reverse

from annotation.core.actions.accounts import user_create
from annotation.core.actions.members import Roles, annotator_add, roles_change
from annotation.core.database import seconds_from_now
from annotation.core.errors import Conflict, Forbidden, Invalid, NotFound, Refusal
from annotation.core.models.member import Annotator, Event, Invitation
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.projects.actions.invitations import invitation_accept, invitation_create, invitation_revoke
from annotation.projects.actions.projects import project_create
from tests.annotation.core.test_accounts import NO_MAIL, choose_password
from tests.page_text import page_text
from tests.race import run_at_once

PASSWORD = "kopi-tubruk-17"
pytestmark = pytest.mark.django_db
WRITER, VALIDATOR, LEAD = Roles(writer=True), Roles(validator=True), Roles(lead=True)


@pytest.fixture(autouse=True)
def _no_old_limits() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def boss(db: None) -> User:
    return user_create(email="boss@example.org", password=PASSWORD, administrator=True)


@pytest.fixture
def project(boss: User) -> Project:
    return project_create(slug="p1", name="One", preset="indonli-lay", by=boss)


@pytest.fixture
def lead(project: Project) -> User:
    user = user_create(email="lead@example.org", password=PASSWORD)
    user.language = "en"  # else pages of the project speak Indonesian
    user.save()
    annotator_add(project=project, user=user, lead=True)
    return user


@pytest.fixture
def guest() -> User:
    return user_create(email="guest@example.org", password=PASSWORD)


def place(project: Project, user: User) -> Annotator | None:
    return Annotator.objects.filter(project=project, user=user).first()


def test_only_the_hash_is_kept(project: Project, boss: User) -> None:
    made = invitation_create(project=project, email=" Guest@Example.org ", roles=WRITER, by=boss)
    stored = Invitation.objects.values().get()
    assert made.token not in str(stored)
    assert (stored["email"], len(stored["token_hash"])) == ("guest@example.org", 64)
    assert len(made.token) >= 43
    again = invitation_create(project=project, email="guest@example.org", roles=VALIDATOR, by=boss)
    assert list(Invitation.objects.open()) == [again.invitation]


def test_accepted_once(project: Project, boss: User, guest: User) -> None:
    token = invitation_create(project=project, email=guest.email, roles=WRITER, by=boss).token
    made = invitation_accept(token=token, user=guest)
    assert (made.is_writer, made.is_validator, made.is_lead) == (True, False, False)
    assert invitation_accept(token=token, user=guest) == made
    with pytest.raises(NotFound):
        invitation_accept(token=token, user=boss)
    assert Annotator.objects.count() == 1


def test_another_address_gets_nothing(project: Project, boss: User, guest: User, lead: User) -> None:
    token = invitation_create(project=project, email="other@example.org", roles=LEAD, by=boss).token
    with pytest.raises(Forbidden):
        invitation_accept(token=token, user=guest)
    assert place(project, guest) is None


@pytest.mark.parametrize("how", ["expired", "revoked", "wrong"])
def test_what_is_over_is_over(project: Project, boss: User, guest: User, how: str) -> None:
    made = invitation_create(project=project, email=guest.email, roles=WRITER, by=boss)
    if how == "expired":
        Invitation.objects.update(expires_at=Now())
    if how == "revoked":
        invitation_revoke(project=project, invitation_id=made.invitation.pk, by=boss)
        invitation_revoke(project=project, invitation_id=made.invitation.pk, by=boss)
    token = made.token + ("x" if how == "wrong" else "")
    with pytest.raises(NotFound):
        invitation_accept(token=token, user=guest)
    assert not Annotator.objects.exists()


def test_invitation_adds_to_what_one_is(project: Project, boss: User, guest: User) -> None:
    annotator_add(project=project, user=guest, writer=True)
    token = invitation_create(project=project, email=guest.email, roles=VALIDATOR, by=boss).token
    made = invitation_accept(token=token, user=guest)
    assert (made.is_writer, made.is_validator) == (True, True)
    token = invitation_create(project=project, email=guest.email, roles=LEAD, by=boss).token
    with pytest.raises(Conflict):
        invitation_accept(token=token, user=guest)
    assert Invitation.objects.open().count() == 1


@pytest.mark.parametrize("roles", [Roles(), Roles(validator=True, lead=True)])
def test_roles_that_cannot_be(project: Project, boss: User, roles: Roles) -> None:
    with pytest.raises(Invalid):
        invitation_create(project=project, email="a@example.org", roles=roles, by=boss)


@pytest.mark.parametrize("email", ["", "no", "a@b\n.org", "x" * 250 + "@example.org"])
def test_addresses_that_cannot_be(project: Project, boss: User, email: str) -> None:
    with pytest.raises(Invalid):
        invitation_create(project=project, email=email, roles=WRITER, by=boss)


def test_nobody_gives_more_than_they_have(project: Project, boss: User, lead: User, guest: User) -> None:
    """A24: a lead makes writers and validators in their own project; nobody else invites at all."""
    other = project_create(slug="p2", name="Two", preset="indonli-lay", by=boss)
    annotator_add(project=project, user=guest, writer=True, validator=True)
    invitation_create(project=project, email="a@example.org", roles=WRITER, by=lead)
    refused = [
        (project, LEAD, lead),
        (other, WRITER, lead),
        (project, WRITER, guest),
        (project, WRITER, user_create(email="nobody@example.org", password=None)),
    ]
    for where, roles, by in refused:
        with pytest.raises(Forbidden):
            invitation_create(project=where, email="b@example.org", roles=roles, by=by)
    boss_made = invitation_create(project=project, email="c@example.org", roles=LEAD, by=boss)
    with pytest.raises(Forbidden):
        invitation_revoke(project=project, invitation_id=boss_made.invitation.pk, by=lead)
    with pytest.raises(NotFound):
        invitation_revoke(project=other, invitation_id=boss_made.invitation.pk, by=boss)
    assert Invitation.objects.count() == 2


def test_roles_change(project: Project, boss: User, lead: User, guest: User) -> None:
    made = annotator_add(project=project, user=guest, writer=True)
    roles_change(project=project, annotator_id=made.pk, roles=Roles(writer=True, validator=True), by=lead, seen=WRITER)
    with pytest.raises(Conflict) as stale:
        roles_change(project=project, annotator_id=made.pk, roles=VALIDATOR, by=lead, seen=WRITER)
    assert stale.value.details["current"] == Roles(writer=True, validator=True)
    leading = place(project, lead)
    assert leading is not None
    cases: list[tuple[int, Roles, User, type[Refusal]]] = [
        (made.pk, LEAD, lead, Forbidden),
        (leading.pk, WRITER, lead, Forbidden),
        (made.pk, WRITER, guest, Forbidden),
        (0, WRITER, boss, NotFound),
        (made.pk, Roles(), boss, Invalid),
    ]
    for pk, roles, by, refusal in cases:
        with pytest.raises(refusal):
            roles_change(project=project, annotator_id=pk, roles=roles, by=by)
    roles_change(project=project, annotator_id=made.pk, roles=LEAD, by=boss)
    roles_change(project=project, annotator_id=made.pk, roles=WRITER, by=boss)
    with pytest.raises(Conflict):
        roles_change(project=project, annotator_id=made.pk, roles=VALIDATOR, by=boss)
    assert made.pseudonym == Annotator.objects.get(pk=made.pk).pseudonym
    assert Event.objects.filter(verb="roles").count() == 5


@pytest.mark.django_db(transaction=True)
def test_two_accepts_at_once(project: Project, boss: User, guest: User) -> None:
    """A25: whichever comes second finds it used; both are told the same place."""
    token = invitation_create(project=project, email=guest.email, roles=WRITER, by=boss).token
    first, second = run_at_once([partial(invitation_accept, token=token, user=guest)] * 2)
    assert first.pk == second.pk
    assert Annotator.objects.count() == 1
    assert Event.objects.filter(verb="roles").count() == 1


# --- the link over HTTP -------------------------------------------------------------


def _link(token: str) -> str:
    return reverse("invitation", args=[token])


def test_looking_at_a_link_changes_nothing(project: Project, boss: User, guest: User, client: Client) -> None:
    token = invitation_create(project=project, email=guest.email, roles=WRITER, by=boss).token
    for _ in range(2):
        assert client.get(_link(token)).status_code == 200
    client.force_login(guest)
    for _ in range(2):
        assert client.get(_link(token)).status_code == 200
    assert Invitation.objects.open().count() == 1
    answer = client.post(_link(token))
    assert answer["Location"] == reverse("guidelines", args=["p1"])
    assert place(project, guest) is not None
    assert client.get(_link(token))["Location"] == reverse("guidelines", args=["p1"])


def test_what_is_over_looks_the_same(project: Project, boss: User, guest: User, client: Client) -> None:
    """Unknown, used, revoked and past links answer with the same bytes."""
    tokens = {"unknown": "x" * 43}
    for how in ("used", "revoked", "past"):
        made = invitation_create(project=project, email=f"{how}@example.org", roles=WRITER, by=boss)
        tokens[how] = made.token
        rows = Invitation.objects.filter(pk=made.invitation.pk)
        if how == "used":
            invitation_accept(token=made.token, user=user_create(email="used@example.org", password=None))
        elif how == "revoked":
            rows.update(revoked_at=Now())
        else:
            rows.update(expires_at=seconds_from_now(-1))
    client.force_login(guest)
    for method in (Client().get, Client().post, client.get, client.post):
        answers = [method(_link(token)) for token in tokens.values()]
        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.content for answer in answers}) == 1


def test_another_account_is_not_told_whose(project: Project, boss: User, guest: User, client: Client) -> None:
    token = invitation_create(project=project, email="secret@example.org", roles=WRITER, by=boss).token
    client.force_login(guest)
    for answer in (client.get(_link(token)), client.post(_link(token))):
        assert answer.status_code == 403
        assert "secret@" not in answer.text
        assert project.name not in page_text(answer.text)
    assert Invitation.objects.open().count() == 1


@override_settings(**NO_MAIL)
def test_sign_up_with_an_invitation(project: Project, boss: User, client: Client) -> None:
    """The address is the invited one whatever is sent; the invitation is accepted with the first log-in."""
    token = invitation_create(project=project, email="new@example.org", roles=VALIDATOR, by=boss).token
    answer = client.post(_link(token), {"signup": "1"})
    assert answer["Location"] == reverse("account_signup")
    assert token not in str(dict(client.session))
    assert "new@example.org" in client.get(answer["Location"]).text
    fields = {
        "email": "evil@example.org",
        "password1": PASSWORD,
        "password2": PASSWORD,
        "is_lead": "on",
        "is_administrator": "on",
    }
    answer = client.post(reverse("account_signup"), fields)
    assert answer["Location"] == reverse("guidelines", args=["p1"])
    user = User.objects.get(email="new@example.org")
    made = place(project, user)
    assert made is not None
    assert (made.is_validator, made.is_lead, user.is_administrator) == (True, False, False)
    assert not User.objects.filter(email__contains="evil").exists()


def test_mandatory_verification_comes_first(project: Project, boss: User, client: Client) -> None:
    """Who was only shown the link cannot take an address that is not theirs."""
    token = invitation_create(project=project, email="new@example.org", roles=WRITER, by=boss).token
    client.post(_link(token), {"signup": "1"})
    evil = {"password1": "lead-knows-17", "password2": "lead-knows-17"}
    client.post(reverse("account_signup"), evil)
    assert not Annotator.objects.exists()
    choose_password(client, _confirmed(client))
    client.post(reverse("account_login"), {"login": "new@example.org", "password": PASSWORD})
    assert place(project, User.objects.get(email="new@example.org")) is not None


def _confirmed(client: Client) -> str:
    """Where the link of the last message leads to once it was confirmed."""
    found = re.search(r"http://testserver(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return str(client.post(found[1])["Location"])


def test_log_in_with_an_invitation(project: Project, boss: User, guest: User, client: Client) -> None:
    token = invitation_create(project=project, email=guest.email, roles=WRITER, by=boss).token
    assert client.post(_link(token), {"login": "1"})["Location"] == reverse("account_login")
    answer = client.post(reverse("account_login"), {"login": guest.email, "password": PASSWORD})
    assert answer["Location"] == reverse("guidelines", args=["p1"])
    assert place(project, guest) is not None


def test_log_in_with_another_account(project: Project, boss: User, guest: User, client: Client) -> None:
    token = invitation_create(project=project, email="x@example.org", roles=WRITER, by=boss).token
    client.post(_link(token), {"login": "1"})
    answer = client.post(reverse("account_login"), {"login": guest.email, "password": PASSWORD})
    assert answer["Location"] == reverse("invitation_refused")
    assert client.get(answer["Location"]).status_code == 403
    assert not Annotator.objects.exists()
    assert Invitation.objects.open().count() == 1
