"""Random sequences of what people, leads and jobs do leave items sound after every step, on both databases."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import services
from tests.shared_worlds import SharedWorlds
from tests.walk import make_worlds, walk

FEW, MANY = 10, 2000


def python_on_sqlite(folder: Path, migrated: Path, env: dict[str, str], *args: str) -> str:
    """What a Python process prints that works on a fresh SQLite database."""
    database = folder / "walk.sqlite3"
    shutil.copy(migrated, database)
    settings = {
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{database}",
        "DATA_DIR": str(folder / "data"),
        "SECRET_KEY": "only-for-this-file",
        "REDIS_URL": "",
    }
    done = subprocess.run(
        [sys.executable, *args],
        cwd=services.ROOT,
        env={**env, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-6000:]
    return done.stdout.splitlines()[-1]


def on_sqlite(folder: Path, migrated: Path, env: dict[str, str], first: int, count: int) -> dict[str, Any]:
    """The same walks in a process of their own."""
    args = ("-m", "tests.walk", str(first), str(count))
    told: dict[str, Any] = json.loads(python_on_sqlite(folder, migrated, env, *args))
    return told


@pytest.mark.django_db
def test_every_step_leaves_items_sound(standing: SharedWorlds) -> None:
    done = walk(standing(make_worlds), 0, FEW)
    assert done["take_back"] > FEW / 2
    assert done["vote"] > FEW


def test_every_step_leaves_items_sound_on_sqlite(
    tmp_path: Path, migrated_sqlite: Path, process_env: dict[str, str]
) -> None:
    assert on_sqlite(tmp_path, migrated_sqlite, process_env, FEW, FEW)["walks"] == FEW


def print_figures(database: str, done: Mapping[str, int]) -> None:
    told = ", ".join(f"{name} {n}" for name, n in sorted(done.items()))
    print(f"\n{MANY} walks on {database}: {told}", file=sys.__stdout__, flush=True)


@pytest.mark.faults
@pytest.mark.timeout(7200)
@pytest.mark.django_db
def test_thousands_of_walks(standing: SharedWorlds) -> None:
    print_figures("PostgreSQL", walk(standing(make_worlds), 0, MANY))


@pytest.mark.faults
@pytest.mark.timeout(7200)
def test_thousands_of_walks_on_sqlite(tmp_path: Path, migrated_sqlite: Path, process_env: dict[str, str]) -> None:
    print_figures("SQLite", on_sqlite(tmp_path, migrated_sqlite, process_env, 0, MANY)["steps"])
