"""Old and new code beside each other on one database, as in an upgrade without a stop (make test-faults)."""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import services
from tests.faults import site
from tests.faults.several import sign_in
from tests.faults.test_long_crashes import Rig
from tests.wait import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800)]
CODE = ("annotation", "validation", "exports", "config", "templates", "static", "locale", "manage.py")
PEOPLE = 6
# What the new version has: a column that may be empty, one that the database fills, an index made beside the votes.
IN_VOTE = (
    "    label = models.CharField(max_length=40)\n",
    "    heard = models.TextField(null=True)\n    weight = models.IntegerField(db_default=1)\n",
)
INDEX = """from django.db import migrations, models

from annotation.core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("validation", "0002_next")]
    operations = [AddIndexMeanwhile("vote", models.Index(fields=["weight"], name="vote_weight"))]
"""


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    made.env["LOGIN_RATE"] = "1000/m/ip"
    yield made
    made.close()


def next_version(rig: Rig, root: Path) -> Path:
    """This code with two columns and an index more, and the migrations for them."""
    for name in CODE:
        copy = shutil.copytree if (services.ROOT / name).is_dir() else shutil.copy
        copy(services.ROOT / name, root / name)
    votes = root / "validation" / "voting" / "models" / "vote.py"
    old, more = IN_VOTE
    text = votes.read_text()
    assert text.count(old) == 1
    votes.write_text(text.replace(old, old + more))
    site.manage(rig.env, "makemigrations", "validation", "--name", "next", "-v", "0", root=root)
    made = sorted(path.name for path in (root / "validation" / "migrations").glob("0*.py"))
    assert made == ["0001_initial.py", "0002_next.py"]
    (root / "validation" / "migrations" / "0003_index.py").write_text(INDEX)
    return root


class Version:
    """Web and background work of one version."""

    def __init__(self, rig: Rig, name: str, root: Path) -> None:
        self.rig, self.folder, self.root = rig, rig.folder / f"logs-{name}", root
        self.folder.mkdir()
        self.web = site.Web(rig.env, self.folder, workers=1, root=root).start()
        assert self.web.process is not None
        rig.processes.append(self.web.process)
        self.work()

    def work(self) -> None:
        command = [sys.executable, "-m", "config.background"]
        log = self.folder / "background.log"
        self.background = services.Process(command, log, env=self.rig.env, root=self.root)
        self.rig.processes.append(self.background)


def test_old_and_new_code_serve_beside_each_other(rig: Rig, tmp_path: Path) -> None:
    """F39: votes go on while the new code migrates; then both serve, sign people in and decide, each also alone."""
    world = site.seed(rig.env, people=PEOPLE, pairs=1500, protocol="incremental-3-5")
    root = tmp_path / "next"
    root.mkdir()
    next_version(rig, root)
    old = Version(rig, "old", services.ROOT)
    crowds: list[site.Crowd] = []

    def crowd(*versions: Version) -> site.Crowd:
        ports = [version.web.port for version in versions]
        crowds.append(
            site.Crowd(
                [
                    site.Voter(ports[n % len(ports)], world["slug"], session)
                    for n, session in enumerate(world["sessions"])
                ]
            )
        )
        return crowds[-1]

    with crowd(old) as at_old:
        at_old.more(200)
        new = Version(rig, "new", root)
        assert new.web.get("/accounts/login/") == 503, "it waits for its tables"
        before = at_old.acked
        site.manage(rig.env | {"LOCK_SECONDS": "5"}, "migrate", "-v", "0", root=root)
        at_old.more(200)
    meanwhile = at_old.acked - before
    with crowd(old, new) as at_both:
        at_both.more(400)
    for version in (old, new):
        wait_until(lambda version=version: version.web.get("/readyz") == 200, 60, "readiness")  # type: ignore[misc]
        assert sign_in(version.web.port, f"{world['slug']}-0@example.org") == 302
    for alone, other in ((old, new), (new, old)):
        other.background.stop()
        with crowd(old, new) as one_decides:
            one_decides.more(200)
        wait_until(rig.nothing_due, 120, "what is due to be decided by one version alone")
        assert alone.background.alive()
        other.work()
    tokens = [token for each in crowds for token in each.tokens()]
    stored = site.check_ledger(rig.rows, tokens)
    assert {status for each in crowds for status in each.statuses()} <= {200, 409}
    assert rig.count("SELECT COUNT(*) FROM validation_vote WHERE heard IS NULL AND weight = 1") == stored
    indexes = rig.rows("SELECT indexdef FROM pg_indexes WHERE indexname = 'vote_weight'")
    assert len(indexes) == 1
    for code in (services.ROOT, root):
        site.manage(rig.env, "check_integrity", root=code)
    embedded = site.environment(f"sqlite:///{tmp_path}/small.sqlite3", "", tmp_path / "small", "embedded")
    site.manage(embedded, "migrate", "-v", "0", root=root)
    logs = "".join(path.read_text() for path in tmp_path.glob("logs-*/*.log"))
    assert re.findall(r"request_failed|item_not_decided|Traceback", logs) == []
    print(
        f"\nF39: {stored} votes, {meanwhile} of them around the migration, lost 0",
        file=sys.__stdout__,
        flush=True,
    )
