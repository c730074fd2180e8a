"""What reviewers ask and nobody but administrators knows: on the page, over the API and by command alike."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.core.errors import Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.datasheet.actions import about_change
from annotation.datasheet.models import About
from annotation.datasheet.queries import about_in_release
from annotation.datasheet.rules import QUESTIONS
from tests import factory
from tests.api import script

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return factory.project("p1")


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ({"errata": "example.org"}, "errata"),
        ({"published_on": "28.11.2026"}, "published_on"),
        ({"published_on": "2026-02-30"}, "published_on"),
        ({"published_on": "2999-01-01"}, "published_on"),
        ({"version": "1" * 201}, "version"),
        ({"limits": "x" * 10_001}, "limits"),
        ({"strange": "x"}, "statement"),
        ("x", "statement"),
    ],
)
def test_what_cannot_be_answered(project: Project, answers: Any, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        about_change(project=project, by=None, changes={"answers": answers}, version=0)
    assert refused.value.field == field
    assert not About.objects.exists()


def test_a_page_asks_and_keeps_what_was_typed(project: Project) -> None:
    client, url = Client(), reverse("about", args=["p1"])
    client.force_login(factory.user(administrator=True), backend="allauth.account.auth_backends.AuthenticationBackend")
    page = client.get(url).content.decode()
    assert [name for name in QUESTIONS if f'name="answer-{name}"' not in page] == []
    sent = {"version": 0, "threshold": 5, "answer-contact": "data@example.org", "answer-errata": "nowhere"}
    refused = client.post(url, sent)
    assert refused.status_code == 422
    wrong = client.post(url, {**sent, "homepage": "x", "answer-published_on": "2999-01-01"}).content.decode()
    for words in ("A home page begins with", "A link begins with", "The day is more than a year ahead"):
        assert words in wrong
    assert "data@example.org" in refused.content.decode()
    assert client.post(url, {**sent, "answer-errata": "https://example.org/e"}).status_code == 302
    answers = {"contact": "data@example.org", "errata": "https://example.org/e"}
    assert about_in_release(project)["answers"] == answers
    assert Event.objects.get(verb="about_changed").data == {"fields": ["answers"]}


def test_the_api_reads_and_changes_the_answers(project: Project) -> None:
    boss = script(factory.user(administrator=True))
    sent = {"version": 0, "answers": {"funding": "Nobody."}}
    assert boss.post("projects/p1/about", sent).json()["answers"] == {"funding": "Nobody."}
    assert boss.get("projects/p1/about").json()["answers"] == {"funding": "Nobody."}


def test_a_command_prints_what_it_takes(project: Project, tmp_path: Path) -> None:
    about_change(project=project, by=None, changes={"licence": "MIT", "answers": {"limits": "Few."}}, version=0)
    path = tmp_path / "about.json"
    path.write_text(json.dumps({"citation": "@misc{x}", "answers": {"contact": "a@b.c"}}))
    said = StringIO()
    call_command("about", "p1", take=path, stdout=said)
    told = json.loads(said.getvalue())
    assert (told["licence"], told["citation"], told["answers"]["limits"]) == ("MIT", "@misc{x}", "Few.")
    path.write_text(said.getvalue())
    again = StringIO()
    call_command("about", "p1", take=path, stdout=again)
    assert again.getvalue() == said.getvalue()
    assert About.objects.get().version == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "is no object with these names alone"),
        ("{", "is no JSON"),
        ('{"license": "MIT"}', "license"),
        ('{"answers": "x"}', "answers: is no object"),
        ('{"answers": {"errata": "x"}}', "errata: A link begins with"),
    ],
)
def test_a_file_that_cannot_be_taken_changes_nothing(project: Project, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "about.json"
    path.write_text(text)
    with pytest.raises(CommandError, match=words):
        call_command("about", "p1", take=path)
    assert not About.objects.exists()
