"""Acts on many items over the API: looked at, done, taken back."""

from typing import Any

import pytest
from django.core.cache import cache

from annotation.content.models.item import Item
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from tests import factory, review
from tests.api import Script, assert_refused, script
from validation.review.actions.many import AT_ONCE
from validation.voting.actions.flags import flag_raise

pytestmark = pytest.mark.django_db
FAST = "too_fast"


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def flagged(at: review.World) -> list[Item]:
    items = list(Item.objects.filter(project=at.project).order_by("pk"))
    for item in items:
        flag_raise(item=item, code=FAST, detail={})
    return items


def acts(at: review.World, asking: Script, body: dict[str, Any], more: str = "") -> Any:
    return asking.post(f"projects/{at.project.slug}/acts{more}", body)


def test_what_the_preview_names_is_done_and_taken_back() -> None:
    at = review.world()
    flagged(at)
    asking, wish = script(at.lead.user), {"act": "close", "flag": FAST, "words": "Diperiksa."}
    preview = acts(at, asking, wish, ":preview").json()
    assert (len(preview["items"]), preview["left"], preview["more"]) == (6, [], 0)
    body = {**wish, "items": preview["items"]}
    answer = acts(at, asking, body)
    assert answer.status_code == 202
    done = answer.json()
    assert (done["state"], done["done"], done["left"], done["undoable"]) == ("done", 6, [], 6)
    path = f"projects/{at.project.slug}/acts/{done['id']}"
    assert asking.get(path).json() == done
    back = asking.post(f"{path}:undo").json()
    assert (back["act"], back["done"], back["undoes"]) == ("undo", 6, done["id"])
    assert asking.get(path).json()["undoable"] == 0
    assert_refused(asking.post(f"{path}:undo"), 409, "many_none")
    at.sound()


def test_what_changed_since_is_left_out_and_named() -> None:
    at = review.world()
    first = flagged(at)[0]
    asking = script(at.lead.user)
    items = acts(at, asking, {"act": "approve"}, ":preview").json()["items"]
    review.give_back(at, Item.objects.get(pk=first.pk))
    left = acts(at, asking, {"act": "approve"}, ":preview").json()["left"]
    assert [(row["key"], row["code"]) for row in left] == [(first.key, "many_singly")]
    done = acts(at, asking, {"act": "approve", "items": items}).json()
    assert (done["done"], [(row["key"], row["code"]) for row in done["left"]]) == (
        5,
        [(first.key, "many_stale")],
    )
    assert done["left"][0]["detail"]


def test_the_preview_takes_keys_or_filters() -> None:
    at = review.world(2)
    items = flagged(at)
    asking, keys = script(at.lead.user), [items[2].key, items[0].key, items[0].key]
    named = acts(at, asking, {"act": "approve", "keys": keys}, ":preview").json()
    assert {row["key"] for row in named["items"]} == set(keys)
    none = acts(at, asking, {"act": "approve", "stage": "settled"}, ":preview").json()
    assert none == {"items": [], "left": [], "more": 0}
    assert_refused(acts(at, asking, {"act": "approve", "keys": ["none"]}, ":preview"), 400, "not_found")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"act": "return"}, "field_invalid_choice", "act"),
        ({"act": "close"}, "flag_missing", "flag"),
        ({"act": "exclude"}, "words_missing", "words"),
    ],
)
def test_what_is_no_act_is_refused(body: dict[str, Any], code: str, field: str) -> None:
    at = review.world()
    items = [{"key": item.key, "version": item.version} for item in at.items]
    answer = acts(at, script(at.lead.user), {**body, "items": items})
    assert_refused(answer, 400, code)
    assert answer.json()["field"] == field
    assert not Job.objects.exists()


def test_who_may_not() -> None:
    at = review.world()
    assert_refused(acts(at, script(at.writer.user), {"act": "approve"}, ":preview"), 403, "forbidden")
    assert_refused(acts(at, script(at.lead.user, "read"), {"act": "approve", "items": []}), 403, "scope_missing")
    stranger = script(factory.member(factory.project(), "lead").user)
    assert_refused(acts(at, stranger, {"act": "approve"}, ":preview"), 404, "not_found")


def test_many_are_done_in_the_background_and_once() -> None:
    at = review.world(AT_ONCE // 3 + 1)
    flagged(at)
    asking = script(at.lead.user)
    items = acts(at, asking, {"act": "approve"}, ":preview").json()["items"]
    assert len(items) > AT_ONCE
    sent = {"act": "approve", "items": items}
    path = f"projects/{at.project.slug}/acts"
    first, again = (asking.post(path, sent, Idempotency_Key="once").json() for _ in range(2))
    assert (first["state"], first["id"]) == ("queued", again["id"])
    for job_id in jobs.waiting_job_ids():
        jobs.run(job_id)
    done = asking.get(f"{path}/{first['id']}").json()
    assert (done["state"], done["done"]) == ("done", len(items))
