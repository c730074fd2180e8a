"""Documents to premises: the page, the job, the report by rule, the import, the command; samples of rows."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.content.models.source import Premise
from annotation.content.models.units import SourceSet
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, Job
from annotation.projects.actions.projects import project_create
from annotation.translation.models import SourceEntry
from tests import factory
from tests.validation.imports.test_snippets import WIKI, corpus, written
from tests.validation.imports_run import import_items
from validation.imports import wikitext_reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    settings.REDIS_URL = ""


def work() -> None:
    """Do all that waits."""
    for job in Job.objects.filter(state=Job.State.QUEUED).order_by("pk"):
        jobs.run_here(job)


def sent(project: Project, files: dict[str, bytes], **rules: Any) -> tuple[Client, Any]:
    client = Client()
    client.force_login(factory.user(administrator=True))
    shares = {"n": 10, "single": 60, "double": 25, "paragraph": 15}
    form = {**shares, "per_document": 5, "least_words": 5, "most_words": 200, "source": "Wikipedia", **rules}
    form["documents"] = [SimpleUploadedFile(name, data) for name, data in files.items()]
    return client, client.post(reverse("documents", args=[project.slug]), form)


def test_files_are_sent_snippets_drawn_shown_and_taken_in() -> None:
    """Nothing is stored before it is asked for; source and document stay; the import tells how they were drawn."""
    project = factory.project()
    lines = "".join(json.dumps(row) + "\n" for row in corpus()).encode()
    client, answer = sent(project, {"a.jsonl": lines, "wiki.xml": WIKI.encode(), "b.txt": b"Budi."})
    assert answer.status_code == 302, answer.content.decode()
    work()
    page = client.get(answer.url)
    told = page.content.decode()
    for words in ("6 of 6", "Not drawn", "No article"):
        assert words in told, words
    taken = Import.objects.get(what=Import.What.ITEMS)
    assert not Premise.objects.filter(project=project).exists()
    assert client.get(answer.url + "snippets.jsonl").getvalue().count(b"\n") == 10
    set_up = client.get(reverse("import_page", args=[project.slug, taken.pk]))
    assert set_up.status_code == 200
    client.post(reverse("import_start", args=[project.slug, taken.pk]), {"wish": "take"})
    work()
    rows = Premise.objects.filter(project=project)
    assert rows.count() == 10
    assert {row.extra["source"] for row in rows} == {"Wikipedia"}
    assert {row.document[0] for row in rows} <= {"d", "P"}
    counts = taken.mapping["documents"]["counts"]
    assert (counts["documents"], counts["documents_left"]["no_article"]) == (46, 4)
    # Other rules on the same files: what was taken in stays, and is near to nothing that is drawn now.
    client.post(
        answer.url,
        {
            "n": 5,
            "single": 100,
            "double": 0,
            "paragraph": 0,
            "per_document": 1,
            "least_words": 5,
            "most_words": 200,
            "seed": "z",
        },
    )
    work()
    again = Import.objects.filter(what=Import.What.ITEMS).latest("pk")
    assert again.pk != taken.pk
    assert again.mapping["documents"]["rules"]["shares"] == {"single": 100, "double": 0, "paragraph": 0}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.pdf": b"%PDF"}, "no file of documents"),
        ({}, "required"),
    ],
)
def test_files_that_are_none_are_refused_at_once(files: dict[str, bytes], words: str) -> None:
    _, answer = sent(factory.project(), files)
    assert (answer.status_code, Import.objects.count()) == (422, 0)
    assert words in answer.content.decode()


def test_a_bomb_ends_the_job_in_words_and_stores_nothing() -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    client, answer = sent(factory.project(), {"a.xml": bomb})
    work()
    assert Job.objects.get().state == Job.State.FAILED
    assert "document type or entities" in client.get(answer.url).content.decode()
    assert not Import.objects.filter(what=Import.What.ITEMS).exists()


def test_a_hostile_page_is_skipped_and_named_and_the_next_job_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of 500,000 characters that would take the parser hours: here, as in the built-in runner, one thread of
    which does jobs beside another one that decides."""
    monkeypatch.setattr(wikitext_reader, "CPU_SECONDS", 0.5)
    hostile = f"<page><title>Pasar Gelap</title><text>{'{{a|' * 125_000}</text></page>"
    project = factory.project()
    dump = WIKI.replace("<page>", f"{hostile}<page>", 1).encode()
    client, answer = sent(project, {"wiki.xml": dump, "a.jsonl": b'{"text": "' + b"a" * 500_001 + b'", "id": "d1"}'})
    _, other = sent(project, {"b.txt": b"Budi pulang ke rumah di desa itu."})
    work()
    first, second = Job.objects.order_by("pk")
    assert (first.state, second.state) == (Job.State.DONE, Job.State.DONE)
    assert first.result["documents_left"]["too_slow"] == 1
    assert first.result["taken"] == {"single": 1, "double": 0, "paragraph": 0}
    told = " ".join(client.get(answer.url).content.decode().split())
    assert "Takes too long to read: 1 <" in told
    assert "(Pasar Gelap)" in told
    assert "(d1)" in told
    assert other.status_code == 302


def test_rules_that_cannot_be_followed_leave_what_was_typed() -> None:
    _, answer = sent(factory.project(), {"a.txt": b"Budi."}, least_words=300)
    assert answer.status_code == 422
    assert 'value="300"' in answer.content.decode()


def test_a_project_that_writes_for_no_texts_takes_no_documents() -> None:
    project = project_create(slug="soal", name="soal", preset="idcsqa", seed="s")
    _, answer = sent(project, {"a.txt": b"Budi."})
    assert answer.status_code == 404


# --- commands -----------------------------------------------------------------------------


def run(*args: Any, **more: Any) -> str:
    out = StringIO()
    call_command(*map(str, args), stdout=out, stderr=StringIO(), **more)
    return out.getvalue()


def test_the_command_reads_a_folder_and_takes_the_snippets_in(tmp_path: Path) -> None:
    """Hidden files and links stay outside; a second run draws the same, which are near to what is there."""
    folder = tmp_path / "texts"
    (folder / "sub").mkdir(parents=True)
    written(folder / "sub" / "a.jsonl", corpus())
    (folder / ".hidden.txt").write_text("x")
    (folder / "link.txt").symlink_to("/etc/passwd")
    factory.project("pasar")
    told = run("import_documents", "pasar", folder, "--sample", 10, "--licence", "CC0-1.0", "--json")
    assert json.loads(told)["taken"] == {"single": 6, "double": 3, "paragraph": 1}
    rows = Premise.objects.filter(project__slug="pasar")
    assert {row.extra["licence"] for row in rows} == {"CC0-1.0"}
    assert rows.count() == 10
    again = run("import_documents", "pasar", folder, "--sample", 10, "--dry-run")
    assert "documents: 40\n" in again
    assert rows.count() == 10


def test_too_few_snippets_are_an_error_that_says_how_many(tmp_path: Path) -> None:
    factory.project("pasar")
    path = written(tmp_path / "a.jsonl", corpus(1))
    with pytest.raises(CommandError, match="snippets missing: ") as wrong:
        run("import_documents", "pasar", path, "--sample", 50)
    assert wrong.value.returncode == 1
    with pytest.raises(CommandError, match="no files of documents"):
        run("import_documents", "pasar", tmp_path / "data")


def test_snippets_become_a_source_set_of_a_translation_project(tmp_path: Path) -> None:
    project_create(slug="terjemah", name="terjemah", preset="loraxbench", seed="s")
    path = written(tmp_path / "a.jsonl", corpus())
    run(
        "import_documents",
        "terjemah",
        path,
        "--sample",
        10,
        "--shares",
        "single=100",
        "--source-set",
        "kalimat",
    )
    made = SourceSet.objects.get(key="kalimat")
    assert made.origin["documents"]["rules"]["shares"]["single"] == 100
    assert SourceEntry.objects.filter(source_set=made).count() == 10


# --- a sample of rows ---------------------------------------------------------------------


def premises_file(tmp_path: Path, n: int = 50) -> Path:
    rows = [{"id": f"p{i}", "premise": f"Budi menjual mangga nomor {i} di pasar."} for i in range(n)]
    return written(tmp_path / "premises.jsonl", rows)


def test_a_sample_of_rows_is_drawn_by_its_seed_and_told(tmp_path: Path) -> None:
    """Rows that cannot be read are refused as ever; the same seed draws the same rows into any project."""
    path = premises_file(tmp_path)
    with path.open("a") as file:
        file.write('{"id": "bad", "premise": ""}\n')
    for slug in ("satu", "dua"):
        factory.project(slug)
        code, report = import_items(slug, path, "--sample", "10", "--seed", "benih")
        assert (code, report["accepted"], report["refused"]) == (1, 10, 1)
        assert report["sample"] == {"n": 10, "seed": "benih", "of": 50}
    drawn = [set(Premise.objects.filter(project__slug=slug).values_list("key", flat=True)) for slug in ("satu", "dua")]
    assert drawn[0] == drawn[1]
    factory.project("tiga")
    import_items("tiga", path, "--sample", "10", "--seed", "lain", "--dry-run")
    import_items("tiga", path, "--sample", "10", "--seed", "lain")
    assert set(Premise.objects.filter(project__slug="tiga").values_list("key", flat=True)) != drawn[0]


def test_rows_of_a_source_set_are_sampled_after_the_filter(tmp_path: Path) -> None:
    """LoraxBench takes 100 of TyDi QA's rows."""
    project_create(slug="terjemah", name="terjemah", preset="loraxbench", seed="s")
    rows = [
        {
            "id": str(i),
            "question": f"Di mana pasar {i}?",
            "passage": f"Pasar {i} di kota {i}.",
            "answer": f"kota {i}",
            "lang": "id" if i % 2 else "en",
        }
        for i in range(40)
    ]
    path = written(tmp_path / "tydi.jsonl", rows)
    told = run(
        "import_source_set",
        "terjemah",
        path,
        "--key",
        "tydi",
        "--shape",
        "passage",
        "--where",
        "lang=id",
        "--sample",
        5,
        "--seed",
        "s",
        "--json",
    )
    counts = json.loads(told)
    assert (counts["accepted"], counts["left_out"]) == (5, 35)
    made = SourceSet.objects.get(key="tydi")
    assert made.origin["sample"] == {"n": 5, "seed": "s", "of": 20}
    assert set(made.entries.values_list("data__lang", flat=True)) == {"id"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--sample", "-1"), "A sample is a number of rows"),
        (("--values", "x"), "is no COLUMN:PERSON:VALUE=VALUE"),
        (("--values", "nowhere::a=b"), "no column"),
        (("--values", "premise::a=b", "--values", "premise::a=c"), "taken for two things"),
    ],
)
def test_what_cannot_be_drawn_or_meant_is_refused(given: tuple[str, ...], words: str, tmp_path: Path) -> None:
    factory.project("pasar")
    with pytest.raises(CommandError, match=words):
        run("import_items", "pasar", premises_file(tmp_path, 3), *given)
