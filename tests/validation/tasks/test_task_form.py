"""A task described in a form: rows by buttons, what is wrong beside its field, and YAML for it and back."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from annotation.core.models.project import Project
from annotation.tasks.queries import task_of_project
from annotation.tasks.rules.reading import read
from annotation.tasks.rules.templates import template, templates
from tests import factory
from tests.annotation.tasks.items import make_task_project

pytestmark = pytest.mark.django_db
NEW = "/projects/new/task/"


class Fields(HTMLParser):
    """The fields of the first form that has the editor, as a browser sends them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.typing = self.select = ""
        self.feed(html[html.index('id="task-editor"') - 400 :])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = dict(attrs)
        name = at.get("name") or ""
        if tag == "input" and (at.get("type") != "checkbox" or "checked" in at):
            self.sent.setdefault(name, []).append(at.get("value") or ("on" if at.get("type") == "checkbox" else ""))
        elif tag == "textarea":
            self.typing = name
            self.sent[name] = [""]
        elif tag == "select":
            self.select = name
        elif tag == "option" and ("selected" in at or self.select not in self.sent):
            self.sent[self.select] = [at.get("value") or ""]

    def handle_endtag(self, tag: str) -> None:
        self.typing = "" if tag == "textarea" else self.typing

    def handle_data(self, data: str) -> None:
        if self.typing:
            self.sent[self.typing][0] += data.removeprefix("\n")


@pytest.fixture
def web() -> Client:
    client = Client()
    client.force_login(factory.user(administrator=True))
    return client


def fields(page: Any) -> dict[str, Any]:
    return dict(Fields(page.content.decode()).sent)


@pytest.mark.parametrize("slug", sorted(templates()))
def test_a_form_that_nobody_touched_makes_the_template_s_task(web: Client, slug: str) -> None:
    sent = fields(web.get(NEW, {"template": slug}))
    made = web.post(NEW, {**sent, "slug": slug, "name": ""})
    assert made.status_code == 302, made.context["editor"].problems
    assert task_of_project(Project.objects.get()) == template(slug)


def test_a_task_from_an_empty_form_without_scripts(web: Client) -> None:
    sent = fields(web.get(NEW, {"template": "sentiment"}))
    sent = {name: value for name, value in sent.items() if not name.startswith("task.")}
    page = web.post(NEW, {**sent, "do": "add:source"})
    page = web.post(NEW, {**fields(page), "task.source.0.name.en": "Review", "do": "add:questions"})
    question = {"task.questions.0.text.en": "Is it fair?", "task.questions.0.type": "single"}
    page = web.post(NEW, {**fields(page), **question, "do": "add:questions.0.labels"})
    assert "autofocus" in page.content.decode()
    page = web.post(NEW, {**fields(page), "task.questions.0.labels.0.name.en": "Fair", "do": "add:questions.0.labels"})
    page = web.post(
        NEW,
        {
            **fields(page),
            "task.name.en": "Fairness",
            "task.questions.0.labels.1.name.en": "Unfair play",
            "task.language": "en",
            "do": "up:questions.0.labels.1",
        },
    )
    assert Project.objects.count() == 0
    made = web.post(NEW, {**fields(page), "slug": "fair", "name": ""})
    assert made.status_code == 302, made.context["editor"].problems
    task = task_of_project(Project.objects.get())
    assert task is not None
    assert [(field.key, field.name) for field in task.source] == [("review", {"en": "Review"})]
    # Nobody has to think of keys: they are made of the names.
    assert [(label.key, label.name) for label in task.main.labels] == [
        ("unfair_play", {"en": "Unfair play"}),
        ("fair", {"en": "Fair"}),
    ]
    assert task.main.key == "is_it_fair"


def test_what_is_wrong_stands_beside_its_field_and_nothing_typed_is_lost(web: Client) -> None:
    sent = fields(web.get(NEW, {"template": "toxicity"}))
    wrong = {
        "task.questions.0.scale.last": "many",
        "task.questions.1.labels.0.letter": "T",
        "task.protocol.rounds": "3, two",
        "task.questions.0.text.en": "",
        "task.questions.0.text.id": "",
        "slug": "kasar",
    }
    page = web.post(NEW, {**sent, **wrong})
    assert page.status_code == 422
    html = page.content.decode()
    assert Project.objects.count() == 0
    for path, words in (
        ("questions.0.scale.last", "must be a whole number"),
        ("protocol.rounds", "must be a whole number"),
        ("questions.0.text", "is missing; add it"),
    ):
        assert re.search(rf'id="f-{re.escape(path)}_error">{words}', html), path
        assert f'href="#f-{path}"' in html
    # What was typed stands there again, wrong as it is.
    again = fields(page)
    assert {name: again[name] for name in wrong if name in again} == {name: [value] for name, value in wrong.items()}
    mended = web.post(
        NEW,
        {
            **again,
            "task.questions.0.scale.last": "5",
            "task.protocol.rounds": "3",
            "task.questions.0.text.en": "How hurtful?",
        },
    )
    assert mended.status_code == 422
    assert "the letter “t” stands there twice" in mended.content.decode()


def test_form_and_yaml_for_each_other(web: Client) -> None:
    text = "# Our own words\n" + templates()["claims"]
    page = web.post(NEW, {"task": text, "slug": "k", "name": "Nama", "to": "form"})
    sent = fields(page)
    assert sent["slug"] == ["k"]
    back = web.post(NEW, {**sent, "to": "yaml"})
    assert back.context["editor"].text == text, "nothing was changed: the comments are there as well"
    changed = web.post(NEW, {**sent, "task.questions.0.labels.0.name.en": "Backed", "to": "yaml"})
    assert read(changed.context["editor"].text).main.labels[0].name == {"en": "Backed", "id": "Didukung"}
    assert changed.context["form"]["slug"].value() == "k"
    # Wrong as it is, too.
    wrong = web.post(NEW, {**sent, "task.questions.0.type": "scale", "task.share": "half", "to": "yaml"})
    assert "share: half" in wrong.context["editor"].text
    again = web.post(NEW, {"task": wrong.context["editor"].text, "slug": "k", "name": "", "to": "form"})
    assert fields(again)["task.share"] == ["half"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: A\nsource: [", "the YAML cannot be read"),
        ("name: A\nsauce: []", "has no field for “sauce”"),
        ("[]", "must be a mapping"),
    ],
)
def test_what_no_form_can_show_stays_yaml(web: Client, text: str, words: str) -> None:
    page = web.post(NEW, {"task": text, "slug": "k", "name": "", "to": "form"})
    assert page.status_code == 200
    assert words in page.content.decode()
    assert page.context["form"]["task"].value() == text


def test_a_version_from_the_form_says_first_what_would_invalidate_votes(web: Client) -> None:
    project = make_task_project("sentiment")
    address = f"/p/{project.slug}/task/"
    page = web.get(address)
    sent = fields(page)
    told = web.post(address, {**sent, "do": "remove:questions.0.labels.2", "version": project.version})
    changes = told.context["preview"].changes
    assert [(change.path, change.invalidates) for change in changes] == [("questions.sentiment.labels.negative", True)]
    assert "would invalidate votes" in told.content.decode()
    assert project.tasks.count() == 1
    made = web.post(address, {**sent, "task.questions.0.labels.0.name.en": "Good", "version": project.version})
    assert made.status_code == 302
    assert project.tasks.count() == 2


def test_a_form_as_large_as_a_task_can_be_is_read(web: Client) -> None:
    sent = {
        f"task.questions.{q}.labels.{n}.{name}": "x"
        for q in range(12)
        for n in range(30)
        for name in ("key", "name.en", "name.id", "letter", "help.en", "help.id")
    }
    assert len(sent) == 2160
    page = web.post(NEW, {"form": "1", "slug": "", "name": "", "preview": "1", **sent})
    assert page.status_code == 200
    assert len(page.context["editor"].draft["questions"]) == 12
