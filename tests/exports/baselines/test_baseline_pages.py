"""Pages of human baselines: of those who draw and read them, and of those who answer (IndoNLI Appendix C)."""

from typing import Any

import pytest
from django.test import Client

from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory, review
from tests.baselines import a_baseline, a_gold_project, a_set, an_outsider, answer_items
from validation.studies.models import Study

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


@pytest.fixture
def project() -> Project:
    return a_gold_project("gold")


@pytest.fixture
def gold(project: Project) -> Study:
    return a_set(project, [], size=18)


def test_the_pages_of_those_who_draw(project: Project, gold: Study, boss: User, client: Client) -> None:
    client.force_login(boss)
    address = f"/p/{project.slug}/studies/"
    new = f"{address}baseline/"
    page = client.get(new).content.decode()
    assert "Diagnostic set 1 of gold" in page
    assert "According to the text, this sentence is certainly true." in page
    name = f"source-set-{gold.pk}"
    sent = {name: "6", "people": "2", "examples": "3", "task": "Does it *follow*?", "slug": "gold-b"}
    for wrong in ({"task": ""}, {name: "0"}, {name: "10001"}, {"examples": "101"}, {"people": "10"}):
        assert client.post(new, {**sent, **wrong}).status_code == 422, wrong
    assert "Nobody yet" in client.post(new, sent, follow=True).content.decode()
    review.decide()
    made = Study.objects.get(project__slug="gold-b")
    people = [an_outsider(made) for _ in range(2)]
    for person in people:
        answer_items(person, "e")
    page = client.get(f"{address}baseline/1/").content.decode()
    assert "33.3\u00a0%" in page
    assert people[0].pseudonym in page
    table = client.get(f"{address}baseline/1/rows.csv").content.decode("utf-8-sig").splitlines()
    assert table[0] == "id,source,gold,answer,majority,right,answers"
    assert len(table) == 7
    assert sum(",gold diagnostic 1,e,e,1,1," in line for line in table) == 2
    lead = factory.member(project, "lead")
    client.force_login(lead.user)  # type: ignore[arg-type]
    assert client.get(f"{address}baseline/1/").status_code == 200
    assert client.get(new).status_code == 403
    assert client.post(new, sent).status_code == 403


def test_leads_do_not_read_of_other_projects(project: Project, gold: Study, client: Client) -> None:
    home = factory.project("home")
    a_baseline(home, gold)
    client.force_login(factory.member(home, "lead").user)  # type: ignore[arg-type]
    assert b"Human baseline 1" not in client.get("/p/home/studies/").content
    for path in ("", "rows.csv"):
        assert client.get(f"/p/home/studies/baseline/1/{path}").status_code == 404
    assert client.post("/p/home/studies/baseline/1/close/", {"closed": "1"}).status_code in (403, 404)


def test_the_pages_of_those_who_answer_tell_nothing(project: Project, gold: Study, client: Client) -> None:
    made = a_baseline(project, gold, size=2, people=1, task="Does it *follow*?")
    person = an_outsider(made)
    client.force_login(person.user)  # type: ignore[arg-type]
    own = f"/p/{made.project.slug}/"
    assert "Pairs to vote on" in client.get("/").content.decode()
    for closed in ("desk", "studies", "releases", "people"):
        assert client.get(f"{own}{closed}/").status_code in (403, 404), closed
    assert client.get(f"/p/{project.slug}/").status_code == 404
    page = client.get(f"{own}guidelines/").content.decode()
    assert "Does it <em>follow</em>?" in page
    assert page.count("Benar:") == 3
    assert "premise" not in page.replace("Premise", "").lower()
    page = client.get(f"{own}vote/").content.decode()
    for row in made.rows.select_related("of_item"):
        assert row.of_item is not None
        assert row.of_item.key not in page
    assert answer_items(person, "e") == 2
    assert "Nothing for you now" in client.get(f"{own}vote/").content.decode()


def test_pages_cost_the_same_for_few_rows_and_many(
    project: Project, gold: Study, boss: User, client: Client, django_assert_num_queries: Any
) -> None:
    for size in (1, 18):
        answer_items(an_outsider(a_baseline(project, gold, size=size, people=1)), "e")
    client.force_login(boss)
    client.get(f"/p/{project.slug}/studies/baseline/1/")
    for n in (1, 2):
        with django_assert_num_queries(12):
            client.get(f"/p/{project.slug}/studies/baseline/{n}/")
