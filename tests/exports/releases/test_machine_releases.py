"""Releases of machine-written questions, from the run to the files: levels, silver, raw and cleaned, dropped ones."""

from collections import Counter
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.content.models.item import Item, Revision
from annotation.core.models.project import Project
from exports.releases.models import Release
from exports.releases.preview import preview
from exports.releases.rules.settings import preset
from tests import factory
from tests import machine as factories
from tests.exports import machine as world
from tests.exports.machine import files
from tests.exports.statistics.computed import computed
from tests.exports.world import build, manifest, rows
from tests.exports.world import freeze as freeze_of
from tests.shared_worlds import SharedWorlds
from validation.review.actions.assessments import ItemCheck, PartVerdict, item_assess
from validation.review.actions.corrections import correct
from validation.review.actions.decisions import adjudicate
from validation.review.models.assessment import Assessment

pytestmark = pytest.mark.django_db


class At:
    """What `freeze` of the other worlds takes."""

    def __init__(self, project: Project) -> None:
        self.project = project


def freeze(project: Project, rules: str, **changes: str) -> Release:
    return freeze_of(At(project), rules, **changes)


def judged() -> Project:
    made = world.questions_project(40)
    world.judge_questions(made)
    return made


@pytest.fixture
def project(standing: SharedWorlds) -> Project:
    return standing(judged)


def levels(project: Project) -> Counter[str]:
    """The kept ones by level."""
    rows = Item.objects.filter(project=project).values_list("stage", "qa__more__made__level")
    return Counter(level for stage, level in rows if stage != "no_consensus")


def test_easy_ones_are_never_asked(project: Project) -> None:
    items = Item.objects.filter(project=project)
    assert items.count() == 120
    easy = items.filter(qa__more__made__level="easy")
    assert set(easy.values_list("stage", "sampled", "votes_n")) == {("written", False, 0)}
    hard = items.filter(qa__more__made__level="hard")
    assert set(hard.values_list("stage", "gold")) == {("settled", "yes"), ("no_consensus", "")}
    assert set(hard.values_list("votes_n", flat=True)) == {2}


def test_tenths_of_each_level(project: Project) -> None:
    release = build(freeze(project, "mcsqa"))
    kept = levels(project)
    for split in ("dev", "test"):
        found = Counter(row["level"] for row in rows(release, split))
        assert found == {"easy": kept["easy"] // 10, "hard": kept["hard"] // 10}
    counts = manifest(release)["counts"]
    assert counts["splits"]["train"]["rows"] == sum(kept.values()) - 2 * (kept["easy"] // 10 + kept["hard"] // 10)
    assert counts["left_out"] == {"no_gold": 120 - sum(kept.values())}
    assert counts["machine"] == {"rows": sum(kept.values()), "models": {"model-of-tests": sum(kept.values())}}
    silver = sum(split["silver"] for split in counts["splits"].values())
    assert silver == kept["easy"]
    card = files(release)["README.md"].decode()
    assert f"**{silver:,} answer keys are silver**" in card
    assert "Dev and test have a tenth of each level each" in card
    assert "| split | easy | hard | silver |" in card
    by_split = {row["split"]: row for row in computed(release).tables["levels"]["rows"]}
    assert list(by_split) == ["train", "dev", "test", "all"]
    for level in ("easy", "hard"):
        tenth = kept[level] // 10
        found_here = [row[f"level:{level}"] for row in by_split.values()]
        assert found_here == [kept[level] - 2 * tenth, tenth, tenth, kept[level]]
    assert by_split["all"]["items"] == sum(kept.values())
    assert preview(project, preset("mcsqa")) == {
        name: counts[name] for name in ("items", "released", "left_out", "shared")
    } | {
        "splits": {
            name: {key: value for key, value in split.items() if key != "rounds"}
            for name, split in counts["splits"].items()
        }
    }


def test_what_a_row_says(project: Project) -> None:
    release = build(freeze(project, "mcsqa"))
    every = [row for split in ("train", "dev", "test") for row in rows(release, split)]
    for row in every:
        easy = row["level"] == "easy"
        assert row["label_source"] == ("model" if easy else "gold")
        assert row["silver"] == easy
        assert row["gold_label"] == ("-" if easy else row["answerKey"])
        assert list(row["judgements"].values()) == ([] if easy else ["yes", "yes"])
        assert row["label"] == row["answerKey"]
        assert (row["relation"], row["model"], row["run"]) == ("AtLocation", "model-of-tests", 1)
        assert row["id"].startswith(row["set"])
        assert row["raw"] == {}


def test_sets_are_kept_together_where_asked(project: Project) -> None:
    release = build(freeze(project, "mcsqa", keep_sets="yes"))
    of_sets: dict[str, set[str]] = {}
    found: Counter[tuple[str, str]] = Counter()
    for split in ("train", "dev", "test"):
        for row in rows(release, split):
            of_sets.setdefault(row["set"], set()).add(split)
            found[split, row["level"]] += 1
    assert {len(splits) for splits in of_sets.values()} == {1}
    for level, n in levels(project).items():
        for split in ("dev", "test"):
            assert n // 10 - 1 <= found[split, level] <= n // 10
    counts = manifest(release)["counts"]["splits"]
    told = preview(project, preset("mcsqa").changed({"keep_sets": "yes"}))["splits"]
    assert {name: split["rows"] for name, split in counts.items()} == {
        name: split["rows"] for name, split in told.items()
    }


def test_the_same_bytes_again(project: Project) -> None:
    first, second = (files(build(freeze(project, "mcsqa", keep_sets="yes"))) for _ in range(2))
    assert first == second
    other = files(build(freeze(project, "mcsqa", seed="other")))
    assert other["dev.jsonl"] != first["dev.jsonl"]


def test_raw_and_cleaned_are_both_there(project: Project) -> None:
    item = Item.objects.filter(project=project, stage="settled").order_by("key")[0]
    lead = factory.member(project, "lead")
    correct(
        lead=lead,
        item_id=item.pk,
        version=item.version,
        field="question",
        text="Di mana orang menaruhnya?",
        meaning="same",
        words="Bahasa.",
    )
    before = Revision.objects.get(item=item, n=1).content["question"]
    release = build(freeze(project, "mcsqa"))
    for split in ("train", "dev", "test"):
        clean, raw = rows(release, split), rows(release, f"raw/{split}")
        assert [row["id"] for row in clean] == [row["id"] for row in raw]
        for mine, first in zip(clean, raw, strict=True):
            changed = mine["id"] == item.key
            assert mine["raw"] == ({"question": before} if changed else {})
            assert (mine["question"] == first["question"]) != changed
            assert (first["label_source"], first["revision"], first["label"]) == ("model", 1, mine["label"])
    assert "raw/train.jsonl" in manifest(release)["files"]


def test_what_a_lead_says_no_to_is_left_out(project: Project) -> None:
    lead = factory.member(project, "lead")
    dropped = list(Item.objects.filter(project=project, stage="no_consensus").order_by("key")[:2])
    for item, label in zip(dropped, ("yes", "no"), strict=True):
        adjudicate(lead=lead, item_id=item.pk, version=item.version, label=label, words="So.")
    release = build(freeze(project, "mcsqa"))
    kept = [row for split in ("train", "dev", "test") for row in rows(release, split)]
    (row,) = [row for row in kept if row["id"] == dropped[0].key]
    assert (row["label_source"], row["silver"], row["gold_label"]) == ("adjudicated", False, "-")
    assert manifest(release)["left_out"]["rejected"] == [dropped[1].key]


def test_what_waits_for_a_check_is_silver_and_what_passed_is_not() -> None:
    project = factories.a_machine_project("gen", recipe="llm-gen", seed="s1")
    items = world.make_questions(project, 5)
    assert {item.stage for item in items} == {"submitted"}
    lead = factory.member(project, "lead")
    verdicts = {part: PartVerdict("none") for part in ("question", "options")}
    check = ItemCheck(verdicts=verdicts, decision="approve")
    item_assess(lead=lead, item_id=items[0].pk, version=items[0].version, check=check)
    Assessment.objects.create(project=project, item=items[1], part="options", n=1, revision_n=1)
    Assessment.objects.create(project=project, item=items[2], part="question", n=1, revision_n=1)
    release = build(freeze(project, "llm-gen"))
    found = {row["id"]: row for row in rows(release, "test")}
    assert {key for key, row in found.items() if not row["silver"]} == {items[0].key, items[1].key}
    assert {row["label_source"] for row in found.values()} == {"model"}
    assert all(row["label"] == row["answer_creator"] == "A" for row in found.values())
    assert manifest(release)["counts"]["splits"]["test"]["silver"] == 3
    assert preview(project, preset("llm-gen"))["splits"]["test"]["silver"] == 3


def test_adapted_questions_keep_the_split_of_their_source() -> None:
    """As the content tells it, else as the material it was made from has it."""
    project = factories.a_machine_project("adapt", recipe="llm-adapt", seed="s1")
    world.make_questions(project, 2, split="train")
    world.make_questions(project, 1, split="validation")
    (plain, by_material) = world.make_questions(project, 2)
    world.set_material(by_material, split="validation")
    release = build(freeze(project, "llm-adapt"))
    assert [len(rows(release, split)) for split in ("train", "dev", "test")] == [2, 2, 1]
    assert [row["id"] for row in rows(release, "test")] == [plain.key]
    told = preview(project, preset("llm-adapt"))["splits"]
    assert {name: split["rows"] for name, split in told.items()} == {"train": 2, "dev": 2, "test": 1}


def test_everything_is_as_it_must_be(project: Project) -> None:
    build(freeze(project, "mcsqa"))
    call_command("check_integrity", project.slug)


def test_the_pages(project: Project, client: Client) -> None:
    boss = factory.user(administrator=True)
    client.force_login(boss)
    page = client.get(f"/p/{project.slug}/releases/new/").content.decode()
    for words in ("Keep the questions of a set together", "Silver", "easy ", "hard "):
        assert words in page
    release = build(freeze(project, "mcsqa"))
    page = client.get(f"/p/{project.slug}/releases/{release.n}/").content.decode()
    assert "raw/train.jsonl" in page or "train.jsonl" in page
    assert "Human evaluation" in page
    answer = client.get(f"/p/{project.slug}/releases/{release.n}/files/raw/dev.jsonl")
    assert answer.status_code == 200
    lines = b"".join(answer.streaming_content).splitlines()  # type: ignore[attr-defined]
    assert len(lines) == len(rows(release, "dev"))


def test_a_preview_costs_the_same_for_few_items_and_many(project: Project, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(4):
        preview(project, preset("mcsqa"))
