"""The region that people answer from: theirs to say and to take back, and nobody else's to see."""

import pytest
from django.urls import reverse

from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory, questions
from tests.answers import browser_of
from tests.page_text import page_text

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return questions.a_question_project("own")


@pytest.fixture
def lead(project: Project) -> Annotator:
    return factory.member(project, "lead")


def region_of(place: Annotator) -> str:
    place.refresh_from_db()
    return place.region


def test_people_say_their_own_region(project: Project) -> None:
    me = factory.member(project, "validator")
    factory.member(project, "writer")
    url = reverse("my_region", args=["own"])
    assert browser_of(me.user).post(url, {"region": "  Jawa \n Barat "}).status_code == 302
    assert region_of(me) == "Jawa Barat"
    assert Event.objects.get(project=project, verb="region").data == {"annotator": me.pseudonym}
    page = browser_of(me.user).get(reverse("my_record")).content.decode()
    assert 'value="Jawa Barat"' in page
    assert "no export has it beside your name" in page
    assert browser_of(me.user).get(reverse("my_data")).json()["projects"][0]["region"] == "Jawa Barat"
    browser_of(me.user).post(url, {"region": ""})
    assert region_of(me) == ""


def test_a_region_is_kept_as_it_was_typed_whatever_a_colleague_typed(project: Project) -> None:
    first, second = factory.member(project, "validator"), factory.member(project, "validator")
    for place, typed in ((first, "Bali"), (second, "BALI")):
        browser_of(place.user).post(reverse("my_region", args=["own"]), {"region": typed})
    assert (region_of(first), region_of(second)) == ("Bali", "BALI")


@pytest.mark.parametrize("typed", ["x" * 81, "a\0b"])
def test_a_region_that_cannot_be_is_kept_on_the_page(project: Project, typed: str) -> None:
    me = factory.member(project, "writer")
    answer = browser_of(me.user).post(reverse("my_region", args=["own"]), {"region": typed})
    assert answer.status_code == 422
    assert "at most 80 characters" in answer.content.decode()
    assert typed[:80] in answer.content.decode() or "\0" in typed
    assert region_of(me) == ""


def test_administrators_enter_regions_and_leads_do_not(project: Project, lead: Annotator) -> None:
    person, other = (
        factory.member(project, "writer"),
        factory.member(questions.a_question_project(), "writer"),
    )
    administrator = factory.user(administrator=True)

    def sent(who: User | None, place: Annotator, region: str) -> int:
        url = reverse("people_region", args=["own", place.pk])
        return browser_of(who).post(url, {"region": region}).status_code

    assert sent(lead.user, person, "Bali") == 403
    assert sent(administrator, person, "Bali") == 302
    assert region_of(person) == "Bali"
    assert sent(administrator, other, "Bali") == 404
    assert sent(administrator, person, "x" * 81) == 302
    assert region_of(person) == "Bali"
    people = reverse("people", args=["own"])
    assert 'value="Bali"' in browser_of(administrator).get(people).content.decode()
    assert "Bali" not in page_text(browser_of(lead.user).get(people).content.decode())


def test_a_deleted_account_has_no_region(project: Project) -> None:
    me = factory.member(project, "validator")
    Annotator.objects.filter(pk=me.pk).update(region="Bali")
    answer = browser_of(me.user).post(reverse("my_deletion"), {"password": factory.PASSWORD})
    assert answer.status_code == 302
    assert region_of(me) == ""
