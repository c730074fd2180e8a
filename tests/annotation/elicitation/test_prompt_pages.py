"""The page on which prompts are written: every part, the whole, the checks under their fields, responses that move."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.content import queries as content_queries
from annotation.content.models.item import Item
from annotation.content.models.source import Allocation, Draft
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.elicitation.actions import prompt_new, variation_new
from tests import factory
from tests.prompts import (
    RESPONSES,
    a_prompt,
    a_prompt_project,
    a_prompt_share,
    a_topic,
    a_variation,
    typed_prompt,
)

pytestmark = pytest.mark.django_db
SITUATION = "Saya sedang berpuasa."


@pytest.fixture
def project() -> Project:
    return a_prompt_project()


@pytest.fixture
def writer(project: Project) -> Annotator:
    return factory.member(project, "writer")


@pytest.fixture
def browser(client: Client, writer: Annotator) -> Client:
    assert writer.user is not None
    client.force_login(writer.user)
    return client


def at(allocation: Allocation, *rest: str) -> str:
    return "/".join([f"/p/{allocation.project.slug}/write", allocation.token, *rest]) + "/"


def form(n: int = 1, version: int = 0, **typed: Any) -> dict[str, Any]:
    """The form of a prompt as a browser sends it."""
    content = typed_prompt(n, **typed)
    more = {f"more_p_{name}": text for name, text in content.more.items()}
    return {"text_p": content.text, "version_p": version, **more}


def lines(answer: Any) -> dict[str, list[str]]:
    """The checks that speak, by the field that they stand under."""
    found: dict[str, list[str]] = {}
    for line in answer.json()["lines"].get("p", ()):
        found.setdefault(line["field"], []).append(line["check"])
    return found


# --- the writing page ---------------------------------------------------------------------


def test_the_page_has_every_part_and_both_sides(project: Project, writer: Annotator, browser: Client) -> None:
    allocation = a_prompt_share(a_topic(project), writer)
    page = browser.get(at(allocation)).content.decode()
    for name in form():
        assert f'name="{name}"' in page
    assert page.count('name="more_p_best"') == 5
    assert "Helpful and harmless in this culture" in page
    assert "may sound reasonable elsewhere" in page
    assert 'data-joined="user,context,personal,"' in page
    assert "more_p_second" not in page


def test_the_whole_prompt_is_shown_without_a_script(project: Project, writer: Annotator, browser: Client) -> None:
    allocation = a_prompt_share(a_topic(project), writer)
    page = browser.post(at(allocation, "submit"), {**form(4, user=""), "save": "1"}).content.decode()
    content = typed_prompt(4)
    assert f">{content.more['context']}\n{content.text}</p>" in page


def test_the_second_language_is_folded_away(writer: Annotator, client: Client) -> None:
    project = a_prompt_project(settings={"second_language": "en"})
    person = factory.member(project, "writer")
    assert person.user is not None
    client.force_login(person.user)
    allocation = a_prompt_share(a_topic(project), person)
    page = client.get(at(allocation)).content.decode()
    assert '<details class="second" >' in page
    posted = {
        **form(1),
        "more_p_second-instruction": "What should I do?",
        "more_p_second-R2": "Ask the host.",
    }
    assert (
        '<details class="second" open>'
        in client.post(at(allocation, "submit"), {**posted, "save": "1"}).content.decode()
    )
    client.post(at(allocation, "submit"), {**posted, "version_p": 1})
    (content,) = content_queries.contents(Item.objects.filter(allocation=allocation).select_related("project")).values()
    assert content["second"] == {"instruction": "What should I do?", "R2": "Ask the host."}


@pytest.mark.parametrize(
    ("move", "first", "second", "best"),
    [
        ("p:option-R2:up", "R2", "R1", "R1"),
        ("p:option-R1:down", "R2", "R1", "R1"),
        ("p:option-R1:up", "R1", "R2", "R2"),
        ("p:option-I2:up", "R1", "R2", "R2"),
        ("p:context:up", "R1", "R2", "R2"),
        ("nowhere", "R1", "R2", "R2"),
    ],
)
def test_responses_change_places_without_a_script(
    project: Project, writer: Annotator, browser: Client, move: str, first: str, second: str, best: str
) -> None:
    allocation = a_prompt_share(a_topic(project), writer)
    assert browser.post(at(allocation, "submit"), {**form(1), "move": move}).status_code == 200
    kept = Draft.objects.get(allocation=allocation).content["more"]
    assert kept["option-R1"] == RESPONSES[first]
    assert kept["option-R2"] == RESPONSES[second]
    assert kept["best"] == best
    swapped = move == "p:option-I2:up"
    assert kept["option-I1"] == RESPONSES["I2" if swapped else "I1"]
    assert not project.items.exists()


@pytest.mark.parametrize(
    ("typed", "field", "check"),
    [
        ({"context": " "}, "context", None),
        ({"user": "Saya bidan.\nSaya di Garut."}, "user", "parts_one_line"),
        ({"instruction": "Apa?\nKapan?"}, "", "parts_one_line"),
        ({"option-I1": RESPONSES["R1"]}, "option-I1", "responses_twice"),
        ({"option-R3": "Pulang; lalu tidur."}, "option-R3", "response_semicolon"),
        ({"option-R2": "Ya."}, "option-R2", "best_by_length"),
        ({"best": "R5"}, "best", "best_missing"),
    ],
)
def test_a_finding_stands_under_its_field(
    project: Project, writer: Annotator, browser: Client, typed: dict[str, Any], field: str, check: str | None
) -> None:
    allocation = a_prompt_share(a_topic(project), writer)
    found = lines(browser.post(at(allocation, "save", "p"), {**form(1, **typed), "version": 0}))
    assert found.get(field, []) == ([check] if check else [])


def test_too_few_responses_are_told_when_it_is_sent(project: Project, writer: Annotator, browser: Client) -> None:
    allocation = a_prompt_share(a_topic(project), writer)
    few: Any = {"option-I3": ""}
    typed = form(1, **few)
    assert "irrelevant" not in lines(browser.post(at(allocation, "save", "p"), {**typed, "version": 0}))
    refused = browser.post(at(allocation, "submit"), {**typed, "version_p": 1})
    assert refused.status_code == 422
    assert "3 to 5 irrelevant responses are needed; there are 2." in refused.content.decode()


def test_a_prompt_sent_twice_is_one(project: Project, writer: Annotator, browser: Client) -> None:
    allocation = a_prompt_share(a_topic(project), writer)
    for _ in range(2):
        assert browser.post(at(allocation, "submit"), form(1)).status_code == 302
    assert project.items.count() == 1


def test_statements_do_not_grow_with_prompts(project: Project, writer: Annotator, browser: Client) -> None:
    topic = a_topic(project)

    def counted() -> dict[str, int]:
        allocation = prompt_new(writer=writer, concept_id=topic.pk)
        found = {}
        for path in (f"/p/{project.slug}/topics/", at(allocation)):
            browser.get(path)
            with CaptureQueriesContext(connection) as statements:
                assert browser.get(path).status_code == 200
            found["topics" if "topics" in path else "write"] = len(statements)
        with CaptureQueriesContext(connection) as statements:
            assert browser.post(at(allocation, "submit"), form(project.items.count() + 1)).status_code == 302
        return {**found, "submit": len(statements)}

    a_variation(project, writer, a_prompt(project, writer, topic=topic), SITUATION)
    counted()
    few = counted()
    for _ in range(6):
        origin = a_prompt(project, writer, topic=topic)
        a_variation(project, writer, origin, SITUATION)
        variation_new(writer=writer, item_id=origin.pk)
        a_prompt(project, writer)
    assert counted() == few
    assert max(few.values()) < 40, few


def test_what_a_variation_changes_is_told_while_one_types(project: Project, writer: Annotator, browser: Client) -> None:
    origin = a_prompt(project, writer, n=1)
    allocation = variation_new(writer=writer, item_id=origin.pk)
    assert 'data-changes="option-R1"' in browser.get(at(allocation)).content.decode()
    typed: Any = {"personal": SITUATION, "option-R1": "Salami dulu yang paling muda di sana."}
    changes = browser.post(at(allocation, "save", "p"), {**form(1, **typed), "version": 1}).json()["changes"]["p"]
    assert changes["personal"] == [["insert", SITUATION]]
    assert ["delete", "tua"] in changes["option-R1"]
    assert ["insert", "muda"] in changes["option-R1"]
    assert changes["option-R2"] == changes[""] == []
