"""The pages of releases: who sees them, what the preview says, what a download carries."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.content.models.item import Hypothesis, Item, Revision
from annotation.content.models.source import Premise
from annotation.core.models.member import Event
from annotation.core.models.user import User
from annotation.files import storage
from annotation.jobs import queue as jobs
from exports.releases import queries as access
from exports.releases.models import Release
from exports.releases.preview import preview
from exports.releases.rules.settings import SplitRules
from tests import factory
from tests.exports.world import Staged, build, files, freeze, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="own")


@pytest.fixture
def admin() -> User:
    return factory.user(administrator=True)


CONFIRMED = {"confirm-shared": "yes", "confirm-licence": "yes"}


def client(person: User | None) -> Client:
    browser = Client()
    if person is not None:
        browser.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return browser


def status(browser: Client, page: str, method: str = "get") -> int:
    answer = getattr(browser, method)(page)
    if answer.streaming:
        list(answer.streaming_content)  # read to its end, a file is closed
    return int(answer.status_code)


def url(name: str, *args: Any) -> str:
    return reverse(name, args=["own", *args])


def test_who_may_see_what(made: Staged, admin: User) -> None:
    build(freeze(made))
    at, stranger = made.at, factory.user()
    pages = [url("releases"), url("release_new"), url("release", 1), url("release_file", 1, "test.jsonl")]
    expected = {
        None: 302,
        at.writer.user: 403,
        at.validators[0].user: 403,
        at.lead.user: 200,
        admin: 200,
        stranger: 404,
    }
    for person, code in expected.items():
        browser = client(person)
        for method in ("get", "head"):
            assert [status(browser, page, method) for page in pages] == [code] * 4


def test_only_administrators_freeze(made: Staged, admin: User) -> None:
    for person, code in ((made.at.lead.user, 403), (made.at.writer.user, 403), (factory.user(), 404)):
        assert client(person).post(url("release_new"), {"preset": "indonli-lay"}).status_code == code
    assert not Release.objects.exists()
    answer = client(admin).post(
        url("release_new"),
        {"preset": "indonli-lay", "chosen": "1", "strict": "yes", "seed": "x", **CONFIRMED},
    )
    release = Release.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, url("release", release.n))
    assert (release.by, release.rules["strict"], release.rules["seed"]) == (admin, True, "x")


def test_a_lead_is_offered_no_freezing(made: Staged, admin: User) -> None:
    assert "Freeze this release" not in client(made.at.lead.user).get(url("release_new")).content.decode()
    assert "Freeze this release" in client(admin).get(url("release_new")).content.decode()


def test_rules_that_cannot_be_keep_what_was_typed(made: Staged, admin: User) -> None:
    sent = {"preset": "indonli-lay", "chosen": "1", "dev_percent": "half"}
    for answer in (
        client(admin).get(url("release_new"), sent),
        client(admin).post(url("release_new"), sent),
    ):
        page = answer.content.decode()
        assert 'value="half"' in page
        assert "Enter a number." in page
        assert "Freeze this release" not in page
    assert answer.status_code == 422
    assert not Release.objects.exists()


def test_nothing_to_release_is_said(admin: User) -> None:
    factory.project("own")
    assert "nobody has submitted an item" in client(admin).get(url("release_new")).content.decode()
    answer = client(admin).post(url("release_new"), {"preset": "indonli-lay"})
    assert answer.status_code == 409
    assert "nobody has submitted an item" in answer.content.decode()


@pytest.mark.parametrize("rules", ["indonli-lay", "indonli-expert"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"strict": "yes"},
        {"stratify": "label", "dev_percent": "30"},
        {"adjudicated": "dev", "no_gold": "leave_out"},
        {"seed": "another"},
    ],
    ids=str,
)
def test_the_preview_is_what_the_release_holds(made: Staged, rules: str, changes: dict[str, str]) -> None:
    release = build(freeze(made, rules, **changes))
    shown = preview(made.project, SplitRules.from_stored(release.rules))
    held = release.counts
    for split in held["splits"].values():
        del split["rounds"]
    assert shown == {name: held[name] for name in ("items", "released", "splits", "left_out", "shared")}


def test_the_preview_comes_alone_for_htmx(made: Staged, admin: User) -> None:
    answer = client(admin).get(
        url("release_new"),
        {"preset": "indonli-lay", "chosen": "1", "strict": "yes"},
        headers={"HX-Request": "true", "HX-Target": "preview"},
    )
    page = answer.content.decode()
    assert page.lstrip().startswith("<section")
    assert "its premise is in dev or test" in page
    assert '<input type="hidden" name="strict" value="yes">' in page


def test_a_release_is_followed_until_it_is_ready(made: Staged, admin: User) -> None:
    release, browser = freeze(made), client(admin)
    page = browser.get(url("release", 1)).content.decode()
    assert "Being built" in page
    assert 'hx-trigger="every 1500ms"' in page
    build(release)
    part = browser.get(url("release", 1), headers={"HX-Request": "true", "HX-Target": "release"})
    page = part.content.decode()
    assert "<html" not in page
    assert "hx-trigger" not in page
    for name, data in files(release).items():
        assert name in page
        assert len(data) or name in page
    for facts in release.manifest["files"].values():
        assert facts["sha256"] in page


def test_a_failed_release_says_why(made: Staged, admin: User) -> None:
    Item.objects.filter(pk=made.items["1-e1"].pk).update(gold="c")
    release = freeze(made)
    assert release.job is not None
    jobs.run_here(release.job)
    page = client(admin).get(url("release", 1)).content.decode()
    assert "could not be built" in page
    assert "check_integrity" in page
    assert "failed" in client(admin).get(url("releases")).content.decode()
    assert client(admin).get(url("release_file", 1, "test.jsonl")).status_code == 404


def test_since_the_last_one(made: Staged, admin: User) -> None:
    build(freeze(made))
    build(freeze(made))
    page = client(admin).get(url("release", 2)).content.decode()
    assert "Since release 1" in page


# --- downloads -----------------------------------------------------------------------------


def test_a_download_is_kept_never_shown_and_noted(made: Staged) -> None:
    release = build(freeze(made))
    lead = made.at.lead.user
    for name, data in files(release).items():
        answer = client(lead).get(url("release_file", 1, name))
        assert b"".join(answer.streaming_content) == data  # type: ignore[attr-defined]
        assert answer["Content-Disposition"] == f'attachment; filename="own-1-{name.replace("/", "-")}"'
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer["Content-Type"] in access.CONTENT_TYPES.values()
        assert int(answer["Content-Length"]) == len(data)
    taken = Event.objects.filter(verb="release_downloaded", actor=lead).order_by("pk")
    assert [event.data["file"] for event in taken] == sorted(files(release))


@pytest.mark.parametrize(
    "name",
    [
        "other.jsonl",
        "..",
        "%2e%2e%2fmufakat.sqlite3",
        "..%2f..%2fsecret_key",
        "test.jsonl%00",
        "TEST.JSONL",
        ".",
    ],
)
def test_names_that_no_manifest_lists(made: Staged, name: str, data_dir: Any) -> None:
    build(freeze(made))
    (data_dir / "secret_key").write_text("secret")
    answer = client(made.at.lead.user).get(f"/p/own/releases/1/files/{name}")
    assert answer.status_code in (404, 301)
    assert not Event.objects.filter(verb="release_downloaded").exists()


def test_a_file_that_is_gone_from_the_disk(made: Staged) -> None:
    release = build(freeze(made))
    storage().delete(access.files(release)[0].stored)
    browser = client(made.at.lead.user)
    assert browser.get(url("release", 1)).status_code == 200
    assert browser.get(url("release_file", 1, "README.md")).status_code == 404


def test_another_projects_release_is_not_there(made: Staged) -> None:
    build(freeze(made))
    other = factory.project("own-2")
    lead = factory.member(other, "lead")
    for page in (url("release", 1), url("release_file", 1, "test.jsonl")):
        assert client(lead.user).get(page).status_code == 404
        assert client(lead.user).get(page.replace("own", "own-2")).status_code == 404
    assert client(made.at.lead.user).get(url("release", 99)).status_code == 404


# --- cost --------------------------------------------------------------------------------------


def many(of: Staged, count: int) -> None:
    """`count` more pairs, written straight into the tables."""
    model = Item.objects.get(pk=of.items["3-e1"].pk)
    premise = Premise.objects.get(pk=model.family)
    items = []
    for n in range(count):
        values = {f.attname: getattr(model, f.attname) for f in Item._meta.concrete_fields if f.name != "id"}
        items.append(Item(**{**values, "key": f"x{n}", "shuffle": n, "stage": "written", "sampled": False}))
    items = Item.objects.bulk_create(items)
    Hypothesis.objects.bulk_create(
        Hypothesis(item=item, project=of.project, premise=premise, text="Ada.") for item in items
    )
    Revision.objects.bulk_create(
        Revision(
            project=of.project,
            item=item,
            n=1,
            version=1,
            epoch=1,
            event="submit",
            meaning="first",
            fields_n=1,
            sentences_n=1,
            content={"premise": premise.text, "hypothesis": "Ada."},
        )
        for item in items
    )


def test_statements_do_not_grow_with_the_project(made: Staged, admin: User) -> None:
    browser = client(admin)
    build(freeze(made))
    pages = [url("releases"), url("release_new"), url("release", 1), url("release_file", 1, "votes.jsonl")]

    def statements() -> list[int]:
        counts = []
        for page in pages:
            with CaptureQueriesContext(connection) as taken:
                assert status(browser, page) == 200
            counts.append(len(taken))
        return counts

    few = statements()
    many(made, 1000)
    build(freeze(made))
    assert statements() == few
    assert max(few) <= 13


@pytest.mark.parametrize(
    ("ticks", "expected"),
    [
        ({"forms": "none"}, ["manifest.json", "README.md"]),
        ({"forms": ["none", "csv"]}, ["csv/votes.csv", "csv/votes.spreadsheet.csv", "csv/train.csv"]),
    ],
    ids=["none", "csv"],
)
def test_forms_are_ticked(made: Staged, admin: User, ticks: dict[str, str | list[str]], expected: list[str]) -> None:
    """The preview's own form carries the rule that the ticks made; no tick at all is JSON Lines only."""
    browser = client(admin)
    sent = {"preset": "indonli-lay", "chosen": "1", **ticks}
    page = browser.get(url("release_new"), sent).content.decode()
    rule = "csv" if "csv" in ticks["forms"] else "none"
    assert f'<input type="hidden" name="forms" value="{rule}">' in page
    assert bool(re.search(r'name="forms" value="csv" id="id_forms_\d" checked', page)) is (rule == "csv")
    browser.post(url("release_new"), {"preset": "indonli-lay", "chosen": "1", "forms": rule, **CONFIRMED})
    release = build(Release.objects.get())
    there = [*files(release)]
    assert set(expected) <= set(there)
    assert any(name.startswith("csv/") for name in there) is (rule == "csv")
    assert not any(name.endswith(".parquet") for name in there)
