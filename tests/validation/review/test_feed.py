"""What other systems are told of, from the vote to the desk: each step leaves its events, with keys and no texts."""

import json

import pytest

from annotation.content.models.item import Item
from annotation.core.models.feed import FeedEvent
from annotation.core.rules import feed
from tests.review import item_at_stage, world

pytestmark = pytest.mark.django_db
FLAGS = [(feed.FLAGGED, "no_consensus")]


def told(item: Item) -> list[tuple[str, str]]:
    """The events about an item in their order, with the flag or the gold label."""
    rows = FeedEvent.objects.filter(subject=item.key).order_by("pk")
    return [(row.type, row.data.get("flag", row.data.get("gold", ""))) for row in rows]


@pytest.mark.parametrize(
    ("stage", "events"),
    [
        ("voting", []),
        ("settled", [(feed.SETTLED, "e")]),
        ("no_consensus", [(feed.NO_CONSENSUS, ""), *FLAGS]),
        ("adjudicated", [(feed.NO_CONSENSUS, ""), *FLAGS, (feed.SETTLED, "")]),
        ("returned", [(feed.SETTLED, "e"), (feed.RETURNED, "")]),
        ("excluded", [(feed.SETTLED, "e"), (feed.EXCLUDED, "")]),
    ],
)
def test_steps_of_an_item(stage: str, events: list[tuple[str, str]]) -> None:
    at = world()
    item = item_at_stage(at, stage)
    assert set(events) <= set(told(item))
    assert [each for each in told(item) if each[0] != feed.FLAGGED] == [
        each for each in events if each[0] != feed.FLAGGED
    ]
    content = item.revisions.get(n=1).content
    kept = json.dumps(list(FeedEvent.objects.values_list("data", flat=True)))
    assert content["hypothesis"] not in kept


def test_who_joins() -> None:
    at = world()
    joined = FeedEvent.objects.filter(project=at.project, type=feed.JOINED).values_list("data", flat=True)
    assert [data["member"] for data in joined] == [f"W{number:02d}" for number in range(1, 10)]
