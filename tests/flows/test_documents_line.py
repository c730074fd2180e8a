"""From a folder of documents to a public release: the pages in a browser, writing and votes over HTTP."""

import html
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.content.models.source import Premise
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.writing.actions.allocation import allocations_assign
from exports.public.models import Erratum
from exports.releases.models import Release
from tests import factory
from tests.flows.looks import assert_for_everybody, open_all, open_in_each_look
from tests.review import decide
from tests.validation.imports.test_snippets import corpus
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
LABEL_OF = {text: slot[0] for slot, text in factory.SET.items()}
TOKEN = re.compile(r'action="/p/pasar/vote/([\w-]{20,})/"')


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    settings.REDIS_URL = ""


def work() -> None:
    """Do what waits, once it is asked for."""
    wait_until(lambda: Job.objects.filter(state=Job.State.QUEUED).exists(), what="the job")
    for job in Job.objects.filter(state=Job.State.QUEUED):
        assert not jobs.run_here(job).error


def signed_in(member: Annotator) -> Client:
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    return client


def annotated(project: Project) -> None:
    """A writer hands in every set, two validators give the author's label; all over HTTP."""
    writer, voters = (
        factory.member(project, "writer"),
        [factory.member(project, "validator") for _ in range(2)],
    )
    allocations_assign(target=project.targets.get(), writers=[writer], size=Premise.objects.count())
    client, room = signed_in(writer), reverse("write", args=[project.slug])
    for _ in range(Premise.objects.count()):
        page = client.get(room, follow=True).content.decode()
        address = re.search(r'action="([^"]+/submit/)"', page)
        assert address is not None
        sent = client.post(address[1], {f"text_{slot}": text for slot, text in factory.SET.items()})
        assert sent.status_code == 302, sent.content.decode()
    decide()
    for voter in voters:
        client, room = signed_in(voter), reverse("vote", args=[project.slug])
        page = client.get(room).content.decode()
        while token := TOKEN.search(page):
            text = next(text for text in LABEL_OF if text in html.unescape(page))
            given = {"label": LABEL_OF[text]}
            page = client.post(reverse("vote_send", args=[project.slug, token[1]]), given, follow=True).content.decode()
        decide()


def look_at(page: Page, name: str) -> None:
    """Nothing is wrong with the page; its pictures are kept where LOOK_AT says so."""
    open_all(page)
    assert_for_everybody(page, name)
    if folder := os.environ.get("LOOK_AT"):
        for look in open_in_each_look(page):
            page.screenshot(path=f"{folder}/{name}-{look}.png", full_page=True)


def test_from_documents_to_a_public_release(page_of: Callable[..., Page], tmp_path: Path) -> None:
    """Two texts are sent, snippets drawn and taken in, written for, voted on, frozen, and read by a stranger."""
    project, boss = (
        factory.project("pasar", settings={"shared_percent": 100}),
        factory.user(administrator=True),
    )
    folder = tmp_path / "texts"
    folder.mkdir()
    for row in corpus(8):
        (folder / f"{row['id']}.txt").write_text(row["text"], encoding="utf-8")

    page = page_of(boss)
    page.goto(reverse("imports", args=["pasar"]))
    page.get_by_role("link", name="Snippets from documents").click()
    page.get_by_label("Files", exact=True).set_input_files(sorted(folder.iterdir()))
    page.get_by_label("Snippets", exact=True).fill("3")
    page.locator("#id_source").fill("Cerita")
    look_at(page, "documents")
    page.get_by_role("button", name="Draw snippets").click()
    work()
    expect(page.get_by_text("What each rule left out")).to_be_visible()
    look_at(page, "snippets")
    page.get_by_role("link", name="Look at them and take them in").click()
    look_at(page, "import")
    page.get_by_role("button", name="Take the file in").click()
    work()
    expect(page.get_by_text("The file was taken in.")).to_be_visible()
    assert {row.extra["source"] for row in Premise.objects.all()} == {"Cerita"}

    annotated(project)
    assert set(Item.objects.values_list("stage", flat=True)) == {"settled"}

    page.goto(reverse("release_new", args=["pasar"]))
    page.get_by_label("Freeze it without a licence").check()
    page.get_by_role("button", name="Freeze this release").click()
    work()
    expect(page.get_by_role("link", name="test.jsonl")).to_be_visible()
    card = next((tmp_path / "data").rglob("README.md")).read_text(encoding="utf-8")
    assert "Snippets of 8 documents (single 60 %, double 25 %, paragraph 15 %" in card
    page.get_by_role("link", name="Public page").click()
    page.get_by_label("Creators").fill("Sartika, Ayu\nTim Pasar")
    page.get_by_label("Publisher").fill("Lembaga Contoh")
    look_at(page, "publication")
    page.get_by_role("button", name="Save and open the page").click()
    page.get_by_role("link", name="The page as everybody sees it").click()
    look_at(page, "public")
    n = Release.objects.get().n
    address = reverse("public_release", args=["pasar", n])
    shown = Client().get(address).content.decode()
    assert "Sartika, Ayu" in shown
    file: Any = Client().get(reverse("public_file", args=["pasar", n, "test.jsonl"]))
    assert b"".join(file.streaming_content).count(b"\n") == 18
    assert not Erratum.objects.exists()
