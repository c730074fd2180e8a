"""What the tests of targets share: who looks, how often the database is asked, and 22 targets."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation import presets
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.translation.actions.targets import targets_add

HTMX = {"HX-Request": "true"}


def browser_of(user: User | Annotator | None) -> Client:
    """A browser in which this person is logged in."""
    account = user.user if isinstance(user, Annotator) else user
    assert account is not None
    client = Client()
    client.force_login(account, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def url_of(name: str, *args: object) -> str:
    """An address of the project `t1`."""
    return reverse(name, args=["t1", *args])


def count_statements(client: Client, url: str) -> int:
    """How often the database is asked for a page."""
    with CaptureQueriesContext(connection) as said:
        assert client.get(url).status_code == 200
    return len(said)


def add_many_targets(project: Project) -> None:
    """22 targets in all."""
    there = set(project.targets.values_list("key", flat=True))
    text = presets.get("loraxbench").targets + "id, informal\n"
    lines = [line for line in text.splitlines() if line.replace(", ", "-") not in {*there, "su-loma", "su-lemes"}]
    targets_add(project=project, text="\n".join(lines))
    assert project.targets.count() == 22
