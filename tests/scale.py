"""Projects of translations as large as LoraxBench's: 22 targets, source rows and translations of made-up words."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from django.db import connection

from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.translation.actions.source_sets import SetIn, source_set_create, source_set_freeze
from annotation.translation.rules.source_units import Row
from annotation.writing.actions.allocation import allocations_assign
from tests.translations import a_translation_project, member
from validation.voting import sql

TARGETS = (
    *((code, "") for code in ("ace", "ban", "bbc", "bew", "bjn", "bts", "bug", "gor", "ljp", "mak", "min")),
    *((code, "") for code in ("mui", "nia", "nij", "rej", "sas")),
    *(("jv", register) for register in ("ngoko", "krama")),
    *(("su", register) for register in ("loma", "lemes")),
    *(("mad", register) for register in ("enja-iya", "engghi-enten")),
)
_SOUNDS = ("ba", "ka", "ro", "mi", "tu", "na", "se", "li", "po", "ga", "du", "ra", "wi", "ten", "lang", "kur")


def sentence(seed: str, *, words: int = 0) -> str:
    """A sentence of words that no language has, the same for the same seed."""
    draw = random.Random(seed)
    made = [
        "".join(draw.choice(_SOUNDS) for _ in range(draw.randint(1, 3))) for _ in range(words or draw.randint(8, 16))
    ]
    return " ".join(made).capitalize() + "."


def rows(count: int) -> Iterator[Row]:
    """Plain source rows."""
    return (Row(f"r-{n:05}", {"text": sentence(f"source {n}")}) for n in range(count))


def project(targets: tuple[tuple[str, str], ...], count: int, slug: str = "") -> Project:
    """A project into these targets, with one frozen source set of so many rows."""
    made = a_translation_project(slug, targets=targets)
    given = SetIn("sentences", "Sentences", "sentence")
    source_set = source_set_create(project=made, given=given, rows=rows(count), by=None).source_set
    source_set_freeze(source_set=source_set, by=None)
    return made


def targets(of: Project) -> list[Target]:
    return list(of.targets.select_related("project").order_by("key"))


def parallel_file(path: Path, of: Project, count: int) -> Path:
    """A finished set, a column a target."""
    keys = [target.key for target in targets(of)]
    with path.open("wb") as file:
        for n in range(count):
            row = {"id": f"r-{n:05}"} | {key: sentence(f"{key} {n}") for key in keys}
            file.write(orjson.dumps(row) + b"\n")
    return path


def reviewed_file(path: Path, of: Project, count: int, each: int) -> Path:
    """The same, a row a target, translated by `each` people of it and approved by others of them."""
    with path.open("wb") as file:
        for target in targets(of):
            for n in range(count):
                row = {"id": f"r-{n:05}", "target": target.key, "text": sentence(f"{target.key} {n}")}
                row |= {"translator": f"{target.key} T{n % each}", "review": "approve"}
                row |= {"reviewer": f"{target.key} T{(n + 1) % each}"}
                file.write(orjson.dumps(row) + b"\n")
    return path


def translators(of: Project, each: int) -> dict[str, list[Annotator]]:
    """So many people for every target, who translate and review."""
    return {
        target.key: [member(of, "writer", "validator", targets=(target.key,)) for _ in range(each)]
        for target in targets(of)
    }


def allocate_units(of: Project, people: dict[str, list[Annotator]], size: int) -> int:
    """Give every translator of every target so many units; how many were given."""
    return sum(allocations_assign(target=target, writers=people[target.key], size=size) for target in targets(of))


def measure_next_item(person: Annotator, target: Target) -> tuple[int, float]:
    """Pages of the database that finding this person's next item touches, and how long its statement took, in ms."""
    said: list[tuple[str, Any]] = []

    def listen(execute: Any, statement: str, params: Any, many: bool, context: Any) -> Any:
        said.append((statement, params))
        return execute(statement, params, many, context)

    with connection.execute_wrapper(listen), connection.cursor() as cursor:
        slot = sql.take_slot(
            cursor, target=target.pk, annotator=person.pk, buckets=target.buckets, positions={}, recent=[]
        )
    assert slot is not None
    (statement, params) = said[-1]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", params)
        (plan,) = cursor.fetchone()
    (found,) = (node for node in _nodes(plan[0]["Plan"]) if node.get("Parent Relationship") == "InitPlan")
    return int(found["Shared Hit Blocks"] + found["Shared Read Blocks"]), float(plan[0]["Execution Time"])


def empty_tables() -> None:
    """New tables for this test's transaction: dead rows of the tests before it count as pages, and are planned by."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE annotation_item, annotation_allocation, validation_assignment CASCADE")


def analyze() -> None:
    """Tell the planner how large the tables have become, as the system's own housekeeping would."""
    with connection.cursor() as cursor:
        for table in ("annotation_item", "annotation_allocation", "validation_assignment"):
            cursor.execute(f"ANALYZE {table}")


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from _nodes(below)
