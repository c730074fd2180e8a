"""Numbers, labels, lists and lines of files as pandas and people write them, each read by one rule in every place."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Premise
from annotation.tasks.rules.reading import TaskRefused, read, task_from_plain
from annotation.tasks.rules.task import Task
from tests import factory
from tests.annotation.tasks.items import make_task_project
from tests.validation.imports_run import import_items
from validation.imports.rules import FileRefused, Problem, Record, open_source
from validation.imports.rules.tasks import TaskReader, columns_of

LABELLED = "labels: [{key: a, name: Senang}, {key: b, name: Marah}]"
SCALE = "scale: {first: 1, last: 5, low: tidak, high: sangat}"


def task(*questions: str) -> Task:
    listed = "".join(f"  - {{{question}}}\n" for question in questions)
    return read(f"name: Uji\nsource: [{{key: text, name: Teks}}]\nquestions:\n{listed}")


def one(kind: str, more: str, key: str = "s") -> str:
    return f"key: {key}, type: {kind}, text: 'Apa?', required: false, {more}"


def votes(described: Task, given: Any, column: str = "votes") -> list[Any] | Problem:
    from annotation.tasks.rules.kind import aliases_of

    columns = columns_of(described)
    reader = TaskReader(columns.guess(["text", column]), described, aliases_of(described.main))
    found = reader.read(Record(1, {"text": "Satu kalimat.", column: given}, None))
    if isinstance(found, Problem):
        return found
    return [vote.answers or vote.label for vote in found.votes]  # type: ignore[union-attr]


def cast_votes(described: Task, given: Any) -> list[Any]:
    found = votes(described, given)
    assert not isinstance(found, Problem), found.reason
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("3.0", ["3"]),
        ("3.0 4.0", ["3", "4"]),
        ("['3.0', '4']", ["3", "4"]),
        ([3.0, "4.0", 5], ["3", "4", "5"]),
        ("[3., nan]", ["3"]),
        ([{"annotator": "x", "s": "3.0"}], ["3"]),
        ([{"annotator": "x", "s": 3.0}], ["3"]),
    ],
)
def test_points_of_a_scale_as_pandas_writes_them(given: Any, expected: list[str]) -> None:
    assert votes(task(one("scale", SCALE)), given) == [{"s": point} for point in expected]


def test_labels_of_every_answer_type_and_offsets_as_pandas_writes_them() -> None:
    numbered = "labels: [{key: 1, name: Senang}, {key: 2, name: Marah}]"
    described = task(
        one("several", numbered, "m"),
        one("criteria", f"{SCALE}, criteria: [{{key: jelas, name: Jelas}}]", "c"),
        one("spans", f"of: text, {numbered}", "p"),
    )
    passage = {"start": 0.0, "end": 4.0, "label": "1.0"}
    (found,) = cast_votes(described, [{"m": ["1.0", 2.0], "c_jelas": "3.0", "p": [passage]}])
    assert (found["m"], found["c_jelas"]) == (["1", "2"], "3")
    assert found["p"] == [{"of": "text", "start": 0, "end": 4, "text": "Satu", "label": "1"}]
    refused = votes(described, [{"p": [{"start": 0.5, "end": 4}]}])
    assert isinstance(refused, Problem)
    assert refused.reason == "A passage has whole numbers as its start and end, and not 0.5, 4."


@pytest.mark.django_db(transaction=True)
def test_ids_of_a_column_of_such_numbers_are_those_without_the_point(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = make_task_project("", task=task(one("single", LABELLED)), name="angka")

    def run(*ids: str, dry: bool = False) -> dict[str, Any]:
        file = io.StringIO()
        rows = [{"id": key, "text": f"Kalimat {key.removesuffix('.0')}."} for key in ids]
        (writer := csv.DictWriter(file, ("id", "text"))).writeheader()
        writer.writerows(rows)
        (tmp_path / "ids.csv").write_text(file.getvalue())
        return import_items(project.slug, tmp_path / "ids.csv", *(["--dry-run"] if dry else []))[1]

    assert run("1", "2")["accepted"] == 2
    again = run("1.0", "", "2.0", dry=True)
    assert (again["unchanged"], again["accepted"]) == (2, 1)
    assert again["notes"] == [
        "Every value of id is a whole number with .0, as pandas writes it: they are read without it (1 for 1.0)."
    ]
    assert "notes" not in run("1.0", "1.1") or not run("1.0", "1.1")["notes"]
    assert set(Item.objects.values_list("key", flat=True)) == {"1", "2", "1.0", "1.1"}


def test_equal_names_of_two_labels_are_refused_and_stored_descriptions_are_read() -> None:
    for labels in (
        "[{key: a, name: Sama}, {key: b, name: ' sAMA '}]",
        "[{key: a, name: {id: Sama, en: One}}, {key: b, name: {id: sama, en: Two}}]",
        "[{key: a, name: b}, {key: b, name: Dua}]",
    ):
        with pytest.raises(TaskRefused, match=r"labels: “a” .*called “(sAMA|sama|b)”"):
            task(one("single", f"labels: {labels}"))
    plain = task(one("single", LABELLED)).plain()
    for label in plain["questions"][0]["labels"]:
        label["name"] = "Sama"
    found = votes(task_from_plain(plain, stored=True), ["sama"])
    assert isinstance(found, Problem)
    assert found.reason == "“sama” fits several labels; write the key of one of them: a, b."


@pytest.mark.parametrize(("word", "key"), [("Pos", "neg"), ("pos", "pos"), ("Neg", "pos"), ("POS", "")])
def test_a_word_means_the_label_that_has_it_exactly(word: str, key: str) -> None:
    labels = "labels: [{key: pos, name: Neg}, {key: neg, name: Pos}]"
    for given in ([word], word, [{"s": word}]):
        found = votes(task(one("single", labels)), given)
        if key:
            assert found == [key]
        else:
            assert isinstance(found, Problem)
            assert "“POS” fits several labels; write the key of one of them: pos, neg." in found.reason


@pytest.mark.parametrize(
    ("content", "separator", "texts"),
    [
        (b"{catatan} Pasar ramai.\nDua.\n", "", ["{catatan} Pasar ramai.", "Dua."]),
        (b'{"text" Pasar\nDua.\n', "", ['{"text" Pasar', "Dua."]),
        (b'{"text": "Satu."}\n', "line", ['{"text": "Satu."}']),
        (b'\n{"text": "Satu."}\n', "", ["Satu."]),
        (b'[\n{"text": "Satu."}\n]', "", ["Satu."]),
        (b"[{catatan}] Satu.\n", "", ["[{catatan}] Satu."]),
    ],
)
def test_a_text_that_begins_with_a_brace(tmp_path: Path, content: bytes, separator: str, texts: list[str]) -> None:
    (path := tmp_path / "a.txt").write_bytes(content)
    source = open_source(path, path.name, separator=separator)
    assert [record.data and record.data["text"] for record in source.records()] == texts
    with pytest.raises(FileRefused, match="has no separator"):
        open_source(path, "a.jsonl", separator="comma")


@pytest.mark.django_db(transaction=True)
def test_a_list_of_words_is_texts(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = factory.project("kata")
    (path := tmp_path / "kata.txt").write_text("pasar\nikan\nrumah\n")
    assert import_items("kata", path)[1]["accepted"] == 3
    assert sorted(Premise.objects.values_list("text", flat=True)) == ["ikan", "pasar", "rumah"]
    path.write_text("premise\nPasar ramai.\n")
    assert import_items("kata", path)[1]["accepted"] == 1
    path.write_text("pasar,ikan\nrumah,sawah\n")
    with pytest.raises(CommandError, match="none: each line is a text"):
        call_command("import_items", "kata", str(path), stdout=io.StringIO())
    (client := Client()).force_login(factory.user(administrator=True))
    sent = SimpleUploadedFile("k.txt", b"pasar\nikan\n")
    client.post(reverse("imports", args=[project.slug]), {"file": sent})
    taken = project.imports.latest("pk")
    assert (taken.mapping["columns"], taken.mapping["separator"]) == (["text"], "line")
    page = client.get(reverse("import_page", args=[project.slug, taken.pk]))
    assert [row.texts for row in page.context["preview"].rows] == [("pasar",), ("ikan",)]


@pytest.mark.parametrize("given", ["['a', 'b']", '["a", "b"]', "a, b", "Senang; Marah", ["a", "b"]])
def test_lists_within_votes_are_read_as_in_cells(given: Any) -> None:
    described = task(one("several", LABELLED, "m"), one("spans", "of: text", "p"))
    passages = json.dumps([{"start": 0, "end": 4}])
    (found,) = cast_votes(described, [{"annotator": "y", "m": given, "p": passages}])
    assert (found["m"], found["p"][0]["text"]) == (["a", "b"], "Satu")
    alone = task(one("several", LABELLED, "m"))
    assert votes(alone, {"y": given}) == [{"m": ["a", "b"]}]
    refused = votes(alone, "a, b")
    assert isinstance(refused, Problem)
    assert "a list a vote" in refused.reason
