"""Several of every process, and chance: kills and outages of all parts while people vote (make test-faults).

CHAOS_VOTES says how many acknowledged votes it takes, CHAOS_SEED repeats the order of what happened.
"""

import os
import random
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.faults import several, site
from tests.wait import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(7200)]
VOTES = int(os.environ.get("CHAOS_VOTES", "100000"))
SEED = os.environ.get("CHAOS_SEED") or secrets.token_hex(4)
PEOPLE, EACH, TOGETHER = 12, 2, 6
PROTOCOL, MOST_VOTES = "incremental-3-5", 4
SHARED = {
    "web 1 killed",
    "web 2 killed",
    "background 1 killed",
    "background 2 killed",
    "redis killed",
    "pooler killed",
}


@pytest.fixture
def chance() -> random.Random:
    return random.Random(SEED)


@pytest.fixture
def at(tmp_path: Path, chance: random.Random) -> Iterator[several.ReplicatedSite]:
    made = several.ReplicatedSite(tmp_path, chance)
    yield made
    made.close()


def rows_of(at: several.ReplicatedSite) -> site.RunQuery:
    def rows(statement: str) -> Sequence[Sequence[Any]]:
        with psycopg.connect(at.postgres.url()) as connection:
            return connection.execute(statement).fetchall()

    return rows


def planned(at: several.ReplicatedSite, chance: random.Random) -> list[tuple[str, ...]]:
    """Each fault twice, some pairs of faults at once, in an order of chance."""
    alone: list[tuple[str, ...]] = [(kind,) for kind in at.faults()]
    plan = alone * EACH + [tuple(chance.sample(sorted(SHARED), 2)) for _ in range(TOGETHER)]
    chance.shuffle(plan)
    return plan


def suffer(at: several.ReplicatedSite, kinds: Sequence[str]) -> Iterator[None]:
    """Begin the faults, yield, and end them when they have lasted as long as chance says."""
    faults = [at.faults()[kind]() for kind in kinds]
    until = time.monotonic() + max([next(fault) for fault in faults])
    yield
    wait_until(lambda: time.monotonic() > until, 60, "the fault to have lasted long enough")
    for fault in faults:
        with suppress(StopIteration):
            next(fault)


def people_go_on(at: several.ReplicatedSite, crowd: site.Crowd, slug: str) -> None:
    """Without Redis: who is signed in votes, somebody else signs in."""
    crowd.more(20, 60)
    for port in at.ports():
        assert several.sign_in(port, f"{slug}-0@example.org") == 302


def test_every_part_fails_by_chance(at: several.ReplicatedSite, chance: random.Random, tmp_path: Path) -> None:
    """F02, F06, F08, F11, F12, F14, F27 and an object store that goes, on two of every process behind a pooler."""
    print(f"\nCHAOS_VOTES={VOTES} CHAOS_SEED={SEED}", file=sys.__stdout__, flush=True)
    world = site.seed(at.env, people=PEOPLE, pairs=VOTES * 2 // 5 + 500, protocol=PROTOCOL)
    at.start()
    plan, pace, rows, slug = planned(at, chance), several.VotePace(), rows_of(at), world["slug"]
    voters = [
        several.SwitchingVoter(at.ports()[n % 2], slug, session, ports=at.ports(), pace=pace)
        for n, session in enumerate(world["sessions"])
    ]
    connections, began = 0, time.monotonic()
    importer = several.Importer(at.ports(), slug, world["token"])
    with site.Crowd(voters) as crowd, importer:
        for n, kinds in enumerate(plan, start=1):
            goal = VOTES * n // (len(plan) + 1)
            at.wait_until(lambda goal=goal: crowd.acked >= goal, 1200, f"{goal} votes")  # type: ignore[misc]
            connections = max(
                connections, rows("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = 'mufakat'")[0][0]
            )
            pace.during = " and ".join(kinds)
            print(
                f"{time.monotonic() - began:.0f} s, {crowd.acked} votes: {pace.during}",
                file=sys.__stdout__,
                flush=True,
            )
            for _ in suffer(at, kinds):
                if kinds == ("redis killed",):
                    people_go_on(at, crowd, slug)
            crowd.more(20, 120)
        at.wait_until(lambda: crowd.acked >= VOTES, 1200, f"{VOTES} votes")
        seconds = time.monotonic() - began
    at.wait_until(lambda: rows(UNFINISHED)[0][0] == 0, 600, "all jobs and decisions to be done")
    stored = site.check_ledger(rows, crowd.tokens())
    print_figures(at, crowd, importer, plan, pace, seconds, stored, connections)
    imports_are_whole(rows, importer)
    assert max(n for (n,) in rows(VOTES_OF_ITEMS)) <= MOST_VOTES
    assert set(crowd.statuses()) <= {200, 409, 503}
    site.manage(at.env, "check_integrity")
    releases_are_equal(at, slug, tmp_path)


VOTES_OF_ITEMS = "SELECT DISTINCT COUNT(*) FROM validation_vote WHERE withdrawn_at IS NULL GROUP BY item_id"
UNFINISHED = """SELECT (SELECT COUNT(*) FROM annotation_item WHERE due_at IS NOT NULL)
  + (SELECT COUNT(*) FROM annotation_job WHERE state IN ('queued', 'running'))"""
IMPORTED = """SELECT i.id, j.state, i.accepted, i.refused FROM annotation_import i
  JOIN annotation_job j ON j.id = i.job_id WHERE i.name LIKE 'pairs-%'"""


def imports_are_whole(rows: site.RunQuery, importer: several.Importer) -> None:
    """I6, I9: every import that was begun ended, each row is there once."""
    assert set(importer.statuses) <= {200, 201, 202, 503}
    ended = {number: (state, accepted, refused) for number, state, accepted, refused in rows(IMPORTED)}
    assert set(importer.started) <= set(ended)
    assert set(ended.values()) == {("done", importer.ROWS, 0)}
    there = rows("SELECT COUNT(*) FROM annotation_item WHERE key LIKE 'imported-%'")[0][0]
    assert there == len(ended) * importer.ROWS


def releases_are_equal(at: several.ReplicatedSite, slug: str, folder: Path) -> None:
    """The same state released twice gives the same bytes, and each release is what it says."""
    made = [folder / "release-1", folder / "release-2"]
    for out in made:
        site.manage(at.env, "build_release", slug, "--out", str(out), "--no-licence", "--allow-shared")
        site.manage(at.env, "verify_release", str(out))
    first, second = ({path.name: path.read_bytes() for path in out.rglob("*.jsonl")} for out in made)
    assert first
    assert first == second


def print_figures(
    at: several.ReplicatedSite,
    crowd: site.Crowd,
    importer: several.Importer,
    plan: Sequence[Sequence[str]],
    pace: several.VotePace,
    seconds: float,
    stored: int,
    connections: int,
) -> None:
    figures: dict[str, Any] = {
        "acknowledged votes": crowd.acked,
        "stored": stored,
        "lost": 0,
        "counted twice": 0,
        "seconds": round(seconds),
        "votes a second": round(crowd.acked / seconds, 1),
        "faults": sum(len(kinds) for kinds in plan),
        "by kind": dict(sorted(Counter(kind for kinds in plan for kind in kinds).items())),
        "answers to votes": dict(crowd.statuses()),
        "voters' broken connections": sum(voter.broken for voter in crowd.voters),
        "answers to imports": dict(importer.statuses),
        "imports": len(importer.started),
        "importer's broken connections": importer.broken,
        "background processes that ended by themselves": at.ended,
        "longest without a vote": f"{max(pace.longest.values()):.1f} s",
        "longest by fault": {kind: round(gap, 1) for kind, gap in sorted(pace.longest.items())},
        "most connections to PostgreSQL": connections,
    }
    for name, value in figures.items():
        print(f"  {name}: {value}", file=sys.__stdout__, flush=True)
