"""The pages of people, projects, guidelines and one's own record: axe, 360 px, with and without script."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from annotation.core.actions.members import Roles
from annotation.core.models.project import Project
from annotation.projects.actions.invitations import invitation_create
from tests import factory
from tests.conftest import Pages
from tests.flows.looks import axe_findings, too_wide
from tests.flows.test_look import sign_in
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    boss = factory.user("boss@example.org", administrator=True, name="Budi")
    project = factory.project("p1", by=boss)
    writer = factory.member(project, "writer", account=factory.user(name="Sri Wahyuni Kusumaningrum"))
    voter = factory.member(project, "validator", account=factory.user("vera@example.org", name="Vera"))
    factory.written_pairs(project, writer)
    decide_due()
    for label in ("e", "n"):
        assignment = assignment_claim(annotator=voter, target=project.targets.get(), spacing=0)
        assert assignment is not None
        assert voter.user_id is not None
        ballot = Ballot(label=label)
        vote_cast(user_id=voter.user_id, slug="p1", token=assignment.token, ballot=ballot)
    roles = Roles(writer=True)
    invitation_create(project=project, email="new@example.org", roles=roles, by=boss)
    return project


PAGES = [
    ("boss", "/projects/new/"),
    ("boss", "/projects/new/?preset=indonli-lay"),
    ("boss", "/p/p1/people/"),
    ("boss", "/p/p1/settings/"),
    ("boss", "/p/p1/guidelines/writing/edit/"),
    ("vera", "/p/p1/guidelines/"),
    ("vera", "/p/p1/guidelines/writing/versions/"),
    ("vera", "/me/"),
]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("who", ["boss", "vera"])
def test_pages_look_right(project: Project, open_page: Callable[..., Page], who: str, width: int) -> None:
    page = open_page(width, width == 360)
    sign_in(page, f"{who}@example.org")
    for person, url in PAGES:
        if person == who:
            page.goto(url)
            for summary in page.locator("main details > summary").all():
                summary.click()
            assert axe_findings(page) == [], url
            assert too_wide(page) <= 0, url


def test_an_invitation_from_link_to_place(project: Project, open_page: Pages, settings: Settings) -> None:
    """Without script: the inviter is shown the link, somebody else makes an account with it."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.MUFAKAT_SITE_URL = "optional", open_page.origin
    page = open_page(javascript=False)
    sign_in(page, "boss@example.org")
    page.goto("/p/p1/people/")
    form = page.locator(f"form[action='{reverse('people_invite', args=['p1'])}']")
    form.locator("input[type=email]").fill("ika@example.org")
    form.locator("input[name=validator]").check()
    form.get_by_role("button").click()
    link = page.locator("code").inner_text()
    guest = open_page(javascript=False)
    guest.goto(link)
    guest.get_by_role("button", name="Create an account").click()
    expect(guest.locator("input[name=email]")).to_have_value("ika@example.org")
    guest.fill("input[name=password1]", factory.PASSWORD)
    guest.fill("input[name=password2]", factory.PASSWORD)
    guest.locator("main form button").click()
    guest.wait_for_url("**/p/p1/guidelines/")
    assert project.annotators.get(user__email="ika@example.org").is_validator
