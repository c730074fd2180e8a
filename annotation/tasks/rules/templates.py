"""The descriptions that a team can start from: the YAML files of annotation/tasks/templates."""

from functools import cache
from pathlib import Path

from annotation.tasks.rules.reading import read
from annotation.tasks.rules.task import Task

FOLDER = Path(__file__).parents[1] / "templates"


@cache
def templates() -> dict[str, str]:
    """Slug to YAML, in order of the slug."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.yaml"))}


@cache
def template(slug: str) -> Task:
    """One of them; KeyError where there is none."""
    return read(templates()[slug])
