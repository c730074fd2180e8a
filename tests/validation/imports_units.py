"""Files of translations for tests, and what became of them."""

from typing import Any

import orjson

from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Import, ImportRow, Job
from tests.translations import a_source_set, a_translation_project, sentence_rows
from validation.imports.actions import import_keep, import_start


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def keep_file(project: Project, rows: list[dict[str, Any]], name: str = "x.jsonl") -> Import:
    return import_keep(project=project, by=None, name=name, chunks=[jsonl(rows)])


def import_rows(project: Project, rows: list[dict[str, Any]], **options: Any) -> Import:
    taken = keep_file(project, rows)
    job = jobs.run_here(import_start(taken=taken, by=None, **options))
    assert job.state == Job.State.DONE, job.error
    taken.refresh_from_db()
    return taken


def counts(taken: Import) -> tuple[int, int, int]:
    return taken.accepted, taken.unchanged, taken.refused


def refused_rows(taken: Import) -> list[tuple[int, str]]:
    return list(ImportRow.objects.filter(source=taken).order_by("n", "field").values_list("n", "field"))


def refusal_reason(taken: Import) -> str:
    return ImportRow.objects.get(source=taken).reason


def sentence_project(count: int = 3) -> Project:
    project = a_translation_project()
    a_source_set(project, sentence_rows(count), shape="sentence")
    return project


def javanese_text(number: int) -> str:
    return f"Udan {number} ping ing desane dhewe."


def sundanese_text(number: int) -> str:
    return f"Hujan {number} kali di lembur urang."


def wide_row(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"s-{number:04}", "jv-ngoko": javanese_text(number), "su": sundanese_text(number), **more}
