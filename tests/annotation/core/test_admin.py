"""Django's admin: read-only, for administrators, with no log-in of its own."""

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib import admin
from django.test import Client

from annotation.core.actions.accounts import user_create
from annotation.core.admin_site import ReadOnlyAdmin
from annotation.core.models.user import User
from tests.annotation.core.test_accounts import PASSWORD, _no_old_limits, log_in

pytestmark = pytest.mark.django_db
__all__ = ["_no_old_limits"]


@pytest.fixture
def person() -> User:
    return user_create(email="aska@example.org", password=PASSWORD, name="Ana")


def test_the_admin_knows_no_log_in_of_its_own(person: User, client: Client) -> None:
    """A23: the second factor and the limits hold there too; those who are no administrators get nothing."""
    answer = client.post("/admin/login/", {"username": person.email, "password": PASSWORD})
    assert answer["Location"].startswith("/accounts/login/")
    log_in(client)
    assert client.get("/admin/").status_code in (302, 403)
    assert client.get("/admin/annotation/user/").status_code in (302, 403)


OURS = {"annotation.User", "annotation.Project", "annotation.Annotator", "annotation.Event", "annotation.Job"}


def test_only_read_only_admins_are_registered(person: User, client: Client) -> None:
    """Whatever packages register for themselves: addresses, secrets of the second factor and groups stay out."""
    assert {model._meta.label for model in admin.site._registry} == OURS
    assert all(isinstance(each, ReadOnlyAdmin) for each in admin.site._registry.values())
    boss = user_create(email="boss@example.org", password=PASSWORD, administrator=True)
    log_in(client, boss.email)
    for model in apps.get_models():
        url = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        listed = model._meta.label in OURS
        assert client.get(url).status_code == (200 if listed else 404), url
        for page in ("add/", f"{boss.pk}/delete/"):
            assert client.get(url + page).status_code in ((302, 403) if listed else (404,)), url + page
        assert client.post(url + "add/", {"name": "x"}).status_code == (403 if listed else 404), url


def test_what_a_package_registers_later_is_left_out_too() -> None:
    admin.site.register(EmailAddress, admin.ModelAdmin)
    admin.site.register(EmailAddress)
    assert not admin.site.is_registered(EmailAddress)


def test_the_admin_only_lets_in_and_out(person: User, client: Client) -> None:
    boss = user_create(email="boss@example.org", password=PASSWORD, administrator=True)
    log_in(client, boss.email)
    url = "/admin/annotation/user/"
    assert client.get(url).status_code == 200
    detail = client.get(f"{url}{person.pk}/change/")
    assert person.password not in detail.text
    assert client.post(f"{url}{person.pk}/change/", {"is_administrator": "on"}).status_code == 403
    assert client.post(f"{url}{person.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get(f"{url}add/").status_code == 403
    for lookup in (
        "password__startswith=m",
        "memberships__project__slug=x",
        "emailaddress__email__startswith=a",
    ):
        assert client.get(f"{url}?{lookup}").status_code == 400
    fields = {"action": "deactivate", "_selected_action": [str(person.pk), str(boss.pk)]}
    client.post(url, {**fields, "form-0-id": str(boss.pk), "form-0-is_administrator": "on"})
    person.refresh_from_db()
    boss.refresh_from_db()
    assert (person.is_active, boss.is_active) == (False, True)
    client.post(url, {"action": "activate", "_selected_action": [str(person.pk)]})
    person.refresh_from_db()
    assert person.is_active
    assert not person.is_administrator
