"""Lists over the API on a large project: what a page costs, and a cursor while others write."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Hypothesis, Item, Revision
from annotation.core.models.feed import FeedEvent
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.rules import feed
from annotation.webhooks.actions import feed_number
from bench import release as filling
from tests import factory, race
from tests.api import Script, script

# Six pairs are made of a premise.
FEW, MANY = 12, 10_002


@pytest.fixture
def asking() -> Script:
    cache.clear()
    project = factory.project("large", preset="indonli-lay")
    Annotator.objects.create(project=project, pseudonym="V00", is_validator=True)
    lead = factory.member(project, "lead")
    FeedEvent.objects.all().delete()  # that they joined
    return script(lead.user)


def made_items(count: int) -> None:
    """So many pairs of the only project, by the statements of the bench."""
    with connection.cursor() as cursor:
        for statement in (filling.PREMISES, filling.ITEMS, filling.TEXTS, filling.REVISIONS):
            cursor.execute(statement, {"premises": count // filling.PAIRS_PER_PREMISE})


def made_events(count: int) -> None:
    project = Project.objects.get()
    events = [FeedEvent(project=project, type=feed.SETTLED, subject=f"p{n}") for n in range(count)]
    FeedEvent.objects.bulk_create(events, batch_size=2000)
    feed_number(project.pk)


MAKERS: dict[str, Callable[[int], None]] = {"items": made_items, "events": made_events}


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_a_page_costs_the_same_whatever_the_size_of_the_project(asking: Script, name: str) -> None:
    path, costs = f"projects/large/{name}", []
    asking.get(path)
    for count in (FEW, MANY):
        with taken_back():
            MAKERS[name](count)
            with CaptureQueriesContext(connection) as told:
                page = asking.get(path, {"limit": "1000"}).json()
            assert (len(page["results"]), page["next"] is None) == (min(count, 1000), count < 1000)
            costs.append(len(told.captured_queries))
    assert costs[0] == costs[1] <= 8


# --- others write meanwhile ---------------------------------------------------------------


def _item_gone(key: str) -> None:
    item = Item.objects.get(key=key)
    for rows in (Revision, Hypothesis):
        rows.objects.filter(item=item).delete()
    item.delete()


def _item_come(n: int) -> None:
    item = Item.objects.order_by("pk")[0]
    parts: list[Any] = [item.hypothesis, item.revisions.get()]
    item.pk, item.key = None, f"came-{n}"
    item.save(force_insert=True)
    for part in parts:
        if not isinstance(part, Hypothesis):
            part.pk = None
        part.item = item
        part.save(force_insert=True)


def _event_gone(key: str) -> None:
    FeedEvent.objects.get(subject=key).delete()


def _event_come(n: int) -> None:
    project = Project.objects.get().pk
    FeedEvent.record(project, feed.SETTLED, f"came-{n}")
    feed_number(project)


WRITERS: dict[str, tuple[str, Callable[[str], None], Callable[[int], None]]] = {
    "items": ("key", _item_gone, _item_come),
    "events": ("item", _event_gone, _event_come),
}
PAGE, THERE = 7, 120


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_cursor_meets_every_row_that_stays_once_while_others_come_and_go(asking: Script, name: str) -> None:
    """While each page is read, another connection takes a row out before the cursor and one behind it, and adds one."""
    path, (field, gone, come) = f"projects/large/{name}", WRITERS[name]
    MAKERS[name](THERE)
    keys = [row[field] for row in asking.pages(path, limit=1000)]
    going = keys[1::4]
    both, over = threading.Barrier(2), threading.Event()

    def reads() -> list[str]:
        seen: list[str] = []
        query: dict[str, Any] = {"limit": PAGE, "fields": field}
        while True:
            both.wait(race.MEET_SECONDS)
            page = asking.get(path, query).json()
            seen += [row[field] for row in page["results"]]
            if page["next"] is None:
                over.set()
                both.wait(race.MEET_SECONDS)
                return seen
            query["cursor"] = page["next"]

    def writes() -> set[str]:
        left, out = list(going), set[str]()
        for n in range(THERE):
            both.wait(race.MEET_SECONDS)
            if over.is_set():
                break
            if n % 2 == 0:
                come(n)
            for place in (0, -1) if len(left) > 1 else ():
                gone(key := left.pop(place))
                out.add(key)
        return out

    seen, out = race.run_at_once([reads, writes])
    assert isinstance(seen, list), seen
    assert isinstance(out, set), out
    assert len(seen) == len(set(seen))
    stayed = set(keys) - out
    assert stayed <= set(seen)
    assert [key for key in seen if key in stayed] == [key for key in keys if key in stayed]
    assert len(out) >= PAGE
    assert out - set(seen), "none was taken out before it was read"
    assert out & set(seen), "none was taken out behind the cursor"
    assert {key for key in seen if key.startswith("came-")}, "none came in time"
