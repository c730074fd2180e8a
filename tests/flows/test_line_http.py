"""The whole line over HTTP: written, voted on in up to three rounds, decided in the background, released.

Once on PostgreSQL with Redis and a worker, once on an SQLite file with the built-in runner, by the same steps.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests import factory, services
from tests.flows import line
from tests.flows.visitor import Answer, Visitor
from tests.wait import wait_until
from validation.voting.models.review import Proposal
from validation.voting.models.vote import Vote

# The waits below end by themselves; and one may be the first to ask for both databases.
pytestmark = pytest.mark.timeout(600)
SLOT_OF = {text: slot for slot, text in factory.SET.items()}
WAIT = 120


def run(env: Mapping[str, str], *args: str) -> str:
    """A program of ours to its end; what it printed."""
    done = subprocess.run(
        [sys.executable, *args], cwd=services.ROOT, env=dict(env), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Walk:
    """Everybody's browsers on one site, and the votes that were cast so far."""

    def __init__(self, origin: str, env: Mapping[str, str]) -> None:
        self.env = env
        team = line.Team(**json.loads(run(env, "-m", "tests.flows.line").splitlines()[-1]))
        self.writers = [Visitor(origin).sign_in(email) for email in team.writers]
        self.validators = [Visitor(origin).sign_in(email) for email in team.validators]
        self.lead = Visitor(origin).sign_in(team.lead)
        self.said: Counter[tuple[str, str]] = Counter()

    def write(self) -> None:
        """Each writer submits every set of their share; the first sends a broken one before."""
        room = f"/p/{line.SLUG}/write/"
        for writer in self.writers:
            page = writer.get(room)
            for _ in range(line.SETS_EACH):
                address = page.one(r'action="([^"]+/submit/)"')
                assert set(page.all(r'name="text_(\w+)"')) == set(factory.SET)
                fields = {f"text_{slot}": text for slot, text in factory.SET.items()}
                refused = writer.post(address, {**fields, "text_c2": ""})
                assert refused.status == 422
                assert "Nothing written here yet." in refused.text
                assert factory.SET["e1"] in refused.all(r"<textarea[^>]*>\n([^<]*)</textarea>")
                versions = dict(zip(factory.SET, refused.all(r'name="version_\w+" value="(\d+)"'), strict=True))
                whole = {**fields, **{f"version_{slot}": n for slot, n in versions.items()}}
                page = writer.post(address, whole)
                assert page.status == 200
            assert "You have written everything you were given" in page.text

    def vote_all(self) -> bool:
        """Everybody votes on what they are offered; whether all votes of the plan are in."""
        for person, validator in enumerate(self.validators):
            page = validator.get(f"/p/{line.SLUG}/vote/")
            while page.token:
                page = self.vote(validator, page, htmx=person % 2 == 0)
        return self.said.total() == line.VOTES

    def vote(self, validator: Visitor, page: Answer, *, htmx: bool) -> Answer:
        premise, hypothesis = page.all(r'<p class="text text--big"[^>]*>([^<]*)</p>')[:2]
        pair = premise, hypothesis
        label = line.PLAN[SLOT_OF[hypothesis]][self.said[pair]]
        self.said[pair] += 1
        fields = {"label": label, "propose_premise": premise, "propose_hypothesis": hypothesis, "comment": ""}
        address = f"/p/{line.SLUG}/vote/{page.token}/"
        following = validator.post(address, fields, htmx=htmx)
        assert following.status == 200
        assert following.text.lstrip().startswith("<!DOCTYPE") is not htmx
        return following

    def release(self, out: Path) -> dict[str, Any]:
        printed = run(self.env, "manage.py", "build_release", line.SLUG, "--out", str(out), "--json", "--no-licence")
        found: dict[str, Any] = json.loads(printed[printed.index("{") :])
        return found


def walk(site: Walk, out: Path) -> None:
    """The flow, and what has to come out."""
    site.write()
    wait_until(site.vote_all, WAIT, "all rounds to be asked for and answered")
    settled = {"settled": str(len(line.GOLD) * 4), "no consensus": "4"}

    def funnel() -> bool:
        page = site.lead.get(f"/p/{line.SLUG}/")
        bars = page.all(r'<li>\s*<(?:span|a)[^>]*>([^<]*)</(?:span|a)>\s*<svg[^>]*class="bar"')
        counts = page.all(r'funnel__count">([^<]*)<')
        return dict(zip(map(str.strip, bars), counts, strict=True)) == settled

    wait_until(funnel, WAIT, "the last votes to be decided")
    for visitor in site.validators:
        assert visitor.get(f"/p/{line.SLUG}/vote/").token == ""
    manifest = site.release(out)
    assert manifest["counts"]["released"] == len(line.GOLD) * 4
    check_files(out)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(row) for row in path.read_text().splitlines()]


def check_files(out: Path) -> None:
    """Gold, round and labels of every row; no proposal came of texts that were sent unchanged."""
    test = rows(out / "test.jsonl")
    assert len(test) == len(line.GOLD) * 4
    for row in test:
        slot = SLOT_OF[row["hypothesis"]]
        assert (row["gold_label"], row["annotation_round"]) == line.GOLD[slot]
        names = {"e": "entailment", "n": "neutral", "c": "contradiction"}
        assert row["annotator_labels"] == [names[key] for key in slot[0] + line.PLAN[slot]]
    votes = rows(out / "votes.jsonl")
    released = sum(len(line.PLAN[slot]) for slot in line.GOLD) * 4
    assert released <= len(votes) <= line.VOTES


def test_on_postgresql_with_redis_and_a_worker(
    beat: services.Process, live_server: Any, process_env: dict[str, str], tmp_path: Path
) -> None:
    # The worker builds into the data folder of its own settings.
    built = Path(settings.MUFAKAT_DATA_DIR) / "releases" / f"{line.SLUG}-1"
    shutil.rmtree(built, ignore_errors=True)
    walk(Walk(live_server.url, process_env), tmp_path / "release")
    shutil.rmtree(built)
    assert Vote.objects.count() == line.VOTES
    assert not Proposal.objects.exists()


@pytest.fixture
def embedded(tmp_path: Path, migrated_sqlite: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The site as `make run` serves it, on an SQLite file of its own; its address and environment.

    The tables are there: by all migrations they take a minute and a half where the machine is busy, and that they are
    made is told by tests/annotation/jobs/test_serve.py.
    """
    shutil.copy(migrated_sqlite, tmp_path / "line.sqlite3")
    port = services.free_port()
    env = {name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "DATABASE_URL")}
    env |= {
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'line.sqlite3'}",
        "DATA_DIR": str(tmp_path),
        "SECRET_KEY": "only-for-this-test-0123456789abcdefghijklmnopqrstuvwxyz",
        "LOG_LEVEL": "WARNING",
    }
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    process = services.Process(command, tmp_path / "serve.log", env=env)
    process.wait_for(lambda: services.port_answers(port), 90)
    yield f"http://127.0.0.1:{port}", env
    process.stop()


def test_on_sqlite_with_the_built_in_runner(embedded: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    origin, env = embedded
    walk(Walk(origin, env), tmp_path / "release")
