"""Import on pages: send, match columns, look, take in, report; over HTTP, and in a browser without JavaScript."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.content.models.item import Item
from annotation.content.models.source import Concept, Premise
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Heartbeat, Import, Job
from tests import factory
from tests.call_counts import count_calls
from tests.flows.looks import axe_findings, too_wide
from tests.hostile_prompts import IRRELEVANT, prompt
from tests.prompts import a_prompt_project
from tests.questions import a_question_project
from tests.wait import wait_until
from validation.imports.rules.problems import MOST_COLUMNS

pytestmark = pytest.mark.django_db(transaction=True)
CSV = (
    "nomor,kalimat,panjang\n"
    "p1,Rina membeli ikan di pasar.,single\n"
    "p2,,single\n"
    "p3,Adik pulang naik becak.,chapter\n"
    "p3,Adik pulang naik becak.,single\n"
)


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""
    return tmp_path


@pytest.fixture
def administrator() -> User:
    return factory.user(administrator=True)


@pytest.fixture
def project() -> Project:
    return factory.project()


def client_of(user: User | None) -> Client:
    client = Client()
    assert user is not None
    client.force_login(user)
    return client


def send(client: Client, project: Project, content: str | bytes = CSV, name: str = "x.csv") -> Any:
    data = content.encode() if isinstance(content, str) else content
    return client.post(reverse("imports", args=[project.slug]), {"file": SimpleUploadedFile(name, data)})


def start(client: Client, project: Project, taken: Import, **fields: str) -> Any:
    return client.post(reverse("import_start", args=[project.slug, taken.pk]), fields)


def test_as_many_columns_as_can_be_read_can_be_matched_and_taken_in(project: Project, administrator: User) -> None:
    client = client_of(administrator)
    further = [f"kolom {n}" for n in range(MOST_COLUMNS - 2)]
    wide = ["premise_id,premise," + ",".join(further), "p1,Rina membeli ikan di pasar." + "," * len(further)]
    taken = Import.objects.get(pk=int(send(client, project, "\n".join(wide)).headers["Location"].split("/")[-2]))
    page = reverse("import_page", args=[project.slug, taken.pk])
    assert client.get(page).content.count(b'name="column_') == MOST_COLUMNS
    assert count_calls(lambda: client.get(page)) < 250_000
    columns = {f"column_{n}": "" for n in range(MOST_COLUMNS)}
    told = start(client, project, taken, **{**columns, "column_0": "premise_id", "column_1": "premise"}, wish="take")
    assert told.status_code == 302
    jobs.run(Job.objects.get().pk)
    taken.refresh_from_db()
    assert (taken.accepted, taken.refused) == (1, 0)


@pytest.mark.parametrize("name", ["wide.csv", "wide.jsonl"])
def test_more_columns_are_refused_with_their_number(project: Project, administrator: User, name: str) -> None:
    names = ["premise", *(f"k{n}" for n in range(100_000))]
    row = json.dumps(dict.fromkeys(names[:50_000], "x")) if name.endswith("jsonl") else ",".join(names)
    answer = send(client_of(administrator), project, f"{row}\n", name)
    assert answer.status_code == 422
    assert f"at most {MOST_COLUMNS} can be read" in answer.content.decode()
    assert not Import.objects.exists()


COLUMNS = {"column_0": "premise_id", "column_1": "premise", "column_2": "sentence_class"}


def test_from_file_to_report(project: Project, administrator: User) -> None:
    client = client_of(administrator)
    answer = send(client, project)
    taken = Import.objects.get()
    page = reverse("import_page", args=[project.slug, taken.pk])
    assert answer.headers["Location"] == page
    # No column is called premise: the page says so, and nothing can start like this.
    assert "No column is taken for the premise" in client.get(page).content.decode()
    refused = start(client, project, taken, column_0="premise_id", wish="take")
    assert refused.status_code == 422
    assert not Job.objects.exists()
    twice = start(client, project, taken, column_0="premise", column_1="premise", wish="take")
    assert "both taken for premise" in twice.content.decode()

    look = start(client, project, taken, **COLUMNS, wish="look").content.decode()
    assert "Rina membeli ikan di pasar." in look
    assert "The text is missing." in look
    assert "chapter" in look
    assert not Premise.objects.exists()

    start(client, project, taken, **COLUMNS, wish="take")
    waiting = client.get(page).content.decode()
    assert "no worker is running" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    Heartbeat.objects.create(name="worker")
    assert "no worker is running" not in client.get(page).content.decode()

    jobs.run(Job.objects.get().pk)
    report = client.get(page).content.decode()
    assert "every 2s" not in report
    assert "row 2" not in report
    taken.refresh_from_db()
    assert (taken.accepted, taken.unchanged, taken.refused) == (2, 0, 2)
    download = client.get(reverse("import_refused", args=[project.slug, taken.pk]))
    assert "attachment" in download.headers["Content-Disposition"]
    assert download.headers["X-Content-Type-Options"] == "nosniff"
    rows = list(csv.reader(io.StringIO(b"".join(download).decode("utf-8-sig"))))
    assert rows[0] == ["row", "field", "reason"]
    assert [row[:2] for row in rows[1:]] == [["3", "premise"], ["4", "sentence_class"]]


ANSWERS = [{f"W{n}": "AB"[n == wrote + 1] for n in range(1, 5) if n != wrote} for wrote in (1, 2, 3)]
QUESTIONS = [
    {
        "id": f"q{wrote}",
        "category": "culture",
        "question_concept": "tikar",
        "question": f"Untuk apa tikar dipakai pada hari ke-{wrote}?",
        "choices": {"label": ["A", "B"], "text": ["duduk bersama", "menjala ikan"]},
        "answer_creator": "A",
        "answers": answers,
        "reason": {"W4": "Dua-duanya <b>bisa</b>."},
    }
    for wrote, answers in enumerate(ANSWERS, start=1)
]


@pytest.mark.parametrize("left_out", [True, False])
def test_questions_are_shown_before_they_are_stored(administrator: User, left_out: bool) -> None:
    """The page says who is taken for the creator, and has a box to turn that off."""
    client, asked = client_of(administrator), a_question_project()
    send(client, asked, json.dumps(QUESTIONS), "questions.json")
    taken = Import.objects.get()
    page = client.get(reverse("import_page", args=[asked.slug, taken.pk])).content.decode()
    assert "The first questions as they would be stored" in page
    assert "is taken for its creator: 3 rows" in page
    for words in (
        "menjala ikan",
        "tikar",
        "W2",
        "Dua-duanya &lt;b&gt;bisa&lt;/b&gt;.",
        'value="option_ambiguity"',
    ):
        assert words in page
    assert 'value="premise"' not in page
    columns = {f"column_{n}": field for n, field in enumerate(FIELDS)}
    box = {"left_out": "yes"} if left_out else {}
    look = start(client, asked, taken, **columns, **box, wish="look").content.decode()
    assert ("is taken for its creator" in look) == left_out
    start(client, asked, taken, **columns, **box, wish="take")
    jobs.run(Job.objects.get().pk)
    authors = dict(Item.objects.values_list("key", "author__pseudonym"))
    assert authors == {f"q{n}": f"W{n}" if left_out else None for n in (1, 2, 3)}


FIELDS = ("item_id", "category", "concept", "question", "choices", "answer", "answers", "reason")


def test_concepts_by_page(administrator: User) -> None:
    client, asked = client_of(administrator), a_question_project()
    send(client, asked, "category,concept,parallel\nculture,samak,tikar\nculture,samak,tikar\nculture,,x\n")
    taken = Import.objects.get()
    page = client.get(reverse("import_page", args=[asked.slug, taken.pk])).content.decode()
    assert "The first concepts as they would be stored" in page
    assert "parallel:" in page
    start(client, asked, taken, column_0="category", column_1="concept", column_2="parallel", wish="take")
    jobs.run(Job.objects.get().pk)
    taken.refresh_from_db()
    assert (taken.accepted, taken.unchanged, taken.refused) == (1, 1, 1)
    assert list(Concept.objects.values_list("category", "text", "parallel", "state")) == [
        ("culture", "samak", "tikar", "approved")
    ]


def test_what_people_typed_is_safe_in_the_downloaded_sheet(project: Project, administrator: User) -> None:
    client = client_of(administrator)
    send(client, project)
    taken = Import.objects.get()
    taken.rows.create(n=1, field="premise", reason="=HYPERLINK(1)")
    url = reverse("import_refused", args=[project.slug, taken.pk])
    assert b",=HYPERLINK(1)" in b"".join(client.get(url))
    assert b",'=HYPERLINK(1)," in b"".join(client.get(url, {"copy": "spreadsheet"}))


def test_a_trial_first_and_then_the_file(project: Project, administrator: User) -> None:
    client = client_of(administrator)
    send(client, project)
    taken = Import.objects.get()
    start(client, project, taken, **COLUMNS, wish="try")
    jobs.run(Job.objects.get().pk)
    page = reverse("import_page", args=[project.slug, taken.pk])
    assert "nothing was stored" in client.get(page).content.decode()
    assert not Premise.objects.exists()
    # Taking it in from the report keeps the columns that were chosen.
    start(client, project, taken, wish="take")
    jobs.run(Job.objects.latest("pk").pk)
    assert Premise.objects.count() == 2
    assert start(client, project, taken, wish="take").status_code == 302
    assert Job.objects.count() == 2


def test_a_file_that_cannot_be_read_is_told_at_once(project: Project, administrator: User) -> None:
    client = client_of(administrator)
    for content, words in ((b"PK\x03\x04", "This is zip"), (b"", "empty"), ("a".encode("utf-16"), "UTF-16")):
        answer = send(client, project, content, "x.jsonl")
        assert answer.status_code == 422
        assert words in answer.content.decode()
    assert client.post(reverse("imports", args=[project.slug])).status_code == 422
    assert not Import.objects.exists()


def test_stopping(project: Project, administrator: User) -> None:
    client = client_of(administrator)
    send(client, project)
    taken = Import.objects.get()
    start(client, project, taken, **COLUMNS, wish="take")
    client.post(reverse("import_cancel", args=[project.slug, taken.pk]))
    jobs.run(Job.objects.get().pk)
    assert not Premise.objects.exists()
    page = client.get(reverse("import_page", args=[project.slug, taken.pk])).content.decode()
    assert "It was stopped" in page


def test_a_lead_reads_the_report_and_imports_nothing(project: Project, administrator: User) -> None:
    send(client_of(administrator), project)
    taken = Import.objects.get()
    lead = client_of(factory.member(project, "lead").user)
    listed = lead.get(reverse("imports", args=[project.slug])).content.decode()
    assert "x.csv" in listed
    assert 'type="file"' not in listed
    assert send(lead, project).status_code == 403
    assert start(lead, project, taken, wish="take").status_code == 403


def test_markup_in_a_file_stays_words(project: Project, administrator: User) -> None:
    client = client_of(administrator)
    canary = "<script>alert(1)</script>"
    send(client, project, f'premise_id,premise,"{canary}"\n1,{canary},x\n2,,y\n', f"{canary}.csv")
    taken = Import.objects.get()
    for page in (
        reverse("imports", args=[project.slug]),
        reverse("import_page", args=[project.slug, taken.pk]),
    ):
        assert canary not in client.get(page).content.decode()
    start(client, project, taken, wish="take")
    jobs.run(Job.objects.get().pk)
    assert canary not in client.get(page).content.decode()


@pytest.mark.parametrize(("width", "javascript"), [(360, True), (1280, False)])
def test_in_a_browser(
    project: Project,
    administrator: User,
    page_of: Callable[..., Page],
    width: int,
    javascript: bool,
    tmp_path: Path,
) -> None:
    page = page_of(administrator, width=width, javascript=javascript)
    path = tmp_path / "x.csv"
    # As a spreadsheet writes it: a row of separators at the end, and a text that was once read in a wrong encoding.
    sheet = CSV.replace(",", ";").replace("Rina membeli ikan", "RenÃ©e membeli ikan")
    path.write_text(f"{sheet};;\n", encoding="utf-8")
    page.goto(reverse("imports", args=[project.slug]))
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_label("Separator of a CSV or text file").select_option("semicolon")
    page.get_by_role("button", name="Send the file").click()
    for name, field in (("nomor", "premise_id"), ("kalimat", "premise"), ("panjang", "sentence_class")):
        page.get_by_label(name, exact=True).select_option(field)
    page.get_by_role("button", name="Look again").click()
    expect(page.get_by_text("RenÃ©e membeli ikan di pasar.", exact=True)).to_be_visible()
    expect(page.get_by_text("Empty rows ignored: 1 (row 6).")).to_be_visible()
    expect(page.get_by_text("is probably “Renée membeli ikan di pasar.”")).to_be_visible()
    _looks_right(page, javascript)
    page.get_by_role("button", name="Take the file in").click()
    expect(page.get_by_text("rows read")).to_be_visible()
    wait_until(lambda: Job.objects.filter(state=Job.State.QUEUED).exists(), what="the job")
    jobs.run(Job.objects.get().pk)
    if not javascript:
        page.get_by_role("link", name="Look again how far it is").click()
    expect(page.get_by_text("The file was taken in.")).to_be_visible()
    expect(page.get_by_role("cell", name="There is no sentence class")).to_be_visible()
    expect(page.get_by_text("Empty rows ignored: 1 (row 6).")).to_be_visible()
    _looks_right(page, javascript)


def _looks_right(page: Page, javascript: bool) -> None:
    """Nothing is wider than the screen, and axe finds nothing (it needs JavaScript)."""
    if javascript:
        assert too_wide(page) <= 0
        assert axe_findings(page) == []


def test_prompts_before_they_are_taken(administrator: User) -> None:
    """The page shows the whole prompt, its topic and every response, the best one named; a bad id says why."""
    client, project = client_of(administrator), a_prompt_project()
    send(client, project, prompt() + prompt("100000100"), "prompts.jsonl")
    taken = Import.objects.get()
    look = client.get(reverse("import_page", args=[project.slug, taken.pk])).content.decode()
    assert "Apa yang sebaiknya saya bawa?" in look
    assert "bertamu" in look
    assert IRRELEVANT[2] in look
    assert "10 digits are expected" in look
    start(
        client,
        project,
        taken,
        **{f"column_{n}": name for n, name in enumerate(taken.mapping["columns"])},
        wish="take",
    )
    jobs.run_here(Job.objects.get())
    assert list(Item.objects.values_list("key", "author_label", "origin")) == [("0100000100", "R1", "imported")]
    send(client, project, "topic,source\nangkot,cari\n", "topics.csv")
    topics = Import.objects.latest("pk")
    start(client, project, topics, column_0="topic", column_1="source", wish="take")
    jobs.run_here(Job.objects.latest("pk"))
    assert Concept.objects.get(text="angkot").extra == {"source": "cari"}
