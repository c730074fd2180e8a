"""One act on many items: what it takes and leaves out, what it does, twice, at once, and back again."""

from functools import partial
from typing import Any

import pytest
from django.db.models import F

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.feed import FeedEvent
from annotation.jobs.models import Job
from annotation.jobs.queue import run_here
from tests.flows.desk import browser_of, make_doubtful, page
from tests.race import run_at_once
from tests.review import World, assign, cast_vote, cast_votes, decide, world
from validation.review.actions.decisions import comment_add
from validation.review.actions.many import AT_ONCE, many_begin, undo_begin, undoable_steps
from validation.review.rules import many as rules
from validation.review.rules.many import APPROVE, CLOSE, EXCLUDE, MOST, BulkAct, reason_left_out
from validation.voting.actions.flags import flag_raise
from validation.voting.actions.steps import exclude
from validation.voting.models.review import Flag, Review

FAST = "too_fast"


# --- rules --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "stage", "flags", "why"),
    [
        (APPROVE, "settled", {FAST}, ""),
        (APPROVE, "submitted", set(), ""),
        (APPROVE, "settled", set(), "many_nothing"),
        (APPROVE, "corrected", {FAST}, "many_singly"),
        (APPROVE, "adjudicated", {FAST}, ""),
        (EXCLUDE, "voting", set(), ""),
        (EXCLUDE, "adjudicated", set(), "many_singly"),
        (EXCLUDE, "returned", set(), "many_singly"),
        (EXCLUDE, "excluded", set(), "many_singly"),
        (CLOSE, "returned", {FAST, "unsure"}, ""),
        (CLOSE, "settled", {"unsure"}, "many_no_flag"),
    ],
)
def test_what_an_act_leaves_out(act: str, stage: str, flags: set[str], why: str) -> None:
    assert reason_left_out(BulkAct(act, FAST), stage, flags) == why


def test_a_form_says_which_versions_it_showed() -> None:
    assert rules.parse_versions(rules.format_versions([(3, 1), (4, 12)])) == [(3, 1), (4, 12)]
    assert rules.parse_versions("3.1 3.2") == [(3, 1)]
    for wrong in ("3", "3.", "a.1", "3.-1", "٣.1", " ".join(f"{n}.1" for n in range(MOST + 1))):
        with pytest.raises(ValueError):
            rules.parse_versions(wrong)


# --- acts ---------------------------------------------------------------------------------


@pytest.fixture
def at(db: Any) -> World:
    return world()


def flagged(at: World) -> None:
    for item in at.items:
        item.refresh_from_db()
        flag_raise(item=item, code=FAST, detail={})
        flag_raise(item=item, code="unsure", detail={})


def versions(at: World) -> list[tuple[int, int]]:
    return [(item.pk, item.version) for item in type(at.items[0]).objects.filter(project=at.project)]


def open_flags(at: World) -> dict[str, int]:
    codes = list(Flag.objects.filter(project=at.project, closed_at=None).values_list("code", flat=True))
    return {code: codes.count(code) for code in codes}


@pytest.mark.django_db
def test_one_flag_is_closed_on_all_and_opened_again(at: World) -> None:
    flagged(at)
    job = many_begin(lead=at.lead, wish=BulkAct(CLOSE, FAST, "A test group."), items=versions(at))
    assert (job.state, job.result) == ("done", {"done": 6, "left": [], "why": {}})
    assert open_flags(at) == {"unsure": 6}
    assert set(Review.objects.values_list("event", "words", "by")) == {("close_flag", "A test group.", at.lead.pk)}
    undone = undo_begin(lead=at.other_lead, job=job)
    assert undone.result["done"] == 6
    assert open_flags(at) == {FAST: 6, "unsure": 6}
    with pytest.raises(Conflict):
        undo_begin(lead=at.lead, job=job)
    at.sound()


@pytest.mark.django_db
def test_what_happened_since_is_left_out_both_ways(at: World) -> None:
    flagged(at)
    seen = versions(at)
    exclude(lead=at.other_lead, item_id=seen[0][0], version=seen[0][1], words="Broken.")
    job = many_begin(lead=at.lead, wish=BulkAct(APPROVE), items=seen)
    assert (job.result["done"], job.result["left"]) == (5, [[seen[0][0], "many_stale"]])
    last = at.items[-1]
    last.refresh_from_db()
    exclude(lead=at.other_lead, item_id=last.pk, version=last.version, words="Broken too.")
    comment_add(lead=at.lead, item_id=at.items[1].pk, text="A comment changes nothing.")
    assert undoable_steps(job).count() == 4
    assert undo_begin(lead=at.lead, job=job).result["done"] == 4
    assert open_flags(at) == {FAST: 4, "unsure": 4}
    at.sound()


@pytest.mark.django_db
def test_an_exclusion_is_as_if_done_alone_and_comes_back_whole(at: World) -> None:
    settled, asked = cast_votes(at, at.item("e"), "ee"), make_doubtful(at, "n", unsure=True)
    before = {item.pk: (item.stage, item.gold, item.doubt) for item in (settled, asked)}
    with pytest.raises(Invalid):
        many_begin(lead=at.lead, wish=BulkAct(EXCLUDE), items=versions(at))
    job = many_begin(lead=at.lead, wish=BulkAct(EXCLUDE, words="A bad batch."), items=versions(at))
    assert job.result["done"] == 6
    assert FeedEvent.objects.filter(project=at.project, type="item.excluded").count() == 6
    assert set(Review.objects.values_list("words", flat=True)) == {"A bad batch."}
    undo_begin(lead=at.lead, job=job)
    decide()
    for item in (settled, asked):
        item.refresh_from_db()
        assert (item.stage, item.gold, item.doubt) == before[item.pk]
    at.sound()


@pytest.mark.django_db
def test_a_first_approval_is_taken_back_until_it_is_asked_about() -> None:
    at = world(opened=False, settings={"check_first": True})
    at.items[0].refresh_from_db()
    assert at.items[0].stage == "submitted"
    job = many_begin(lead=at.lead, wish=BulkAct(APPROVE), items=versions(at))
    assert {item.stage for item in _now(at)} == {"written"}
    assert undo_begin(lead=at.lead, job=job).result["done"] == 6
    assert {(item.stage, item.due_at) for item in _now(at)} == {("submitted", None)}
    decide()
    assert {item.stage for item in _now(at)} == {"submitted"}
    again = many_begin(lead=at.lead, wish=BulkAct(APPROVE), items=versions(at))
    decide()
    assert {item.stage for item in _now(at)} == {"voting"}
    assert not undoable_steps(again).exists()
    at.sound()


def _now(at: World) -> list[Any]:
    return list(type(at.items[0]).objects.filter(project=at.project).order_by("pk"))


@pytest.mark.django_db
def test_a_job_that_runs_again_does_nothing_twice(at: World) -> None:
    flagged(at)
    job = many_begin(lead=at.lead, wish=BulkAct(CLOSE, FAST), items=versions(at))
    Job.objects.filter(pk=job.pk).update(state="queued", fruitless=0)
    again = run_here(Job.objects.get(pk=job.pk))
    assert (again.state, again.result["done"], again.result["left"]) == ("done", 6, [])
    assert Review.objects.filter(job=job).count() == 6


@pytest.mark.django_db(transaction=True)
def test_two_leads_at_once_each_item_has_one_act() -> None:
    at = world(sets=3)
    flagged(at)
    seen = versions(at)
    jobs = run_at_once(
        [
            partial(many_begin, lead=at.lead, wish=BulkAct(APPROVE), items=seen),
            partial(many_begin, lead=at.other_lead, wish=BulkAct(EXCLUDE, words="No."), items=seen),
        ]
    )
    done = [job.result["done"] for job in jobs]
    assert sum(done) == len(seen) == Review.objects.filter(item__project=at.project).count()
    assert [len(job.result["left"]) for job in jobs] == [len(seen) - n for n in done]
    at.sound()


@pytest.mark.django_db(transaction=True)
def test_a_vote_and_an_act_on_many_at_once() -> None:
    at = world()
    held = [assign(item, person) for item, person in zip(at.items, at.validators, strict=True)]
    flagged(at)
    job, *came = run_at_once(
        [partial(many_begin, lead=at.lead, wish=BulkAct(CLOSE, FAST), items=versions(at))]
        + [partial(cast_vote, assignment, "e") for assignment in held]
    )
    assert job.result["done"] == 6
    assert not [each for each in came if isinstance(each, Exception)]
    at.sound()


# --- pages --------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_whole_list_of_too_fast_pairs_goes_in_one_act() -> None:
    at = world(sets=30)
    flagged(at)
    visitor = browser_of(at.lead)
    preview = visitor.get(page(at, "desk_many", act=CLOSE, close=FAST, which="all", flag=FAST))
    assert "180 items. Nothing is done yet." in preview.content.decode()
    sent = {"act": CLOSE, "close": FAST, "items": preview.context["found"].versions, "words": ""}
    answer = visitor.post(page(at, "desk_many"), sent)
    job = Job.objects.get(kind="review_many")
    assert answer["Location"] == page(at, "desk_many_job", job.pk)
    assert job.state == "queued"
    assert len(job.args["items"]) > AT_ONCE
    assert "hx-trigger" in visitor.get(answer["Location"]).content.decode()
    run_here(job)
    shown = visitor.get(answer["Location"]).content.decode()
    assert "180 items done." in shown
    assert "Undo" in shown
    assert open_flags(at) == {"unsure": 180}


@pytest.mark.django_db
def test_the_preview_says_who_is_left_out_and_keeps_what_was_typed(at: World) -> None:
    flagged(at)
    first, second, *_rest = at.items
    exclude(lead=at.lead, item_id=first.pk, version=first.version, words="Broken.")
    visitor = browser_of(at.lead)
    ticked = page(at, "desk_many", act=EXCLUDE) + f"&item={first.pk}&item={second.pk}&item=999999"
    shown = visitor.get(ticked)
    assert [item.pk for item in shown.context["found"].included_items] == [second.pk]
    assert "It is decided on its own page" in shown.content.decode()
    sent = {"act": EXCLUDE, "close": "", "items": shown.context["found"].versions, "words": " "}
    refused = visitor.post(page(at, "desk_many"), sent)
    assert refused.status_code == 422
    assert "Please say why" in refused.content.decode()
    type(second).objects.filter(pk=second.pk).update(version=F("version") + 1)
    again = visitor.post(page(at, "desk_many"), sent).content.decode()
    assert "Something happened to it after the list was made." in again
    assert not Job.objects.filter(kind="review_many").exists()
    for wrong in ({"act": "adjudicate"}, {"act": CLOSE, "close": "nothing"}, {"act": APPROVE, "items": "x"}):
        assert visitor.post(page(at, "desk_many"), wrong).status_code == 400


@pytest.mark.django_db
def test_one_flag_of_one_item_is_closed_on_its_page(at: World) -> None:
    flagged(at)
    item = at.items[0]
    item.refresh_from_db()
    visitor = browser_of(at.lead)
    assert "Close this flag" in visitor.get(page(at, "item", item.pk)).content.decode()
    visitor.post(page(at, "item_act", item.pk, "close"), {"version": item.version, "flag": FAST})
    assert set(Flag.objects.filter(item=item, closed_at=None).values_list("code", flat=True)) == {"unsure"}
    assert "lag closed" in visitor.get(page(at, "item", item.pk)).content.decode()
