"""Releases by the splits that items were published in, of every kind; rules that do not apply are refused."""

from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation import kinds
from annotation.content.models.item import PublishedSplit
from annotation.core.models.project import Project
from annotation.core.rules.fields import FieldError
from annotation.tasks.rules.templates import template
from exports.releases.actions import release_freeze
from exports.releases.models import Release
from exports.releases.preview import preview
from exports.releases.queries import checked_rules
from exports.releases.rules.settings import (
    PRESETS,
    SplitRules,
    check_rules_apply,
    layout_of,
    preset,
    presets_for_kind,
    presets_for_layout,
    rule_names,
)
from exports.releases.rules.splits import named_split
from exports.releases.verify import verify
from exports.releases.verify_files import file_sha256
from tests import factory, review
from tests.annotation.tasks.items import make_task_project
from tests.api import assert_refused, script
from tests.exports.machine import answer_in_turn
from tests.exports.releases.test_every_preset import ITEMS, PEOPLE
from tests.exports.world import build, folder, rows
from tests.validation.imports_run import import_items

pytestmark = pytest.mark.django_db
NAMES = ("train", "validation", "test_lay", "other", "", "train")
WANTED = {"train": 2, "dev": 1, "test": 1}
KINDS = {"nli": "indonli-lay", "mcq": "idcsqa", "mcq-judged": "mcsqa", "cultural": "kalahi"}


@pytest.fixture(autouse=True)
def _without_redis(settings: Any) -> None:
    settings.REDIS_URL = ""


def task_row(n: int, vote: str) -> dict[str, Any]:
    votes = [{"annotator": name, "answers": {"sentiment": vote}} for name in PEOPLE[:3]]
    return {"id": f"t{n}", "text": f"Warungnya ramai {n}.", "votes": votes}


def imported(kind: str, path: Path, **column: str) -> Project:
    """Six items of the kind with their votes, published in splits of several names; one names none."""
    make, vote, _ = ITEMS[kind]
    project = factory.project(f"own-{kind}", preset=KINDS[kind], settings={"check_first": False})
    name = column.get("column", "data_split")
    lines = [{**make(n, vote), name: split} for n, split in enumerate(NAMES, start=1)]
    model = ("--machine", "x") if kind == "mcq-judged" else ()
    if model:  # no file has judgements of given answers
        lines = [{key: value for key, value in line.items() if key != "answers"} for line in lines]
    source = path / "items.jsonl"
    source.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    code, report = import_items(project.slug, source, *model)
    assert (code, report["refused"]) == (0, 0), report
    review.decide()
    if model:
        for _ in range(2):
            answer_in_turn(factory.member(project, "validator"), [vote])
        review.decide()
    return project


def by_files(release: Release) -> dict[str, int]:
    return {
        name: len(rows(release, name))
        for name in ("train", "dev", "test")
        if (folder(release) / f"{name}.jsonl").exists()
    }


@pytest.mark.parametrize("kind", ITEMS)
def test_every_kind_is_released_by_the_splits_of_its_file(kind: str, tmp_path: Path) -> None:
    project = imported(kind, tmp_path)
    rules = checked_rules(project, preset(project.rules.release).changed({"deal": "published"}))
    release = build(release_freeze(project=project, rules=rules, by=None))
    assert by_files(release) == WANTED
    assert release.counts["left_out"] == {"no_published_split": 2}
    assert {row["published_split"] for row in rows(release, "test")} == {"test_lay"}, "as its file names it"
    counted = preview(project, rules)
    assert {name: split["rows"] for name, split in counted["splits"].items()} == WANTED
    assert counted["left_out"] == release.counts["left_out"]
    verified = verify(folder(release))
    checked = {check.what: (check.done, check.wrong) for check in verified.checks}
    assert checked["splits from the rules"] == (4, 0)
    assert verified.right
    assert verified.rebuilt is not None
    text = (folder(release) / "README.md").read_text()
    assert "Splits are those that each item was published in" in text


def test_a_row_in_another_split_than_its_file_says_is_found(tmp_path: Path) -> None:
    project = imported("nli", tmp_path)
    release = build(release_freeze(project=project, rules=preset("published"), by=None))
    at = folder(release)
    moved = (at / "dev.jsonl").read_bytes().replace(b'"validation"', b'"train"')
    (at / "dev.jsonl").write_bytes(moved)
    manifest = orjson.loads((at / "manifest.json").read_bytes())
    manifest["files"]["dev.jsonl"]["sha256"] = file_sha256(at / "dev.jsonl")
    (at / "manifest.json").write_bytes(orjson.dumps(manifest))
    faults = [fault for check in verify(at, files_only=True).checks for fault in check.faults]
    assert any(fault.endswith("it is in dev, its file says train") for fault in faults), faults


def test_own_tasks_keep_their_published_splits_too(tmp_path: Path) -> None:
    project = make_task_project("own-sentiment", task=template("sentiment"))
    column = "published_split"  # as our own releases call it
    lines = [{**task_row(n, "positive"), column: split} for n, split in enumerate(NAMES, start=1)]
    (tmp_path / "rows.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    code, report = import_items(project.slug, tmp_path / "rows.jsonl")
    assert code == 0, report
    assert Counter(PublishedSplit.objects.values_list("split", flat=True)) == Counter(filter(None, NAMES))
    review.decide()
    release = build(release_freeze(project=project, rules=preset("published"), by=None))
    assert by_files(release) == WANTED
    assert verify(folder(release)).right


@pytest.mark.parametrize(
    ("name", "split"),
    [
        *((name, "train") for name in ("train", "Training", "train_rand_split", "train-00000-of-2")),
        *((name, "dev") for name in ("dev", "val", "valid", "validation", "development", "dev_rand_split")),
        *((name, "test") for name in ("test", "test_lay", "test_expert", " TEST ")),
        *((name, "") for name in ("", "all", "gold", "trains", "contest")),
    ],
)
def test_names_of_splits(name: str, split: str) -> None:
    assert named_split(name) == split


# --- a rule that does not apply is refused, never dropped -----------------------------------------


def other_value(name: str) -> Any:
    """A value of a rule that is not its default."""
    rule, usual = SplitRules.declared()[name], getattr(SplitRules(), name)
    if rule.choices:
        return next(value for value in rule.choices if value != usual)
    return not usual if isinstance(usual, bool) else usual + 1 if isinstance(usual, int) else f"{usual}x"


@pytest.mark.parametrize("kind", sorted({each.slug for each in kinds.all_kinds()}))
def test_every_rule_of_every_kind_applies_or_is_refused(kind: str) -> None:
    found = kinds.get(kind)
    known = rule_names(found.shape, found.settings)
    for name in SplitRules.declared():
        rules = SplitRules(preset=presets_for_layout(layout_of(found.shape))[0], **{name: other_value(name)})
        if name in known and name not in ("deal", "keep_sets"):
            check_rules_apply(rules, found.shape, found.settings)
        elif name not in known:
            with pytest.raises(FieldError) as refused:
                check_rules_apply(rules, found.shape, found.settings)
            assert refused.value.field == name
    offered = presets_for_kind(found.shape, found.settings)
    assert ("published" in offered) is (layout_of(found.shape) == "splits")
    assert ("mcsqa" in offered) is ("recipe" in found.settings)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"deal": "source"}, "deal"),
        ({"deal": "tenths"}, "deal"),
        ({"deal": "published", "not_sampled": "train"}, "not_sampled"),
        ({"deal": "published", "no_gold": "test"}, "no_gold"),
        ({"deal": "published", "adjudicated": "train"}, "adjudicated"),
        ({"deal": "published", "dev_percent": "30"}, "dev_percent"),
        ({"deal": "published", "strict": "yes"}, "strict"),
        ({"deal": "published", "seed": "x"}, "seed"),
        ({"keep_sets": "yes"}, "keep_sets"),
        ({"unchecked": "take"}, "unchecked"),
        ({"complete_only": "yes"}, "complete_only"),
        ({"targets": "jv"}, "targets"),
        ({"together": "document"}, "together"),
        ({"together": "writer"}, "together"),
        ({"stratify": "writer"}, "stratify"),
    ],
)
def test_the_command_says_which_rule_does_not_apply(changes: dict[str, str], field: str, tmp_path: Path) -> None:
    project = imported("nli", tmp_path)
    told = [f"--set={name}={value}" for name, value in changes.items()]
    with pytest.raises(CommandError, match=f"^{field}: ") as ended:
        call_command("build_release", project.slug, f"--out={tmp_path / 'out'}", "--no-licence", *told)
    assert ended.value.returncode == 2
    assert not Release.objects.exists()


def test_without_published_splits_none_can_be_asked_for(tmp_path: Path) -> None:
    project = imported("nli", tmp_path, column="somewhere")
    with pytest.raises(FieldError, match="no item was imported with a column data_split"):
        checked_rules(project, preset("published"))
    asked = script(factory.user("boss@example.org", administrator=True))
    answer = asked.post(f"projects/{project.slug}/releases:preview", {"rules": {"deal": "published"}})
    assert_refused(answer, 400, "release_rule_wrong")
    assert "data_split" in answer.json()["detail"]


def test_the_command_releases_by_published_splits_with_one_word(tmp_path: Path) -> None:
    project, out = imported("nli", tmp_path), StringIO()
    told = ("--no-licence", "--set=deal=published", "--set=forms=none")
    call_command("build_release", project.slug, f"--out={tmp_path / 'out'}", *told, stdout=out)
    assert {path.name for path in (tmp_path / "out").glob("*.jsonl")} == {
        "train.jsonl",
        "dev.jsonl",
        "test.jsonl",
        "votes.jsonl",
    }
    assert PRESETS["published"].deal == "published"


def test_a_preset_of_another_kind_or_of_none_is_refused_with_those_that_apply(tmp_path: Path) -> None:
    project, web = make_task_project("sentiment"), Client()
    those = "must be one of task, task-written, published"
    with pytest.raises(CommandError, match=f"preset: {those}") as refused:
        call_command("build_release", project.slug, out=str(tmp_path / "out"), rules=["indonli-lay"])
    assert refused.value.returncode == 2
    web.force_login(factory.user(administrator=True))
    for named in ("zzz", "indonli-lay"):
        page = web.get(f"/p/{project.slug}/releases/new/", {"preset": named})
        assert f"“{named}” {those}" in page.content.decode()
        assert page.context["form"].rules.preset == project.rules.release
        assert web.post(f"/p/{project.slug}/releases/new/", {"preset": named}).status_code == 422
    assert those not in web.get(f"/p/{project.slug}/releases/new/", {"preset": "task"}).content.decode()
    assert not Release.objects.exists()
