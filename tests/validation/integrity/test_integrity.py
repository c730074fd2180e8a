"""check_integrity: every invariant broken by SQL, seen, repaired, and sound afterwards."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.signals import post_init
from django.test.utils import CaptureQueriesContext

from annotation.content.models.item import Item
from annotation.jobs.models import Import, ImportRow, Job
from tests import factory
from tests.review import (
    World,
    approve,
    assign,
    cast_votes,
    decide,
    give_back,
    item_at_stage,
    resubmit,
    world,
    world_with_item_at,
)
from tests.shared_worlds import SharedWorlds
from validation import integrity
from validation.integrity import items
from validation.review.actions.decisions import reopen
from validation.voting.actions.steps import exclude
from validation.voting.actions.votes import vote_void
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db


def sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def item_set(columns: str) -> Callable[[World, Item], None]:
    """Break columns of the item's row."""
    return lambda at, item: sql(f"UPDATE annotation_item SET {columns} WHERE id = %s", item.pk)  # noqa: S608


def deferred_off() -> None:
    """Let what is checked at commit be checked now, so that tables can be altered in this transaction."""
    sql("SET CONSTRAINTS ALL IMMEDIATE")


def vote_twice(at: World, item: Item) -> None:
    deferred_off()
    sql("DROP INDEX vote_one_standing")
    first = Vote.objects.filter(item=item).order_by("n")[0]
    Vote.objects.create(
        project=at.project,
        item=item,
        annotator=first.annotator,
        n=item.votes_n + 1,
        epoch=1,
        round=2,
        revision_n=1,
        label="c",
        unsure=False,
        ambiguous=False,
    )
    sql("UPDATE annotation_item SET votes_n = votes_n + 1 WHERE id = %s", item.pk)


def own_vote(at: World, item: Item) -> None:
    deferred_off()
    sql("ALTER TABLE validation_vote DISABLE TRIGGER vote_never_the_author")
    sql(
        "UPDATE validation_vote SET annotator_id = %s WHERE id = (SELECT min(id) FROM validation_vote "
        "WHERE item_id = %s)",
        at.writer.pk,
        item.pk,
    )


def old_vote(at: World, item: Item) -> None:
    sql("UPDATE annotation_item SET epoch = 2 WHERE id = %s", item.pk)


def assignment_left_open(at: World, item: Item) -> None:
    sql("UPDATE validation_assignment SET state = 'open', until = now() WHERE item_id = %s", item.pk)


def assignment_elsewhere(at: World, item: Item) -> None:
    assign(item, at.validators[5])
    sql("UPDATE validation_assignment SET epoch = 7 WHERE item_id = %s AND state = 'open'", item.pk)


def text_changed(at: World, item: Item) -> None:
    sql("UPDATE annotation_hypothesis SET text = 'Diubah diam-diam.' WHERE item_id = %s", item.pk)


def flag_gone(at: World, item: Item) -> None:
    sql("UPDATE annotation_item SET doubt = 512 WHERE id = %s", item.pk)


# what is broken, from which stage → (invariant, what is said to be wrong)
BREAKS: list[tuple[str, str, Callable[[World, Item], None], str, str]] = [
    ("two standing votes", "settled", vote_twice, "I2", "standing votes of one person"),
    ("a vote of the author", "settled", own_vote, "I3", "votes by the author"),
    ("an epoch ahead", "settled", old_vote, "I2", "epoch of a standing vote"),
    ("an epoch without a cause", "settled", old_vote, "I5", "epoch"),
    ("pending lost", "voting", item_set("pending = 0, slots_free = 0"), "I4", "votes asked for"),
    ("a slot too few", "voting", item_set("slots_free = 0"), "I4", "open assignments"),
    ("a slot too many", "voting", item_set("slots_free = 2, pending = 2"), "I5", "votes still asked for"),
    ("pending after gold", "settled", item_set("pending = 1"), "I4", "votes asked for where nobody is asked"),
    (
        "an assignment after gold",
        "settled",
        assignment_left_open,
        "I4",
        "votes asked for where nobody is asked",
    ),
    (
        "an assignment of another epoch",
        "voting",
        assignment_elsewhere,
        "I4",
        "open assignments of another epoch",
    ),
    ("a stage made up", "settled", item_set("stage = 'voting'"), "I5", "stage"),
    ("back to written", "no_consensus", item_set("stage = 'written'"), "I5", "stage"),
    ("excluded by nobody", "settled", item_set("stage = 'excluded'"), "I5", "stage"),
    ("another gold", "settled", item_set("gold = 'c'"), "I5", "gold label"),
    ("gold from nowhere", "no_consensus", item_set("gold = 'c', gold_from = 'votes'"), "I5", "gold label"),
    ("gold of a lead", "settled", item_set("gold_from = 'lead'"), "I5", "gold label"),
    ("another's adjudication", "adjudicated", item_set("gold = 'e'"), "I5", "gold label"),
    ("gold while returned", "returned", item_set("gold = 'e', gold_from = 'votes'"), "I5", "gold label"),
    ("another round", "settled", item_set("round = 3"), "I5", "round"),
    ("a round ahead", "voting", item_set("round = 3"), "I5", "round"),
    ("times returned", "corrected", item_set("returns = 0"), "I5", "times returned"),
    ("a version too many", "settled", item_set("version = version + 1"), "I11", "rows for version 4"),
    ("a version lost", "settled", item_set("version = version - 1"), "I11", "version of the item"),
    ("votes miscounted", "settled", item_set("votes_n = 9"), "I11", "votes"),
    ("revisions miscounted", "settled", item_set("revision_n = 9"), "I11", "revisions"),
    ("a text without a revision", "settled", text_changed, "I11", "present text"),
    ("doubt without a flag", "settled", flag_gone, "doubt", "doubt"),
]


@pytest.mark.parametrize(
    ("name", "stage", "spoil", "invariant", "what"),
    [pytest.param(*row, id=row[0]) for row in sorted(BREAKS, key=lambda row: row[1])],
)
def test_broken_seen_and_repaired(
    standing: SharedWorlds,
    name: str,
    stage: str,
    spoil: Callable[[World, Item], None],
    invariant: str,
    what: str,
) -> None:
    at, item = standing(world_with_item_at, stage)
    at.sound()
    item.refresh_from_db()
    before = (item.stage, item.gold, item.hypothesis.text)
    spoil(at, item)
    seen = list(integrity.run(project=at.project))
    assert (invariant, what) in {(breach.invariant, breach.what) for breach in seen}
    assert {breach.subject for breach in seen} == {item.key}
    repaired = list(integrity.run(project=at.project, repair=True))
    assert repaired
    assert all(breach.repaired for breach in repaired)
    at.sound()
    item = Item.objects.get(pk=item.pk)
    if invariant not in ("I2", "I3"):  # a vote that must not count leaves fewer to decide by
        assert (item.stage, item.gold, item.hypothesis.text) == before


def test_a_vote_of_an_older_meaning_is_set_aside(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    item = approve(at, resubmit(at, give_back(at, item)), "new")
    at.sound()
    sql(
        "UPDATE validation_vote SET withdrawn_at = NULL, withdrawn_version = NULL, withdrawn_why = '' "
        "WHERE item_id = %s AND n = 1",
        item.pk,
    )
    assert [breach.invariant for breach in integrity.run(project=at.project)] == ["I2"]
    assert all(breach.repaired for breach in integrity.run(project=at.project, repair=True))
    assert Vote.objects.get(item=item, n=1).withdrawn_why == "new_meaning"
    at.sound()


def test_a_history_that_cannot_have_happened_is_said_and_left(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    sql("UPDATE validation_verdict SET event = 'ask' WHERE item_id = %s AND event = 'open'", item.pk)
    found = list(integrity.run(project=at.project, repair=True))
    assert [(breach.invariant, breach.what, breach.repaired) for breach in found] == [("I5", "events", False)]
    assert Item.objects.get(pk=item.pk).stage == "settled"


def test_a_row_taken_out_of_the_audit_is_said_and_left(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "adjudicated")
    sql("DELETE FROM validation_review WHERE item_id = %s", item.pk)
    found = list(integrity.run(project=at.project))
    assert ("I11", "version of the item") not in {(b.invariant, b.what) for b in found}
    assert ("I5", "stage") in {(b.invariant, b.what) for b in found}
    assert any(breach.what.startswith("rows for version") for breach in found)


def test_a_premise_changed_behind_its_pairs_is_left_to_a_person(standing: SharedWorlds) -> None:
    at = standing(world)
    sql("UPDATE annotation_premise SET text = 'Lain.' WHERE project_id = %s", at.project.pk)
    found = list(integrity.run(project=at.project, repair=True))
    assert {(b.what, b.repaired) for b in found} == {("present text", False)}
    assert len(found) == 6


def test_what_is_due_is_the_houses_to_decide(standing: SharedWorlds) -> None:
    at, item = standing(world_with_item_at, "settled")
    vote_void(lead=at.lead, item_id=item.pk, vote_n=1, version=item.version, reason="No.")
    assert list(integrity.run(project=at.project)) == []
    decide()
    at.sound()


def test_a_busy_project_is_sound(standing: SharedWorlds) -> None:
    """Everything that people do, one after the other, leaves nothing to repair."""
    at = standing(world, sets=2)
    item = cast_votes(at, at.item("e"), "ncc")
    assign(item, at.validators[5])
    item = cast_votes(at, at.item("n"), "nn", unsure=True, ambiguous=True)
    item = approve(at, resubmit(at, give_back(at, item)), "new")
    decide()
    cast_votes(at, item, "nn")
    item = cast_votes(at, at.item("c"), "c")
    item = exclude(lead=at.lead, item_id=item.pk, version=item.version, words="No.")
    reopen(lead=at.other_lead, item_id=item.pk, version=item.version)
    at.sound()
    assert integrity.registered()[0].name == "items"


@pytest.mark.parametrize("chunk", [2, 500])
def test_every_item_is_read_once(standing: SharedWorlds, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """However many chunks there are, and with so many statements a chunk: 100,000 items are 200 chunks."""
    at = standing(world, sets=2)
    monkeypatch.setattr(items, "CHUNK", chunk)
    read: list[int] = []

    def count(instance: Item, **told: Any) -> None:
        read.append(instance.pk)

    post_init.connect(count, sender=Item)
    try:
        with CaptureQueriesContext(connection) as asked:
            assert list(items.check_items(at.project, repair=False)) == []
    finally:
        post_init.disconnect(count, sender=Item)
    assert sorted(read) == sorted(Item.objects.values_list("pk", flat=True))
    assert len(asked) <= 1 + 12 * -(-len(read) // chunk)


# --- jobs and imports -------------------------------------------------------------


def job(at: World, **fields: Any) -> Job:
    return Job.objects.create(kind="release", project=at.project, **fields)


LONG_AGO = "2020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"state": "running"}, "queued"),
        ({"state": "running", "lease": "x", "lease_until": LONG_AGO}, "queued"),
        ({"state": "done"}, "done"),
        ({"state": "failed", "lease": "x", "finished_at": LONG_AGO}, "failed"),
        ({"state": "queued", "attempts": 4, "fruitless": 4}, "failed"),
        ({"state": "queued", "finished_at": LONG_AGO}, "queued"),
    ],
)
def test_jobs_end_or_can_be_taken_up(standing: SharedWorlds, fields: dict[str, Any], state: str) -> None:
    at = standing(world, opened=False)
    lost = job(at, **fields)
    found = list(integrity.run(project=at.project))
    assert {breach.invariant for breach in found} == {"I6"}
    assert all(breach.repaired for breach in integrity.run(project=at.project, repair=True))
    lost.refresh_from_db()
    assert lost.state == state
    assert list(integrity.run(project=at.project)) == []


def test_jobs_at_work_are_sound(standing: SharedWorlds) -> None:
    at = standing(world, opened=False)
    job(at)
    job(at, state="running", lease="x", lease_until="2999-01-01T00:00:00Z", attempts=1)
    job(at, state="done", finished_at=LONG_AGO)
    assert list(integrity.run(project=at.project)) == []


def test_imports_count_what_their_jobs_counted(standing: SharedWorlds) -> None:
    at = standing(world, opened=False)
    done = job(at, state="done", finished_at=LONG_AGO, result={"accepted": 3, "unchanged": 1, "refused": 1})
    taken = Import.objects.create(
        project=at.project, job=done, name="a.csv", path="a", accepted=3, unchanged=1, refused=1
    )
    ImportRow.objects.create(source=taken, n=4, field="premise", reason="empty")
    assert list(integrity.run(project=at.project)) == []
    sql("UPDATE annotation_import SET accepted = 9 WHERE id = %s", taken.pk)
    assert [breach.what for breach in integrity.run(project=at.project)] == ["rows counted"]
    assert all(breach.repaired for breach in integrity.run(project=at.project, repair=True))
    sql("DELETE FROM annotation_importrow WHERE source_id = %s", taken.pk)
    found = list(integrity.run(project=at.project, repair=True))
    assert [(breach.what, breach.repaired) for breach in found] == [("lines of the report", False)]


# --- the command and the registry ---------------------------------------------------


def command(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("check_integrity", *arguments, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def test_the_command_says_repairs_and_exits() -> None:
    at, other = world(), world(opened=False)
    item = item_at_stage(at, "settled")
    assert command()[0] == 0
    sql("UPDATE annotation_item SET gold = 'c' WHERE id = %s", item.pk)
    status, words = command()
    assert status == 1
    assert f"I5 {at.project.slug}: {item.key}: gold label is c votes, should be e votes" in words
    assert command(other.project.slug)[0] == 0
    status, words = command(at.project.slug, "--json")
    report = json.loads(words)
    assert (status, report["ok"], report["items"], report["breaches"]) == (1, False, 6, {"I5": 1})
    assert report["rows"][0]["expected"] == "e votes"
    status, words = command("--repair")
    assert status == 0
    assert "(repaired)" in words
    assert command("--json")[0] == 0
    with pytest.raises(CommandError):
        command("nothing-of-that-name")


def test_checks_of_other_apps_are_run_too() -> None:
    from validation.integrity import base

    breach = integrity.Breach("I10", "", "release 1", "manifest", "another", "the one that was frozen")
    with pytest.raises(ValueError):
        integrity.register(integrity.Check("items", "again", lambda project, repair: iter(())))
    integrity.register(integrity.Check("invented", "for this test", lambda project, repair: iter([breach])))
    try:
        assert breach in list(integrity.run())
    finally:
        base._checks.pop("invented")


def test_statements_do_not_grow_with_items() -> None:
    at, counts = factory.project(), []
    for sets in (1, 5):
        factory.written_pairs(at, factory.member(at, "writer"), sets)
        decide()
        with CaptureQueriesContext(connection) as asked:
            assert list(integrity.run(project=at)) == []
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_flags_from_the_future_are_said(standing: SharedWorlds) -> None:
    at = standing(world)
    item = cast_votes(at, at.item(), "ee", unsure=True)
    sql("UPDATE validation_flag SET version = 99 WHERE item_id = %s", item.pk)
    found = list(integrity.run(project=at.project))
    assert [(breach.invariant, breach.what) for breach in found] == [("I11", "flags beyond the item's version")]
