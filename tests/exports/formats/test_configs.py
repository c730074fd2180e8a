"""What is loaded by which name, of releases by split, of several projects, and of aligned ones."""

from typing import Any

import pytest

from annotation import kinds
from exports.aligned.rules.rows import OPEN, SENTENCE, WHOLE
from exports.formats.rules.configs import Config, PartIn, configs, library_split_names, path_of


def part(*splits: str, kind: str = "nli", language: str = "id", register: str = "", suffix: str = "") -> PartIn:
    counts: dict[str, Any] = {"splits": {split: {} for split in splits}}
    return PartIn(kinds.get(kind), language, register, suffix, counts, {})


def told(found: list[Config]) -> dict[str, dict[str, str]]:
    return {config.name: dict(config.splits) for config in found}


def test_a_release_by_split_is_one_config_named_by_language_and_register() -> None:
    files = ["train.jsonl", "dev.jsonl", "test.jsonl", "votes.jsonl"]
    splits = {"train": "train.jsonl", "validation": "dev.jsonl", "test": "test.jsonl"}
    assert told(configs([part("test", "dev", "train")], files)) == {"id": splits}
    (found,) = configs([part("train", "dev", "test", language="jv", register="ngoko")], files)
    assert (found.name, found.title, list(found.splits)) == (
        "jv-ngoko",
        "jv, ngoko",
        ["train", "validation", "test"],
    )


def test_only_files_that_are_there_are_in_a_config() -> None:
    assert told(configs([part("train", "test")], ["test.jsonl"])) == {"id": {"test": "test.jsonl"}}
    assert configs([part("train", "test")], ["votes.jsonl"]) == []


def test_rows_as_a_machine_wrote_them_are_a_config_of_their_own() -> None:
    whole, raw = configs([part("test", kind="mcq")], ["test.jsonl", "raw/test.jsonl"])
    assert (whole.raw, raw.raw, raw.name, dict(raw.splits)) == (
        False,
        True,
        "id-raw",
        {"test": "raw/test.jsonl"},
    )
    assert raw.title == "id, as the machine wrote them"


def test_several_projects_are_told_by_their_suffix() -> None:
    parts = [part("test", suffix="lay"), part("test", suffix="expert")]
    found = configs(parts, ["test_lay.jsonl", "test_expert.jsonl"])
    assert told(found) == {
        "id-lay": {"test": "test_lay.jsonl"},
        "id-expert": {"test": "test_expert.jsonl"},
    }
    assert [config.part for config in found] == [0, 1]


def test_no_two_configs_share_a_name() -> None:
    parts = [part("test", language="id", register="a b"), part("test", language="id", register="a/b")]
    assert list(told(configs(parts, ["test.jsonl"]))) == ["id-a-b", "id-a-b-2"]


def aligned(**changes: Any) -> PartIn:
    counts = {
        "source": {"file": "id", "language": "id"},
        "targets": [
            {"file": "jv-ngoko", "language": "jv", "register": "ngoko"},
            {"file": "su", "language": "su", "register": ""},
        ],
        "tasks": [
            {"task": "nli", "folder": "nli", "derived_from": "", "splits": [{"split": "test"}]},
            {
                "task": "reading",
                "folder": "reading",
                "derived_from": "",
                "splits": [{"split": "dev"}, {"split": "test"}],
            },
            {
                "task": "open-qa",
                "folder": "open-qa",
                "derived_from": "reading",
                "splits": [{"split": "dev"}, {"split": "test"}],
            },
            {"task": "mt", "folder": "mt", "derived_from": "nli", "splits": [{"split": "test"}]},
        ],
    }
    context = {"sources": [{"task": "nli", "shape": "pair"}, {"task": "reading", "shape": "passage"}]}
    given = {"suffix": "", "open_qa": "open-qa"} | changes
    return PartIn(kinds.get("translation"), "id", "", counts=counts, context=context, **given)


def test_an_aligned_release_has_a_config_for_each_task_and_target() -> None:
    files = [
        *("nli/id.jsonl", "nli/jv-ngoko.jsonl", "reading/dev/su.jsonl", "reading/test/su.jsonl"),
        *("open-qa/test/su.jsonl", "mt/su.jsonl"),
    ]
    found = configs([aligned()], files)
    assert told(found) == {
        "nli-id": {"test": "nli/id.jsonl"},
        "nli-jv-ngoko": {"test": "nli/jv-ngoko.jsonl"},
        "reading-su": {"validation": "reading/dev/su.jsonl", "test": "reading/test/su.jsonl"},
        "open-qa-su": {"test": "open-qa/test/su.jsonl"},
        "mt-su": {"test": "mt/su.jsonl"},
    }
    by_name = {config.name: config for config in found}
    assert [(c.form, c.shapes) for c in found if c.target == "su"] == [
        (WHOLE, ("passage",)),
        (OPEN, ("passage",)),
        (SENTENCE, ("pair",)),
    ]
    ngoko = by_name["nli-jv-ngoko"]
    assert (ngoko.task, ngoko.language, ngoko.register, ngoko.title) == (
        "nli",
        "jv",
        "ngoko",
        "nli, jv, ngoko",
    )


def test_the_files_of_an_aligned_part_end_in_its_suffix() -> None:
    (found,) = configs([aligned(suffix="lay")], ["nli/su_lay.jsonl"])
    assert (found.name, dict(found.splits)) == ("nli-su-lay", {"test": "nli/su_lay.jsonl"})


@pytest.mark.parametrize(
    ("splits", "loaded"),
    [
        (["train", "dev", "test"], ["train", "validation", "test"]),
        (["training", "valid"], ["train", "validation"]),
        (["dev", "validation"], ["dev", "validation"]),
        (["test-hard", "Test"], ["test_hard", "Test"]),
        (["all"], ["all_"]),
        (["a b", "a-b"], ["a_b", "a_b_2"]),
    ],
)
def test_splits_have_the_names_that_libraries_know(splits: list[str], loaded: list[str]) -> None:
    assert list(library_split_names(splits).values()) == loaded


def test_a_file_is_named_by_what_it_holds_and_whose_it_is() -> None:
    assert (path_of("test", ""), path_of("raw/test", "lay")) == ("test.jsonl", "raw/test_lay.jsonl")
