"""A project's own prompts for tasks: versions, what is refused, their pages, and what a release of them holds."""

from functools import partial
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from exports.lm_eval import queries as task_prompts
from exports.lm_eval.actions import prompt_end, prompt_save
from exports.lm_eval.models import TaskPrompt
from tests import factory, translations
from tests.exports.world import build, folder, freeze, rows, staged

FORMS = "distributions lm_eval"
SHORT = "{{premise}} {{hypothesis}}?"


@pytest.fixture
def project(db: None) -> Project:
    return factory.project()


def saved(project: Project, **changed: Any) -> TaskPrompt:
    told = {"task": "nli", "name": "ringkas", "text": SHORT, "by": None, **changed}
    return prompt_save(project=project, **told)


def refusal(call: Any) -> str:
    with pytest.raises((Invalid, Conflict)) as caught:
        call()
    return f"{caught.value.field}: {caught.value.code}"


def in_use(project: Project) -> list[tuple[str, str, int, str]]:
    told = task_prompts.release_context(project).get("task_prompts", [])
    return [(each["task"], each["name"], each["n"], each["text"]) for each in told]


def test_versions_follow_each_other_and_a_click_sent_twice_saves_once(project: Project) -> None:
    assert (saved(project).n, saved(project).n) == (1, 1)
    assert saved(project, text=f"{SHORT}\r\nYa?", seen=1).text == f"{SHORT}\nYa?"
    assert in_use(project) == [("nli", "ringkas", 2, f"{SHORT}\nYa?")]
    told = Event.objects.filter(project=project, verb__startswith="task_prompt").order_by("pk")
    assert [(event.verb, event.data["n"]) for event in told] == [
        ("task_prompt_saved", 1),
        ("task_prompt_saved", 2),
    ]


def test_an_ended_prompt_is_in_no_further_release_until_it_has_a_new_version(project: Project) -> None:
    saved(project)
    end = partial(prompt_end, project=project, by=None, task="nli", name="ringkas")
    assert end(seen=1).ended
    assert end(seen=1).n == 2  # once is enough
    assert task_prompts.release_context(project) == {}
    assert saved(project, seen=2).n == 3
    assert in_use(project) == [("nli", "ringkas", 3, SHORT)]


def test_what_is_refused(project: Project) -> None:
    saved(project)
    assert refusal(partial(saved, project, task="choices")) == "task: task_prompt_task"
    assert refusal(partial(saved, project, name="Nli")) == "name: task_prompt_wrong"
    assert refusal(partial(saved, project, text="{{answer}}")) == "text: task_prompt_wrong"
    assert refusal(partial(saved, project, text=f"{SHORT}\x00")) == "text: text_not_storable"
    assert refusal(partial(saved, project, text=f"{SHORT} Ya?")) == "text: task_prompt_name_taken"
    assert refusal(partial(saved, project, text=f"{SHORT} Ya?", seen=4)) == "text: task_prompt_stale"
    end = partial(prompt_end, project=project, by=None, task="nli")
    assert refusal(partial(end, name="lain", seen=1)) == "task: task_prompt_task"
    assert refusal(partial(end, name="ringkas", seen=4)) == "text: task_prompt_stale"
    assert TaskPrompt.objects.count() == 1


def test_the_tasks_of_translations_are_those_of_their_sources(db: None) -> None:
    project = translations.a_translation_project()
    assert task_prompts.task_types(project) == []
    translations.a_source_set(project, translations.pair_rows(2), shape="pair")
    assert [sort.slug for sort in task_prompts.task_types(project)] == ["nli", "translation"]


@pytest.fixture
def browser(project: Project) -> Client:
    client = Client()
    client.force_login(factory.user(administrator=True))
    return client


def page(project: Project, *names: str) -> str:
    route = ("task_prompts", "task_prompt_new", "task_prompt")[len(names)]
    return reverse(route, args=[project.slug, *names])


def test_from_a_new_prompt_to_its_end_by_pages(project: Project, browser: Client) -> None:
    begun = browser.get(page(project, "nli"))
    assert "Relationship (Please answer concisely" in begun.content.decode()  # the paper's, to begin from
    sent = {"version": 0, "name": "ringkas", "text": SHORT}
    assert browser.post(page(project, "nli"), sent).headers["Location"] == page(project, "nli", "ringkas")
    there = {"version": 1, "text": f"{SHORT} Ya?"}
    assert browser.post(page(project, "nli", "ringkas"), there).status_code == 302
    stale = browser.post(page(project, "nli", "ringkas"), {"version": 1, "text": f"{SHORT} Tidak?"})
    assert stale.status_code == 409
    assert "Tidak?" in stale.content.decode()
    assert 'name="version" value="2"' in stale.content.decode()
    ended = browser.post(page(project, "nli", "ringkas"), {"version": 2, "text": SHORT, "wish": "end"})
    assert ended.status_code == 302
    assert "ended" in browser.get(page(project)).content.decode()
    assert task_prompts.release_context(project) == {}


def test_a_page_says_what_is_wrong(project: Project, browser: Client) -> None:
    def said(**sent: Any) -> str:
        answer = browser.post(page(project, "nli"), {"version": 0, "name": "ringkas", "text": SHORT, **sent})
        assert answer.status_code == 422
        return answer.content.decode()

    assert "This name is the name of a prompt that every release has." in said(name="nli")
    assert "names a place that this task does not have: answer" in said(text="{{answer}}")
    assert "holds {{, {% or {# that begin no place" in said(text="{{premise}} {% raw %}")
    assert browser.get(page(project, "choices")).status_code == 404
    assert browser.get(page(project, "nli", "lain")).status_code == 404


@pytest.mark.django_db
def test_a_release_brings_its_prompts_as_they_stood_and_distributions_beside_gold() -> None:
    at = staged()
    saved(at.project)
    saved(at.project, name="lama")
    prompt_end(project=at.project, by=None, task="nli", name="lama", seen=1)
    release = freeze(at, forms=FORMS)
    saved(at.project, text=f"{SHORT} Ya?", seen=1)
    where = folder(build(release))
    names = sorted(path.name for path in (where / "lm_eval").iterdir())
    slug = at.project.slug
    assert names == ["README.md", f"{slug}_id_nli.yaml", f"{slug}_id_ringkas.yaml", "utils.py"]
    text = (where / "lm_eval" / f"{slug}_id_ringkas.yaml").read_text()
    assert yaml.safe_load(text.replace("!function ", ""))["doc_to_text"] == SHORT
    told = {path.stem: rows(release, f"distributions/{path.stem}") for path in where.glob("distributions/*")}
    for split, found in told.items():
        gold = {row["pair_id"]: row["label"] for row in rows(release, split)}
        assert all(row["label"] == gold[row["pair_id"]] for row in found)
        assert all(sum(row["label_count"].values()) == row["votes"] > 0 for row in found)
    voted = {row["pair_id"] for row in rows(release, "votes") if row["split"] and row["counted"]}
    assert {row["pair_id"] for found in told.values() for row in found} == voted


@pytest.mark.django_db
def test_a_hidden_test_stands_in_no_task_and_in_no_distribution() -> None:
    at = staged()
    found = {}
    for hidden in ("no", "yes"):
        release = build(freeze(at, "indonli-expert", hidden_test=hidden, forms=FORMS))
        where = folder(release)
        assert [bool(row.get("label")) for row in rows(release, "test")] == [hidden == "no"] * len(
            rows(release, "test")
        )
        task = (where / "lm_eval" / f"{at.project.slug}_id_nli.yaml").read_text().replace("!function ", "")
        asked = set(yaml.safe_load(task)["dataset_kwargs"]["files"])
        found[hidden] = (asked, {path.stem for path in where.glob("distributions/*")})
    # What a lead adjudicated goes to train, and is no secret.
    assert found == {"no": ({"train", "test"}, {"train", "test"}), "yes": ({"train"}, {"train"})}
