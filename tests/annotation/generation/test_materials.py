"""What machine-written questions start from: concepts, files, and other projects' questions."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Concept
from annotation.core.errors import Conflict, Invalid
from annotation.core.messages import EVENTS, PROBLEMS
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.generation.actions.materials import (
    concepts_as_materials,
    items_as_materials,
    questions_take,
    sets_take,
)
from annotation.generation.models import Material
from annotation.generation.rules import recipes
from annotation.generation.rules.recipes.forms import ITEM, ConceptData, ItemData, QuestionData
from annotation.jobs.models import Import
from annotation.projects.actions.projects import project_close
from exports.releases.models import TakedownRow, Withdrawal
from tests import factory, questions
from tests.data import DATA, needs_data
from tests.exports.machine import make_questions, set_material
from tests.question_files import a_row, begin_run_with, jsonl

pytestmark = pytest.mark.django_db


def a_project(preset: str, **fields: Any) -> Project:
    return factory.project(preset=preset, **fields)


def keys(project: Project) -> list[str]:
    return list(Material.objects.filter(project=project).order_by("position").values_list("key", flat=True))


# --- concepts ---------------------------------------------------------------------------


def test_approved_concepts_are_taken_in_drawn_order() -> None:
    project = a_project("llm-gen")
    made = [questions.a_concept(project, f"tikar {n}", category="culture") for n in range(10)]
    Concept.objects.filter(pk=made[0].pk).update(state=Concept.State.PROPOSED)
    taken = concepts_as_materials(project=project)
    assert (taken.new, taken.nothing) == (9, False)
    rows = Material.objects.filter(project=project).order_by("position")
    assert [row.position for row in rows] == list(range(1, 10))
    assert {row.concept_id for row in rows} == {each.pk for each in made[1:]}
    assert [row.key for row in rows] != sorted(row.key for row in rows)
    assert all(ConceptData.model_validate(row.data).category == row.group == "culture" for row in rows)
    again = concepts_as_materials(project=project)
    assert (again.same, again.nothing) == (9, True)
    assert Event.objects.filter(project=project, verb="materials_of_concepts").count() == 1


def test_a_reworded_concept_is_taken_anew_unless_a_run_began_with_it() -> None:
    project = a_project("llm-gen")
    for n in range(4):
        questions.a_concept(project, f"tikar {n}", category="culture")
    concepts_as_materials(project=project)
    used, gone, left, reworded = Material.objects.filter(project=project).order_by("position")
    begin_run_with(used)
    Concept.objects.filter(materials=used).update(text="payung")
    Concept.objects.filter(materials=reworded).update(text="kendi")
    Concept.objects.filter(materials=gone).update(state=Concept.State.RETURNED)
    questions.a_concept(project, "cobek", category="place")
    taken = concepts_as_materials(project=project)
    assert (taken.new, taken.same, taken.changed, taken.removed, taken.held) == (1, 1, 1, 1, 1)
    texts = {row.pk: row.data["concept"] for row in Material.objects.filter(project=project)}
    assert texts.pop(Material.objects.latest("pk").pk) == "cobek"
    assert texts == {used.pk: used.data["concept"], left.pk: left.data["concept"], reworded.pk: "kendi"}


# --- finished questions -----------------------------------------------------------------


def taken_from(project: Project, folder: Path, content: bytes, name: str = "q.jsonl", split: str = "") -> Import:
    path = folder / name
    path.write_bytes(content)
    return questions_take(project=project, path=path, name=name, split=split)


def counts(taken: Import) -> tuple[int, int, int]:
    return taken.accepted, taken.unchanged, taken.refused


def test_commonsenseqa_is_read_as_it_is_published(tmp_path: Path) -> None:
    project = a_project("llm-adapt")
    content = jsonl(a_row(1), a_row(2, split="dev"))
    assert counts(taken_from(project, tmp_path, content, split="train")) == (2, 0, 0)
    rows = {row.key: row for row in Material.objects.filter(project=project)}
    data = QuestionData.model_validate(rows["id1"].data)
    assert (data.concept, data.answer, data.question) == ("snow shovel", "B", "Where would one put number 1?")
    assert (rows["id1"].split, rows["id2"].split, rows["id1"].sort) == ("train", "dev", "question")
    assert sorted(row.position for row in rows.values()) == [1, 2]
    # The same again, packed: nothing changes, and nothing is said to have been done.
    before = list(Material.objects.order_by("pk").values())
    assert counts(taken_from(project, tmp_path, gzip.compress(content), "q.jsonl.gz", "train")) == (0, 2, 0)
    assert list(Material.objects.order_by("pk").values()) == before
    assert Event.objects.filter(project=project, verb="questions_imported").count() == 1


@needs_data
def test_the_published_form_is_read(tmp_path: Path) -> None:
    """300 questions with a category, and 157 without: one of the published 158 has seven choices, which no card has."""
    project = a_project("llm-adapt")
    for name, expected in (("adapt_ind_test.json", (157, 0, 1)), ("llm_gen_ind_sample.json", (300, 0, 0))):
        path = DATA / "idcsqa" / name
        taken = questions_take(project=project, path=path, name=name, split="test")
        assert counts(taken) == expected
        assert all("names no choice here" in row.reason for row in taken.rows.all())
    groups = set(Material.objects.filter(project=project).values_list("group", flat=True))
    assert groups == {"", "activity", "culinary", "culture", "history", "place"}


def asked(**fields: Any) -> dict[str, Any]:
    """A line whose question says something else."""
    return a_row(question={**a_row()["question"], **fields})


REFUSED = [
    ("not json", "", "whole JSON"),
    ([1, 2], "", "no object"),
    (a_row(answerKey=""), "answer", "answerKey"),
    (a_row(answerKey="Z"), "answer", "none of the choices"),
    (a_row(split="x" * 21), "split", "at most 20"),
    (a_row(split=7), "split", "at most 20"),
    (asked(question_concept=" "), "concept", "nothing that can be seen"),
    (
        {**a_row(), "question": {"stem": "Where?", "choices": a_row()["question"]["choices"]}},
        "concept",
        "concept is missing",
    ),
    (asked(stem=""), "question", "missing"),
    (asked(stem="x" * 2001), "question", "cannot be used as it is"),
    (asked(choices=[]), "choices", "no choices"),
    (
        asked(choices=a_row()["question"]["choices"][1:2]),
        "choices",
        "cannot be used",
    ),
    (asked(stem="Wh\0ere?"), "question", "no database can store"),
]


@pytest.mark.parametrize(("row", "field", "why"), REFUSED)
def test_a_row_that_cannot_be_used_is_told_and_the_others_are_taken(
    tmp_path: Path, row: Any, field: str, why: str
) -> None:
    project = a_project("llm-adapt")
    broken = row if isinstance(row, str) else {**row, "id": "broken"} if isinstance(row, dict) else row
    taken = taken_from(project, tmp_path, jsonl(a_row(1), broken, a_row(3)))
    assert counts(taken) == (2, 0, 1)
    told = taken.rows.get()
    assert (told.n, told.field) == (2, field)
    assert why in told.reason
    assert sorted(keys(project)) == ["id1", "id3"]


def test_an_id_with_another_text_is_refused_and_the_first_stands(tmp_path: Path) -> None:
    project = a_project("llm-adapt")
    taken_from(project, tmp_path, jsonl(a_row(1)))
    other = a_row(1, answerKey="C")
    taken = taken_from(project, tmp_path, jsonl(other, a_row(2), a_row(2), a_row(2, answerKey="D")))
    assert counts(taken) == (1, 1, 2)
    assert [row.n for row in taken.rows.order_by("n")] == [1, 4]
    assert QuestionData.model_validate(Material.objects.get(key="id1").data).answer == "B"


HOSTILE = [
    (b"", "file_empty"),
    (b"\x1f\x8btorn", "gzip_damaged"),
    (b"PK\x03\x04" + bytes(50), "file_foreign"),
    (bytes(5000), "file_binary"),
    (b"id,text\n1,two\n", "rows_unreadable"),
    (b'{"id": 1}\n', "question_unmapped"),
    (b"{" * 100, "rows_unreadable"),
]


@pytest.mark.parametrize(("content", "code"), HOSTILE)
def test_a_file_that_cannot_be_read_is_refused_whole(tmp_path: Path, content: bytes, code: str) -> None:
    project = a_project("llm-adapt")
    with pytest.raises(Invalid) as refused:
        taken_from(project, tmp_path, content)
    assert refused.value.code == code
    assert refused.value.message
    assert not Import.objects.exists()


def test_the_command_reports_every_row(tmp_path: Path) -> None:
    project, path, out = a_project("llm-adapt"), tmp_path / "q.jsonl", StringIO()
    path.write_bytes(jsonl(a_row(1), a_row(2, answerKey="Z")))
    with pytest.raises(CommandError, match="rows refused: 1") as ended:
        call_command("import_materials", str(path), project=project.slug, stdout=out)
    assert ended.value.returncode == 1
    assert "accepted: 1" in out.getvalue()
    assert "row 2, answer: " in out.getvalue()
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("import_materials", str(path), project=project.slug, json=True, stdout=out)
    told = json.loads(out.getvalue())
    assert (told["unchanged"], told["rows"][0]["row"]) == (1, 2)


@pytest.mark.parametrize(
    ("slug", "name", "why"),
    [
        ("nobody", "q.jsonl", "no project"),
        ("adapts", "nowhere", "No such file"),
        ("sets", "q.jsonl", "something else"),
    ],
)
def test_the_command_says_why_it_cannot(tmp_path: Path, slug: str, name: str, why: str) -> None:
    factory.project("adapts", preset="llm-adapt")
    factory.project("sets", preset="mcsqa")
    (tmp_path / "q.jsonl").write_bytes(jsonl(a_row(1)))
    with pytest.raises(CommandError, match=why) as ended:
        call_command("import_materials", str(tmp_path / name), project=slug)
    assert ended.value.returncode == 2


# --- another project's questions --------------------------------------------------------


def translating() -> Project:
    """A project whose questions start from those of another one."""
    slug = next(each.slug for each in recipes.all_recipes() if each.sort == ITEM)
    return a_project("llm-adapt", settings={"recipe": slug})


def test_the_accepted_questions_of_another_project_are_taken() -> None:
    source, project = questions.a_question_project(), translating()
    writer = factory.member(source, "writer")
    settled, adjudicated, waiting = (questions.a_question(source, writer) for _ in range(3))
    Item.objects.filter(pk=settled.pk).update(stage="settled", gold="C", gold_from="votes")
    Item.objects.filter(pk=adjudicated.pk).update(stage="adjudicated", gold="A", gold_from="lead")
    taken = items_as_materials(project=project, source=source)
    assert (taken.new, taken.not_taken) == (2, {"written": 1})
    found = {row.item_id: ItemData.model_validate(row.data) for row in Material.objects.filter(project=project)}
    assert set(found) == {settled.pk, adjudicated.pk}
    assert found[settled.pk].answer == "C"
    assert (found[settled.pk].project, found[settled.pk].language) == (source.slug, source.language)
    assert items_as_materials(project=project, source=source).nothing
    assert waiting.pk not in found


@pytest.mark.parametrize(
    ("choice", "taken", "others"),
    [
        ("settled", [], {"submitted": 1, "written": 1, "returned": 1, "excluded": 1}),
        ("checked", [1], {"submitted": 1, "returned": 1, "excluded": 1}),
        ("all", [0, 1, 2], {"excluded": 1}),
    ],
)
def test_adapted_questions_that_nobody_votes_on_are_translated_if_they_are_chosen(
    choice: str, taken: list[int], others: dict[str, int]
) -> None:
    """Adapted questions are checked by a lead and seldom voted on (id-csqa §4.1); each keeps the split it came with."""
    source, project = a_project("llm-adapt"), translating()
    items = make_questions(source, 4)
    set_material(items[1], split="dev")
    for item, stage in zip(items, ("submitted", "written", "returned", "excluded"), strict=True):
        Item.objects.filter(pk=item.pk).update(stage=stage)
    done = items_as_materials(project=project, source=source, choice=choice)
    assert (done.new, done.not_taken) == (len(taken), others)
    rows = Material.objects.filter(project=project).order_by("item")
    assert [(row.item_id, row.split) for row in rows] == [(items[n].pk, "dev" if n == 1 else "") for n in taken]


def test_the_command_takes_items_and_counts_those_that_are_not_taken_by_reason() -> None:
    source, project = a_project("llm-adapt"), translating()
    make_questions(source, 2)
    out = StringIO()
    call_command("import_materials", project=project.slug, source=source.slug, stdout=out)
    assert out.getvalue().splitlines()[-2:] == ["same: 0", "not taken, to be checked: 2"]
    out = StringIO()
    call_command("import_materials", project=project.slug, source=source.slug, items="all", json=True, stdout=out)
    assert json.loads(out.getvalue())["new"] == 2
    for wrong in ({}, {"source": "nowhere"}, {"source": source.slug, "file": Path("x")}, {"items": "all"}):
        with pytest.raises(CommandError) as ended:
            call_command("import_materials", project=project.slug, **wrong)
        assert ended.value.returncode == 2


def test_questions_that_votes_did_not_keep_are_taken_only_where_all_are() -> None:
    source, project = a_project("mcsqa"), translating()
    items = make_questions(source, 2)
    for item, gold in zip(items, ("yes", "no"), strict=True):
        Item.objects.filter(pk=item.pk).update(stage="settled", gold=gold, gold_from="votes")
    assert items_as_materials(project=project, source=source).not_taken == {"rejected": 1}
    assert items_as_materials(project=project, source=source, choice="all").new == 1


def test_what_was_withdrawn_or_taken_down_is_not_taken() -> None:
    source, project = questions.a_question_project(), translating()
    writer, gone, editor = (factory.member(source, "writer") for _ in range(3))
    items = [questions.a_question(source, by) for by in (writer, gone, writer, writer)]
    Item.objects.filter(project=source).update(stage="settled", gold="C", gold_from="votes")
    Revision.objects.filter(item=items[2]).update(by=editor)
    for n, place in enumerate((gone, editor), 1):
        Withdrawal.objects.create(project=source, n=n, annotator=place)
    taken_down = Withdrawal.objects.create(project=source, n=3)
    TakedownRow.objects.create(withdrawal=taken_down, item=items[3])
    for choice in ("settled", "all"):
        taken = items_as_materials(project=project, source=source, choice=choice)
        assert taken.not_taken == {"withdrawn": 3}
    assert [row.item_id for row in Material.objects.filter(project=project)] == [items[0].pk]


def test_the_own_project_and_one_without_questions_are_refused() -> None:
    project = translating()
    for other in (project, factory.project()):
        with pytest.raises(Invalid) as refused:
            items_as_materials(project=project, source=other)
        assert refused.value.code == "materials_source_missing"


# --- what all have in common ------------------------------------------------------------


def test_each_starts_from_its_own_sort_and_a_closed_project_from_nothing(tmp_path: Path) -> None:
    project = a_project("mcsqa")
    with pytest.raises(Invalid) as other:
        concepts_as_materials(project=project)
    assert other.value.code == "materials_other_sort"
    project_close(project=project, closed=True, by=factory.user(administrator=True))
    with pytest.raises(Conflict) as closed:
        sets_take(project=project, sets=[], report={})
    assert closed.value.code == "materials_closed"
    assert {other.value.code, closed.value.code} <= set(PROBLEMS)
    assert {"sets_imported", "materials_of_concepts", "materials_of_items", "questions_imported"} <= set(EVENTS)
