"""The page of concepts over HTTP: what is typed is kept, what is near is asked about, states have their words."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.concepts.actions import ConceptIn, concepts_add
from annotation.content.models.source import Concept
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_close
from annotation.writing.actions.allocation import allocations_assign
from tests import factory
from tests.page_text import page_text
from tests.questions import a_concept, a_question_project

pytestmark = pytest.mark.django_db
State = Concept.State


def as_(place: Annotator) -> Client:
    client = Client()
    assert place.user is not None
    client.force_login(place.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


@pytest.fixture
def project() -> Project:
    made = a_question_project("q1", settings={"category_target": 4})
    a_concept(made, "tikar")
    return made


@pytest.fixture
def writer(project: Project) -> Client:
    return as_(factory.member(project, "writer"))


@pytest.fixture
def lead(project: Project) -> Client:
    return as_(factory.member(project, "lead"))


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def propose(client: Client, text: str, **more: str) -> Any:
    return client.post(reverse("concepts_propose", args=["q1"]), {"category": "culture", "text": text, **more})


def test_a_proposal_goes_its_way(project: Project, writer: Client, lead: Client) -> None:
    assert propose(writer, "payung").status_code == 302
    concept = Concept.objects.get(text="payung")
    address, review = (reverse(name, args=["q1", concept.pk]) for name in ("concept", "concept_review"))
    page = lead.get(reverse("concepts", args=["q1"]))
    assert page.context["waiting"] == 1
    assert "1 proposed concept waits for a QC lead." in text_of(page)
    returned = {"act": "return", "version": "1", "words": "Too <b>plain</b>."}
    assert lead.post(review, returned).status_code == 302
    again = writer.get(address)
    assert "Too &lt;b&gt;plain&lt;/b&gt;." in text_of(again)
    assert again.context["form"].initial["version"] == 2
    assert writer.post(address, {"text": "payung kertas", "version": "2"}).status_code == 302
    assert lead.post(review, {"act": "approve", "version": "3"}).status_code == 302
    concept.refresh_from_db()
    assert (concept.text, concept.state) == ("payung kertas", State.APPROVED)
    assert writer.post(address, {"text": "lain", "version": "4"}).status_code == 409


def test_what_is_near_is_asked_about_and_kept(project: Project, writer: Client) -> None:
    answer = propose(writer, "tikkar")
    assert answer.status_code == 422
    assert answer.context["propose"]["text"].value() == "tikkar"
    assert "nearly the same" in text_of(answer)
    assert 'name="sure"' in text_of(answer)
    assert propose(writer, "tikkar", sure="on").status_code == 302
    assert Concept.objects.filter(text="tikkar", state=State.PROPOSED).exists()


@pytest.mark.parametrize(
    ("text", "status"), [("tikar", 409), ("", 422), ("a\0b", 422), ("x" * 301, 422), ("\U0001f600", 302)]
)
def test_refusals_keep_what_was_typed(project: Project, writer: Client, text: str, status: int) -> None:
    answer = propose(writer, text)
    assert answer.status_code == status
    if status != 302:
        assert answer.context["propose"].errors["text"]
        assert answer.context["propose"]["text"].value() == text


def test_a_lead_types_a_list(project: Project, lead: Client) -> None:
    address = reverse("concepts_add", args=["q1"])
    typed = {"category": "tools", "text": "cobek\r\nlesung\r\n\r\ncobek"}
    page = lead.post(address, typed, follow=True)
    assert "2 concepts were added. 1 was there already." in text_of(page)
    tools = Concept.objects.filter(category="tools", state=State.APPROVED)
    assert list(tools.order_by("pk").values_list("text", flat=True)) == ["cobek", "lesung"]
    near = lead.post(address, {"category": "tools", "text": "lesungg\nanglo"})
    assert near.status_code == 422
    assert near.context["add"]["text"].value() == "lesungg\nanglo"
    assert "lesungg" in text_of(near)
    assert lead.post(address, {"category": "tools", "text": " \n "}).status_code == 422


def test_two_leads_at_one_concept(project: Project, lead: Client) -> None:
    concept = Concept.objects.get(text="tikar")
    address = reverse("concept", args=["q1", concept.pk])
    typed = {"text": "tikar pandan", "category": "culture", "parallel": "", "version": "1"}
    assert lead.post(address, typed).status_code == 302
    late = lead.post(address, {**typed, "text": "tikar rotan"})
    assert late.status_code == 409
    assert late.context["form"]["text"].value() == "tikar rotan"
    assert "tikar pandan" in text_of(late)
    assert "Somebody changed this concept" in text_of(late)
    assert late.context["form"]["version"].value() == 2
    review = reverse("concept_review", args=["q1", concept.pk])
    kept = lead.post(review, {"act": "return", "version": "1", "words": "Too general"})
    assert kept.status_code == 409
    assert "Too general" in text_of(kept)
    assert lead.post(review, {"act": "return", "version": "2", "words": ""}).status_code == 422
    assert lead.post(review, {"act": "burn", "version": "2"}).status_code == 404
    a_concept(project, "kelambu")
    near = lead.post(address, {**typed, "version": "2", "text": "kelambbu"})
    assert near.status_code == 422
    assert near.context["form"].near[0].others == ("kelambu",)
    assert lead.post(address, {**typed, "version": "2", "text": "tikar pandann"}).status_code == 302


def test_a_list_is_taken_over_by_who_leads_both(project: Project) -> None:
    other = a_question_project("q2", language="su")
    place = factory.member(project, "lead")
    client = as_(place)
    address = reverse("concepts_take", args=["q2"])
    assert client.post(address, {"source": "q1"}).status_code == 404
    factory.member(other, "lead", account=place.user)
    page = client.get(reverse("concepts", args=["q2"]))
    assert [p.slug for p in page.context["lists"]] == ["q1"]
    assert "1 concept was taken over." in text_of(client.post(address, {"source": "q1"}, follow=True))
    assert "Nothing was new" in text_of(client.post(address, {"source": "q1"}, follow=True))
    strange = factory.project("pairs")
    factory.member(strange, "lead", account=place.user)
    for source in ("pairs", "q2", "", "nowhere"):
        assert client.post(address, {"source": source}).status_code == 422


def test_a_closed_project_says_so_and_keeps_what_was_typed(project: Project) -> None:
    other, boss = a_question_project("q2"), factory.user(administrator=True)
    for each in (project, other):
        project_close(project=each, by=boss, closed=True)
    web = Client()
    web.force_login(boss, backend="allauth.account.auth_backends.AuthenticationBackend")
    taken = web.post(reverse("concepts_take", args=["q2"]), {"source": "q1"})
    assert (taken.status_code, taken.context["take_problem"]) == (409, "concepts_closed")
    address = reverse("concept", args=["q1", Concept.objects.get(text="tikar").pk])
    typed = {"text": "payung", "category": "culture", "version": "1"}
    answer = web.post(address, typed)
    assert answer.status_code == 409
    assert answer.context["form"]["text"].value() == "payung"
    assert "The project is closed" in text_of(answer)
    assert web.post(address, {**typed, "text": ""}).status_code == 422


def test_a_project_of_pairs_has_no_concepts() -> None:
    project = factory.project("pairs")
    client = as_(factory.member(project, "lead"))
    assert client.get(reverse("concepts", args=["pairs"])).status_code == 404
    assert "/p/pairs/concepts/" not in text_of(client.get(reverse("project", args=["pairs"])))


def test_writers_see_concepts_and_states_and_nobodys_shares(project: Project, lead: Client) -> None:
    first, second = factory.member(project, "writer"), factory.member(project, "writer")
    propose(as_(second), "payung")
    allocations_assign(target=project.targets.get(), writers=[second])
    page = as_(first).get(reverse("concepts", args=["q1"]))
    assert "payung" in text_of(page)
    assert second.pseudonym not in page_text(text_of(page))
    given = as_(first).get(reverse("concepts", args=["q1"]))
    assert given.content.count(b"tikar") == page.content.count(b"tikar")
    proposed = reverse("concept", args=["q1", Concept.objects.get(text="payung").pk])
    assert as_(first).get(proposed).status_code == 404
    assert second.pseudonym in text_of(lead.get(proposed))


def test_filters_and_pages(project: Project, lead: Client) -> None:
    concepts_add(target=project.targets.get(), rows=[ConceptIn("", "place & time", f"tempat {n}") for n in range(60)])
    address = reverse("concepts", args=["q1"])
    page = lead.get(address, {"category": "place & time"})
    assert (page.context["page"].paginator.count, page.context["filters"].narrowed) == (60, True)
    assert "category=place+%26+time&amp;page=2" in text_of(page)
    assert len(lead.get(address, {"category": "place & time", "page": "2"}).context["page"]) == 10
    assert lead.get(address, {"state": "returned"}).context["page"].paginator.count == 0
    assert lead.get(address, {"state": "x", "category": "a\0"}).context["page"].paginator.count == 61
    targets = {(c.name, c.approved, c.target) for c in page.context["categories"]}
    assert targets == {("culture", 1, 4), ("place & time", 60, 4)}


@pytest.mark.parametrize("role", ["writer", "lead"])
def test_the_number_of_queries_does_not_grow(project: Project, role: str) -> None:
    client, target = as_(factory.member(project, role)), project.targets.get()
    address = reverse("concepts", args=["q1"])

    def queries() -> int:
        with CaptureQueriesContext(connection) as counted:
            assert client.get(address).status_code == 200
        return len(counted)

    proposer = factory.member(project, "writer")
    concepts_add(target=target, rows=[ConceptIn("", "culture", f"kata {n}") for n in range(9)])
    few = queries()
    rows = [ConceptIn("", f"kelompok {n % 5}", f"kata {n}") for n in range(990)]
    concepts_add(target=target, rows=rows)
    Concept.objects.filter(category="kelompok 1").update(proposed_by=proposer)
    assert Concept.objects.count() == 1000
    assert queries() == few


def test_home_counts_what_was_proposed_and_what_came_back(project: Project, writer: Client, lead: Client) -> None:
    propose(writer, "payung")
    propose(writer, "lesung")
    facts = lead.get("/").context["works"][0].facts
    assert [(fact.words, fact.count) for fact in facts] == [("concepts proposed", 2)]
    assert writer.get("/").context["works"][0].facts == []
    concept = Concept.objects.get(text="payung")
    sent = {"act": "return", "version": "1", "words": "No."}
    lead.post(reverse("concept_review", args=["q1", concept.pk]), sent)
    (fact,) = writer.get("/").context["works"][0].facts
    assert (fact.words, fact.count, fact.url) == (
        "concept of yours returned",
        1,
        "/p/q1/concepts/?state=returned",
    )


def test_people_gives_out_concepts(project: Project, lead: Client) -> None:
    for _ in range(3):
        a_concept(project)
    team = [factory.member(project, "writer") for _ in range(2)]
    page = lead.get(reverse("people", args=["q1"]))
    assert "4 concepts still lack a writer." in text_of(page)
    assert page.context["allocation_size"] == 50
    told = lead.post(reverse("people_allocate", args=["q1"]), {"size": "3"}, follow=True)
    assert "Given out: 6 concepts." in text_of(told)
    assert [w.allocations.count() for w in team] == [3, 3]
    told = lead.post(reverse("people_allocate", args=["q1"]), {"size": "x"})
    assert told.status_code == 422
    assert "Give a whole number, from 1 to 10,000." in text_of(told)
