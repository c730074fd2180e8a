"""`python -m bench.release --items 1000000`: how long a release takes, and how much memory its process.

Fills a PostgreSQL of its own (or the empty database of `--database`) with made-up pairs, four votes on each, all
decided; then has `build_release` freeze and write them, as JSON Lines only. `--filled` takes the database as an
earlier run left it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

from tests import binaries, services

ROOT = Path(__file__).resolve().parent.parent
SLUG, PEOPLE, PAIRS_PER_PREMISE = "bench", 24, 6
# Author label, votes, and what they make: gold or nothing, in the third round.
MAKE = f"""
from annotation.projects.actions.projects import project_create
from annotation.models import Annotator
from validation.consensus.protocol import Protocol
rules = Protocol(name="bench", rounds=(2, 1, 1), quorum=3)
project = project_create(slug="{SLUG}", name="Bench", preset="indonli-lay", language="id", seed="bench",
                                 protocol=rules)
for n in range({PEOPLE}):
    Annotator.objects.create(project=project, pseudonym=f"V{{n:02}}", is_validator=True)
"""
PREMISES = """INSERT INTO annotation_premise
  (project_id, target_id, key, text, text_hash, sentence_class, document, extra, revision, skips)
SELECT p.id, l.id, 'p' || n, 'Kalimat nomor ' || n || ' bercerita tentang pasar yang ramai sejak pagi buta.',
  encode(sha256(('premise ' || n)::bytea), 'hex'), 'single', 'd' || n / 5,
  '{"genre": "berita", "licence": "CC-BY-4.0"}', 1, 0
FROM generate_series(1, %(premises)s) n, annotation_project p JOIN annotation_target l ON l.project_id = p.id"""
ITEMS = """INSERT INTO annotation_item (project_id, target_id, slot, key, origin, protocol_id, family,
  author_label, sampled, version, stage, epoch, round, slots_free, pending, votes_n, revision_n, priority, shuffle,
  gold, gold_from, words, doubt, returns, author_id)
SELECT s.project_id, s.target_id, 'e1', s.key || '-' || t, 'imported', v.id, s.id, (ARRAY['e','n','c'])[1 + t / 2],
true, 5, CASE WHEN s.id %% 5 = 0 THEN 'no_consensus' ELSE 'settled' END, 1, 3, 0, 0, 4, 1, 0, ('x' ||
substr(encode(sha256((s.key || '-' || t)::bytea), 'hex'), 1, 15))::bit(60)::bigint, CASE WHEN s.id %% 5 = 0 THEN ''
ELSE (ARRAY['e','n','c'])[1 + t / 2] END, CASE WHEN s.id %% 5 = 0 THEN '' ELSE 'votes' END, 20, 0, 0, a.id FROM
annotation_premise s JOIN annotation_protocolversion v ON v.project_id = s.project_id
  JOIN annotation_annotator a ON a.project_id = s.project_id AND a.pseudonym = 'V00', generate_series(0, 5) t"""
TEXTS = """INSERT INTO annotation_hypothesis (item_id, project_id, premise_id, text, tags)
SELECT i.id, i.project_id, i.family, 'Dugaan tentang ' || i.key || ' di pasar yang ramai.', '[]'
FROM annotation_item i"""
REVISIONS = """INSERT INTO annotation_revision (project_id, item_id, n, version, epoch, event, meaning, content,
  author_label, by_id, why, fields_n, sentences_n)
SELECT i.project_id, i.id, 1, 1, 1, 'submit', 'first', jsonb_build_object('premise', p.text, 'hypothesis', h.text),
  i.author_label, i.author_id, '', 1, 1
FROM annotation_item i JOIN annotation_hypothesis h ON h.item_id = i.id
  JOIN annotation_premise p ON p.id = h.premise_id"""
# With the author's label: x|yxzx is gold in round 3, x|yyxz is nothing.
VOTES = """INSERT INTO validation_vote (project_id, item_id, annotator_id, n, epoch, round, revision_n, label, answers,
  unsure, ambiguous, comment, seconds, imported, surplus, withdrawn_why, withdrawn_reason)
SELECT i.project_id, i.id, (SELECT min(id) FROM annotation_annotator) + 1 + (i.id * 7 + n * 5) %% 23, n, 1,
  (ARRAY[1, 1, 2, 3])[n], 1,
  (ARRAY['e','n','c'])[1 + (strpos('enc', i.author_label) - 1 + w.turn) %% 3], '{}', (i.id + n) %% 17 = 0, false, '',
  4 + (i.id %% 90) / 10.0, true, false, '', ''
FROM annotation_item i, LATERAL (SELECT n, (CASE WHEN i.stage = 'settled' THEN ARRAY[1, 0, 2, 0] ELSE
  ARRAY[1, 1, 0, 2] END)[n] AS turn FROM generate_series(1, 4) n) w"""


def fill(url: str, items: int) -> None:
    """Make the project and its rows; the planner is told, as autovacuum would tell it."""
    import psycopg

    manage(url, "migrate", "-v", "0")
    manage(url, "shell", "-v", "0", "-c", MAKE)
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (PREMISES, ITEMS, TEXTS, REVISIONS, VOTES):
            connection.execute(statement.encode(), {"premises": items // PAIRS_PER_PREMISE})
        connection.execute("VACUUM ANALYZE")


def manage(url: str, *command: str, data: Path | None = None) -> tuple[str, int]:
    """Run a command; what it said, and the most memory that it and its children held, in KiB."""
    env = {**os.environ, "DATABASE_URL": url, "REDIS_URL": "", "DATA_DIR": str(data or ROOT / "var")}
    env |= {"DJANGO_SETTINGS_MODULE": "config.settings.embedded", "SECRET_KEY": "a-key-for-the-bench-only"}
    env["LOG_LEVEL"] = "WARNING"
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen([sys.executable, "manage.py", *command], cwd=ROOT, env=env, stdout=said)
        peak = 0
        while child.poll() is None:
            peak = max(peak, memory_of(child.pid))
            time.sleep(0.05)
        if child.returncode:
            raise SystemExit(f"{command[0]} ended with {child.returncode}")
        said.seek(0)
        return said.read(), peak


def memory_of(pid: int) -> int:
    """What a process and those that it started hold together, in KiB; what they share is counted once."""
    total = 0
    for each in [pid, *children(pid)]:
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(each) for each in (task / "children").read_text().split()]
    except OSError:
        return found
    return found + [below for each in found for below in children(each)]


def release(url: str, folder: Path) -> dict[str, object]:
    """Freeze and build; the figures."""
    out, data = folder / "release", folder / "data"
    began = time.monotonic()
    said, peak = manage(
        url,
        "build_release",
        SLUG,
        "--out",
        str(out),
        "--set",
        "forms=none",
        "--no-licence",
        "--json",
        data=data,
    )
    took = time.monotonic() - began
    counts = json.loads(said)["counts"]
    rows = counts["items"] + counts["votes"]["given"]
    whole = sha256("".join(file["sha256"] for file in json.loads(said)["files"].values()).encode())
    told = {"items": counts["items"], "votes": counts["votes"]["given"], "seconds": round(took, 1)}
    return {
        **told,
        "rows_per_second": round(rows / took),
        "mib": round(peak / 1024),
        "sha256": whole.hexdigest(),
    }


def main() -> None:
    """Fill, release, print one line of figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--database", help="postgres://… of an empty database; without it one of its own is started")
    parser.add_argument("--filled", action="store_true", help="the database is as an earlier run left it")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mufakat-release-")))
        url = given.database
        if url is None:
            server = services.Postgres(binaries.postgres_bindir(), fsync=True).start()
            stack.callback(server.remove)
            url = server.url()
        if not given.filled:
            fill(url, given.items)
        print(json.dumps(release(url, folder)))


if __name__ == "__main__":
    main()
