"""`make bench`: the harness of ../shared/bench over Mufakat and its floor, on a PostgreSQL of its own.

What follows goes to the harness (`make bench ARGS="--rounds 1 --seconds 10"`); the measures go to var/bench/ and
their report to the standard output. BENCH_HARNESS names another folder with harness.py.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests import binaries, services

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"


def main(arguments: list[str]) -> int:
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
        return measure(harness, cluster, scratch, out, arguments)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        cluster.remove()


def measure(harness: Path, cluster: services.Postgres, scratch: Path, out: Path, arguments: list[str]) -> int:
    """One run of the harness, then its report."""
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
    command = [sys.executable, str(harness), "run", *(str(part) for pair in options.items() for part in pair)]
    command += ["--venv", f"floor={VENV}", "--venv", f"mufakat={VENV}", *arguments]
    redis = {"MUFAKAT_REDIS_SERVER": str(binaries.redis_server())}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **redis}, check=False).returncode
    if out.exists():
        subprocess.run([sys.executable, str(harness), "report", str(out)], check=False)
        print(f"measures: {out}")
    return done


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
