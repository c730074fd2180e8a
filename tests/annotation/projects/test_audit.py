"""The audit log: what administrators see of administrative acts, and nothing of votes."""

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.api.tokens import token_create
from annotation.core import audit, messages
from annotation.core.actions.accounts import user_activate
from annotation.core.models.member import Event
from annotation.core.rules.audit import AREAS, VERB_OF_NOTICE, verbs_of
from annotation.projects.actions.projects import project_settings_change
from tests import factory

pytestmark = pytest.mark.django_db


def test_every_act_has_words_and_stands_once() -> None:
    verbs = verbs_of("")
    assert len(verbs) == len(set(verbs))
    assert [verb for verb in verbs if verb not in messages.EVENTS] == []
    assert set(VERB_OF_NOTICE.values()) <= set(AREAS["sign-in"][1])


def test_acts_are_shown_latest_first_by_area_and_project(client: Client) -> None:
    admin, other = factory.user("admin@example.org", administrator=True), factory.user("ana@example.org")
    project = factory.project("kuis")
    project_settings_change(project=project, by=admin, changes={"sample_share": "0.5"})
    token_create(user=other, name="nightly", scopes=["read"])
    user_activate(user_id=other.pk, active=False, by=admin)
    client.force_login(admin)
    page = client.get(reverse("audit_log")).content.decode()
    assert page.index("shut somebody out") < page.index("made an API token") < page.index("changed settings")
    assert "ana@example.org" in page
    page = client.get(reverse("audit_log"), {"area": "connections"}).content.decode()
    assert ("made an API token" in page, "shut somebody out" in page) == (True, False)
    page = client.get(reverse("audit_log"), {"project": "kuis"}).content.decode()
    assert ("changed settings" in page, "made an API token" in page) == (True, False)
    page = client.get(reverse("audit_log"), {"area": "nonsense", "project": "nothing\0"}).content.decode()
    assert "made an API token" in page


def test_it_goes_on_behind_fifty(client: Client) -> None:
    admin = factory.user(administrator=True)
    Event.objects.bulk_create(Event(actor=admin, verb="token_created", data={"token": n}) for n in range(60))
    client.force_login(admin)
    page = client.get(reverse("audit_log")).content.decode()
    assert (page.count("made an API token"), "<bdi>59</bdi>" in page) == (50, True)
    last = Event.objects.order_by("-id")[49]
    assert f"?before={last.pk}" in page
    page = client.get(reverse("audit_log"), {"before": last.pk}).content.decode()
    assert (page.count("made an API token"), "Older" in page) == (10, False)


def test_the_file_holds_all_of_it(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "A_CHUNK", 2)
    admin = factory.user("=admin@example.org", administrator=True)
    project = factory.project("kuis")
    for n in range(5):
        Event.record(project, admin, "webhook_created", webhook=n)
    Event.record(project, admin, "settings", note="x")
    client.force_login(admin)
    answer = client.get(reverse("audit_file"), {"area": "connections", "project": "kuis"})
    assert answer["Content-Disposition"] == 'attachment; filename="mufakat-audit.csv"'
    rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode("utf-8-sig"))))
    assert [row["details"] for row in rows] == [f'{{"webhook":{n}}}' for n in (4, 3, 2, 1, 0)]
    # A cell that a spreadsheet would compute is the text that it is; in the copy for them it is not computed.
    assert {row["by"] for row in rows} == {"=admin@example.org"}
    copy = client.get(reverse("audit_file"), {"area": "connections", "project": "kuis", "copy": "spreadsheet"})
    assert b"'=admin@example.org" in b"".join(copy)


def test_what_people_do_with_items_is_not_in_it() -> None:
    """Acts that name items, labels or answers stay with their projects."""
    shown = set(verbs_of(""))
    assert not shown & {
        "gold_added",
        "gold_retired",
        "concept_changed",
        "elicitation_answer_changed",
        "question_published",
    }


@pytest.mark.parametrize("role", ["writer", "validator", "lead"])
def test_only_administrators_open_it(client: Client, role: str) -> None:
    user = factory.user()
    factory.member(factory.project(), role, account=user)
    client.force_login(user)
    assert {client.get(reverse(name)).status_code for name in ("audit_log", "audit_file")} == {403}


def test_changes_of_sign_in_are_in_it(client: Client) -> None:
    user = factory.user()
    client.force_login(user)
    sent = {"oldpassword": factory.PASSWORD, "password1": "kopi-luwak-19", "password2": "kopi-luwak-19"}
    client.post(reverse("account_change_password"), sent)
    assert Event.objects.get(verb="password_changed").actor == user


@pytest.mark.parametrize(
    ("verb", "data", "shown"),
    [
        (
            "roles",
            {"before": {"lead": False, "writer": True}, "after": {}},
            [("after", "–"), ("before", "writer")],
        ),
        (
            "settings",
            {"sample_share": ["0.3", "0.5"], "note": [None, ""]},
            [("note", "– → –"), ("sample_share", "0.3 → 0.5")],
        ),
        (
            "groups_applied",
            {"given": ["kuis:lead", "administrator"]},
            [("given", "kuis:lead, administrator")],
        ),
        ("token_created", {}, []),
    ],
)
def test_details_are_read_as_words(verb: str, data: dict[str, Any], shown: list[tuple[str, str]]) -> None:
    (act,) = audit.acts([Event(verb=verb, data=data)])
    assert act.details == shown
