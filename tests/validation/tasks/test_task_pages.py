"""Pages of tasks: made from a template with a preview before anything is saved, changed by versions."""

import re

import pytest
from django.test import Client

from annotation.core.models.project import Project
from annotation.tasks.rules.templates import templates
from tests import factory
from tests.annotation.tasks.items import make_task_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def web() -> Client:
    client = Client()
    client.force_login(factory.user(administrator=True))
    return client


@pytest.mark.parametrize("slug", sorted(templates()))
def test_each_template_is_previewed_as_the_vote_page_draws_it(web: Client, slug: str) -> None:
    page = web.get("/projects/new/task/", {"template": slug})
    assert page.status_code == 200
    preview = page.context["preview"]
    assert [width for width, _ in preview.widths] == [360, 1280]
    document = preview.widths[0][1]
    assert 'class="vote"' in document
    assert "csrfmiddlewaretoken" in document
    assert "<script" not in document
    assert Project.objects.count() == 0
    html = page.content.decode()
    assert html.count('sandbox="allow-same-origin"') == 2
    assert len(re.findall(r'srcdoc="\s*&lt;!DOCTYPE html&gt;', html)) == 2


def test_the_preview_button_saves_nothing_and_keeps_what_was_typed(web: Client) -> None:
    text = templates()["emotions"].replace("Emotions, several at once", "Feelings")
    page = web.post("/projects/new/task/", {"task": text, "slug": "suasana", "name": "", "preview": "1"})
    assert page.status_code == 200
    assert page.context["form"]["slug"].value() == "suasana"
    assert "Feelings" in page.context["form"]["task"].value()
    assert "What is wrong" not in page.content.decode()
    assert Project.objects.count() == 0
    alone = web.post("/projects/new/task/preview/", {"task": text.replace("several\n", "severel\n")})
    assert "questions.0.type: must be one of" in alone.content.decode()


def test_a_project_is_made_and_what_is_wrong_stands_beside_the_field(web: Client) -> None:
    text = templates()["emotions"]
    wrong = web.post("/projects/new/task/", {"task": "version: 1", "slug": "suasana", "name": ""})
    assert wrong.status_code == 422
    assert "questions: is missing; add it." in wrong.context["form"].errors["task"]
    made = web.post("/projects/new/task/", {"task": text, "slug": "suasana", "name": "Suasana hati"})
    assert made.status_code == 302
    project = Project.objects.get()
    assert project.name == "Suasana hati"
    taken = web.post("/projects/new/task/", {"task": text, "slug": "suasana", "name": ""})
    assert taken.status_code == 409
    for address in (
        "",
        "settings/",
        "people/",
        "import/",
        "desk/",
        "insights/",
        "releases/",
        "guidelines/",
        "about/",
    ):
        assert web.get(f"/p/suasana/{address}").status_code == 200, address


def test_a_task_is_changed_by_versions_and_a_page_that_is_behind_conflicts(web: Client) -> None:
    project = make_task_project("sentiment")
    address = f"/p/{project.slug}/task/"
    page = web.get(address, {"as": "yaml"})
    assert page.status_code == 200
    text = page.context["form"]["task"].value()
    calmer = text.replace("colour: green", "colour: teal")
    sent = {"task": calmer, "version": page.context["version"]}
    told = web.post(address, {**sent, "preview": "1"})
    assert [change.path for change in told.context["preview"].changes] == ["questions.sentiment.labels"]
    assert web.post(address, sent).status_code == 302
    assert project.tasks.count() == 2
    again = web.post(address, {**sent, "task": text})
    assert again.status_code == 409
    assert project.tasks.count() == 2


def test_leads_read_the_task_and_others_do_not() -> None:
    project = make_task_project("sentiment")
    lead, writer = factory.member(project, "lead"), factory.member(project, "writer")
    address = f"/p/{project.slug}/task/"
    client = Client()
    assert lead.user is not None
    assert writer.user is not None
    client.force_login(lead.user)
    page = client.get(address)
    assert "<textarea" not in page.content.decode().split("What people see")[0]
    assert client.post(address, {"task": "version: 1"}).status_code == 403
    client.force_login(writer.user)
    assert client.get(address).status_code == 403
