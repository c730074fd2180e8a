"""Pages of human baselines: of those who draw them, and of those who answer (IndoNLI Appendix C)."""

from typing import Any

import pytest
from django.test import Client

from annotation.core.access import member
from annotation.core.errors import Forbidden
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from exports.baselines import queries as access
from exports.baselines.models import BaselinePlace
from tests import factory
from tests.baselines import a_baseline, a_gold_project, a_set, an_outsider, say
from validation.studies.models import DiagnosticSet

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


@pytest.fixture
def project() -> Project:
    return a_gold_project("gold")


@pytest.fixture
def gold(project: Project) -> DiagnosticSet:
    writer = Annotator.objects.filter(project=project).order_by("pk")[0]
    return a_set(project, [writer], size=18)


def test_the_pages_of_those_who_draw(
    project: Project, gold: DiagnosticSet, boss: User, client: Client
) -> None:
    client.force_login(boss)
    address = f"/p/{project.slug}/baselines/"
    page = client.get(address).content.decode()
    assert "Diagnostic set 1 of gold" in page
    assert "It follows from the premise." in page
    sent = {f"source-set-{gold.pk}": "6", "people": "2", "examples": "3", "task": "Does it follow?"}
    assert client.post(address, {**sent, "task": ""}).status_code == 422
    assert client.post(address, {**sent, f"source-set-{gold.pk}": "0"}).status_code == 422
    assert "Nobody has begun" in client.post(address, sent, follow=True).content.decode()
    people = [an_outsider(project) for _ in range(2)]
    for person in people:
        say(person, "e")
    page = client.get(f"{address}1/").content.decode()
    assert "33.3\u00a0%" in page
    assert people[0].pseudonym in page
    table = client.get(f"{address}1/rows.csv").content.decode("utf-8-sig").splitlines()
    assert table[0] == "id,source,gold,answer,majority,right,answers"
    assert len(table) == 7
    assert sum(",e,1,1," in line for line in table) == 2
    done = client.post(f"{address}1/replace/", {"person": people[0].pk}, follow=True).content.decode()
    assert "replaced: these answers do not count" in done
    assert client.post(f"{address}1/replace/", {"person": "x"}).status_code == 404
    assert "has ended" in client.post(f"{address}1/end/", follow=True).content.decode()
    assert client.post(f"{address}1/replace/", {"person": people[1].pk}).status_code == 302
    lead = factory.member(project, "lead")
    client.force_login(lead.user)  # type: ignore[arg-type]
    assert b"New human baseline" not in client.get(address).content
    assert client.get(f"{address}1/").status_code == 200
    assert client.post(address, sent).status_code == 403


def test_leads_do_not_read_of_other_projects(project: Project, gold: DiagnosticSet, client: Client) -> None:
    home = factory.project("home")
    a_baseline(home, gold)
    client.force_login(factory.member(home, "lead").user)  # type: ignore[arg-type]
    assert b"Human baseline 1" not in client.get("/p/home/baselines/").content
    assert client.get("/p/home/baselines/1/").status_code == 404


def test_the_page_of_those_who_answer_tells_nothing(
    project: Project, gold: DiagnosticSet, client: Client
) -> None:
    made = a_baseline(project, gold, size=2, people=1)
    person = an_outsider(project)
    client.force_login(person.user)  # type: ignore[arg-type]
    assert "Pairs to answer" in client.get("/").content.decode()
    assert f"/p/{project.slug}/answer/" in client.get(f"/p/{project.slug}/").content.decode()
    for closed in ("guidelines", "desk", "vote", "baselines", "releases", "people"):
        assert client.get(f"/p/{project.slug}/{closed}/").status_code in (403, 404), closed
    address = f"/p/{project.slug}/answer/"
    page = client.get(address).content.decode()
    asked = access.next_item(person)
    assert asked is not None
    assert page.count('<details class="vote__more" open>') == 2
    assert asked.item.key not in page
    send = f"{address}{asked.token}/"
    assert client.post(send, {}).status_code == 422
    following = client.post(send, {"label": "e"}, follow=True).content.decode()
    assert '<details class="vote__more" >' in following
    assert client.post(send, {"label": "n"}).status_code == 409
    last = access.next_item(person)
    assert last is not None
    done = client.post(f"{address}{last.token}/", {"label": "e"}, headers={"HX-Request": "true"})
    assert "Nothing for you now" in done.content.decode()
    assert "<html" not in done.content.decode()
    assert BaselinePlace.objects.filter(baseline=made).count() == 1
    with pytest.raises(Forbidden):
        member(person.user, project.slug, "validator")  # type: ignore[arg-type]


def test_lists_cost_the_same_for_few_rows_and_many(
    project: Project, gold: DiagnosticSet, boss: User, client: Client, django_assert_num_queries: Any
) -> None:
    for size in (1, 18):
        a_baseline(project, gold, size=size, people=1)
    person = an_outsider(project)
    say(person, "e")
    client.force_login(boss)
    for n in (1, 2):
        with django_assert_num_queries(11):
            client.get(f"/p/{project.slug}/baselines/{n}/")
