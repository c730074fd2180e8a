"""`manage.py import_items` as a process: what it prints, and how it ends."""

import json
import shutil
from pathlib import Path

import pytest

from tests.faults import site


@pytest.mark.timeout(600)  # it may be the first to ask for both databases
def test_more_refusals_than_are_printed(tmp_path: Path, migrated_sqlite: Path) -> None:
    """Twenty are printed, and that there are more; what was not read of them is not asked for after the end."""
    shutil.copy(migrated_sqlite, tmp_path / "a.sqlite3")
    env = site.environment(f"sqlite:///{tmp_path / 'a.sqlite3'}", "", tmp_path, "embedded")
    site.manage(env, "create_project", "pasar", "--preset", "indonli-lay", "--language", "id", "--name", "Pasar")
    file = tmp_path / "premises.jsonl"
    file.write_text("".join(json.dumps({"premise_id": f"p{n}", "text": ""}) + "\n" for n in range(3000)))
    done = site.manage(env, "import_items", "pasar", str(file), check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "CommandError: rows refused: 3000")
    lines = done.stdout.splitlines()
    assert (lines[2], len(lines), lines[-1]) == ("refused: 3000", 25, "… (--json lists every row)")
    tried = site.manage(env, "import_items", "pasar", str(file), "--dry-run", check=False)
    assert (tried.returncode, tried.stderr.splitlines()[-1]) == (1, "CommandError: rows refused: 3000")
    assert tried.stdout == done.stdout
