"""Translators take texts of their targets, reviewers what waits in theirs; and what a next item costs with many."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.translation.actions.targets import target_members_set
from tests import factory, translations
from tests.page_text import page_text
from tests.targets import HTMX, add_many_targets, browser_of, count_statements, url_of
from tests.translations import member, target_of
from validation.voting.actions.decide import decide_due
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


@pytest.fixture
def project(boss: User) -> Project:
    return translations.a_translation_project("t1", by=boss, settings={"take_size": 2})


@pytest.fixture
def units(project: Project) -> list[Any]:
    rows = translations.sentence_rows(6)
    return list(translations.a_source_set(project, rows, shape="sentence").units.order_by("position"))


# --- translators ----------------------------------------------------------------------------


def test_texts_are_taken_and_worked_through_target_by_target(project: Project, units: list[Any]) -> None:
    writer = member(project, "writer", targets=("jv-ngoko", "su"))
    client = browser_of(writer)
    home = client.get(reverse("home"))
    assert "Take 2 texts in Javanese (ngoko)" in home.text
    none = client.get(url_of("write"))
    assert none.status_code == 200
    assert [work.can_take_texts for work in none.context["targets"]] == [True, True]
    for key in ("jv-ngoko", "su"):
        taken = client.post(url_of("write_take", key))
        assert taken["Location"] == f"{url_of('write')}?target={key}"
    assert writer.allocations.filter(state="open").count() == 4
    first, last = writer.allocations.order_by("position")[0], writer.allocations.order_by("position")[2]
    assert client.get(url_of("write"))["Location"] == url_of("write_set", first.token)
    assert client.get(url_of("write") + "?target=su")["Location"] == url_of("write_set", last.token)
    assert client.get(url_of("write") + "?target=%00")["Location"] == url_of("write_set", first.token)
    skipped = client.post(url_of("write_skip", last.token), {"reason": "broken"})
    assert skipped["Location"] == f"{url_of('write')}?target=su"
    facts = [(fact.count, fact.url) for fact in client.get(reverse("home")).context["works"][0].facts]
    assert (2, f"{url_of('write')}?target=jv-ngoko") in facts
    assert (1, f"{url_of('write')}?target=su") in facts


def test_nobody_takes_or_opens_what_is_of_another_target(project: Project, units: list[Any]) -> None:
    one, two = (member(project, "writer", targets=(key,)) for key in ("jv-ngoko", "su"))
    lead = member(project, "lead", "writer", targets=("su",))
    allocation = translations.a_share(units[0], target_of(project, "su"), two)
    client = browser_of(one)
    assert client.post(url_of("write_take", "su")).status_code == 404
    assert client.post(url_of("write_take", "nowhere")).status_code == 404
    assert client.get(url_of("write_set", allocation.token)).status_code == 404
    assert browser_of(lead).post(url_of("write_take", "jv-ngoko")).status_code == 403
    assert Allocation.objects.count() == 1


def test_nothing_is_left_is_said_and_tells_no_more(project: Project, units: list[Any]) -> None:
    one, two = (member(project, "writer", targets=("su",)) for _ in range(2))
    for unit in units:
        translations.a_share(unit, target_of(project, "su"), two)
    client = browser_of(one)
    assert "Take" not in page_text(client.get(reverse("home")).text)
    answer = client.post(url_of("write_take", "su"), follow=True)
    assert "Nothing is left in Sundanese for you now" in answer.text
    assert "nothing for now" in answer.text
    assert two.pseudonym not in page_text(answer.text)


@pytest.mark.parametrize("role", ["writer", "validator"])
def test_without_a_target_a_page_says_so(project: Project, units: list[Any], role: str) -> None:
    client = browser_of(factory.member(project, role))
    page = client.get(url_of("write" if role == "writer" else "vote"))
    assert page.status_code == 200
    assert "You have no language to work on yet" in page.text
    assert "You have no language to work on yet" in client.get(reverse("home")).text
    assert client.get(url_of("project")).status_code == 200


def test_the_team_of_a_target_is_not_told_to_its_people(project: Project, units: list[Any]) -> None:
    """Names and pseudonyms of others stand on no page of a translator or reviewer."""
    others = [
        member(project, *roles, targets=("su",), account=factory.user(name=f"canary {n}"))
        for n, roles in enumerate((["writer"], ["validator"], ["writer", "validator"], ["lead"]))
    ]
    translations.a_translation(units[0], target_of(project, "su"), others[0])
    decide_due()
    for roles in (["writer"], ["validator"]):
        client = browser_of(member(project, *roles, targets=("su",)))
        for name in ("targets", "target_new", "people"):
            assert client.get(url_of(name)).status_code == 403
        assert client.get(url_of("target", "su")).status_code == 403
        for url in (
            reverse("home"),
            url_of("project"),
            url_of("write"),
            url_of("vote"),
            url_of("guidelines"),
            reverse("my_record"),
        ):
            text = client.get(url).text
            assert "canary" not in text, url
            for other in others:
                assert f">{other.pseudonym}<" not in text, url


def test_a_review_of_another_target_is_no_work_of_ones_own(project: Project, units: list[Any]) -> None:
    """Home tells of reviews in one's own targets only."""
    translations.a_translation(units[0], target_of(project, "su"), member(project, "writer", targets=("su",)))
    decide_due()
    away, here = (member(project, "validator", targets=(key,)) for key in ("jv-ngoko", "su"))
    assert not browser_of(away).get(reverse("home")).context["works"][0].votes_waiting
    assert browser_of(here).get(reverse("home")).context["works"][0].votes_waiting


# --- what it costs ----------------------------------------------------------------------------


def test_pages_cost_the_same_with_two_and_with_22_targets(project: Project, units: list[Any], boss: User) -> None:
    Target.objects.filter(project=project, key="jv-krama").update(ended_at="2026-01-01T00:00Z")
    person = member(project, "writer", "validator", targets=("jv-ngoko", "su"))
    translations.a_share(units[0], target_of(project), person)
    pages = {
        **dict.fromkeys(
            (url_of("targets"), url_of("target", "su"), url_of("people"), url_of("project")), browser_of(boss)
        ),
        **dict.fromkeys((reverse("home"),), browser_of(person)),
    }
    for url, client in pages.items():
        client.get(url)
    few = {url: count_statements(client, url) for url, client in pages.items()}
    Target.objects.filter(project=project).update(ended_at=None)
    add_many_targets(project)
    target_members_set(annotator=person, targets=list(project.targets.all()))
    for number, target in enumerate(project.targets.order_by("key")):
        translations.a_translation(units[1 + number % 4], target, member(project, "writer"))
    assert {url: count_statements(client, url) for url, client in pages.items()} == few
    # The dearest is the project page, which says in one statement what rests before voting.
    assert max(few.values()) <= 25, few


def _reviewed(project: Project, person: Annotator) -> list[str]:
    """What a vote with the next card takes; BEGIN and COMMIT are not counted."""
    client = browser_of(person)
    client.get(url_of("vote"))
    said: list[str] = []
    for _ in range(2):
        assignment = Assignment.objects.get(annotator=person, state=Assignment.State.OPEN)
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(url_of("vote_send", assignment.token), {"label": "approve"}, headers=HTMX)
        assert answer.status_code == 200
        assert answer.context["card"] is not None
        said = [query["sql"] for query in queries if query["sql"] not in ("BEGIN", "COMMIT")]
    return said


def _next(project: Project, person: Annotator, url: str) -> int:
    client = browser_of(person)
    client.get(url)
    with CaptureQueriesContext(connection) as said:
        client.get(url)
    return len(said)


def test_the_next_item_costs_the_same_with_one_and_with_22_targets(project: Project, boss: User) -> None:
    rows = translations.sentence_rows(12)
    units = list(translations.a_source_set(project, rows, shape="sentence").units.order_by("position"))
    add_many_targets(project)
    writer, target = member(project, "writer"), target_of(project)
    for unit in units[:8]:
        translations.a_translation(unit, target, writer)
    decide_due()
    one, many = member(project, "validator", targets=("jv-ngoko",)), member(project, "validator")
    assert len(_reviewed(project, one)) == len(_reviewed(project, many))
    for person in (one, many):
        Annotator.objects.filter(pk=person.pk).update(is_writer=True)
        translations.a_share(units[8], target, person) if person == one else translations.a_share(
            units[9], target, person
        )
    assert _next(project, one, url_of("write")) == _next(project, many, url_of("write"))


def test_an_empty_target_is_not_tried(project: Project, units: list[Any]) -> None:
    """Opening the page takes one statement more where somebody works for two, and no more where for 22."""
    add_many_targets(project)
    last = project.targets.order_by("key").last()
    assert last is not None
    writer = member(project, "writer", targets=(last.key,))
    for unit in units[:3]:
        translations.a_translation(unit, last, writer)
    decide_due()
    Item.objects.filter(project=project).update(slots_free=3, pending=3)
    counts: list[int] = []
    for targets in ((last.key,), (last.key, "jv-ngoko"), ()):
        client = browser_of(member(project, "validator", targets=targets))
        client.get(reverse("home"))
        with CaptureQueriesContext(connection) as said:
            assert client.get(url_of("vote")).context["card"] is not None
        counts.append(len(said))
    assert counts == [counts[0], counts[0] + 1, counts[0] + 1]


def test_who_has_seen_all_of_a_target_is_given_something_of_the_next(project: Project, units: list[Any]) -> None:
    first, second = target_of(project, "jv-ngoko"), target_of(project, "su")
    writer, person = member(project, "writer"), member(project, "validator")
    for target in (first, second):
        translations.a_translation(units[0], target, writer)
    decide_due()
    client = browser_of(person)
    client.get(url_of("vote"))

    def seen() -> Assignment:
        return Assignment.objects.get(annotator=person, state=Assignment.State.OPEN)

    assert seen().target == first
    client.post(url_of("vote_pass", seen().token), {"reason": "not-my-field"}, headers=HTMX)
    assert seen().target == second
    client.post(url_of("vote_send", seen().token), {"label": "approve"}, headers=HTMX)
    assert client.get(url_of("vote")).context["card"] is None
