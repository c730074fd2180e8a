"""A writer's own items over the API: revised, corrected where they came back, a reviewer's correction answered."""

from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache

from annotation.content.models.item import Item
from tests import factory, review, reviews
from tests.api import Script, assert_refused, script
from validation.voting.models.review import Review

pytestmark = pytest.mark.django_db(transaction=True)
BETTER = "Mangga dijual di pasar pada pagi hari."


@pytest.fixture(autouse=True)
def _no_limits_of_others() -> None:
    cache.clear()


def own(asking: Script, item: Item, more: str = "", body: Any = None) -> Any:
    path = f"projects/{item.project.slug}/my-items/{quote(item.key)}{more}"
    return asking.get(path) if body is None else asking.post(path, body)


def test_a_returned_item_is_found_corrected_and_submitted() -> None:
    at = review.world(2)
    item = review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    asking, path = script(at.writer.user), f"projects/{at.project.slug}/my-items"
    assert [row["key"] for row in asking.pages(path, returned=True)] == [item.key]
    read = own(asking, item).json()
    assert (read["can"], read["version"], read["written"]["text"]) == (
        ["resubmit"],
        item.version,
        item.hypothesis.text,
    )
    assert read["source"] == item.hypothesis.premise.text
    [said] = read["feedback"]
    assert (set(said), said["words"]) == ({"error", "words", "at"}, "Please look at the verb.")
    assert at.lead.pseudonym not in str(read)
    sent = {"version": item.version, "content": {"text": BETTER, "one_sentence": True}, "words": "Sudah."}
    done = own(asking, item, ":resubmit", sent).json()
    assert (done["content"]["hypothesis"], done["returned"], done["can"], done["version"]) == (
        BETTER,
        False,
        [],
        None,
    )
    assert_refused(own(asking, item, ":resubmit", sent), 409, "stale")
    item.refresh_from_db()
    assert (item.stage, item.revisions.order_by("-n")[0].event) == ("corrected", "resubmit")
    at.sound()


def test_what_is_wrong_with_a_correction_is_said_and_nothing_changes() -> None:
    at = review.world(2)
    item = review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    asking, version = script(at.writer.user), item.version

    def told(status: int, code: str, field: str, **body: Any) -> None:
        answer = own(asking, item, ":resubmit", {"version": version, **body})
        assert_refused(answer, status, code)
        assert answer.json().get("field", "") == field

    told(400, "unchanged", "words")
    told(400, "field_blank", "content.text", content={"text": ""})
    told(400, "slot_field_unknown", "content.more.mood", content={"more": {"mood": "glad"}})
    told(400, "tag_unknown", "content.tags", content={"tags": ["nonsense"]})
    told(400, "checks_block", "content", content={"text": item.hypothesis.premise.text})
    told(409, "stale", "", content={"text": BETTER}, version=version - 1)
    item.refresh_from_db()
    assert (item.stage, item.version) == ("returned", version)
    assert own(asking, item, ":resubmit", {"version": version, "as_it_is": True}).status_code == 200
    assert Review.objects.filter(item=item, event="resubmit").count() == 1


def test_an_item_is_revised_until_somebody_is_asked() -> None:
    at = review.world(2, opened=False)
    item, asking = at.item(), script(at.writer.user)
    read = own(asking, item).json()
    assert (read["can"], read["feedback"], read["correction"]) == (["revise"], [], None)
    sent = {"version": read["version"], "content": {"text": BETTER, "one_sentence": True}}
    changed = own(asking, item, ":revise", sent).json()
    assert (changed["content"]["hypothesis"], changed["can"]) == (BETTER, ["revise"])
    assert_refused(own(asking, item, ":revise", sent), 409, "stale")
    review.decide()
    item.refresh_from_db()
    review.assign(item, at.validators[0])
    assert own(asking, item).json()["can"] == []
    assert own(asking, item).json()["version"] is None
    again = {"version": changed["version"], "content": {"text": "Mangga itu manis."}}
    assert_refused(own(asking, item, ":revise", again), 409, "validation_began")


def test_votes_change_nothing_that_their_writer_reads() -> None:
    """Blind both ways: a voted item reads as one that nobody was asked about but for `can` and `version`."""
    at = review.world(2)
    before = own(script(at.writer.user), at.item()).json()
    review.cast_votes(at, at.item(), "nnn", comment="Ragu.")
    after = own(script(at.writer.user), at.item()).json()
    assert {name for name in after if after[name] != before[name]} <= {"can", "version"}
    review.cast_votes(at, at.item("n"), "n")
    assert own(script(at.writer.user), at.item("n")).json()["version"] is None


def test_others_items_are_not_there() -> None:
    at = review.world(2)
    item = review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    other = script(factory.member(at.project, "writer").user)
    body = {"version": item.version, "content": {"text": BETTER}}
    for answer in (own(other, item), own(other, item, ":resubmit", body), own(other, item, ":revise", body)):
        assert_refused(answer, 404, "not_found")
    assert_refused(own(script(at.lead.user), item), 403, "forbidden")
    assert_refused(own(script(at.writer.user, "read"), item, ":resubmit", body), 403, "scope_missing")
    assert_refused(own(script(at.writer.user), item, ":accept", {"revision": 1}), 404, "not_found")


@pytest.mark.parametrize("answer", ["accept", "dispute"])
def test_a_reviewers_correction_is_answered(answer: str) -> None:
    at = reviews.translation_review_world()
    item = at.correct()
    asking = script(at.translator.user)
    path = f"projects/{item.project.slug}/my-items"
    assert [row["key"] for row in asking.pages(path, corrected=True)] == [item.key]
    read = own(asking, item).json()
    assert read["can"] == ["answer"]
    correction = read["correction"]
    assert correction["revision"] == item.revision_n
    assert [text["before"] != text["after"] for text in correction["texts"]].count(True) == 1
    assert not any(reviewer.pseudonym in str(read) for reviewer in at.reviewers)
    body = {"revision": correction["revision"]} | ({"words": "Keliru."} if answer == "dispute" else {})
    assert_refused(own(asking, item, f":{answer}", {**body, "revision": 99}), 409, "correction_over")
    assert own(asking, item, f":{answer}", body).json()["can"] == []
    item.refresh_from_db()
    assert item.stage == ("settled" if answer == "accept" else "voting")
    assert asking.pages(path, corrected=True) == []
