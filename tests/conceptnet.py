"""Made-up assertions of ConceptNet for tests, and its import by the command."""

import gzip
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from annotation.core.models.project import Project
from annotation.generation.models import Material
from tests import factory

Edge = tuple[str, str, str]
USES = ("write", "draw", "sign", "poke", "scribble", "doodle", "underline")
PEN: list[Edge] = [("UsedFor", "pen/n", target) for target in USES]


def a_project(language: str = "en", **settings: Any) -> Project:
    return factory.project(preset="mcsqa", language=language, settings=settings)


def assertion_line(relation: str, start: str, end: str) -> str:
    ends = [each if each.startswith("/") else f"/c/en/{each}" for each in (start, end)]
    return f"/a/[/r/{relation}/,{ends[0]}/,{ends[1]}/]\t/r/{relation}\t{ends[0]}\t{ends[1]}\t" + '{"weight": 1.0}\n'


def a_file(folder: Path, edges: Sequence[Edge], name: str = "assertions.csv") -> Path:
    path, text = folder / name, "".join(assertion_line(*edge) for edge in edges).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def run_import(path: Path, *projects: Project, err: StringIO | None = None, more: Sequence[str] = ()) -> str:
    """Run the command; what it prints."""
    out, slugs = StringIO(), [f"--project={project.slug}" for project in projects]
    call_command("import_conceptnet", str(path), *slugs, *more, stdout=out, stderr=err or StringIO())
    return out.getvalue()


def import_report(path: Path, *projects: Project, more: Sequence[str] = ()) -> dict[str, Any]:
    """Run the command; its report by project."""
    found: dict[str, Any] = json.loads(run_import(path, *projects, more=["--json", *more]))
    return found


def stored_assertions(project: Project) -> list[tuple[int, str, dict[str, Any]]]:
    rows = Material.objects.filter(project=project).order_by("position")
    return list(rows.values_list("position", "key", "data"))
