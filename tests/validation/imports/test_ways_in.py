"""Every way of bringing a file in reads it alike: page, command, API, sets, materials, predictions, the client."""

import ast
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from mufakat_client.command import _csv_rows
from mufakat_client.errors import MufakatError

from annotation.content.models.source import Premise
from annotation.core.rules import invitation_lists
from annotation.generation.actions.materials import questions_take
from annotation.generation.models import Material
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import
from annotation.translation.models import SourceEntry
from exports.predictions.actions import _read
from exports.predictions.reading import Reader
from tests import factory, translations
from tests.api import script
from tests.conventions.sources import ROOT
from tests.validation.imports_run import import_items
from validation.studies.model_outputs import read_outputs
from validation.voting.models.review import Flag

pytestmark = pytest.mark.django_db
KAN = "'-kan' adalah akhiran; kafÃ© juga."
SHEET = f'sep=;\r\nid;text;;\r\np1;"{KAN}";;\r\n;;;\r\n'.encode()
NOTES = [
    "Empty rows ignored: 1 (row 3).",
    "Empty columns without a name ignored: 2.",
    f"Rows with text that looks wrongly decoded: 1. The first is row 2, text: “{KAN}” is probably “'-kan' adalah "
    "akhiran; kafé juga.”. Texts are imported unchanged. If this is wrong, save the file as UTF-8 again.",
]
# What is read as a line of a list, or as a published form that is checked byte for byte, and not as a file of rows.
# Our own table of variables and files of releases are no sheets of others.
CSV_READERS = {
    "annotation/core/rules/invitation_lists.py",
    "config/variables.py",
    "exports/releases/rewrite.py",
    "exports/formats/rules/kalahi_csv.py",
    "validation/imports/rules/csv_rows.py",
}


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path / "data", ""


def sheet(folder: Path, content: bytes = SHEET, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def run(taken: Import) -> None:
    """Do the job of an import that was started."""
    taken.refresh_from_db()
    assert taken.job is not None
    assert not jobs.run_here(taken.job).error


def test_every_sheet_is_read_in_one_place() -> None:
    found = set()
    for path in ROOT.glob("*/**/*.py"):
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text() if name.split("/")[0] in ("annotation", "validation", "exports", "config") else ""
        nodes = ast.walk(ast.parse(text)) if "csv." in text else ()
        calls = (node for node in nodes if isinstance(node, ast.Call))
        if any(ast.unparse(call.func) in ("csv.reader", "csv.DictReader") for call in calls):
            found.add(name)
    assert found == CSV_READERS


def test_the_page_says_what_it_ignored_before_and_after(client: Client) -> None:
    project, boss = factory.project(), factory.user(administrator=True)
    client.force_login(boss)
    sent = client.post(reverse("imports", args=[project.slug]), {"file": SimpleUploadedFile("rows.csv", SHEET)})
    taken = project.imports.get()
    assert sent.headers["Location"] == reverse("import_page", args=[project.slug, taken.pk])
    begun = client.get(sent.headers["Location"])
    assert (begun.context["notes"], [each.texts for each in begun.context["preview"].rows]) == (NOTES, [(KAN,)])
    client.post(reverse("import_start", args=[project.slug, taken.pk]), {"wish": "take"})
    run(taken)
    page = client.get(sent.headers["Location"])
    assert page.context["notes"] == NOTES
    assert "Empty rows ignored: 1 (row 3)." in page.content.decode()
    assert Premise.objects.get().text == KAN


def test_the_separator_is_said_on_the_page(client: Client) -> None:
    project = factory.project()
    client.force_login(factory.user(administrator=True))
    for separator, columns in (("", ["a,b,c;text"]), ("semicolon", ["a,b,c", "text"]), ("line", ["text"])):
        file = SimpleUploadedFile("rows.csv", b"a,b,c;text\n1;Satu.\n")
        given = {"file": file, "separator": separator}
        if not separator:
            columns = ["a", "b", "c;text"]
        client.post(reverse("imports", args=[project.slug]), given)
        taken = project.imports.latest("pk")
        assert (taken.mapping["columns"], taken.mapping.get("separator", "")) == (columns, separator)
        page = client.get(reverse("import_page", args=[project.slug, taken.pk]))
        assert page.status_code == 200
    assert [row.texts for row in page.context["preview"].rows] == [("a,b,c;text",), ("1;Satu.",)]
    wrong = client.post(
        reverse("imports", args=[project.slug]), {"file": SimpleUploadedFile("a.csv", b"a\n1\n"), "separator": "x"}
    )
    assert (wrong.status_code, wrong.context["problem"]) == (
        422,
        "“x” is not a separator. Use one of comma, semicolon, tab, bar, line.",
    )


def test_the_command(tmp_path: Path) -> None:
    project = factory.project("one")
    code, told = import_items("one", sheet(tmp_path), "--dry-run")
    assert (code, told["accepted"], told["notes"]) == (0, 1, NOTES)
    code, told = import_items("one", sheet(tmp_path))
    assert (code, told["accepted"], told["notes"]) == (0, 1, NOTES)
    assert Premise.objects.get(project=project).text == KAN
    lines = sheet(tmp_path, b"id,text=x\nSatu; dua.\n", "lines.csv")
    assert import_items("one", lines, "--separator", "line")[1]["accepted"] == 2
    named = sheet(tmp_path, b'"a:b=c"|d\nTiga.|1\n', "named.csv")
    assert import_items("one", named, "--map", "a:b=c=premise", "--values", "a:b=c::Tiga.=Empat.")[1]["accepted"] == 1
    assert Premise.objects.latest("pk").text == "Empat."
    out = io.StringIO()
    call_command("import_items", "one", str(sheet(tmp_path)), stdout=out)
    assert "Empty rows ignored: 1 (row 3)." in out.getvalue()
    with pytest.raises(CommandError, match="not a separator"):
        call_command("import_items", "one", str(lines), "--separator", "x", stdout=io.StringIO())


def test_the_api() -> None:
    factory.project("one")
    boss = script(factory.user(administrator=True))
    headers, path = {"Authorization": f"Bearer {boss.text}"}, "/api/v1/projects/one/imports"

    def send(content: bytes, query: str = "") -> Any:
        file = SimpleUploadedFile("rows.csv", content)
        return boss.client.post(path + query, {"file": file}, headers=headers)

    made = send(SHEET)
    assert (made.status_code, made.json()["columns"], made.json()["notes"]) == (201, ["id", "text"], [])
    job = boss.post(f"projects/one/imports/{made.json()['id']}:start").json()["job"]
    jobs.run(job["id"])
    assert boss.get(f"projects/one/imports/{made.json()['id']}").json()["notes"] == NOTES
    assert send(b"a,b;text\n1;x\n", "?separator=semicolon").json()["columns"] == ["a,b", "text"]
    assert send(b"a,b;text\n1;x\n", "?separator=x").status_code == 400


def test_source_sets(tmp_path: Path) -> None:
    project = translations.a_translation_project("lorax")
    told = {"key": "one", "shape": "sentence", "stdout": io.StringIO()}
    call_command("import_source_set", "lorax", str(sheet(tmp_path)), **told)
    assert "Empty rows ignored: 1 (row 3)." in told["stdout"].getvalue()  # type: ignore[attr-defined]
    assert SourceEntry.objects.get().unit.body == KAN
    named = sheet(tmp_path, b"id|x=y|text\na|1=2|Satu.\nb|1|Dua.\n", "named.csv")
    more = ("--where", "x=y=1=2", "--separator", "bar", "--json")
    out = io.StringIO()
    call_command("import_source_set", "lorax", str(named), "--key", "two", "--shape", "sentence", *more, stdout=out)
    assert (json.loads(out.getvalue())["accepted"], project.source_sets.count()) == (1, 2)


def test_source_sets_on_the_page(client: Client) -> None:
    project = translations.a_translation_project("lorax")
    client.force_login(factory.user(administrator=True))
    given = {"from": "file", "key": "one", "shape": "sentence", "separator": "semicolon"}
    url = reverse("source_set_new", args=[project.slug])
    assert "separator" in client.get(url).content.decode()
    sent = client.post(url, {**given, "file": SimpleUploadedFile("rows.csv", SHEET)})
    page = client.get(sent.headers["Location"])
    assert (list(page.context["preview"].notes), page.context["preview"].rows[0].key) == (NOTES, "p1")
    taken = project.imports.get()
    assert taken.mapping["separator"] == "semicolon"
    client.post(reverse("source_begin", args=[project.slug, taken.pk]), {"wish": "take"})
    run(taken)
    assert client.get(reverse("source_in", args=[project.slug, taken.pk])).context["notes"] == NOTES


def test_materials(tmp_path: Path, client: Client) -> None:
    project = factory.project(preset="llm-adapt")
    choices = "\"[{'label': 'A', 'text': 'satu'}, {'label': 'B', 'text': 'dua'}]\""
    content = f"sep=;\nid;question_concept;question;choices;answerKey;\nm1;becak;'-kan'?;{choices};B;\n;;;;;\n"
    path = sheet(tmp_path, content.encode())
    taken = questions_take(project=project, path=path, name="rows.csv")
    assert (taken.accepted, [row.reason for row in taken.rows.all()]) == (1, [])
    assert Material.objects.get().data["question"] == "'-kan'?"
    client.force_login(factory.user(administrator=True))
    page = client.get(reverse("materials_report", args=[project.slug, taken.pk]))
    assert page.context["notes"] == [*NOTES[:1], "Empty columns without a name ignored: 1."]


def test_predictions_and_outputs(tmp_path: Path) -> None:
    read = _read(Reader([], ["id"]), "a.csv", [b"sep=;\nid;prediction;;\n;;;\nx;'-kan';;\n"])[1]
    assert [(n, problem.params["id"]) for n, problem in read.problems] == [(3, "x")]
    outputs = sheet(tmp_path, b"sep=;\nprompt_id;model;text;\n1;m;'-kan';\n;;;\n")
    assert [(row.n, row.text) for row in read_outputs(outputs, "a.csv")] == [(2, "'-kan'")]
    listed = list(invitation_lists.read("sep=;\r\nemail;roles\r\na@example.org;writer\r\n"))
    assert [(row.email, row.problem) for row in listed] == [("a@example.org", "")]


def test_the_client_reads_sheets_as_the_server_does() -> None:
    def rows(text: str) -> list[Any]:
        return list(_csv_rows(io.StringIO(text, newline="")))

    assert rows(SHEET.decode()) == [{"id": "p1", "text": KAN}]
    assert rows('"a,b";text\n1;x\n') == [{"a,b": "1", "text": "x"}]
    assert rows("id,text\na,'-kan'\n,\n") == [{"id": "a", "text": "'-kan'"}]
    for wrong in ("id,text,mufakat_guarded\na,'=1,\n", "id,text\na\n", "id,text\na,b,c\n", "id,text,\na,b,c\n"):
        with pytest.raises(MufakatError):
            rows(wrong)


def test_an_item_in_a_wrong_encoding_is_flagged(tmp_path: Path) -> None:
    factory.project("one")
    path = sheet(
        tmp_path, "id,premise,hypothesis,label\n1,Toko buka.,Ada kafÃ©.,e\n2,Toko — “tutup”.,Ada kafé.,e\n".encode()
    )
    assert import_items("one", path)[1]["flagged"] == 1
    flag = Flag.objects.get()
    assert (flag.item.key, flag.code, flag.detail["checks"]) == ("1", "failed_check", ["mojibake"])
    (found,) = flag.detail["findings"]
    assert found["params"] == {"text": "Ada kafÃ©.", "meant": "Ada kafé."}
