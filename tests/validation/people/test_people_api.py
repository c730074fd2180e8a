"""Members and invitations over the API."""

import pytest
from django.core.cache import cache

from annotation.core.models.member import Annotator, Invitation
from tests import factory
from tests.api import assert_refused, script

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def test_leads_see_members_and_change_roles() -> None:
    project = factory.project("one")
    lead, writer = factory.member(project, "lead"), factory.member(project, "writer")
    other = factory.member(factory.project("two"), "writer")
    asking = script(lead.user)
    rows = asking.pages("projects/one/members", fields="pseudonym,roles,email")
    assert rows == [
        {"pseudonym": "W01", "roles": ["lead"], "email": lead.user.email if lead.user else ""},
        {"pseudonym": "W02", "roles": ["writer"], "email": writer.user.email if writer.user else ""},
    ]
    changed = asking.post(f"projects/one/members/{writer.pk}:roles", {"roles": ["writer", "validator"]})
    assert changed.json()["roles"] == ["writer", "validator"]
    stale = {"roles": ["writer"], "seen": ["writer"]}
    assert_refused(asking.post(f"projects/one/members/{writer.pk}:roles", stale), 409, "stale")
    assert_refused(asking.post(f"projects/one/members/{lead.pk}:roles", {"roles": ["writer"]}), 403, "forbidden")
    assert_refused(asking.post(f"projects/one/members/{other.pk}:end"), 404, "not_found")
    assert_refused(script(writer.user).get("projects/one/members"), 403, "forbidden")
    assert_refused(script(other.user).get("projects/one/members"), 404, "not_found")
    assert asking.post(f"projects/one/members/{writer.pk}:end").json() == {"done": True}
    assert Annotator.objects.get(pk=writer.pk).left_at


def test_a_link_is_told_once_and_withdrawn() -> None:
    project = factory.project("one")
    asking = script(factory.member(project, "lead").user)
    sent = {"email": "New@example.org", "roles": ["writer"]}
    made = asking.post("projects/one/invitations", sent).json()
    assert made["link"].startswith("http://testserver/invitations/")
    token = made["link"].rstrip("/").rpartition("/")[2]
    assert Invitation.objects.get().token_hash == Invitation.hash_of(token)
    (listed,) = asking.pages("projects/one/invitations")
    assert (listed["email"], listed["roles"]) == ("new@example.org", ["writer"])
    assert "link" not in listed
    assert_refused(asking.post("projects/one/invitations", {"email": "x", "roles": ["writer"]}), 400, "email_wrong")
    assert_refused(
        asking.post("projects/one/invitations", {"email": "a@example.org", "roles": ["lead"]}),
        403,
        "forbidden",
    )
    assert asking.post(f"projects/one/invitations/{listed['id']}:revoke").status_code == 200
    assert asking.pages("projects/one/invitations") == []


def test_somebody_without_votes_leaves_with_all_of_them() -> None:
    project = factory.project("one")
    person = factory.member(project, "validator")
    asking = script(factory.member(project, "lead").user)
    assert asking.post(f"projects/one/members/{person.pk}:end", {"void_votes": True}).json() == {"done": True}
    person.refresh_from_db()
    assert person.left_at is not None
