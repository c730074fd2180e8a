"""Studies over the API: drawn, listed, read and closed as on their pages."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.database import now
from tests import factory
from tests.answers import browser_of
from tests.api import Script, assert_refused, script
from tests.validation.studies.test_label_checks import World

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@pytest.fixture
def at() -> World:
    world = World()
    world.approve()
    return world


def here(at: World, more: str = "") -> str:
    return f"projects/{at.project.slug}/studies{more}"


def drawn(at: World, asking: Script, **more: Any) -> Any:
    options = {"target": at.target.key, "source_set": at.set.key, "size": 4, "people": 3}
    body = {"kind": "label-check", "slug": "labels-api", "options": options | more}
    return asking.post(here(at), body)


def test_a_study_is_drawn_read_and_closed(at: World) -> None:
    asking = script(at.admin)
    made = drawn(at, asking)
    assert made.status_code == 201, made.content
    row = made.json()
    told = {name: row[name] for name in ("kind", "n", "project", "items", "over", "closed_at")}
    assert told == {
        "kind": "label-check",
        "n": 1,
        "project": "labels-api",
        "items": 4,
        "over": 0,
        "closed_at": None,
    }
    read = asking.get(here(at, "/label-check/1")).json()
    assert read == row
    assert asking.pages(here(at)) == [{name: row[name] for name in asking.pages(here(at))[0]}]
    closed = asking.post(here(at, "/label-check/1:close"), {"closed": True}).json()
    assert closed["closed_at"] is not None
    assert closed["files"]


def test_it_is_opened_again_by_name(at: World) -> None:
    made = at.draw()
    asking = script(at.admin)
    address = here(at, "/label-check/1:close")
    asking.post(address, {"closed": True})
    assert_refused(asking.post(address, {"closed": False}), 400, "study_reopening_unconfirmed")
    assert asking.post(address, {"closed": False, "confirm": made.project.slug}).json()["closed_at"] is None
    joined = asking.post(here(at, "/label-check/1:join"), {"member": "X1", "group": "1"})
    assert_refused(joined, 400, "study_member_unknown")


def test_its_files_are_those_of_the_page(at: World) -> None:
    at.draw()
    asking = script(at.admin)
    asking.post(here(at, "/label-check/1:close"), {"closed": True})
    names = asking.get(here(at, "/label-check/1")).json()["files"]
    assert names
    for name in names:
        page: Any = browser_of(at.admin).get(reverse("study_file", args=[at.project.slug, "label-check", 1, name]))
        assert asking.get(here(at, f"/label-check/1/files/{name}")).content == page.content


def test_what_cannot_be_drawn_says_what_there_is(at: World) -> None:
    asking = script(at.admin)
    wrong = drawn(at, asking, target="nowhere")
    assert_refused(wrong, 400, "setting_wrong")
    assert wrong.json()["field"] == "options.target"
    assert at.target.key in wrong.json()["detail"]
    strange = drawn(at, asking, sise=3)
    assert_refused(strange, 400, "setting_unknown")
    assert strange.json()["field"] == "options.sise"
    assert asking.pages(here(at)) == []
    assert_refused(asking.post(here(at), {"kind": "nothing", "slug": "x"}), 404, "not_found")


def test_a_list_is_narrowed_to_what_changed_and_asks_as_often_for_more_rows(at: World) -> None:
    at.draw(slug="first")
    asking = script(at.admin)
    later = (now() + timedelta(minutes=1)).isoformat()
    assert len(asking.pages(here(at), updated_since=(now() - timedelta(minutes=1)).isoformat())) == 1
    assert asking.pages(here(at), updated_since=later) == []
    with CaptureQueriesContext(connection) as one:
        asking.pages(here(at))
    at.draw(slug="second")
    with CaptureQueriesContext(connection) as two:
        asking.pages(here(at))
    assert len(two) == len(one)


def test_who_leads_reads_and_draws_none(at: World) -> None:
    asking = script(factory.member(at.project, "lead").user)
    assert asking.pages(here(at)) == []
    assert_refused(drawn(at, asking), 403, "forbidden")
