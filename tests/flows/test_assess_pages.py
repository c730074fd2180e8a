"""The check of a machine's work on an item's page, over HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import
from tests.factory import member, user
from tests.pay import browser_of
from tests.questions import a_question
from tests.unchecked_questions import a_checked_project, a_machine_item, assess
from validation.review.queries import assessments as assessed

pytestmark = pytest.mark.django_db
VERDICTS = {"verdict-question": "typo", "verdict-options": "none", "notes-question": "canary-note"}


@pytest.fixture
def project() -> Project:
    return a_checked_project()


@pytest.fixture
def lead(project: Project) -> Annotator:
    return member(project, "lead")


def url(item: Item, act: str = "") -> str:
    args = [item.project.slug, item.pk]
    return reverse("item_act", args=[*args, act]) if act else reverse("item", args=args)


def send(client: Client, item: Item, version: str = "1", **more: str) -> tuple[int, str, str]:
    """Status, where it leads, and the page."""
    data = {"version": version, "decision": "approve", **VERDICTS, **more}
    answer = client.post(url(item, "assess") + "?check=1", data)
    return answer.status_code, answer.headers.get("Location", ""), answer.content.decode()


def test_after_a_check_the_next_one_is_opened(project: Project, lead: Annotator) -> None:
    a_question(project, member(project, "writer"))
    items = [a_machine_item(project) for _ in range(3)]
    client = browser_of(lead)
    assert "check=1" in client.get(reverse("desk", args=[project.slug])).content.decode()
    # The one in the middle first: behind the last one the list begins anew, and a person's question is none of it.
    for item, following in ((items[1], items[2]), (items[2], items[0])):
        status, place, _ = send(client, item)
        assert (status, place) == (302, f"{url(following)}?check=1")
    assert send(client, items[0])[:2] == (302, reverse("desk", args=[project.slug]))
    assert set(project.items.filter(origin="machine").values_list("stage", flat=True)) == {"written"}


def test_the_page_has_the_form_and_not_what_it_stands_for(project: Project, lead: Annotator) -> None:
    item, client = a_machine_item(project), browser_of(lead)
    page = client.get(url(item)).content.decode()
    assert 'name="verdict-question" value="none"' in page
    assert "verdict-concept" not in page
    for act in ("approve", "exclude", "correct", "return"):
        assert f'action="{url(item, act)}' not in page
    assess(lead, item)
    page = client.get(url(item)).content.decode()
    assert "Check it again" in page
    assert f'action="{url(item, "exclude")}' in page


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ({"verdict-options": ""}, 422, "Say of each part what is wrong with it"),
        ({"decision": "exclude"}, 422, "Please say why"),
        ({"version": "9"}, 409, "What you typed is kept"),
        ({"answer": "H"}, 422, "Say which choice is the answer"),
        ({"text-option-B": " "}, 422, "no text yet"),
    ],
)
def test_what_was_typed_is_kept(
    project: Project, lead: Annotator, more: dict[str, str], status: int, words: str
) -> None:
    item = a_machine_item(project)
    data = {"version": "1", "decision": "approve", **VERDICTS, "text-question": "Apa?\r\nYa.", **more}
    answer = browser_of(lead).post(url(item, "assess"), data)
    page = answer.content.decode()
    assert (answer.status_code, words in page) == (status, True)
    assert "canary-note" in page
    assert "Apa?\nYa.</textarea>" in page.replace("\r\n", "\n")
    assert 'value="typo" data-key="8" checked' in page
    assert assessed.verdicts_of(item) == {}


def test_another_lead_was_faster(project: Project, lead: Annotator) -> None:
    item, other = a_machine_item(project), member(project, "lead")
    assess(other, item)
    status, _, page = send(browser_of(lead), item)
    assert status == 409
    assert other.pseudonym in page
    assert "canary-note" in page
    assert send(browser_of(lead), item, "2")[0] == 302
    page = browser_of(lead).get(url(item)).content.decode()
    assert "replaced since" in page


def test_administrators_give_verdicts_as_leads_do(project: Project, lead: Annotator) -> None:
    item = a_machine_item(project)
    send(browser_of(lead), item)
    client = browser_of(user(administrator=True))
    page = client.get(url(item)).content.decode()
    assert "canary-note" in page
    assert 'name="verdict-question"' in page
    assert send(client, item, "2")[0] == 302


def test_the_raw_text_is_shown_beside_what_was_mended(project: Project, lead: Annotator) -> None:
    item, client = a_machine_item(project, question="Apa fungsi tikar mahal?"), browser_of(lead)
    send(client, item, "1", **{"text-question": "Apa fungsi tikar tua?"})
    page = client.get(url(item)).content.decode()
    assert "<del> mahal</del><ins> tua</ins>" in page


def test_the_list_costs_the_same_however_long_it_is(project: Project, lead: Annotator) -> None:
    counts = []
    client = browser_of(lead)
    for _ in range(2):
        for _ in range(12):
            a_machine_item(project)
        first = project.items.filter(stage="submitted").order_by("pk")[0]
        with CaptureQueriesContext(connection) as found:
            assert send(client, first)[0] == 302
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_a_file_of_a_machine_is_taken_in_on_the_page(project: Project, tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    choices = {"label": list("ABCDEF"), "text": ["satu", "dua", "tiga", "empat", "lima", "enam"]}
    row = {
        "id": "m-1",
        "question": "Apa?",
        "question_concept": "tikar",
        "choices": choices,
        "answer_creator": "F",
    }
    client = browser_of(user(administrator=True))
    file = SimpleUploadedFile("raw.json", json.dumps([row]).encode())
    place = client.post(reverse("imports", args=[project.slug]), {"file": file}).headers["Location"]
    # As a person's it has a choice too many; as a machine's it waits for a lead.
    assert "names no choice here" in client.get(place).content.decode()
    begin = reverse("import_start", args=[project.slug, Import.objects.get().pk])
    assert 'value="gpt-4"' in client.post(begin, {"machine": "gpt-4", "wish": "look"}).content.decode()
    assert client.post(begin, {"machine": "g" * 201, "wish": "take"}).status_code == 422
    assert client.post(begin, {"machine": "gpt-4", "wish": "take"}).status_code == 302
    taken = Import.objects.get()
    assert taken.job is not None
    jobs.run_here(taken.job)
    (item,) = project.items.all()
    assert (item.key, item.origin, item.stage, item.author_label) == ("m-1", "machine", "submitted", "")
    assert item.author is None
