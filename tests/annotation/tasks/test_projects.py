"""Projects with a task of their own: made, filled from files, voted on, released, verified, and changed by versions."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotation import kinds
from annotation.content.models.item import Item
from annotation.core.errors import Invalid
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, TaskVersion
from annotation.tasks.actions import task_publish
from annotation.tasks.rules import known
from annotation.tasks.rules.reading import read, task_from_plain
from annotation.tasks.rules.templates import template, templates
from tests import factory
from tests.annotation.tasks.items import ITEMS, make_task_project, write_items_file
from validation.voting.actions.decide import decide_due

pytestmark = pytest.mark.django_db(transaction=True)


def vote_all(person: Annotator, label: str) -> None:
    """Vote this label on whatever the page offers, until it offers nothing."""
    web = Client()
    assert person.user is not None
    web.force_login(person.user)
    address = f"/p/{person.project.slug}/vote/"
    while (card := web.get(address).context["card"]) is not None:
        assert web.post(f"{address}{card.token}/", {"label": label}).status_code == 302


def changed(slug: str, change: Any) -> Any:
    plain = template(slug).plain()
    change(plain)
    return task_from_plain(plain)


def test_a_project_resolves_its_kind_by_hash_alone(django_assert_num_queries: Any) -> None:
    project = make_task_project("sentiment")
    known.forget()  # as a process that has just begun
    with django_assert_num_queries(2):
        kind = Project.objects.get(pk=project.pk).kind_spec
    with django_assert_num_queries(0):
        assert kinds.get(project.kind) is kind
    assert kind.question.label_keys == ("positive", "neutral", "negative")
    assert project.guidelines.get(role="validation").text.startswith("# Sentimen tiga tingkat")
    with pytest.raises(KeyError, match="no kind is called 'task-unknown'"):
        kinds.get("task-unknown")


def test_the_database_refuses_two_versions_of_one_number() -> None:
    project = make_task_project("sentiment")
    first = TaskVersion.objects.get(project=project)
    with pytest.raises(IntegrityError, match=r"task_number_once|UNIQUE"), transaction.atomic():
        TaskVersion.objects.create(project=project, n=1, kind=first.kind, description={})
    with pytest.raises(IntegrityError, match="task_kind_is_of_a_task"), transaction.atomic():
        TaskVersion.objects.create(project=project, n=2, kind="nli", description={})


def test_sentiment_from_import_to_a_verified_release(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project = make_task_project("sentiment")
    call_command("import_items", project.slug, str(write_items_file("sentiment", tmp_path)))
    assert Item.objects.count() == 3
    decide_due()
    for _ in range(2):
        vote_all(factory.member(project, "validator"), "positive")
    decide_due()
    assert set(Item.objects.values_list("stage", "gold")) == {("settled", "positive")}
    call_command("check_integrity", project.slug)
    out = tmp_path / "out"
    call_command("build_release", project.slug, out=str(out), no_licence=True)
    rows = [json.loads(line) for line in (out / "test.jsonl").read_text().splitlines()]
    assert sorted((row["id"], row["text"], row["gold_label"]) for row in rows) == [
        (item["id"], item["text"], "positive") for item in ITEMS["sentiment"]
    ]
    assert read((out / "task.yaml").read_text()) == template("sentiment")
    call_command("verify_release", str(out))
    # A stranger's database knows no such task; the description in the folder says what its rows are.
    TaskVersion.objects.all().delete()
    known.forget()  # as a process that has just begun
    call_command("verify_release", str(out), files_only=True)
    known.forget()  # as a process that has just begun
    (out / "task.yaml").unlink()
    with pytest.raises(CommandError, match="is not the release"):
        call_command("verify_release", str(out), files_only=True)


def test_a_release_keeps_the_description_of_its_day(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project, out = make_task_project("sentiment"), tmp_path / "out"
    call_command("import_items", project.slug, str(write_items_file("sentiment", tmp_path)))
    decide_due()
    for _ in range(2):
        vote_all(factory.member(project, "validator"), "neutral")
    decide_due()
    call_command("build_release", project.slug, out=str(out), no_licence=True)
    task_publish(project=project, task=changed("sentiment", lambda d: d.update(name="Otherwise called")))
    call_command("verify_release", str(out))


def test_the_command_takes_a_file_or_a_template_and_says_what_is_wrong(tmp_path: Path) -> None:
    call_command("create_project", "suasana", task="emotions", seed="s")
    assert Project.objects.get(slug="suasana").kind_spec.name == "Emotions, several at once"
    path = tmp_path / "task.yaml"
    path.write_text(templates()["emotions"].replace("several", "severel"))
    with pytest.raises(CommandError, match=r"questions\.0\.type: must be one of single, several"):
        call_command("create_project", "suasana-2", task=str(path))
    with pytest.raises(CommandError, match="give a YAML file, or one of claims, emotions"):
        call_command("create_project", "suasana-2", task=str(tmp_path / "none.yaml"))
    assert Project.objects.count() == 1


def test_the_checklist_asks_for_no_writers_where_items_come_ready(tmp_path: Path) -> None:
    project = make_task_project("sentiment")
    lead, web = factory.member(project, "lead"), Client()
    assert lead.user is not None
    web.force_login(lead.user)
    for _ in range(3):
        factory.member(project, "validator")
    call_command("import_items", project.slug, str(write_items_file("sentiment", tmp_path)))
    page = web.get(f"/p/{project.slug}/")
    steps = [(step.name, step.done) for step in page.context["steps"]]
    assert steps[:2] == [("Invite people", True), ("Bring in items", True)]
    assert "Give out" not in page.content.decode().split("Progress")[0]
    assert "questions:" in page.context["task"]


def test_a_file_that_is_imported_again_changes_nothing(tmp_path: Path) -> None:
    project = make_task_project("claims")
    path = write_items_file("claims", tmp_path)
    call_command("import_items", project.slug, str(path))
    before = list(Item.objects.order_by("pk").values_list("pk", "version"))
    call_command("import_items", project.slug, str(path))
    assert list(Item.objects.order_by("pk").values_list("pk", "version")) == before


def test_harmless_changes_make_a_version_and_others_are_refused_once_items_are_there(tmp_path: Path) -> None:
    project = make_task_project("sentiment")
    calmer = changed("sentiment", lambda d: d["questions"][0]["labels"][0].update(colour="blue"))
    fewer = changed("sentiment", lambda d: d["questions"][0]["labels"].pop())
    assert [change.path for change in task_publish(project=project, task=fewer)] == [
        "questions.sentiment.labels.negative"
    ]
    assert task_publish(project=project, task=template("sentiment"))
    call_command("import_items", project.slug, str(write_items_file("sentiment", tmp_path)))
    with pytest.raises(Invalid, match="negative is removed") as refused:
        task_publish(project=project, task=fewer)
    assert refused.value.code == "task_breaks_votes"
    assert not task_publish(project=project, task=calmer)[0].invalidates
    assert task_publish(project=project, task=calmer) == []
    assert list(project.tasks.order_by("n").values_list("n", flat=True)) == [1, 2, 3, 4]
    assert Project.objects.get().kind_spec.question.labels[0].shape == "diamond"


def test_what_an_item_suggests_is_chosen_at_first_and_stays_changeable(tmp_path: Path) -> None:
    def suggested(plain: dict[str, Any]) -> None:
        plain["source"].append({"key": "model", "name": "Model", "required": False})
        plain["questions"][0]["suggested"] = "model"

    project = make_task_project("emotions", task=changed("emotions", suggested))
    path = tmp_path / "items.jsonl"
    rows = [{"id": "e1", "text": "Hore!", "model": "SADNESS joy envy"}, {"id": "e2", "text": "Aduh."}]
    path.write_text("\n".join(map(json.dumps, rows)))
    call_command("import_items", project.slug, path, verbosity=0)
    while decide_due():
        pass
    person = factory.member(project, "validator")
    web = Client()
    web.force_login(person.user)  # type: ignore[arg-type]
    address, found = f"/p/{project.slug}/vote/", {}
    for _ in range(2):
        page = web.get(address)
        item = person.assignments.get(token=page.context["card"].token).item
        ((_question, choices),) = [(each.question, each.template_context) for each in page.context["card"].questions]
        found[item.key] = [label.key for label, chosen in choices["choices"] if chosen]
        send = f"{address}{page.context['card'].token}/"
        # Taken away, they stay away: nothing is ticked in place of the person.
        again = web.post(send, {})
        assert again.status_code == 422
        assert b" checked" not in again.content
        web.post(send, {"answer-emotions": ["joy"]})
    assert found == {"e1": ["joy", "sadness"], "e2": []}
