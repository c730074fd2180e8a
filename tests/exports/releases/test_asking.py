"""What a release has to be asked before it is frozen: shared premises, a licence; and that it holds a row at all."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.core.models.project import Project
from annotation.datasheet.models import About
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.rules.settings import preset
from tests import factory
from tests.exports.world import Staged, build, files, folder, freeze, rows, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db
LOOSE = {"preset": "indonli-lay", "chosen": "1", "forms": "none"}
STRICT = {**LOOSE, "strict": "yes"}


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="asked")


def licensed(project: Project) -> None:
    About.objects.update_or_create(project=project, defaults={"licence": "CC-BY-4.0"})


def browser() -> Client:
    found = Client()
    found.force_login(factory.user(administrator=True), backend=settings.AUTHENTICATION_BACKENDS[0])
    return found


def frozen(sent: dict[str, str]) -> tuple[int, str]:
    answer = browser().post(reverse("release_new", args=["asked"]), sent)
    return answer.status_code, " ".join(answer.content.decode().split())


def test_the_preset_leaves_train_pairs_of_a_test_premise_out(made: Staged) -> None:
    """Ruling 23: by default no row of dev or test stands beside a train row of its premise."""
    assert preset("indonli-lay").strict
    release = build(freeze(made, strict="yes", dev_percent="0"))
    premises = {name: {row["premise"] for row in rows(release, name)} for name in ("train", "test")}
    assert not premises["train"] & premises["test"]
    assert release.counts["shared"]["rows"] == 0
    assert "No two splits share a premise" in files(release)["README.md"].decode() or not premises["train"]


def test_preview_page_and_card_say_what_is_shared(made: Staged) -> None:
    said = "2 of 2 rows of dev share their premise or concept with rows of train."
    page = browser().get(reverse("release_new", args=["asked"]), LOOSE).content.decode()
    assert said in page
    release = build(freeze(made, dev_percent="100"))
    premises = {row["premise"] for row in rows(release, "train")}
    counted = sum(row["premise"] in premises for row in rows(release, "dev"))
    assert release.counts["shared"] == {
        "rows": counted,
        "of": 2,
        "pairs": [{"splits": ["train", "dev"], "rows": counted, "of": 2}],
    }
    assert counted == 2
    assert "- 2 of 2 rows of dev have a premise that is in train too" in files(release)["README.md"].decode()
    shown = browser().get(reverse("release", args=["asked", release.n])).content.decode()
    assert said in shown


def test_a_release_that_shares_more_than_allowed_asks(made: Staged) -> None:
    licensed(made.project)
    code, page = frozen(LOOSE)
    assert (code, Release.objects.count()) == (422, 0)
    assert "the project allows 0 %" in page
    assert 'name="confirm-shared" value="yes" required' in page
    assert "Nothing was frozen" in page
    Project.objects.filter(pk=made.project.pk).update(settings={**made.project.settings, "shared_percent": 100})
    assert frozen(LOOSE)[0] == 302
    Project.objects.filter(pk=made.project.pk).update(settings=made.project.settings)
    assert frozen({**LOOSE, "confirm-shared": "yes"})[0] == 302
    assert frozen(STRICT)[0] == 302
    assert Release.objects.count() == 3


def test_a_release_without_a_licence_asks(made: Staged) -> None:
    code, page = frozen(STRICT)
    assert (code, Release.objects.count()) == (422, 0)
    assert "No licence is stated" in page
    assert 'name="confirm-licence" value="yes" required' in page
    assert "confirm-shared" not in page
    assert frozen({**STRICT, "confirm-licence": "yes"})[0] == 302
    licensed(made.project)
    assert frozen(STRICT)[0] == 302


def test_a_release_of_no_row_is_refused(made: Staged) -> None:
    licensed(made.project)
    made.project.items.update(stage="excluded")
    code, page = frozen({**STRICT, "confirm-licence": "yes", "confirm-shared": "yes"})
    assert (code, Release.objects.count()) == (422, 0)
    assert "no item is in the release" in page
    # Frozen all the same, by somebody who looked a moment before: the build refuses it.
    release = release_freeze(project=made.project, rules=preset("indonli-lay"), by=None)
    assert release.job is not None
    job = jobs.run_here(release.job)
    assert (job.state, "no item is in the release" in job.error) == (Job.State.FAILED, True)
    release.refresh_from_db()
    assert (release.state, release.path) == (Release.State.FAILED, "")
    assert not folder(release).joinpath(f"asked-{release.n}").exists()


def command(tmp_path: Path, *arguments: str) -> Any:
    call_command("build_release", "asked", "--out", str(tmp_path / "out"), *arguments, stdout=StringIO())


def test_the_command_asks_by_options(made: Staged, tmp_path: Path) -> None:
    loose = ("--set", "strict=no", "--set", "forms=none")
    with pytest.raises(CommandError) as raised:
        command(tmp_path, *loose)
    told = str(raised.value)
    assert raised.value.returncode == 2
    assert "asked: 2 of 2 rows" in told
    assert "--allow-shared" in told
    assert "--no-licence" in told
    with pytest.raises(CommandError, match="--no-licence"):
        command(tmp_path, *loose, "--allow-shared")
    with pytest.raises(CommandError, match="--allow-shared"):
        command(tmp_path, *loose, "--no-licence")
    assert not Release.objects.exists()
    command(tmp_path, *loose, "--no-licence", "--allow-shared")
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_the_command_builds_nothing_of_no_row(made: Staged, tmp_path: Path) -> None:
    made.project.items.update(stage="excluded")
    with pytest.raises(CommandError, match="no item is in the release") as raised:
        command(tmp_path, "--no-licence", "--allow-shared")
    assert raised.value.returncode == 1
    assert not (tmp_path / "out").exists()
    assert not Release.objects.exists()
