"""In which language and zone a page is shown, and a message written."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from annotation.core.access import language_of_work
from annotation.core.actions.accounts import user_settings
from annotation.core.errors import Invalid
from annotation.core.language import mail_language
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.core.rules.languages import interface_language
from annotation.translation.actions.targets import target_members_set
from tests import factory
from tests.translations import a_translation_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _as_it_was() -> Any:
    """A request leaves its language and its zone behind, for the next one to set."""
    yield
    translation.activate("en")
    timezone.deactivate()


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en", "en"),
        ("id", "id"),
        ("id-ID", "id"),
        ("ind", "id"),
        ("su_Latn", "su"),
        ("sun", "su"),
        ("jv", "id"),
        ("bug", "id"),
        ("ms", ""),
        ("fil", ""),
        ("", ""),
    ],
)
def test_the_language_for_speakers_of_a_language(code: str, language: str) -> None:
    assert interface_language(code) == language


def shown(client: Client, address: str, **headers: str) -> str:
    """The language that a page says it is in."""
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    language = answer.text.partition('<html lang="')[2].partition('"')[0]
    assert answer.headers["Content-Language"] == language
    return language


@pytest.fixture
def project() -> Project:
    return factory.project(language="su", preset="indonli-lay")


def member(project: Project, language: str) -> Client:
    client, account = Client(), factory.user(language=language)
    factory.member(project, "writer", account=account)
    client.force_login(account)
    return client


def test_the_profile_comes_first_then_the_project_then_the_browser(project: Project) -> None:
    address, home = reverse("guidelines", args=[project.slug]), reverse("home")
    indonesian, undecided = member(project, "id"), member(project, "")
    assert shown(indonesian, address, accept_language="en") == "id"
    assert shown(indonesian, home, accept_language="en") == "id"
    assert shown(undecided, address, accept_language="en") == "su"
    assert shown(undecided, home, accept_language="fr, id;q=0.5") == "id"
    assert shown(undecided, home) == "en"


@pytest.mark.parametrize(
    ("targets", "language", "browser"),
    [
        (("jv-ngoko", "jv-krama"), "id", "en"),
        (("su",), "su", "en"),
        (("jv-ngoko", "su"), "id", "id"),
        ((), "su", "su"),
    ],
)
def test_translators_read_in_the_language_of_their_target_never_in_the_one_translated_from(
    targets: tuple[str, ...], language: str, browser: str
) -> None:
    """Of two targets that are read in two languages none comes first: the browser says."""
    made = a_translation_project(language="en")
    place = factory.member(made, "validator", account=factory.user(language=""))
    target_members_set(annotator=place, targets=list(made.targets.filter(key__in=targets)))
    assert place.user is not None
    client = Client()
    client.force_login(place.user)
    assert shown(client, reverse("guidelines", args=[made.slug]), accept_language=browser) == language
    assert language_of_work(place) == ("" if browser == language else language)


def test_what_was_chosen_in_this_browser_comes_before_the_project(project: Project) -> None:
    client = member(project, "")
    client.cookies["django_language"] = "en"
    assert shown(client, reverse("guidelines", args=[project.slug]), accept_language="id") == "en"


def test_who_is_not_signed_in_is_shown_what_the_browser_asks_for_or_what_they_choose() -> None:
    client, login = Client(), reverse("account_login")
    assert shown(client, login, accept_language="su, en") == "su"
    assert shown(client, login) == "en"
    answer = client.post(reverse("set_language"), {"language": "id"}, headers={"referer": f"http://testserver{login}"})
    assert (answer.status_code, answer.headers["Location"]) == (302, f"http://testserver{login}")
    assert shown(client, login, accept_language="en") == "id"
    client.post(reverse("set_language"), {"language": "xx"})
    assert shown(client, login) == "id"


def test_the_switch_never_leads_to_another_site() -> None:
    elsewhere = {"language": "id", "next": "https://example.net/"}
    assert Client().post(reverse("set_language"), elsewhere).headers["Location"] == "/"


def test_a_choice_stays_with_the_account(project: Project) -> None:
    client = member(project, "")
    client.post(reverse("set_language"), {"language": "en"})
    assert User.objects.get(memberships__project=project).language == "en"
    elsewhere = Client()
    elsewhere.force_login(User.objects.get(memberships__project=project))
    assert shown(elsewhere, reverse("guidelines", args=[project.slug]), accept_language="id") == "en"
    client.post(reverse("my_settings"), {"language": "su"})
    assert shown(client, reverse("my_record")) == "su"
    assert client.post(reverse("my_settings"), {"language": "xx"}).status_code == 422
    with pytest.raises(Invalid):
        user_settings(user=factory.user(), name="", single_keys=True, theme="", language="de")


def test_a_page_that_is_not_there_and_one_that_is_not_yours_are_the_same_in_every_language(
    project: Project,
) -> None:
    stranger = Client()
    stranger.force_login(factory.user(language=""))
    for language in ("en", "id"):
        theirs, nobodys = (
            stranger.get(reverse("guidelines", args=[slug]), headers={"accept-language": language})
            for slug in (project.slug, "nothing")
        )
        assert (theirs.status_code, theirs.content) == (404, nobodys.content)
        assert f'<html lang="{language}"' in theirs.text


@pytest.mark.parametrize(
    ("asked", "language", "words"),
    [("", "en", "Send a token"), ("id", "id", "Kirim"), ("fr", "en", "Send a token")],
)
def test_the_api_speaks_english_or_the_language_asked_for(asked: str, language: str, words: str) -> None:
    answer = Client().get("/api/v1/projects", headers={"accept-language": asked} if asked else {})
    assert words in answer.json()["detail"]
    assert answer.headers["Content-Language"] == language
    assert "Accept-Language" in answer.headers["Vary"]


@pytest.mark.parametrize(("cookie", "hour"), [("Asia%2FJakarta", "G.i 7.00"), ("", "0.00"), ("../etc/passwd", "0.00")])
def test_times_are_those_of_the_browsers_clock(project: Project, cookie: str, hour: str) -> None:
    client = member(project, "id")
    client.cookies["zone"] = cookie
    client.get(reverse("home"))
    assert timezone.get_current_timezone_name() == ("Asia/Jakarta" if "7" in hour else "UTC")


def test_a_message_is_in_the_language_of_who_gets_it(project: Project) -> None:
    factory.user("ana@example.org", language="id")
    with translation.override("en"):
        assert mail_language("ANA@example.org") == "id"
        assert mail_language("nobody@example.org", "su") == "su"
        assert mail_language("nobody@example.org") == "en"
    client = Client()
    client.post(reverse("account_reset_password"), {"email": "ana@example.org"})
    with translation.override("id"):
        assert translation.gettext("Set a new password") in mail.outbox[-1].subject
