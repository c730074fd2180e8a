"""What `export_items` writes, `import_items` reads: each form, from one project into an empty one and out again."""

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import call_command

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from exports.formats import paper as formats
from exports.formats.rules.kalahi_csv import read
from tests import factory, review
from tests.prompts import a_prompt_project
from tests.questions import a_question_project
from tests.translations import a_source_set, a_translation_project, pair_rows
from tests.validation.imports_run import import_items

pytestmark = pytest.mark.django_db(transaction=True)
MACHINE = ("--machine", "model-x")
Row = dict[str, Any]


def pairs() -> list[Row]:
    """With and without the author's label, with votes and without, texts that end in blanks."""
    row = {"premise_id": "p1", "premise": " Ibu membeli “mangga”\u0085di pasar. ", "sentence_size": "single"}
    given: list[Row] = [
        {"author_label": "e", "votes": ["e", "e"]},
        {
            "author_label": "n",
            "votes": [{"annotator": "V1", "label": "c"}, {"annotator": "V2", "label": "e"}],
        },
        {"author_label": None, "votes": ["c", "c"]},
        {"author_label": "", "votes": []},
        {"author_label": "c"},
    ]
    return [{**row, "pair_id": f"x-{n}", "hypothesis": f"=1+1 buah {n} ", **each} for n, each in enumerate(given)]


def questions() -> list[Row]:
    """Answered by five of six, by nobody, and with marks that are missing or cannot be read."""
    people = [f"W{n}" for n in range(1, 7)]
    rows = []
    for n in range(6):
        voters = [name for name in people if name != people[n]]
        words = {name: [None, "clear", "ambiguous", "clear", "clear"] for name in voters}
        rows.append(
            {
                "id": f"q-{n}",
                "category": " culture",
                "question_concept": "tikar ",
                "question": f"Untuk apa tikar {n}? ",
                "choices": {"label": list("ABCDE"), "text": [f" {what} {n} " for what in "abcde"]},
                "answer_creator": "A",
                "answers": dict.fromkeys(voters, "B" if n % 2 else "A"),
                "answers_uncertainty": dict.fromkeys(voters, "clear") | {voters[0]: "uncertain"},
                "question_ambiguity": dict.fromkeys(voters[1:], "clear"),
                "option_ambiguity": words,
                "reason": dict.fromkeys(voters, " Begitu; \n=1 "),
            }
        )
    return rows


def prompts() -> list[Row]:
    """With and without a user and a personal situation; one context has two lines."""
    user, personal = "Saya guru di Malang. ", "Anak saya sakit."
    rows = []
    for n in range(1, 7):
        context = f"Tetangga nomor {n} mengundang saya." + (" \nAcaranya besok." if n == 2 else "")
        for who in ("", user):
            for more in ("", personal):
                parts = [part for part in (who, context, more, "Apa yang saya bawa?") if part]
                relevant = [f"Amplop {n} ", f"Kado {n}", f"=Doa {n}"]
                rows.append(
                    {
                        "prompt_variation_id": f"{n:02}{int(bool(who)):02}0001{int(bool(more)):02}",
                        "category": "ethics",
                        "topic": "kondangan ",
                        "prompt": "\n".join(parts),
                        "best_answer": relevant[n % 3],
                        "relevant_answers": relevant,
                        "irrelevant_answers": [f"Tidak {n}", " Sisa makanan", "Tagihan"],
                    }
                )
    return rows


def translations() -> list[Row]:
    return [
        {"id": f"r-{n}", "source": f"=Hujan {n} kali. ", "jv-ngoko": f" Udan {n} ping.", "su": f"Hujan {n}. "}
        for n in range(4)
    ] + [{"id": "r-9", "source": "Panas.", "su": "-Panas."}]


WORLDS: dict[str, tuple[Callable[..., Project], Callable[[], list[Row]]]] = {
    "pairs": (factory.project, pairs),
    "questions": (a_question_project, questions),
    "prompts": (a_prompt_project, prompts),
    "translations": (a_translation_project, translations),
}
# Forms that a machine's questions are published in: nobody wrote what stands there.
OPTIONS = {"idcsqa-gen": MACHINE, "idcsqa-adapt": MACHINE}


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def suffix(data: bytes) -> str:
    first = data.lstrip()[:1]
    return {b"[": "json", b"{": "jsonl"}.get(first, "csv")


def exported(project: Project, form: str, path: Path) -> tuple[bytes, int]:
    """The file, and how many rows the command says that it has."""
    out = StringIO()
    call_command("export_items", project.slug, "--format", form, "--out", str(path), stdout=out)
    told = re.match(r"(\d+) rows of \d+ items", out.getvalue())
    assert told is not None, out.getvalue()
    return path.read_bytes(), int(told[1])


def rows_in(data: bytes) -> int:
    """How many rows a file has, whatever its form."""
    match suffix(data):
        case "json":
            return len(json.loads(data))
        case "jsonl":
            return len(data.splitlines())
    import csv
    import io

    return len(list(csv.reader(io.StringIO(data.decode(), newline="")))) - 1


@pytest.mark.parametrize("form", [form.slug for form in formats.all_formats()])
def test_a_file_of_ours_comes_back(form: str, tmp_path: Path) -> None:
    """Every row is taken in, every column is taken or named, and the same bytes come out again."""
    make, given = WORLDS[formats.get(form).file_formats[0]]
    source = tmp_path / "given.jsonl"
    source.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in given()))
    first = make("first")
    report = import_items(first.slug, source)[1]
    assert report["refused"] == 0, report["rows"]
    review.decide()
    written, told = exported(first, form, tmp_path / "first")
    assert told == rows_in(written) > 0

    ending = f"{form.partition('-')[2]}.csv" if form.endswith("-spreadsheet") else suffix(written)
    second, path = make("second"), tmp_path / f"file.{ending}"
    path.write_bytes(written)
    code, report = import_items(second.slug, path, *OPTIONS.get(form, ()))
    assert (code, report["refused"]) == (0, 0), report["rows"]
    assert report["unread"] == []
    review.decide()
    assert exported(second, form, tmp_path / "second")[0] == written
    assert import_items(second.slug, path, *OPTIONS.get(form, ()))[1]["accepted"] == 0


def test_units_of_several_texts_come_back(tmp_path: Path) -> None:
    """Beside the same source sets: a premise with its hypotheses is one translation again."""
    projects = [a_translation_project(slug) for slug in ("first", "second")]
    for project in projects:
        a_source_set(project, pair_rows(4))
    rows = [
        {"id": f"pair-{n:04}", "target": "su", "premise": f"P{n // 2}. ", "hypothesis": f" H{n}."} for n in range(4)
    ]
    source = tmp_path / "given.jsonl"
    source.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    assert import_items("first", source)[1]["accepted"] == 2
    for form in ("wide", "wide-csv"):
        written, _ = exported(projects[0], form, tmp_path / form)
        path = tmp_path / f"file.{suffix(written)}"
        path.write_bytes(written)
        report = import_items("second", path)[1]
        assert report["refused"] == 0, report["rows"]
        assert exported(projects[1], form, tmp_path / "again")[0] == written
    assert Item.objects.filter(project=projects[1]).count() == 2


def test_prompts_without_users_keep_their_ids(tmp_path: Path) -> None:
    """The texts have no line for a user, whatever the id says; a context of two lines stays one."""
    project = a_prompt_project("first")
    source = tmp_path / "given.jsonl"
    source.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in prompts()))
    import_items(project.slug, source)
    written, told = exported(project, "kalahi-no-situation", tmp_path / "file.csv")
    assert told == len(read(written)) == 12
    again = a_prompt_project("second")
    assert import_items(again.slug, tmp_path / "file.csv")[1]["accepted"] == 12
    contents = [item.revisions.get().content for item in again.items.order_by("key")]
    assert {content["user"] for content in contents} == {""}
    assert sum("\n" in content["context"] for content in contents) == 2
