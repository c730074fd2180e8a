"""`make bench`: the harness of ../shared/bench over Mufakat and its floor, on a PostgreSQL of its own.

What follows goes to the harness (`make bench ARGS="--rounds 1 --seconds 10"`); the measures go to var/bench/ and
their report to the standard output. BENCH_HARNESS names another folder with harness.py. With `smoke` first it is one
short round, of which counts and ratios are printed: they say what broke, not how fast anything is. With `api` first it
measures the REST API instead, without the harness (bench/api.py).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests import binaries, services

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
# One round of some seconds; the last two are numbers of items.
SHORT_OPTIONS = {
    "--rounds": 1,
    "--seconds": 3,
    "--limit-seconds": 1,
    "--clients": 8,
    "--items": 1000,
    "--big": 2000,
}
# What is divided by the floor's: the measure, its figure, the loop that it is of.
COMPARED_MEASURES: Sequence[tuple[str, str, str, dict[str, Any]]] = (
    ("votes/s, 8 annotators", "loop", "votes_per_s", {"overlap": 1}),
    ("votes/s, everybody labels everything", "loop", "votes_per_s", {"overlap": "all"}),
    ("items/s imported", "import", "items_per_s", {"n": 1000, "labelled": False}),
    ("votes/s exported", "export", "items_per_s", {}),
    ("memory after the loops", "memory_after_loop", "pss_mib", {}),
    ("cold start", "cold_start", "seconds", {}),
    ("setting up an empty database", "prepare_database", "seconds", {}),
)


def main(arguments: list[str]) -> int:
    """Measure; as a shell counts it, 0 where all went well."""
    if arguments[:1] == ["api"]:
        from bench import api

        return api.main(arguments[1:])
    short = arguments[:1] == ["smoke"]
    if short:
        arguments = [*_as_arguments(SHORT_OPTIONS), *arguments[1:]]
    folder = Path(os.environ.get("BENCH_HARNESS") or ROOT.parent / "shared" / "bench")
    harness = folder / "harness.py"
    if not harness.is_file():
        print(
            f"No harness at {harness}: set BENCH_HARNESS to the folder that holds harness.py.",
            file=sys.stderr,
        )
        return 2
    out = ROOT / "var" / "bench" / time.strftime("%Y-%m-%d-%H%M%S.jsonl")
    out.parent.mkdir(parents=True, exist_ok=True)
    # As a server runs it: every commit reaches the disk.
    cluster = services.start_postgres(fsync=True)
    scratch = Path(tempfile.mkdtemp(prefix="mufakat-bench-"))
    try:
        done = measure(harness, cluster, scratch, out, arguments)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        cluster.remove()
    rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    if short:
        print("\n".join(ratios(rows)))
    elif rows:
        subprocess.run([sys.executable, str(harness), "report", str(out)], check=False)
    print(f"measures: {out}")
    wrong = list(faults(rows))
    print(*wrong, sep="\n", file=sys.stderr)
    return done or bool(wrong)


def ratios(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Each measure of Mufakat divided by the floor's of the same run, a line each."""
    for words, measure, figure, which in COMPARED_MEASURES:
        found = {row["peer"]: row[figure] for row in rows if row["measure"] == measure and which.items() <= row.items()}
        if found.get("floor") and "mufakat" in found:
            yield f"{words}: {found['mufakat'] / found['floor']:.2f} of the floor"


def faults(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What must be zero whatever the machine: requests that failed, items beyond their quota, votes that are lost."""
    ours = [row for row in rows if row["peer"] == "mufakat"]
    if not any(row["measure"] == "memory_after_all" for row in ours):
        yield "the run did not come to its end"
    for row in ours:
        if row["measure"] == "FAILED":
            yield f"failed: {row['why']}"
        if row["measure"] != "loop":
            continue
        for problem, n in row["errors"].items():
            yield f"{row['clients']} annotators: {n} of {problem}"
        if row["overlap"] == 1:
            if row["double_assigned"]:
                yield f"{row['clients']} annotators: {row['double_assigned']} items given to several"
            if row["stored_votes"] != row["acknowledged"]:
                yield f"{row['acknowledged']} votes acknowledged, {row['stored_votes']} in the export"


def measure(harness: Path, cluster: services.Postgres, scratch: Path, out: Path, arguments: list[str]) -> int:
    """One run of the harness; how it ended."""
    assert cluster.process is not None
    # setpriv became the postmaster: its process id is the one that was started.
    options = {
        "--pg-bin": cluster.bindir,
        "--pg-port": cluster.port,
        "--pg-pid": cluster.process.pid,
        "--pg-user": "mufakat",
        "--data": scratch,
        "--peers": "floor,mufakat",
        "--adapter": f"mufakat={ROOT / 'bench' / 'adapter.py'}",
        "--out": out,
    }
    command = [sys.executable, str(harness), "run", *_as_arguments(options)]
    command += ["--venv", f"floor={VENV}", "--venv", f"mufakat={VENV}", *arguments]
    env = {
        **os.environ,
        "MUFAKAT_REDIS_SERVER": str(binaries.redis_server()),
        "PYTHONDONTWRITEBYTECODE": "",  # as on a server: what was compiled once is not compiled at every start
    }
    return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


def _as_arguments(options: Mapping[str, object]) -> list[str]:
    return [str(part) for pair in options.items() for part in pair]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
