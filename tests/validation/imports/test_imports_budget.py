"""What one row of an import costs: Python calls and statements, counted, so that growth shows on any machine."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import orjson
import pytest
from django.db import connection

from annotation.content.models.item import Item
from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory
from validation.imports.actions import import_keep, import_start
from validation.imports.pipeline import BATCH
from validation.voting.models.vote import Verdict

pytestmark = pytest.mark.django_db(transaction=True)
MOST_CALLS_A_ROW = 98
MOST_CALLS_A_ROW_WITH_VOTES = 124
MOST_STATEMENTS_A_BATCH = 20


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR, settings.REDIS_URL = tmp_path / "data", ""


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Python functions called, in the reading thread too, and statements (COPY is none of them)."""
    counts = {"calls": 0, "statements": 0}

    def called(frame: FrameType, event: str, arg: object) -> None:
        counts["calls"] += event == "call"

    def asked(execute: Callable[..., Any], *args: Any) -> Any:
        counts["statements"] += 1
        return execute(*args)

    with connection.execute_wrapper(asked):
        threading.setprofile(called)
        sys.setprofile(called)
        try:
            yield counts
        finally:
            sys.setprofile(None)
            threading.setprofile(None)


def cost(project: Project, start: int, count: int, **more: Any) -> dict[str, int]:
    """What it costs to take in so many pairs, each of a premise of its own."""
    rows = (
        {
            "pair_id": f"k{n}",
            "premise_id": f"p{n}",
            "premise": f"Pedagang nomor {n} menjual mangga di pasar pagi kepada para pembeli.",
            "hypothesis": f"Ada mangga nomor {n} di pasar.",
            "author_label": "enc"[n % 3],
            **more,
        }
        for n in range(start, start + count)
    )
    taken = import_keep(project=project, by=None, name="x.jsonl", chunks=(orjson.dumps(r) + b"\n" for r in rows))
    job = import_start(taken=taken, by=None)
    with counted() as counts:
        job = jobs.run_here(job)
    assert (job.state, job.result["accepted"]) == (Job.State.DONE, count)
    return counts


def a_row_costs(**more: Any) -> tuple[float, int]:
    """Calls a row and statements a batch: two batches more, so that what a file costs once is not counted."""
    project = factory.project()
    cost(project, 0, 10, **more)
    few, many = cost(project, 10, BATCH, **more), cost(project, 10 + BATCH, 3 * BATCH, **more)
    return (many["calls"] - few["calls"]) / (2 * BATCH), (many["statements"] - few["statements"]) // 2


def test_pairs() -> None:
    calls, statements = a_row_costs()
    assert calls <= MOST_CALLS_A_ROW
    assert statements <= MOST_STATEMENTS_A_BATCH
    # They can be annotated without a further step, as if the jobs had opened them.
    assert Item.objects.filter(slots_free__gt=0, due_at=None, version=2).count() == Item.objects.count()
    assert Verdict.objects.filter(event="open", version=2).count() == Item.objects.count()


def test_pairs_with_votes() -> None:
    calls, statements = a_row_costs(votes=["e", "n", "e"])
    assert calls <= MOST_CALLS_A_ROW_WITH_VOTES
    assert statements <= MOST_STATEMENTS_A_BATCH
    assert not Item.objects.filter(due_at=None).exists()
