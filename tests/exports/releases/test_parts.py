"""Releases of several projects, each under its own rules, frozen at one moment; and what is said to have changed."""

import hashlib
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.rules.audit import verbs_of
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.public.queries import reveals_open_votes
from exports.releases import queries as access
from exports.releases.actions import PartIn, release_freeze
from exports.releases.integrity import check_releases
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests import factory, review
from tests.exports.world import (
    Staged,
    build,
    contents,
    files,
    folder,
    freeze,
    manifest,
    released_pair_id,
    rows,
    staged,
)
from tests.shared_worlds import SharedWorlds
from validation.voting.actions.steps import exclude

pytestmark = pytest.mark.django_db


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


def both(lay: Staged, expert: Staged, **changes: str) -> Release:
    given = {"forms": "none", **changes}
    other = PartIn(expert.project, preset("indonli-expert").changed(given), "expert")
    rules = preset("indonli-lay").changed({"strict": "no", **given})
    return release_freeze(project=lay.project, rules=rules, by=None, suffix="lay", others=[other])


def test_each_part_says_by_its_own_rules_what_the_open_files_hold(lay: Staged, expert: Staged) -> None:
    """The first hides answers, and with them votes on what is in no split; the files of the second are open."""
    other = PartIn(expert.project, preset("indonli-expert").changed({"forms": "none"}), "expert")
    rules = preset("indonli-lay").changed({"strict": "no", "forms": "none", "hidden_test": "yes"})
    release = build(release_freeze(project=lay.project, rules=rules, by=None, suffix="lay", others=[other]))
    left_out = release.parts.get().rows.exclude(left_out="").filter(votes_n__gt=0).values("item")
    Item.objects.filter(project__in=[lay.project, expert.project]).update(stage="settled")
    assert not reveals_open_votes(release)
    waiting = Item.objects.filter(pk__in=left_out)[:1].get()
    for stage in ("voting", "returned", "corrected"):
        Item.objects.filter(pk=waiting.pk).update(stage=stage)
        assert reveals_open_votes(release), stage


def test_each_project_has_its_files_rules_and_part(lay: Staged, expert: Staged) -> None:
    release = build(both(lay, expert))
    part = release.parts.get()
    named = {"README.md", "manifest.json"}
    about = {
        suffix: {f"picture_{suffix}.html", *(f"guidelines/{role}-1_{suffix}.md" for role in ("validation", "writing"))}
        for suffix in ("lay", "expert")
    }
    mine = {f"{name}_lay.jsonl" for name in ("train", "dev", "test", "votes")} | about["lay"]
    others = {f"{name}_expert.jsonl" for name in ("train", "test", "votes")} | about["expert"]
    assert set(files(release)) == named | mine | others
    assert (part.project, part.state, part.path, part.n) == (expert.project, "ready", release.path, 1)
    assert {file.name for file in access.files(part)} == others
    told = manifest(release)
    assert [(each["suffix"], each["rules"]["preset"]) for each in told["parts"]] == [
        ("lay", "indonli-lay"),
        ("expert", "indonli-expert"),
    ]
    assert told["counts"] == {name: release.counts[name] + part.counts[name] for name in ("items", "released")}
    in_test = part.rows.filter(split="test").select_related("item__project")
    assert {row["pair_id"] for row in rows(release, "test_expert")} == {released_pair_id(row.item) for row in in_test}
    assert list(check_releases(None, repair=False)) == []
    card = files(release)["README.md"].decode()
    assert "build_release lay-set=lay expert-set=expert" in card


def test_the_audit_log_tells_who_froze_it(lay: Staged, expert: Staged) -> None:
    boss = factory.user(administrator=True)
    other = PartIn(expert.project, preset("indonli-expert"), "expert")
    release_freeze(project=lay.project, rules=preset("indonli-lay"), by=boss, suffix="lay", others=[other], here=True)
    event = Event.objects.get(verb="release_frozen")
    assert (event.project_id, event.actor, event.data) == (
        lay.project.pk,
        boss,
        {"release": 1, "with": ["expert-set"]},
    )
    assert "release_frozen" in verbs_of("files")
    nothing = factory.project("bare")
    with pytest.raises(Conflict):
        release_freeze(project=nothing, rules=preset("indonli-lay"), by=boss)
    assert Event.objects.filter(verb="release_frozen").count() == 1


def test_what_one_project_has_is_as_it_is_alone(lay: Staged, expert: Staged) -> None:
    together, alone = build(both(lay, expert)), build(freeze(lay))
    for name in ("train", "dev", "test", "votes"):
        assert files(together)[f"{name}_lay.jsonl"] == files(alone)[f"{name}.jsonl"]


def test_all_are_of_one_moment(lay: Staged, expert: Staged) -> None:
    """Each statement sees the database as it is when it begins: a vote between two would be in one project only."""
    with CaptureQueriesContext(connection) as found:
        release = both(lay, expert)
    assert sum("INSERT INTO exports_releaserow" in query["sql"] for query in found) == 1
    for part, at in ((release, lay), (release.parts.get(), expert)):
        assert set(part.rows.values_list("item", flat=True)) == set(at.project.items.values_list("pk", flat=True))


def test_one_that_cannot_be_released_stops_all(lay: Staged) -> None:
    empty = factory.project("empty")
    with pytest.raises(Conflict) as refused:
        both(lay, Staged(review.World(empty, None, None, None, [], []), {}))  # type: ignore[arg-type]
    assert refused.value.field == "empty"
    assert not Release.objects.exists()


@pytest.mark.parametrize("suffix", ["lay", "", "Lay", "a/b", "x" * 41])
def test_names_of_files_are_told_apart(lay: Staged, expert: Staged, suffix: str) -> None:
    other = PartIn(expert.project, preset("indonli-expert"), suffix)
    with pytest.raises(Invalid):
        release_freeze(project=lay.project, rules=preset("indonli-lay"), by=None, suffix="lay", others=[other])


def test_a_part_that_fails_fails_the_release(lay: Staged, expert: Staged) -> None:
    Item.objects.filter(pk=expert.items["1-e1"].pk).update(gold="c")
    release = both(lay, expert)
    assert release.job is not None
    job = jobs.run_here(release.job)
    assert job.state == Job.State.FAILED
    assert "check_integrity expert-set" in job.error
    assert set(Release.objects.values_list("state", flat=True)) == {"failed"}


def test_the_command_takes_several_with_rules_for_each(lay: Staged, expert: Staged, tmp_path: Path) -> None:
    said = StringIO()
    call_command(
        "build_release",
        "lay-set=lay",
        "expert-set",
        "--out",
        str(tmp_path / "out"),
        "--rules",
        "lay-set:indonli-lay",
        "--set",
        "forms=none",
        "--set",
        "expert-set:seed=x",
        "--json",
        "--no-licence",
        "--allow-shared",
        stdout=said,
    )
    told = json.loads(said.getvalue())
    first, second = Release.objects.order_by("pk")
    assert [first.rules["preset"], second.rules["preset"]] == ["indonli-lay", "indonli-expert"]
    assert [first.rules["seed"], second.rules["seed"]] == ["s1", "x"]
    assert list(told["parts"]) == ["lay", "expert-set"]
    assert contents(tmp_path / "out") == files(first)


def test_the_command_refuses_what_would_have_one_name(lay: Staged, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="different words"):
        call_command(
            *("build_release", "lay-set=a", "lay-set=a", "--out", str(tmp_path / "out")),
            *("--no-licence", "--allow-shared"),
        )


# --- changes --------------------------------------------------------------------------------


def test_the_first_release_has_no_changes_and_a_second_the_same_bytes(lay: Staged, expert: Staged) -> None:
    first = files(build(both(lay, expert)))
    assert "CHANGES.md" not in first
    assert files(build(both(lay, expert))) == first


def test_changes_are_told_from_the_last_release_of_the_same_projects(lay: Staged, expert: Staged) -> None:
    first = build(both(lay, expert))
    build(freeze(lay))
    left = Item.objects.get(pk=lay.items["1-n2"].pk)
    exclude(lead=lay.at.lead, item_id=left.pk, version=left.version, words="No.")
    second = build(both(lay, expert, comments="yes"))
    text = files(second)["CHANGES.md"].decode()
    digest = hashlib.sha256((folder(first) / "manifest.json").read_bytes()).hexdigest()
    assert f"`{digest}`" in text
    assert f"### Rows removed\n\n- `{released_pair_id(left)}`" in text
    assert "| `comments` | `false` | `true` |" in text
    assert second.counts["since"]["removed"] == 1
    assert files(build(both(lay, expert, comments="yes"))) == files(second)
    assert files(build(both(lay, expert, comments="yes"))) == files(second)
