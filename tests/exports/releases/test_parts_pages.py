"""Choosing several projects for a release, and who sees which of its files."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases.models import Release
from tests import factory
from tests.exports.world import Staged, build, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db
CONFIRMED = {"confirm-shared": "yes", "confirm-licence": "yes"}
TOGETHER = {
    "preset": "indonli-lay",
    "chosen": "1",
    "forms": "none",
    "suffix": "lay",
    "with": "expert-set",
    "suffix-expert-set": "expert",
    "changes-expert-set": "forms=none strict=yes",
}


def two_sets() -> tuple[Staged, Staged]:
    return staged(slug="lay-set"), staged(slug="expert-set")


@pytest.fixture
def both_sets(standing: SharedWorlds) -> tuple[Staged, Staged]:
    return standing(two_sets)


@pytest.fixture
def lay(both_sets: tuple[Staged, Staged]) -> Staged:
    return both_sets[0]


@pytest.fixture
def expert(both_sets: tuple[Staged, Staged]) -> Staged:
    return both_sets[1]


@pytest.fixture
def admin() -> User:
    return factory.user(administrator=True)


def client(person: Any) -> Client:
    browser = Client()
    browser.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return browser


def new(browser: Client, method: str = "get", **changes: str) -> Any:
    return getattr(browser, method)(reverse("release_new", args=["lay-set"]), {**TOGETHER, **CONFIRMED, **changes})


def test_what_is_chosen_is_counted_and_frozen_as_it_was_shown(lay: Staged, expert: Staged, admin: User) -> None:
    page = new(client(admin)).content.decode()
    assert '<input type="hidden" name="changes-expert-set" value="forms=none strict=yes">' in page
    assert '<input type="hidden" name="suffix" value="lay">' in page
    assert new(client(admin), "post").status_code == 302
    release = Release.objects.get(whole=None)
    part = release.parts.get()
    assert (release.suffix, part.suffix, part.project.slug) == ("lay", "expert", "expert-set")
    assert (part.rules["strict"], part.rules["forms"], release.rules["strict"]) == (True, "none", False)


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"changes-expert-set": "colour=blue"}, 422, "is no field here"),
        ({"suffix-expert-set": "lay"}, 422, "end in different words"),
    ],
)
def test_what_cannot_be_is_said(
    lay: Staged, expert: Staged, admin: User, changes: dict[str, str], status: int, said: str
) -> None:
    answer = new(client(admin), "post", **changes)
    assert answer.status_code == status
    assert said in answer.content.decode()
    assert not Release.objects.exists()


def test_a_project_without_items_is_named(lay: Staged, admin: User) -> None:
    factory.project("bare")
    answer = new(client(admin), "post", **{"with": "bare"})
    assert answer.status_code == 409
    assert "There is nothing to release in bare" in answer.content.decode()


def test_leads_are_offered_no_other_project(lay: Staged, expert: Staged) -> None:
    assert "expert-set" not in new(client(lay.at.lead.user)).content.decode()


def test_leads_read_nothing_of_another_project_where_a_build_failed(lay: Staged, expert: Staged, admin: User) -> None:
    new(client(admin), "post")
    item, job = expert.items["1-e1"], Release.objects.get(whole=None).job
    assert job is not None
    Item.objects.filter(pk=item.pk).update(gold="contradiction")
    Release.objects.get(whole=None).parts.get().rows.filter(item=item).update(gold="contradiction")
    assert jobs.run_here(job).state == Job.State.FAILED
    job.refresh_from_db()
    assert item.key in job.error
    assert "its votes give" in job.error
    for slug, lead in (("lay-set", lay.at.lead.user), ("expert-set", expert.at.lead.user)):
        told = client(lead).get(reverse("release", args=[slug, 1])).content.decode()
        assert "An administrator can see why." in told
        assert "its votes give" not in told
        assert f"{item.key}:" not in told
        assert "its votes give" in client(admin).get(reverse("release", args=[slug, 1])).content.decode()


def test_leads_have_the_files_of_their_project_administrators_all(lay: Staged, expert: Staged, admin: User) -> None:
    new(client(admin), "post")
    build(Release.objects.get(whole=None))

    def may(person: Any, project: str, name: str) -> int:
        answer: Any = client(person).get(reverse("release_file", args=[project, 1, name]))
        if answer.streaming:
            list(answer.streaming_content)
        return int(answer.status_code)

    names = ("test_lay.jsonl", "test_expert.jsonl", "README.md")
    assert [may(lay.at.lead.user, "lay-set", name) for name in names] == [200, 404, 404]
    assert [may(expert.at.lead.user, "expert-set", name) for name in names] == [404, 200, 404]
    assert [may(admin, "lay-set", name) for name in names] == [200, 200, 200]
    page = client(admin).get(reverse("release", args=["lay-set", 1])).content.decode()
    assert reverse("release", args=["expert-set", 1]) in page

    def sizes(person: Any, project: str) -> list[list[str]]:
        at = reverse("statistics_csv", args=[project, 1, "sizes"])
        lines = client(person).get(at).content.decode("utf-8-sig").splitlines()
        return [line.split(",") for line in lines]

    assert client(admin).post(reverse("statistics", args=["lay-set", 1])).status_code == 302
    for job in Job.objects.filter(kind="release_statistics"):
        assert not jobs.run_here(job).error
    mine = sizes(expert.at.lead.user, "expert-set")
    assert mine[0][:2] == ["split", "items"]
    for slug in ("lay-set", "expert-set"):
        head, *lines = sizes(admin, slug)
        assert head[:3] == ["project", "split", "items"]
        assert list(dict.fromkeys(line[0] for line in lines)) == ["lay", "expert"]
        assert [line[1:3] for line in lines if line[0] == "expert"] == [line[:2] for line in mine[1:]]
    part = client(expert.at.lead.user).get(reverse("release", args=["expert-set", 1])).content.decode()
    assert "It is a part of a release of several projects." in part
    assert reverse("release", args=["lay-set", 1]) not in part
