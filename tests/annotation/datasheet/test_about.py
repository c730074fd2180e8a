"""What a project says of itself, what its members agree to and say, what they confirm first; and how all of it goes."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.test import Client
from django.urls import reverse

from annotation.core.access import owes_entry
from annotation.core.errors import Conflict, Invalid, NotFound
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.datasheet import queries as statement
from annotation.datasheet.actions import (
    about_change,
    consent_end,
    consent_give,
    consent_publish,
    demographics_save,
    entry_confirm,
)
from annotation.datasheet.models import About, Consent, ConsentVersion, Demographics
from annotation.datasheet.queries import consent_of, demographics_by_member, own_place, standing_consents
from annotation.datasheet.rules import THRESHOLD
from annotation.projects.actions.projects import project_settings_change
from tests import factory
from validation import integrity
from validation.people.actions import account_delete, annotator_remove

pytestmark = pytest.mark.django_db
SAID = {"ethnicity": "Sunda", "age_band": "25-34", "region": "Jawa Barat"}


@pytest.fixture
def boss() -> User:
    return factory.user(administrator=True)


@pytest.fixture
def project() -> Project:
    return factory.project("p1")


@pytest.fixture
def ana(project: Project) -> Annotator:
    return factory.member(project, "writer")


def a_text(project: Project, by: User, *, asks_again: bool = True, text: str = "We count.") -> ConsentVersion:
    seen = ConsentVersion.objects.filter(project=project).count()
    return consent_publish(project=project, text=text, asks_again=asks_again, by=by, seen=seen)


def agreed(place: Annotator, by: User, **said: str) -> Annotator:
    text = statement.consent_text(place.project) or a_text(place.project, by)
    consent_give(annotator=place, n=text.n)
    demographics_save(annotator=place, answers={**SAID, **said})
    return place


def as_user(person: User | None) -> Client:
    client = Client()
    assert person is not None
    client.force_login(person, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


# --- the project's own words --------------------------------------------------------------


def test_what_a_project_says_is_said_anew_by_one_at_a_time(project: Project, boss: User) -> None:
    words = {"licence": " CC-BY-4.0 ", "statement": {"other": "A\r\nB", "provenance": " "}, "threshold": 3}
    made = about_change(project=project, by=boss, changes=words, version=0)
    assert (made.licence, made.statement, made.threshold, made.version) == (
        "CC-BY-4.0",
        {"other": "A\nB"},
        3,
        1,
    )
    with pytest.raises(Conflict):
        about_change(project=project, by=boss, changes={"licence": "MIT"}, version=0)
    assert about_change(project=project, by=boss, changes={"licence": "CC-BY-4.0"}, version=1).version == 1
    about_change(project=project, by=boss, changes={"licence": "MIT"}, version=1)
    told = Event.objects.filter(verb="about_changed").order_by("pk").values_list("data", flat=True)
    assert list(told) == [{"fields": ["licence", "statement", "threshold"]}, {"fields": ["licence"]}]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"licence": "x" * 81}, "licence"),
        ({"citation": "a\0b"}, "citation"),
        ({"homepage": "javascript:alert(1)"}, "homepage"),
        ({"statement": {"strange": "x"}}, "statement"),
        ({"statement": {"other": "x" * 10_001}}, "other"),
        ({"threshold": 0}, "threshold"),
        ({"threshold": 101}, "threshold"),
        ({"threshold": True}, "threshold"),
    ],
)
def test_what_cannot_be_said(project: Project, boss: User, changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        about_change(project=project, by=boss, changes=changes, version=0)
    assert refused.value.field == field
    assert not About.objects.exists()


def test_a_text_of_new_meaning_asks_again_and_one_of_the_same_does_not(
    project: Project, boss: User, ana: Annotator
) -> None:
    first = a_text(project, boss, asks_again=False)
    assert first.asks_again
    agreed(ana, boss)
    assert a_text(project, boss, asks_again=False) == first
    a_text(project, boss, asks_again=False, text="We count all.")
    assert consent_of(ana) is not None
    with pytest.raises(Conflict):
        consent_publish(project=project, text="Late.", asks_again=True, by=boss, seen=1)
    with pytest.raises(Invalid):
        consent_publish(project=project, text=" ", asks_again=True, by=boss, seen=2)
    a_text(project, boss)
    assert consent_of(ana) is None
    assert demographics_by_member(project) == {}
    # What was said is kept for when they agree again.
    with pytest.raises(Conflict):
        consent_give(annotator=ana, n=2)
    consent_give(annotator=ana, n=3)
    assert demographics_by_member(project)[ana.pk][1]["ethnicity"].value == "Sunda"
    assert Consent.objects.filter(annotator=ana).count() == 2


# --- what members say ----------------------------------------------------------------------


def test_nothing_is_said_before_one_agreed(project: Project, boss: User, ana: Annotator) -> None:
    with pytest.raises(Conflict):
        consent_give(annotator=ana, n=1)
    with pytest.raises(Conflict):
        demographics_save(annotator=ana, answers=SAID)
    a_text(project, boss)
    with pytest.raises(Conflict):
        demographics_save(annotator=ana, answers=SAID)
    assert not Demographics.objects.exists()
    first = consent_give(annotator=ana, n=1)
    assert consent_give(annotator=ana, n=1) == first


def test_what_was_typed_is_kept_whatever_a_colleague_typed(project: Project, boss: User, ana: Annotator) -> None:
    """A spelling that changed to a colleague's would tell what the colleague said."""
    agreed(ana, boss)
    budi = agreed(factory.member(project, "writer"), boss, ethnicity="  SUNDA ", region="jawa  barat")
    budi.refresh_from_db()
    assert (budi.demographics.ethnicity, budi.region) == ("SUNDA", "jawa barat")


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"gender": "x" * 81}, "gender"),
        ({"domicile": "a\0"}, "domicile"),
        ({"age_band": "26"}, "age_band"),
    ],
)
def test_what_cannot_be_stored(project: Project, boss: User, ana: Annotator, said: dict[str, str], field: str) -> None:
    agreed(ana, boss)
    with pytest.raises(Invalid) as refused:
        demographics_save(annotator=ana, answers=said)
    assert refused.value.field == field
    assert Demographics.objects.get().ethnicity == "Sunda"


def test_all_of_it_taken_back_is_gone(project: Project, boss: User, ana: Annotator) -> None:
    agreed(ana, boss)
    demographics_save(annotator=ana, answers={})
    ana.refresh_from_db()
    assert (Demographics.objects.count(), ana.region) == (0, "")
    agreed(ana, boss)
    consent_end(annotator=ana)
    ana.refresh_from_db()
    assert (Demographics.objects.count(), ana.region, standing_consents(project).count()) == (0, "", 0)
    # That somebody agreed, and until when, is the proof that what was done was allowed.
    assert Consent.objects.get().ended_at is not None


def test_the_time_of_a_word_is_that_of_its_change(project: Project, boss: User, ana: Annotator) -> None:
    agreed(ana, boss)
    first = Demographics.objects.get().at
    demographics_save(annotator=ana, answers=SAID)
    assert Demographics.objects.get().at == first
    demographics_save(annotator=ana, answers={**SAID, "region": "Banten"})
    assert Demographics.objects.get().at > first


def test_an_account_deleted_takes_it_along(project: Project, boss: User, ana: Annotator) -> None:
    agreed(ana, boss)
    user = ana.user
    assert user is not None
    mine = orjson.loads(as_user(user).get(reverse("my_data")).content)["projects"][0]
    assert mine["about_me"]["said"] == {"ethnicity": "Sunda", "age_band": "25-34"}
    assert mine["about_me"]["agreements"][0]["text"] == "We count."
    account_delete(user=user, password=factory.PASSWORD)
    assert Demographics.objects.count() == standing_consents(project).count() == 0


def test_answers_without_an_agreement_are_found_and_deleted(project: Project, boss: User, ana: Annotator) -> None:
    agreed(ana, boss)
    assert list(integrity.run(project=project)) == []
    Consent.objects.update(ended_at=Consent.objects.get().at)
    assert [breach.invariant for breach in integrity.run()] == ["C1"]
    assert [breach.repaired for breach in integrity.run(project=project, repair=True)] == [True]
    assert not Demographics.objects.exists()
    assert list(integrity.run()) == []


# --- entry conditions ------------------------------------------------------------------------


def asks(project: Project, by: User, **conditions: Any) -> Project:
    return project_settings_change(project=project, by=by, changes=conditions)


def test_work_begins_with_what_is_asked_for_confirmed(project: Project, boss: User, ana: Annotator) -> None:
    client = as_user(ana.user)
    assert client.get(reverse("write", args=["p1"])).status_code == 200
    asks(project, boss, native_language="Sundanese", years=15)
    refused = client.get(reverse("write", args=["p1"]))
    assert (refused.status_code, refused["Location"]) == (302, reverse("entry", args=["p1"]))
    page = client.get(refused["Location"]).content.decode()
    assert "Sundanese" in page
    assert "15 years" in page
    sent = {"native_language": "Sundanese", "years": "15"}
    assert client.post(refused["Location"], sent).status_code == 422
    stale = client.post(refused["Location"], {**sent, "years": "10", "true_of_me": "on"})
    assert stale.status_code == 409
    assert client.post(refused["Location"], {**sent, "true_of_me": "on"}).status_code == 302
    assert client.get(reverse("write", args=["p1"])).status_code == 200
    assert Event.objects.get(verb="entry_confirmed").data["annotator"] == ana.pseudonym
    # Asked again once more is asked for; not where nothing is.
    asks(project, boss, years=20)
    ana.refresh_from_db()
    ana.project.refresh_from_db()
    assert owes_entry(ana)
    asks(project, boss, native_language="", years=0)
    ana.project.refresh_from_db()
    assert not owes_entry(ana)
    assert client.get(reverse("entry", args=["p1"]))["Location"] == reverse("project", args=["p1"])


def test_confirming_twice_is_the_same_as_once(project: Project, boss: User, ana: Annotator) -> None:
    asks(project, boss, years=15)
    for _ in range(2):
        entry_confirm(annotator=ana, asked={"years": "15"})
    assert Event.objects.filter(verb="entry_confirmed").count() == 1
    with pytest.raises(Conflict):
        entry_confirm(annotator=ana, asked={})


@pytest.mark.parametrize("role", ["validator", "lead"])
def test_leads_need_not_confirm_and_validators_get_no_item(project: Project, boss: User, role: str) -> None:
    place = factory.member(project, role)
    asks(project, boss, native_language="Sundanese")
    room = {"validator": "vote", "lead": "desk"}[role]
    answer = as_user(place.user).get(reverse(room, args=["p1"]))
    assert answer.status_code == {"validator": 302, "lead": 200}[role]


# --- pages -----------------------------------------------------------------------------------


def about_form(**changes: Any) -> dict[str, Any]:
    return {"version": 0, "threshold": 5, "licence": "CC-BY-4.0", "section-other": "Nothing.", **changes}


def test_an_administrator_says_it(project: Project, boss: User) -> None:
    client, url = as_user(boss), reverse("about", args=["p1"])
    assert client.post(url, about_form()).status_code == 302
    page = client.get(url).content.decode()
    assert "CC-BY-4.0" in page
    assert "mufakat:p1:canary:" in page
    behind = client.post(url, about_form(licence="MIT"))
    assert behind.status_code == 409
    assert b"MIT" in behind.content
    assert client.post(url, about_form(version=1, homepage="ftp://x")).status_code == 422
    assert client.post(url, about_form(version=1, threshold=0)).status_code == 422
    assert About.objects.get().licence == "CC-BY-4.0"


def test_an_administrator_publishes_a_text(project: Project, boss: User) -> None:
    client, url = as_user(boss), reverse("about_consent", args=["p1"])
    sent = {"seen": 0, "text": "**We** count.", "asks": "again"}
    assert client.post(url, {**sent, "asks": ""}).status_code == 422
    assert client.post(url, {**sent, "text": "a\ud800".encode("utf-8", "replace")}).status_code == 302
    assert client.post(url, sent).status_code == 409
    assert client.post(url, {**sent, "seen": 1, "asks": "stays"}).status_code == 302
    assert list(ConsentVersion.objects.order_by("n").values_list("asks_again", flat=True)) == [True, False]


def test_a_member_agrees_says_and_takes_back(project: Project, boss: User, ana: Annotator) -> None:
    client, url = as_user(ana.user), reverse("my_about", args=["p1"])
    consent = reverse("my_consent", args=["p1"])
    assert b"No questions here" in client.get(url).content
    consent_publish(project=project, text="**We** count.", asks_again=True, by=boss)
    page = client.get(url)
    assert b"<strong>We</strong> count." in page.content
    assert b'name="ethnicity"' not in page.content
    assert client.post(url, SAID).status_code == 409
    for stale in ("2", "", "x", "9" * 9):
        assert client.post(consent, {"n": stale}).status_code == 409
    assert client.post(consent, {"n": "1"}).status_code == 302
    assert client.post(url, SAID).status_code == 302
    assert b'value="Sunda"' in client.get(url).content
    assert client.post(url, {**SAID, "age_band": "26"}).status_code == 422
    assert client.post(consent, {"do": "end"}).status_code == 302
    assert b'value="Sunda"' not in client.get(url).content


def test_a_small_group_is_asked_about_where_the_project_has_one(project: Project, boss: User, ana: Annotator) -> None:
    client, url = as_user(agreed(ana, boss).user), reverse("my_about", args=["p1"])
    assert b'name="small"' not in client.get(url).content
    client.post(url, {**SAID, "small": "on"})
    assert Demographics.objects.get().least == THRESHOLD
    about_change(project=project, by=boss, changes={"threshold": 3}, version=0)
    assert b"down to 3" in client.get(url).content
    client.post(url, {**SAID, "small": "on"})
    assert Demographics.objects.get().least == 3
    assert b"checked" in client.get(url).content
    # A smaller one still is another question.
    about_change(project=project, by=boss, changes={"threshold": 2}, version=1)
    assert b"checked" not in client.get(url).content


def test_who_left_takes_back_and_says_nothing_new(project: Project, boss: User, ana: Annotator) -> None:
    agreed(ana, boss)
    annotator_remove(project=project, annotator_id=ana.pk, by=boss)
    client, url = as_user(ana.user), reverse("my_about", args=["p1"])
    assert b'name="ethnicity"' not in client.get(url).content
    assert client.post(url, SAID).status_code == 403
    assert client.post(reverse("my_consent", args=["p1"]), {"n": "1"}).status_code == 403
    assert client.post(reverse("my_consent", args=["p1"]), {"do": "end"}).status_code == 302
    assert not Demographics.objects.exists()


def test_a_page_about_oneself_is_nobody_elses(
    project: Project, boss: User, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    stranger = factory.user()
    with pytest.raises(NotFound):
        own_place(stranger, "p1")
    for person in (stranger, boss):
        assert as_user(person).get(reverse("my_about", args=["p1"])).status_code == 404
    people = [factory.member(project, "writer") for _ in range(12)]
    a_text(project, boss)
    for place in people:
        agreed(place, boss)
    with django_assert_max_num_queries(3):
        assert len(demographics_by_member(project)) == 12
