"""Streaming export: every item and vote as lists have them, with memory that does not grow."""

import tracemalloc
from typing import Any

import orjson
import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from tests import factory, review
from tests.api import assert_refused, script
from validation.review import export

pytestmark = pytest.mark.django_db


@pytest.fixture
def at() -> review.World:
    cache.clear()
    made = review.world(3)
    review.cast_votes(made, made.item(), "nee")
    review.cast_votes(made, made.item("c"), "c")
    return made


def lines(answer: Any) -> list[dict[str, Any]]:
    assert answer.status_code == 200
    return [orjson.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


def test_lines_are_the_rows_of_lists(at: review.World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "WINDOW", 5)
    asking, path = script(at.lead.user, "read"), f"projects/{at.project.slug}"
    items = lines(asking.get(f"{path}/items:export"))
    assert items == asking.pages(f"{path}/items")
    assert len(items) == 18
    votes = lines(asking.get(f"{path}/votes:export"))
    listed = [
        {"item": item["key"], **vote} for item in items for vote in asking.pages(f"{path}/items/{item['key']}/votes")
    ]
    assert votes == listed
    assert len(votes) == 4
    assert_refused(script(at.writer.user).get(f"{path}/votes:export"), 403, "forbidden")
    assert_refused(script(at.validators[0].user).get(f"{path}/items:export"), 403, "forbidden")


def test_a_window_costs_the_same_statements_and_memory(at: review.World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the rows are ten times the windows, and no more held at once."""
    monkeypatch.setattr(export, "WINDOW", 18)
    asking, path = script(at.lead.user, "read"), f"projects/{at.project.slug}/items:export"

    def measured() -> tuple[int, int]:
        answer = asking.get(path)
        tracemalloc.start()
        with CaptureQueriesContext(connection) as told:
            for _ in answer.streaming_content:
                pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return len(told.captured_queries), peak

    measured()
    few, held = measured()
    factory.written_pairs(at.project, factory.member(at.project, "writer"), 27)
    many, more = measured()
    windows = Item.objects.count() / 18
    assert windows == 10
    assert many - few == 9 * (few - 1)
    assert more < 2 * held
