"""Releases whose test tells no answers: what is open, what is for administrators, and that taking it is noted."""

from collections import Counter
from hashlib import sha256
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.files import storage
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases import queries as access
from exports.releases.models import Release
from tests import factory
from tests.exports.world import Staged, build, files, freeze, manifest, released_pair_id, rows, staged
from tests.shared_worlds import SharedWorlds

ASKED = (
    *("premise_id", "premise", "hypothesis", "sentence_size", "genre", "source", "topics", "document"),
    *("split", "language", "register", "origin"),
)
pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="own", seed="a-seed-that-nobody-guesses")


@pytest.fixture
def release(made: Staged) -> Release:
    return build(freeze(made, hidden_test="yes", dev_percent="0", forms=""))


def test_what_is_asked_stands_open_and_no_answer_anywhere(made: Staged, release: Release) -> None:
    asked, whole = rows(release, "test"), rows(release, "hidden/test")
    assert [list(row) for row in asked] == [["pair_id", *ASKED]] * 2
    assert [row["pair_id"] for row in asked] == sorted(row["pair_id"] for row in asked)
    texts = {row["hypothesis"]: row for row in whole}
    assert all(texts[row["hypothesis"]][name] == row[name] for row in asked for name in ASKED)
    keys, seed = {row["pair_id"] for row in whole}, made.project.seed
    for name, data in files(release).items():
        if not name.startswith("hidden/"):
            assert not [said for said in (*keys, seed) if said.encode() in data], name
    told = manifest(release)["counts"]["splits"]["test"]
    assert (told["rows"], told["labels"]) == (2, {})
    assert release.counts["splits"]["test"]["labels"]


def test_votes_in_open_splits_stay_open(release: Release) -> None:
    open_votes, hidden_votes = rows(release, "votes"), rows(release, "hidden/votes")
    assert release.counts["votes"]["given"] == len(open_votes) + len(hidden_votes)
    assert {row["split"] for row in hidden_votes} == {"test", None}
    assert {row["split"] for row in open_votes} == {"train"}
    train = {row["pair_id"] for row in rows(release, "train")}
    assert {row["pair_id"] for row in open_votes} <= train
    asked = {row["pair_id"] for row in rows(release, "hidden/test")}
    assert {row["pair_id"] for row in hidden_votes if row["split"]} == asked


def test_no_open_file_names_a_slot_not_even_of_what_is_left_out(made: Staged, release: Release) -> None:
    """`p1-e1` in test and `p1-n1` to `p1-c2` elsewhere would tell the label of the first, strict or not."""
    strict = build(freeze(made, hidden_test="yes", dev_percent="0", strict="yes"))
    for each in (release, strict):
        told = untold(each)
        assert not [
            item for item in made.at.items if item.key.encode() in told or released_pair_id(item).encode() in told
        ]
        left_out = rows(each, "hidden/left_out")
        assert Counter(row["left_out"] for row in left_out) == manifest(each)["counts"]["left_out"]
        assert manifest(each)["left_out"] == {}
        ids = {row["open_id"]: row["pair_id"] for row in rows(each, "hidden/ids")}
        assert {*ids.values()} | {row["pair_id"] for row in left_out} == {
            released_pair_id(item) for item in made.at.items
        }
        assert {ids[row["pair_id"]] for name in ("train", "test") for row in rows(each, name)} == {*ids.values()}
    assert "premise_in_dev_or_test" in manifest(strict)["counts"]["left_out"]


def test_the_order_of_open_rows_and_votes_tells_nothing(release: Release) -> None:
    for name in ("train", "votes"):
        ids = [row["pair_id"] for row in rows(release, name)]
        assert ids == sorted(ids)
        assert len(set(ids)) >= 2
    drawn = [row["pair_id"] for row in rows(release, "hidden/ids")]
    whole = [row["pair_id"] for row in rows(release, "hidden/test")]
    assert [key for key in drawn if key in whole] == whole


def test_what_changed_is_counted_openly_and_named_for_few(made: Staged) -> None:
    for dev in ("0", "100"):
        release = build(freeze(made, hidden_test="yes", dev_percent=dev))
    told, whole = files(release)["CHANGES.md"].decode(), files(release)["hidden/CHANGES.md"].decode()
    moved = [row["pair_id"] for row in rows(release, "hidden/ids") if f"- `{row['pair_id']}`" in whole]
    assert "| In another split | 2 |" in told
    assert len(moved) == 2
    assert not [key for key in moved if key in told]


def test_the_same_state_gives_the_same_bytes(made: Staged, release: Release) -> None:
    assert files(build(freeze(made, hidden_test="yes", dev_percent="0", forms=""))) == files(release)


def untold(release: Release) -> bytes:
    """Every file that is open to everybody."""
    return b"".join(data for name, data in files(release).items() if not name.startswith("hidden/"))


@pytest.mark.parametrize("seeds", [("", ""), ("", "another-seed-nobody-guesses"), ("the-first-ones-seed", "")])
def test_what_changed_tells_neither_seed(made: Staged, seeds: tuple[str, str]) -> None:
    both = [
        build(freeze(made, hidden_test="yes", dev_percent=dev, seed=seed))
        for dev, seed in zip(("0", "100"), seeds, strict=True)
    ]
    assert b"`dev_percent`" in files(both[1])["CHANGES.md"]
    for release in both:
        assert not [seed for seed in (made.project.seed, *filter(None, seeds)) if seed.encode() in untold(release)]


def test_ids_rest_on_a_secret_of_the_project_that_nothing_holds(made: Staged, release: Release) -> None:
    secret = Project.objects.get(pk=made.project.pk).secret
    assert len(secret) == 64
    again = build(freeze(made, hidden_test="yes", dev_percent="0", seed="another"))
    assert Project.objects.get(pk=made.project.pk).secret == secret
    for each in (release, again):
        asked = {row["pair_id"] for row in rows(each, "test")}
        for seed in (made.project.seed, "another"):
            drawn = {sha256(f"{seed}:hidden:{item.key}".encode()).hexdigest()[:20] for item in made.at.items}
            assert not drawn & asked
        assert not [name for name, data in files(each).items() if secret.encode() in data]
    for model in (Release, Event, Job):
        assert not [row for row in model.objects.values() if secret in str(row)]
    Project.objects.update(secret="3c" * 32)
    other = build(freeze(made, hidden_test="yes", dev_percent="0"))
    assert not {row["pair_id"] for row in rows(other, "test")} & {row["pair_id"] for row in rows(release, "test")}


def test_every_project_has_a_secret_that_stays(made: Staged) -> None:
    secret = Project.objects.get(pk=made.project.pk).secret
    build(freeze(made))
    assert len(secret) == 64
    assert Project.objects.get(pk=made.project.pk).secret == secret


def test_without_a_secret_nothing_is_built(made: Staged) -> None:
    release = freeze(made, hidden_test="yes")
    Project.objects.update(secret="")
    assert release.job is not None
    job = jobs.run_here(release.job)
    assert (job.state, "before ids had a secret" in job.error) == (Job.State.FAILED, True)
    release.refresh_from_db()
    assert (release.state, release.path) == (Release.State.FAILED, "")


def test_the_admin_does_not_show_it(made: Staged) -> None:
    Project.objects.update(secret="4d" * 32)
    browser = client(factory.user(administrator=True))
    page = browser.get(reverse("admin:annotation_project_change", args=[made.project.pk]))
    assert page.status_code == 200
    assert "4d4d" not in page.content.decode()


def client(person: Any) -> Client:
    browser = Client()
    browser.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return browser


def take(browser: Client, name: str) -> int:
    answer: Any = browser.get(reverse("release_file", args=["own", 1, name]))
    if answer.streaming:
        list(answer.streaming_content)
    return int(answer.status_code)


def test_answers_are_for_administrators_and_their_taking_is_noted(made: Staged, release: Release) -> None:
    lead, administrator = client(made.at.lead.user), client(factory.user(administrator=True))
    page = reverse("release", args=["own", 1])
    offered = reverse("release_file", args=["own", 1, "hidden/test.jsonl"])
    assert offered not in lead.get(page).content.decode()
    assert offered in administrator.get(page).content.decode()
    assert [take(lead, name) for name in ("test.jsonl", "hidden/test.jsonl")] == [200, 404]
    assert take(administrator, "hidden/test.jsonl") == 200
    noted = Event.objects.filter(verb="release_downloaded").values_list("data__file", flat=True)
    assert sorted(noted) == ["hidden/test.jsonl", "test.jsonl"]
    assert all(storage().exists(file.stored) for file in access.files(release))
