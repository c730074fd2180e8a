"""Events, webhooks and deliveries over the API."""

import pytest
from django.core.cache import cache

from annotation.core.models.feed import FeedEvent
from annotation.core.rules import feed
from annotation.webhooks import actions
from annotation.webhooks.models import Webhook
from tests import factory
from tests.annotation.webhooks.receiver import Receiver
from tests.api import Script, assert_refused, script

pytestmark = pytest.mark.django_db
HOOKS = "projects/one/webhooks"


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


@pytest.fixture
def asking() -> Script:
    return script(factory.user(administrator=True))


def test_who_asks_with_the_last_number_misses_no_event(asking: Script) -> None:
    project = factory.project("one")
    for number in range(5):
        FeedEvent.record(project.pk, feed.SETTLED if number % 2 else feed.FLAGGED, f"p{number}", label="e")
    FeedEvent.record(factory.project("two").pk, feed.SETTLED, "elsewhere")
    assert asking.pages("projects/one/events") == []  # until the decider has numbered them
    actions.number_new_events()
    rows = asking.pages("projects/one/events", limit=2)
    assert [(row["n"], row["item"]) for row in rows] == [(n, f"p{n - 1}") for n in range(1, 6)]
    FeedEvent.record(project.pk, feed.LEFT, member="W01")
    actions.number_new_events()
    assert [row["type"] for row in asking.pages("projects/one/events", after=5)] == [feed.LEFT]
    settled = asking.pages("projects/one/events", type="item.settled,member.left")
    assert [row["n"] for row in settled] == [2, 4, 6]
    assert_refused(asking.get("projects/one/events", {"type": "nothing"}), 400, "field_choice_unknown")


def test_a_webhook_from_its_secret_to_its_end(asking: Script, receiver: Receiver) -> None:
    factory.project("one")
    made = asking.post(HOOKS, {"url": receiver.url, "types": [feed.SETTLED]}).json()
    assert made["secret"].startswith("whsec_")
    one = f"{HOOKS}/{made['id']}"
    rotated = asking.post(f"{one}:rotate").json()
    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != made["secret"]
    (listed,) = asking.pages(HOOKS)
    assert "secret" not in listed
    assert asking.post(f"{one}:try").json()["waiting"] == 1
    (delivery,) = asking.pages(f"{one}/deliveries")
    assert (delivery["type"], delivery["state"]) == (feed.TEST, "waiting")
    assert asking.post(f"{one}/deliveries/{delivery['id']}:replay").json()["state"] == "waiting"
    assert asking.post(f"{one}:stop").json()["stopped_why"] == "by_hand"
    assert_refused(asking.post(f"{one}:try"), 409, "webhook_is_stopped")
    assert asking.post(f"{one}:start").json()["stopped_at"] is None
    assert_refused(asking.post(f"{one}:dance"), 404, "not_found")
    assert asking.post(f"{one}:end").json() == {"ended": True}
    assert_refused(asking.get(f"{one}/deliveries"), 404, "not_found")
    assert asking.pages(HOOKS) == []


def test_only_administrators_and_only_of_the_project(asking: Script, receiver: Receiver) -> None:
    project, other = factory.project("one"), factory.project("two")
    made = asking.post(HOOKS, {"url": receiver.url, "types": [feed.SETTLED]}).json()
    lead = script(factory.member(project, "lead").user)
    assert lead.get("projects/one/events").status_code == 200
    for path in (HOOKS, f"{HOOKS}/{made['id']}/deliveries"):
        assert_refused(lead.get(path), 403, "forbidden")
    assert_refused(lead.post(f"{HOOKS}/{made['id']}:end"), 403, "forbidden")
    assert_refused(script(factory.member(project, "writer").user).get("projects/one/events"), 403, "forbidden")
    assert_refused(script(factory.member(other, "lead").user).get("projects/one/events"), 404, "not_found")
    assert_refused(asking.post(f"projects/two/webhooks/{made['id']}:end"), 404, "not_found")
    assert Webhook.objects.get().ended_at is None


@pytest.mark.parametrize("rows", [10, 300])
def test_a_page_of_events_takes_the_same_statements(
    asking: Script, rows: int, django_assert_max_num_queries: object
) -> None:
    project = factory.project("one")
    FeedEvent.record_all(FeedEvent(project=project, type=feed.SETTLED, subject=f"p{n}") for n in range(rows))
    actions.number_new_events()
    with django_assert_max_num_queries(9):  # type: ignore[operator]
        assert asking.get("projects/one/events", {"limit": 1000}).status_code == 200
