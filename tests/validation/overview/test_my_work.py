"""My work: what was returned comes first, over all projects; the word after a Submit; what comes back unchanged."""

import pytest
from django.test import Client

from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.writing.actions.allocation import allocations_assign
from annotation.writing.views.submit_message import submitted_words
from tests import factory
from tests.pay import a_rate, browser_of
from tests.review import World, give_back, resubmit, world
from validation.voting.models.review import Review

pytestmark = pytest.mark.django_db


def page(client: Client, address: str = "/") -> str:
    return client.get(address).content.decode()


def test_what_was_returned_stands_first_over_all_projects_with_a_way_to_each() -> None:
    at, other = world(opened=False), factory.project()
    account = at.writer.user
    again = factory.member(other, "writer", account=account)
    there = World(other, again, factory.member(other, "lead"), at.lead, [], factory.written_pairs(other, again))
    items = [give_back(here, here.item()) for here in (at, there)]
    home = page(browser_of(at.writer))
    ways = [home.index(f"/p/{item.project.slug}/returned/{item.pk}/") for item in items]
    assert ways == sorted(ways)
    assert ways[-1] < home.index("home-list")
    assert home.count('data-key="Enter"') == 1
    assert "Returned to you" in page(browser_of(at.writer), f"/p/{at.project.slug}/")


def test_what_others_have_returned_to_them_is_on_nobody_elses_page() -> None:
    at = world(opened=False)
    item = give_back(at, at.item())
    for person in (at.validators[0], factory.member(at.project, "writer"), at.lead):
        assert f"/returned/{item.pk}/" not in page(browser_of(person))


def test_one_continue_however_many_projects_wait() -> None:
    projects = [factory.project(), factory.project()]
    account = factory.user()
    for each in projects:
        writer = factory.member(each, "writer", account=account)
        factory.premises(each, 1)
        allocations_assign(target=each.targets.get(), writers=[writer], size=1)
    client = Client()
    client.force_login(account)
    assert page(client).count("Continue") == 1


def test_sent_back_without_a_change_or_a_reason_is_asked_about_and_keeps_what_was_typed() -> None:
    at = world(opened=False)
    item = give_back(at, at.item())
    same = item.hypothesis.text
    address = f"/p/{at.project.slug}/returned/{item.pk}/"
    fields = {f"text_{item.slot}": same, f"version_{item.slot}": str(item.version), "words": "  "}
    client = browser_of(at.writer)
    asked = client.post(address, fields)
    assert asked.status_code == 422
    assert "as_it_is" in asked.content.decode()
    assert same in asked.content.decode()
    item.refresh_from_db()
    assert item.stage == "returned"
    assert client.post(address, {**fields, "as_it_is": "on"}).status_code == 302
    item.refresh_from_db()
    assert item.stage != "returned"
    assert Review.objects.filter(item=item, event="resubmit", words="").exists()


def test_a_reason_or_a_change_is_not_asked_about() -> None:
    at = world(opened=False)
    item = give_back(at, at.item())
    same = item.hypothesis.text
    with pytest.raises(Invalid) as refused:
        resubmit(at, item, same)
    assert refused.value.code == "unchanged"
    assert resubmit(at, item, same, words="It is right.").stage == "corrected"


def test_the_word_after_a_submit_says_what_is_left_and_what_it_earned() -> None:
    project = factory.project()
    writer = factory.member(project, "writer")
    allocation = factory.written_pairs(project, writer)[0].allocation
    assert allocation is not None
    assert submitted_words(writer, f"set:{allocation.pk}", 0) == "Submitted"
    a_rate(project, "write", "6000", currency="IDR")
    second = factory.written_pairs(project, writer)[0].allocation
    assert second is not None
    writer.refresh_from_db()
    writer.project.refresh_from_db()
    said = submitted_words(writer, f"set:{second.pk}", 9)
    assert said == "Submitted · 9 left · 6,000.00\u00a0IDR"


@pytest.mark.parametrize(("rule", "optional"), [("required", False), ("optional", True)])
def test_a_returned_text_says_whether_tags_are_optional(rule: str, optional: bool) -> None:
    at = world(settings={"tags": "optional"})
    item = give_back(at, at.item())
    Project.objects.filter(pk=at.project.pk).update(settings={**at.project.settings, "tags": rule})
    shown = page(browser_of(at.writer), f"/p/{at.project.slug}/returned/{item.pk}/")
    tags = shown[shown.index('name="tags_') - 1500 : shown.index('name="tags_')]
    assert ("(optional)" in tags) is optional
