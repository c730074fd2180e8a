"""Items over the API: lists that stay as they are while others write, and what leads do."""

from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.core.database import now
from tests import factory, review
from tests.api import Script, assert_refused, script
from validation.voting.models.assignment import Assignment

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@pytest.fixture
def at() -> review.World:
    return review.world(2)


def address(at: review.World, item: Item, more: str = "") -> str:
    return f"projects/{at.project.slug}/items/{quote(item.key)}{more}"


def lead(at: review.World) -> Script:
    return script(at.lead.user)


def test_an_item_as_it_stands(at: review.World) -> None:
    item = review.cast_votes(at, at.item(), "ne", comment="Ragu.")
    row = lead(at).get(address(at, item)).json()
    assert row["content"]["premise"] == item.hypothesis.premise.text
    told = {name: row[name] for name in ("key", "author", "author_label", "stage", "votes", "gold", "target")}
    assert told == {
        "key": item.key,
        "author": at.writer.pseudonym,
        "author_label": "e",
        "stage": item.stage,
        "votes": 2,
        "gold": item.gold or None,
        "target": "main",
    }
    votes = lead(at).pages(address(at, item, "/votes"))
    assert [(vote["n"], vote["label"], vote["comment"], vote["unsure"]) for vote in votes] == [
        (1, "n", "Ragu.", False),
        (2, "e", "Ragu.", False),
    ]
    for part in ("revisions", "verdicts", "flags", "reviews", "comments", "proposals"):
        rows = lead(at).pages(address(at, item, f"/{part}"))
        assert len(rows) == getattr(item, part).count(), part


def test_lists_are_narrowed(at: review.World) -> None:
    path = f"projects/{at.project.slug}/items"
    before = now()
    returned = review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    asking = lead(at)
    assert [row["key"] for row in asking.pages(path, stage="returned")] == [returned.key]
    assert [row["key"] for row in asking.pages(path, updated_since=before.isoformat())] == [returned.key]
    assert asking.pages(path, updated_since=now().isoformat()) == []
    assert len(asking.pages(path, target="main", limit=5)) == Item.objects.count()
    assert_refused(asking.get(path, {"stage": "x"}), 400, "field_invalid_choice")
    assert_refused(asking.get(path, {"gold__startswith": "e"}), 400, "field_unknown")


def test_who_may_not(at: review.World) -> None:
    path, item = f"projects/{at.project.slug}/items", at.item()
    for person in (at.writer, at.validators[0]):
        assert_refused(script(person.user).get(path), 403, "forbidden")
        for more in ("", "/votes", "/comments"):
            assert_refused(script(person.user).get(address(at, item, more)), 403, "forbidden")
        assert_refused(
            script(person.user).post(address(at, item, ":approve"), {"version": item.version}),
            403,
            "forbidden",
        )
    stranger = factory.member(factory.project(), "lead")
    assert_refused(script(stranger.user).get(address(at, item)), 404, "not_found")
    assert_refused(lead(at).get(f"{path}/nowhere"), 404, "not_found")
    assert_refused(script(at.lead.user, "read").post(address(at, item, ":approve")), 403, "scope_missing")


def test_a_writer_sees_what_they_wrote_and_no_more(at: review.World) -> None:
    review.cast_votes(at, at.item(), "nnn")
    rows = script(at.writer.user).pages(f"projects/{at.project.slug}/my-items")
    assert len(rows) == len(at.items)
    assert set(rows[0]) == {"key", "target", "author_label", "returned", "at", "content"}
    assert script(factory.member(at.project, "writer").user).pages(f"projects/{at.project.slug}/my-items") == []
    assert_refused(script(at.lead.user).get(f"projects/{at.project.slug}/my-items"), 403, "forbidden")


def test_what_leads_do(at: review.World) -> None:
    asking = lead(at)
    item = review.cast_votes(at, at.item(), "ee")
    path = address(at, item)
    assert_refused(
        asking.post(f"{path}:return", {"version": item.version, "error_type": "none", "words": "a"}),
        400,
        "error_type_missing",
    )
    error = at.project.error_types[0][0]
    sent = {"version": item.version, "error_type": error, "words": "Perbaiki."}
    returned = asking.post(f"{path}:return", sent).json()
    assert (returned["stage"], returned["returns"]) == ("returned", 1)
    stale = asking.post(f"{path}:exclude", {"version": item.version, "words": "a"})
    assert_refused(stale, 409, "stale")
    assert stale.json()["version"] == returned["version"]
    opened = asking.post(f"{path}:reopen", {"version": returned["version"]}).json()
    assert asking.post(f"{path}:comment", {"text": "Lihat."}).status_code == 200
    text = {"field": "hypothesis", "text": "Mangga dijual.", "meaning": "same", "words": ""}
    corrected = asking.post(f"{path}:correct", {"version": opened["version"], **text}).json()
    assert corrected["content"]["hypothesis"] == "Mangga dijual."
    settled = {"version": corrected["version"], "label": "n", "words": "Jelas."}
    assert asking.post(f"{path}:adjudicate", settled).json()["gold"] == "n"
    assert asking.get(path).json()["gold_from"] == "lead"
    reviews = asking.pages(f"{path}/reviews")
    assert reviews[0]["event"] == "return"
    assert_refused(asking.post(f"{path}:assess", {}), 405, "method_not_allowed")


def test_the_same_key_does_it_once(at: review.World) -> None:
    path = address(at, at.item(), ":comment")
    for _ in range(3):
        assert lead(at).post(path, {"text": "Sekali."}, Idempotency_Key="k").status_code == 200
    assert at.item().comments.count() == 1


def _statements(asking: Script, path: str) -> int:
    with CaptureQueriesContext(connection) as told:
        assert asking.get(path, {"limit": "1000"}).status_code == 200
    return len(told.captured_queries)


def test_as_many_statements_for_few_as_for_many(at: review.World) -> None:
    asking, path = lead(at), f"projects/{at.project.slug}/items"
    asking.get(path)
    few = _statements(asking, path)
    factory.written_pairs(at.project, factory.member(at.project, "writer"), 30)
    assert _statements(asking, path) == few
    assert few <= 6
    assert len(asking.get(path, {"limit": 1000}).json()["results"]) == 192


def test_a_cursor_meets_every_row_once_while_others_write(at: review.World) -> None:
    asking, path = lead(at), f"projects/{at.project.slug}/items"
    there = set(Item.objects.values_list("key", flat=True))
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 5, "fields": "key"}
    writer = factory.member(at.project, "writer")
    while True:
        page = asking.get(path, query).json()
        seen += [row["key"] for row in page["results"]]
        if len(seen) <= 10:
            factory.written_pairs(at.project, writer, 1)
            review.cast_votes(at, Item.objects.exclude(key__in=seen).order_by("pk")[0], "ee")
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert len(seen) == len(set(seen))
    assert there <= set(seen)


def test_a_lead_who_votes_is_not_asked_about_what_they_read() -> None:
    at = review.world(settings={"leads_vote": True})
    item = review.item_at_stage(at, "settled")
    lead = factory.member(at.project, "lead", "validator")
    asking, path = script(lead.user), f"projects/{at.project.slug}"
    for everything in ("items:export", "votes:export"):
        assert_refused(asking.get(f"{path}/{everything}"), 403, "voting_lead_reads_singly")
    assert asking.get(f"{path}/items/{item.key}/votes").status_code == 200
    assert Assignment.objects.filter(item=item, annotator=lead, state=Assignment.State.BARRED).exists()
