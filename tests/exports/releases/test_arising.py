"""A project run whole under two-agree-audit: its release says how its gold arose, and proves it from its files."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.core.database import now
from annotation.core.models.project import Project
from annotation.projects.actions.projects import _store_protocol, protocol_change
from exports.releases.rules.gold_origins import (
    distribution_of,
    recompute_work,
    share_with_interval,
    work_report,
)
from exports.releases.verify import verify
from tests import factory
from tests.exports.releases.test_verify import put, said
from tests.exports.releases.test_verify import rows as lines
from tests.exports.world import build, folder, freeze, manifest, rows
from tests.review import World, cast_votes, decide, world
from tests.shared_worlds import SharedWorlds
from validation.consensus import audit
from validation.consensus.protocol import PRESETS, Protocol
from validation.qualification.models import QuizAttempt
from validation.quality.actions.gold import copy_item, keeper_of
from validation.quality.models import GoldQuestion, GoldStanding

pytestmark = pytest.mark.django_db
# A look after each item, so that two dozen items show what thousands would.
RULES = replace(PRESETS["two-agree-audit"], alpha=0.05, planned=100_000, batch=1, panel=0.15)
NOBODY = dict.fromkeys(("questions", "people", "answers", "right", "pauses"), 0)
OTHER = {"e": "n", "n": "c", "c": "e"}


def run_whole() -> World:
    """Eight sets: each third item is disagreed with at first, some doubted, the rest agreed with."""
    made = factory.project("audited", protocol=RULES, settings={"spacing": 0})
    # Who is drawn follows from the project's secret, which no two projects share: here it is always the same.
    Project.objects.filter(pk=made.pk).update(secret="always-the-same")
    made.refresh_from_db()
    made.protocols.all().delete()
    _store_protocol(made, 1, RULES, None)
    writer = factory.member(made, "writer")
    items = factory.written_pairs(made, writer, 8)
    decide()
    lead, second = factory.member(made, "lead"), factory.member(made, "lead")
    at = World(made, writer, lead, second, [factory.member(made, "validator") for _ in range(6)], items)
    for n, item in enumerate(at.items):
        mine, other = item.author_label, OTHER[item.author_label]
        doubt = n % 7 == 0
        item = cast_votes(at, item, other if n % 3 == 0 else mine, unsure=doubt)
        while item.stage == "voting":
            item = cast_votes(at, item, other if n % 5 == 0 else mine)
    at.sound()
    # So that its releases hold the seed of its draws.
    Project.objects.filter(pk=made.pk).update(closed_at=now())
    made.refresh_from_db()
    return at


@pytest.fixture
def at(standing: SharedWorlds) -> World:
    return standing(run_whole)


def released(at: World, **rules: str) -> Any:
    return build(freeze(at, "indonli-expert", no_gold="test", **rules))


@pytest.fixture
def copy(at: World, tmp_path: Path) -> Path:
    shutil.copytree(folder(released(at)), tmp_path / "copy")
    return tmp_path / "copy"


def test_a_project_run_whole_releases_what_verifies(at: World) -> None:
    release = released(at)
    found = rows(release, "test")
    assert len(found) == 48
    assert {row["stop_reason"] for row in found} == set(audit.ROUTES)
    for row in found:
        whole = row["n_labels"] == 5
        assert row["n_labels"] == len(row["annotator_labels"])
        assert (row["label_distribution"] is not None) is whole
        assert (row["q"] is not None) is (row["stop_reason"] in ("two_agree", "audited"))
        if row["stop_reason"] == "two_agree":
            assert (row["n_labels"], row["gold_label"]) == (2, row["author_label"])
        if row["stop_reason"] == "panel":
            assert sum(row["label_distribution"].values()) == 5
    arose = manifest(release)["counts"]["arose"]
    assert arose["stop_reasons"] == dict(sorted(Counter(row["stop_reason"] for row in found).items()))
    assert arose["labels"] == sum(row["n_labels"] for row in found)
    told = arose["audits"]["1"]
    assert told["seen"] == 48
    assert told["audited"] == arose["stop_reasons"]["audited"]
    assert audit.commitment(told["seed"]) == told["commitment"]
    verified = verify(folder(release))
    assert verified.right
    assert {check.what for check in verified.checks} >= {
        "audits, step by step",
        "how the gold labels arose, counted again",
        "numbers of labels, and why nobody else was asked",
        "protocols with the SHA-256 that they were sealed with",
    }
    assert all(check.done for check in verified.checks)


def test_the_card_says_how_the_gold_arose(at: World) -> None:
    card = (folder(released(at)) / "README.md").read_text()
    section = card.partition("## How the gold labels arose")[2].partition("\n## ")[0]
    assert "made before the first vote" in section
    assert "No rule was changed after votes had been cast." in section
    assert "Upper bound of 95 % on the golds that differ" in section
    assert "The panel, drawn secretly, always got all labels" in section
    assert "two_agree" in section


Forge = Callable[[Path], None]


def _row(change: Callable[[dict[str, Any]], bool]) -> Forge:
    """Alter the first row for which `change` says that it did."""

    def forge(at: Path) -> None:
        found = lines(at, "test.jsonl")
        assert any(change(row) for row in found)
        put(at, "test.jsonl", found)

    return forge


def _step(change: Callable[[dict[str, Any]], bool]) -> Forge:
    def forge(at: Path) -> None:
        found = lines(at, "audits.jsonl")
        assert any(change(line) for line in found)
        put(at, "audits.jsonl", found)

    return forge


def _manifest(change: Callable[[dict[str, Any]], None]) -> Forge:
    def forge(at: Path) -> None:
        told = json.loads((at / "manifest.json").read_text())
        change(told)
        (at / "manifest.json").write_text(json.dumps(told))

    return forge


def _stopped(row: dict[str, Any]) -> bool:
    stopped = bool(row["stop_reason"] == "two_agree")
    if stopped:
        row["stop_reason"] = "audited"
    return stopped


def _more(row: dict[str, Any]) -> bool:
    row["n_labels"] += 1
    return True


def _draw(line: dict[str, Any]) -> bool:
    drawn = bool(line["route"] == "audited" and line["event"] == "first")
    if drawn:
        line["route"] = "two_agree"
    return drawn


def _found(line: dict[str, Any]) -> bool:
    decided = bool(line["event"] == "outcome")
    if decided:
        line["changed"] = not line["changed"]
    return decided


def _agreed(line: dict[str, Any]) -> bool:
    differs = bool(line["route"] == "disagreement")
    if differs:
        line |= {"agrees": True, "doubt": True, "route": "doubt"}
    return differs


def _bound(told: dict[str, Any]) -> None:
    told["counts"]["arose"]["audits"]["1"]["bound95"] /= 2


def _alpha(told: dict[str, Any]) -> None:
    told["protocols"][0]["rules"]["planned"] = 50_000


def _seed(told: dict[str, Any]) -> None:
    told["counts"]["arose"]["audits"]["1"]["seed"] = "another"


def _agreement(told: dict[str, Any]) -> None:
    told["counts"]["arose"]["first_voter_agrees"]["n"] += 1


FORGED: list[tuple[Forge, str]] = [
    (_row(_stopped), "its steps"),
    (_row(_more), "numbers of labels"),
    (_step(_draw), "it should be audited"),
    (_step(_found), "audits, step by step"),
    (_step(_agreed), "its row says disagreement"),
    (_manifest(_bound), "audits"),
    (_manifest(_alpha), "protocol 1: its rules give"),
    (_manifest(_seed), "its seed has the SHA-256"),
    (_manifest(_agreement), "first_voter_agrees"),
]


@pytest.mark.parametrize(("forge", "reason"), FORGED, ids=[reason for _, reason in FORGED])
def test_what_was_altered_is_found(copy: Path, forge: Forge, reason: str) -> None:
    forge(copy)
    code, told = said(copy, "--files-only")
    assert code != 0
    assert reason in told


def test_a_rule_changed_after_votes_is_a_deviation(at: World) -> None:
    project = Project.objects.get(pk=at.project.pk)
    rules = Protocol.from_stored(project.protocols.get().rules)
    protocol_change(project=project, by=None, protocol=replace(rules, panel=0.5))
    release = released(at)
    made = manifest(release)["protocols"]
    assert [version["votes_before"] > 0 for version in made] == [False, True]
    card = (folder(release) / "README.md").read_text()
    assert "Deviations from what was registered first" in card
    assert "`panel` 0.15 → 0.5" in card
    assert verify(folder(release)).right


def test_other_protocols_say_how_many_labels_and_why_nobody_else_was_asked() -> None:
    at = world(1, settings={"spacing": 0})
    for item, given in zip(at.items, ("own", "two", "four", "none", "open"), strict=False):
        mine = item.author_label
        other, third = OTHER[mine], OTHER[OTHER[mine]]
        said_by = {
            "own": mine * 2,
            "two": other + mine + mine,
            "four": other + third + mine + mine,
            "none": other + third + mine + third,
            "open": "",
        }
        if said_by[given]:
            cast_votes(at, item, said_by[given])
    decide()
    release = build(freeze(at, "indonli-lay", not_sampled="train", no_gold="train"))
    found = [row for split in ("train", "dev", "test") for row in rows(release, split)]
    reasons = Counter((row["stop_reason"], row["n_labels"]) for row in found)
    assert reasons[("quorum", 3)] == reasons[("quorum", 4)] == 1
    assert reasons[("all_votes", 5)] == 2
    assert "q" not in found[0]
    assert "audits.jsonl" not in {path.name for path in folder(release).iterdir()}
    assert verify(folder(release)).right


@pytest.mark.parametrize(
    ("part", "of", "low", "high"),
    [(0, 0, None, None), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775), (50, 100, 0.4038, 0.5962)],
)
def test_shares_have_wilson_s_interval(part: int, of: int, low: float | None, high: float | None) -> None:
    found = share_with_interval(part, of)
    assert (found["from"], found["to"]) == (low, high)


def test_a_distribution_is_told_of_all_labels_or_not_at_all() -> None:
    assert distribution_of(["e", "n", "e"], 3) == {"e": 2, "n": 1}
    assert distribution_of(["e", "n"], 3) is None


def worked(people: int, answers: int) -> dict[str, Any]:
    quiz = {
        "attempts": people + 1,
        "people": people,
        "passed": people - 1,
        "asked": answers,
        "right": answers - 2,
        "waived": 1,
    }
    gold = {"questions": 9, "people": people, "answers": answers, "right": answers - 1, "pauses": 2}
    return work_report({"quiz": quiz, "writers_quiz": quiz}, gold)


@pytest.mark.parametrize(("people", "answers", "told"), [(5, 5, True), (4, 50, False), (6, 4, False)])
def test_people_s_work_is_told_in_sums_of_five_or_not_at_all(people: int, answers: int, told: bool) -> None:
    found = worked(people, answers)
    assert set(found) == {"quiz", "writers_quiz", "gold_questions"}
    assert all((sums is not None) is told for sums in found.values())
    assert recompute_work(found) == found
    if told:
        assert found["quiz"]["passed"] == share_with_interval(people - 1, people)
        assert found["gold_questions"]["right"] == share_with_interval(answers - 1, answers)
    assert (
        work_report({"quiz": dict.fromkeys(("attempts", "people", "passed", "asked", "right", "waived"), 0)}, NOBODY)
        == {}
    )


def test_a_release_tells_quiz_and_gold_questions_in_sums(at: World, tmp_path: Path) -> None:
    project, item = at.project, Item.objects.filter(project=at.project).order_by("pk")[0]
    keeper = keeper_of(project)
    copy = copy_item(item, keeper.targets.get(), most=1)
    GoldQuestion.objects.create(project=project, item=copy, of_item=item, epoch=1, accepted=["e"], most=1)
    for n, person in enumerate(at.validators[:5]):
        GoldStanding.objects.create(annotator=person, answered=5, right=4, all_answered=10, all_right=8 + (n == 0))
        QuizAttempt.objects.create(
            annotator=person,
            n=1,
            items=[],
            asked=4,
            needed=3,
            right=4 if n else 1,
            done_at="2026-01-01T00:00Z",
        )
        QuizAttempt.objects.create(
            annotator=person,
            role="writer",
            n=1,
            items=[],
            asked=3,
            needed=3,
            right=3,
            done_at="2026-01-01T00:00Z",
        )
    release = released(at)
    told = manifest(release)["counts"]["arose"]["work"]
    assert (told["gold_questions"]["people"], told["gold_questions"]["right"]["n"]) == (5, 41)
    assert (told["quiz"]["passed"]["n"], told["quiz"]["right"]["of"]) == (4, 20)
    assert (told["writers_quiz"]["passed"]["n"], told["writers_quiz"]["right"]["of"]) == (5, 15)
    assert "work" not in manifest(release)
    card = (folder(release) / "README.md").read_text()
    assert (
        "Voters took a quiz on items with known answers before they voted: 5 people in 5 attempts, 4 of them passed"
        in card
    )
    assert (
        "Writers took a quiz on items with known answers before they wrote: 5 people in 5 attempts, 5 of them" in card
    )
    assert "5 people gave the accepted answer in 82.0 % of 50" in card
    assert "of which no file tells" in card
    assert verify(folder(release)).right
    at_copy = tmp_path / "copy"
    shutil.copytree(folder(release), at_copy)

    def few(manifest: dict[str, Any]) -> None:
        manifest["counts"]["arose"]["work"]["gold_questions"]["people"] = 4

    def better(manifest: dict[str, Any]) -> None:
        manifest["counts"]["arose"]["work"]["gold_questions"]["people"] = 5
        manifest["counts"]["arose"]["work"]["gold_questions"]["right"]["share"] = 0.99

    for forge in (few, better):
        _manifest(forge)(at_copy)
        code, words = said(at_copy, "--files-only")
        assert code != 0
        assert "work: " in words
