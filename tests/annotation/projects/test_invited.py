"""Who an invitation lets in: the invited person and nobody else, with mail and without; and how many there may be."""

import pytest
from django.core import mail
from django.test import Client, override_settings
from django.urls import reverse

from annotation.core.actions.accounts import user_create
from annotation.core.actions.members import annotator_add
from annotation.core.database import seconds_from_now
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Annotator, Invitation
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.projects.actions.invitations import invitation_accept, invitation_create
from annotation.projects.actions.projects import project_create
from tests.annotation.core.test_accounts import NO_MAIL, choose_password
from tests.annotation.projects.test_invitations import (
    PASSWORD,
    VALIDATOR,
    WRITER,
    _confirmed,
    _link,
    _no_old_limits,
    boss,
    guest,
    lead,
    place,
    project,
)

pytestmark = pytest.mark.django_db
__all__ = ["_no_old_limits", "boss", "guest", "lead", "project"]


@pytest.mark.parametrize("before", [False, True])
def test_an_inviter_cannot_set_the_password_of_the_invited(
    project: Project, lead: User, client: Client, before: bool
) -> None:
    """They are shown the link, open it first and sign up; the invited person confirms what comes by mail.

    `before`: an account that an older version let them make, with their password.
    """
    token = invitation_create(project=project, email="ika@example.org", roles=WRITER, by=lead).token
    evil = {"password1": "lead-knows-17", "password2": "lead-knows-17"}
    client.post(_link(token), {"signup": "1"})
    assert 'name="password1"' not in client.get(reverse("account_signup")).text
    client.post(reverse("account_signup"), evil)
    ika = User.objects.get(email="ika@example.org")
    if before:
        ika.set_password("lead-knows-17")
        ika.save()
    owner = Client()
    where = _confirmed(owner)
    client.post(reverse("account_login"), {"login": ika.email, "password": "lead-knows-17"})
    assert "_auth_user_id" not in client.session
    choose_password(owner, where)
    client.post(reverse("account_login"), {"login": ika.email, "password": "lead-knows-17"})
    assert "_auth_user_id" not in client.session
    assert not Annotator.objects.filter(user=ika).exists()
    owner.post(_link(token), {"login": "1"})
    owner.post(reverse("account_login"), {"login": ika.email, "password": PASSWORD})
    assert place(project, ika) is not None


@override_settings(**NO_MAIL)
def test_where_no_mail_leaves_a_lead_cannot_redeem_what_they_made(
    project: Project, boss: User, lead: User, client: Client
) -> None:
    token = invitation_create(project=project, email="ika@example.org", roles=WRITER, by=lead).token
    page = client.get(_link(token)).text
    assert "No mail leaves this site" in page
    assert 'name="signup"' not in page
    fields = {"password1": PASSWORD, "password2": PASSWORD}
    client.post(_link(token), {"signup": "1"})
    client.post(reverse("account_signup"), fields)
    assert not User.objects.filter(email="ika@example.org").exists()
    with override_settings(MUFAKAT_OPEN_SIGNUP=True):
        client.post(_link(token), {"signup": "1"})
        answer = client.post(reverse("account_signup"), fields, follow=True)
    assert "Nobody has confirmed" in answer.text
    ika = User.objects.get(email="ika@example.org")
    answer = client.post(_link(token))
    assert answer.status_code == 409
    assert "Nobody has confirmed" in answer.text
    assert place(project, ika) is None
    token = invitation_create(project=project, email="ika@example.org", roles=WRITER, by=boss).token
    client.post(_link(token))
    assert place(project, ika) is not None
    other = project_create(slug="p2", name="Two", preset="indonli-lay", by=boss)
    annotator_add(project=other, user=lead, lead=True)
    token = invitation_create(project=other, email="ika@example.org", roles=WRITER, by=lead).token
    client.post(_link(token))
    assert place(other, ika) is not None


@pytest.mark.parametrize("no_mail", [False, True])
def test_sent_is_said_only_where_mail_leaves(
    project: Project, boss: User, lead: User, client: Client, no_mail: bool
) -> None:
    client.force_login(lead)
    page = reverse("people_invite", args=["p1"])
    with override_settings(**(NO_MAIL if no_mail else {})):
        answer = client.post(page, {"email": "ika@example.org", "writer": "1"}, headers={"host": "localhost"})
        assert ("Sent to" in answer.text) != no_mail
        assert ("No mail leaves this site" in answer.text) == no_mail
        assert "http://testserver/invitations/" in answer.text
        assert "http://localhost" not in answer.text
    assert len(mail.outbox) == (0 if no_mail else 1)


@override_settings(INVITATIONS_AN_HOUR=3)
def test_invitations_have_a_rate(project: Project, boss: User, lead: User) -> None:
    """By person, in all projects together; those of others and of an hour ago do not count."""
    other = project_create(slug="p2", name="Two", preset="indonli-lay", by=boss)
    annotator_add(project=other, user=lead, lead=True)
    for n, where in enumerate((project, other, project)):
        invitation_create(project=where, email=f"a{n}@example.org", roles=WRITER, by=lead)
    with pytest.raises(Invalid) as refused:
        invitation_create(project=other, email="one@example.org", roles=WRITER, by=lead)
    assert refused.value.code == "invitations_too_many"
    invitation_create(project=project, email="b@example.org", roles=WRITER, by=boss)
    Invitation.objects.filter(by=lead).update(at=seconds_from_now(-3601))
    invitation_create(project=other, email="one@example.org", roles=WRITER, by=lead)


ALIASES = ["lead+x@example.org", "Lead+votes+more@example.org", "guest+2@example.org"]


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_no_second_person(project: Project, lead: User, guest: User, alias: str) -> None:
    annotator_add(project=project, user=guest, writer=True)
    with pytest.raises(Invalid) as refused:
        invitation_create(project=project, email=alias, roles=VALIDATOR, by=lead)
    assert refused.value.code == "alias_of_member"
    assert invitation_create(project=project, email=guest.email, roles=VALIDATOR, by=lead).token
    assert invitation_create(project=project, email="ika+x@example.org", roles=VALIDATOR, by=lead).token


def test_an_invitation_from_before_does_not_let_an_alias_in(project: Project, boss: User, lead: User) -> None:
    alias = user_create(email="ika+x@example.org", password=PASSWORD)
    token = invitation_create(project=project, email=alias.email, roles=VALIDATOR, by=boss).token
    annotator_add(project=project, user=user_create(email="ika@example.org", password=PASSWORD), writer=True)
    with pytest.raises(Conflict) as refused:
        invitation_accept(token=token, user=alias)
    assert refused.value.code == "alias_of_member"
