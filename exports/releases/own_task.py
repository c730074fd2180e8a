"""The description of a team's own task beside the rows of a release: with it `verify_release` reads them anywhere."""

from pathlib import Path
from typing import Any

from annotation.kinds import Kind
from annotation.tasks.queries import task_of
from annotation.tasks.rules.reading import task_as_yaml, task_file
from exports.formats.writers import write_bytes


def write_task(kind: Kind, folder: Path, suffix: str) -> dict[str, Any]:
    """Write the task's description, and give the facts of its file by name; nothing for a kind of ours."""
    task = task_of(kind.slug)
    if task is None:
        return {}
    name = task_file(suffix)
    return {name: write_bytes(folder / name, task_as_yaml(task).encode())}
