"""What an item can show: images, sounds, table rows, dialogues; written by writers; refused with a reason."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import call_command
from django.test import Client

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Premise
from annotation.kinds import SlotIn, with_text
from annotation.kinds.rendered_texts import list_entries, list_text
from annotation.tasks.rules.reading import task_from_plain
from annotation.tasks.rules.task import Task
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.actions.writing import set_submit
from tests import factory
from tests.annotation.tasks.items import make_task_project
from validation.imports.rules.problems import Problem
from validation.imports.rules.records import Record
from validation.imports.rules.tasks import TaskReader, TaskRow
from validation.voting.actions.decide import decide_due

LABELS = [{"key": "yes", "name": "Yes"}, {"key": "no", "name": "No"}]
EVERYTHING: dict[str, Any] = {
    "name": "Everything",
    "source": [
        {"key": "photo", "type": "image", "name": "Photo", "hosts": ["media.example.org"]},
        {"key": "sound", "type": "audio", "name": "Sound", "hosts": ["media.example.org"], "required": False},
        {"key": "row", "type": "table", "name": "Row", "required": False},
        {"key": "talk", "type": "dialogue", "name": "Talk", "required": False, "max_length": 60},
    ],
    "questions": [{"key": "fits", "type": "single", "text": "Does it fit?", "labels": LABELS}],
}
WRITTEN: dict[str, Any] = {
    "name": "Titles",
    "source": [{"key": "article", "name": "Article"}, {"key": "title", "name": "Title"}],
    "questions": [{"key": "fits", "type": "single", "text": "Does the title fit?", "labels": LABELS}],
    "authoring": {"writes": "title", "label": "given"},
    "protocol": {"rounds": [2], "quorum": 3, "author": "vote"},
}
PHOTO = {"photo": "https://media.example.org/1.jpg", "photo_alt": "Sebuah perahu"}
A_TALK = [{"speaker": "A", "text": "Hai"}, {"speaker": "B", "text": "Ya?"}]
# What lines cannot say without more: breaks, names with colons, long names, nobody's name, nothing.
HARD = [
    {"speaker": "Ani", "text": "Jam berapa?\nCatatan: libur.\n  menjorok"},
    {"speaker": "Dr. Budi: dokter", "text": "Pukul 12:30.\r\nBaik"},
    {"speaker": " x" * 35, "text": ""},
    {"speaker": "C:\\dua\nbaris:", "text": "\n"},
    {"speaker": "", "text": "(tertawa) "},
]


def everything() -> Task:
    return task_from_plain(EVERYTHING)


def read(row: dict[str, Any], task: Task | None = None) -> Any:
    task = task or everything()
    mapping = {column: column for column in ("id", "group", *task.columns)}
    return TaskReader(mapping, task, {}).read(Record(1, row, None))


@pytest.mark.parametrize(
    ("row", "code", "field"),
    [
        ({}, "missing", "photo"),
        ({"photo": "https://media.example.org/1.jpg"}, "missing", "photo_alt"),
        ({**PHOTO, "photo": "http://media.example.org/1.jpg"}, "address_wrong", "photo"),
        ({**PHOTO, "photo": "https://user:word@media.example.org/1.jpg"}, "address_wrong", "photo"),
        ({**PHOTO, "photo": "https://media.example.org/1 2.jpg"}, "address_wrong", "photo"),
        ({**PHOTO, "photo": "https://[::1"}, "address_wrong", "photo"),
        ({**PHOTO, "photo": "https://elsewhere.example.org/1.jpg"}, "host_unknown", "photo"),
        ({**PHOTO, "photo": 7}, "wrong_type", "photo"),
        ({**PHOTO, "talk": [["A", "hello"], ["only one"]]}, "wrong_type", "talk"),
        ({**PHOTO, "talk": [{"speaker": None, "text": "x"}]}, "wrong_type", "talk"),
        ({**PHOTO, "talk": ["AB"]}, "wrong_type", "talk"),
        ({**PHOTO, "talk": A_TALK[0]}, "wrong_type", "talk"),
        ({**PHOTO, "talk": "A: " + "x" * 70}, "too_long", "talk"),
        ({**PHOTO, "row": 3}, "wrong_type", "row"),
        ({**PHOTO, "id": 1.5}, "wrong_type", "id"),
    ],
)
def test_a_row_is_refused_with_its_field(row: dict[str, Any], code: str, field: str) -> None:
    found = read(row)
    assert isinstance(found, Problem)
    assert (found.code, found.field) == (code, field)
    assert found.reason


@pytest.mark.parametrize(
    "talk",
    [
        A_TALK,
        [["A", "Hai"], ["B", "Ya?"]],
        '[["A", "Hai"], ["B", "Ya?"]]',
        [{"role": "A", "content": "Hai"}, {"role": "B", "content": "Ya?"}],
        [{"from": "A", "value": "Hai"}, {"from": "B", "value": "Ya?"}],
        {"A": "Hai", "B": "Ya?"},
        "A: Hai\nB: Ya?",
    ],
)
def test_a_dialogue_is_a_list_of_turns_however_the_file_has_it(talk: Any) -> None:
    row = read({**PHOTO, "talk": talk, "row": {"Harga": 5000, "Kota": None}})
    assert isinstance(row, TaskRow)
    assert row.content["talk"] == A_TALK
    assert row.content["row"] == [{"column": "Harga", "value": "5000"}, {"column": "Kota", "value": None}]


def test_the_text_of_a_list_gives_the_same_list_again() -> None:
    text = list_text(HARD)
    assert list_entries(text, "dialogue") == HARD
    assert text.split("\n")[:3] == ["Ani: Jam berapa?", " Catatan: libur.", "   menjorok"]
    # As a form sends it, with one turn changed: all others are as they were stored.
    sent = text.replace("Pukul 12", "Pukul 13").replace("\r\n", "\n").replace("\n", "\r\n")
    new = with_text({"talk": [*HARD, {"speaker": "D", "text": None}]}, "talk", f"{sent}\r\nD: ")["talk"]
    assert [new[1]["text"], new[:1], new[2:]] == [
        "Pukul 13:30.\r\nBaik",
        HARD[:1],
        [*HARD[2:], {"speaker": "D", "text": None}],
    ]


def test_a_correction_keeps_what_it_does_not_touch_byte_for_byte() -> None:
    talk = [
        {"speaker": "A", "text": "satu\rCatatan: dua\r\ntiga"},
        {"speaker": "B", "text": "empat\r"},
        {"speaker": "A", "text": "lima"},
    ]
    sent = list_text(talk).replace("lima", "enam").replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    assert with_text({"talk": talk}, "talk", sent)["talk"] == [*talk[:2], {"speaker": "A", "text": "enam"}]
    row = [{"column": "Jam", "value": 21}, {"column": "Suhu", "value": 1.5}, {"column": "Kode", "value": "7"}]
    for sent, values in (
        ("Jam: 22\nSuhu: 1.5\nKode: 8", [22, 1.5, "8"]),
        ("Jam: pagi\nSuhu: 2.25\nKode: 7", ["pagi", 2.25, "7"]),
        ("Jam: 021\nSuhu: nan\nKode: 7", ["021", "nan", "7"]),
    ):
        new = with_text({"row": row}, "row", sent)["row"]
        assert [(type(cell["value"]), cell["value"]) for cell in new] == [(type(value), value) for value in values]
    talk = [{"speaker": "A", "text": "a\r\nb"}, {"speaker": "B", "text": "c\nd"}]
    for sent, texts in (
        ("A: a\r\n bX\r\nB: c\r\n dX", ["a\r\nbX", "c\ndX"]),
        ("C: a\r\n b\r\nB: c\r\n d", ["a\r\nb", "c\nd"]),
        ("B: baru\r\nA: a\r\n bX\r\nB: c\r\n d", ["baru", "a\r\nbX", "c\nd"]),
    ):
        assert [turn["text"] for turn in with_text({"talk": talk}, "talk", sent)["talk"]] == texts
    assert with_text({"talk": []}, "talk", "") == {"talk": []}
    assert list_entries(with_text({"talk": []}, "talk", "A: satu")["talk"], "dialogue") == [
        {"speaker": "A", "text": "satu"}
    ]


def test_what_turns_hold_beside_is_named_and_not_kept() -> None:
    task = everything()
    reader = TaskReader({column: column for column in task.columns}, task, {})
    row = reader.read(Record(1, {**PHOTO, "talk": [{**A_TALK[0], "time": 3}]}, None))
    assert isinstance(row, TaskRow)
    assert (row.content["talk"], list(reader.left)) == (A_TALK[:1], ["talk.time"])


@pytest.mark.django_db(transaction=True)
def test_cards_load_images_from_the_named_hosts_alone(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = make_task_project("", task=everything(), name="semua")
    path = tmp_path / "items.csv"
    talk = '"[[""A"",""Hai""],[""B"",""Ya?""]]"'
    path.write_text(f"id,foto,photo_alt,talk\nx1,{PHOTO['photo']},Sebuah perahu,{talk}\n")
    call_command("import_items", project.slug, str(path), map=["foto=photo"])
    decide_due()
    people, web = [factory.member(project, "validator") for _ in range(3)], Client()
    for person in people:
        assert person.user is not None
        web.force_login(person.user)
        page = web.get(f"/p/{project.slug}/vote/")
        html = page.content.decode()
        assert 'alt="Sebuah perahu"' in html
        assert "<bdi>A</bdi>" in html
        assert "https://media.example.org" in page["Content-Security-Policy"]
        token = page.context["card"].token
        assert web.post(f"/p/{project.slug}/vote/{token}/", {"label": "yes"}).status_code == 302
    assert "example.org" not in web.get("/").headers["Content-Security-Policy"]
    decide_due()
    call_command("build_release", project.slug, out=str(tmp_path / "out"), no_licence=True)
    (row,) = map(json.loads, (tmp_path / "out" / "test.jsonl").read_text().splitlines())
    assert row["talk"] == A_TALK
    assert row["sound"] is None


@pytest.mark.django_db(transaction=True)
def test_writers_write_a_field_for_each_label(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = make_task_project("", task=task_from_plain(WRITTEN), name="judul")
    path = tmp_path / "articles.jsonl"
    path.write_bytes(orjson.dumps({"id": "a1", "article": "Pasar lama akan dipindahkan ke utara kota."}))
    call_command("import_items", project.slug, str(path))
    assert Premise.objects.get().key == "a1"
    writer, web = factory.member(project, "writer"), Client()
    allocations_assign(target=project.targets.get(), writers=[writer])
    allocation = Allocation.objects.get()
    assert writer.user is not None
    web.force_login(writer.user)
    page = web.get(f"/p/{project.slug}/write/{allocation.token}/")
    assert page.status_code == 200
    assert "Pasar lama akan dipindahkan" in page.content.decode()
    slots = {"1-1": SlotIn("Pasar pindah ke utara"), "2-1": SlotIn("Harga beras turun")}
    set_submit(writer=writer, token=allocation.token, slots=slots)
    decide_due()
    content = Item.objects.get(author_label="yes").hypothesis.more
    assert content == {"article": Premise.objects.get().text, "title": "Pasar pindah ke utara", "group": "a1"}
    for person in [factory.member(project, "validator") for _ in range(2)]:
        assert person.user is not None
        web.force_login(person.user)
        while (card := web.get(f"/p/{project.slug}/vote/").context["card"]) is not None:
            assert web.post(f"/p/{project.slug}/vote/{card.token}/", {"label": "yes"}).status_code == 302
    decide_due()
    assert dict(Item.objects.values_list("author_label", "gold")) == {"yes": "yes", "no": ""}
    call_command("check_integrity", project.slug)
    call_command("build_release", project.slug, out=str(tmp_path / "out"), no_licence=True)
    call_command("verify_release", str(tmp_path / "out"))
