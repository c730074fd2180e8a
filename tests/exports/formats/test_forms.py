"""CSV, Parquet, the head of the card and Croissant, from the JSON Lines that lie in a folder: no database."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from pyarrow import parquet as arrow

from annotation import kinds
from annotation.text.formulas import unguard
from exports.formats import release as forms
from exports.formats.release import parquet
from exports.formats.release.base import Part, ReleaseFiles
from exports.formats.writers import write_bytes
from exports.releases.rules.settings import SplitRules

OURS = "csv parquet huggingface croissant"
ROW: dict[str, Any] = {
    "id": "q1",
    "question": "=1+1",
    "choices": {"label": ["A", "B"], "text": ["-2", "lain"]},
    "answers": {"W01": "A"},
    "label": "A",
    "gold_label": "-",
    "flags": [],
    "register": "",
    "guideline": None,
}
VOTES = [{"id": "q1", "n": 1, "counted": True, "answers": {}, "left_out": None}]


def rows(n: int, **changes: Any) -> list[dict[str, Any]]:
    return [ROW | {"id": f"q{i}", "answers": {f"W{i}": "A"}} | changes for i in range(n)]


def told(
    folder: Path,
    files: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    is_open: Callable[[str], bool] = lambda name: True,
    **about: str,
) -> ReleaseFiles:
    """A release of questions that is being written, with these files in it."""
    folder.mkdir()
    (folder / "hidden").mkdir()
    facts = {
        name: write_bytes(folder / name, b"".join(orjson.dumps(row) + b"\n" for row in mine), len(mine))
        for name, mine in files.items()
    }
    splits: dict[str, Any] = {
        name.removesuffix(".jsonl"): {} for name in files if name != "votes.jsonl" and "/" not in name
    }
    project = {"slug": "soal", "name": "Soal", "kind": "mcq", "language": "id"}
    counts = {"splits": splits, "released": 1}
    part = Part(project, kinds.get("mcq"), "", SplitRules(), {"about": about}, counts)
    return ReleaseFiles(folder, (part,), "0.1", facts, is_public=is_open)


def written(release: ReleaseFiles, named: str = OURS) -> dict[str, Any]:
    return forms.write_forms(release, forms.named_forms(named))


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    files = {"dev.jsonl": [], "test.jsonl": rows(7), "votes.jsonl": VOTES}
    first, second = told(tmp_path / "one", files), told(tmp_path / "two", files)
    assert written(first) == written(second)
    assert first.files == second.files
    assert sorted(first.files) == [
        "croissant.json",
        *("csv/dev.csv", "csv/test.csv", "csv/votes.csv"),
        "dev.jsonl",
        *("parquet/dev.parquet", "parquet/test.parquet", "parquet/votes.parquet"),
        *("test.jsonl", "votes.jsonl"),
    ]
    assert {name: facts["rows"] for name, facts in first.files.items() if "test" in name} == {
        "test.jsonl": 7,
        "csv/test.csv": 7,
        "parquet/test.parquet": 7,
    }


def test_no_cell_is_a_formula_and_every_cell_reads_back(tmp_path: Path) -> None:
    release = told(tmp_path / "r", {"test.jsonl": [ROW, ROW | {"question": "'=2", "gold_label": "B"}]})
    written(release, "csv")
    data = (release.folder / "csv/test.csv").read_bytes()
    assert data.count(b"\r\n") == 3
    first, second = csv.DictReader(io.StringIO(data.decode(), newline=""))
    assert (first["question"], second["question"]) == ("'=1+1", "''=2")
    assert (first["gold_label"], first["guideline"], first["flags"]) == ("-", "", "[]")
    assert json.loads(first["choices"]) == ROW["choices"]
    assert [unguard(row["question"]) for row in (first, second)] == ["=1+1", "'=2"]


def test_no_part_of_a_cell_is_a_formula_where_semicolons_separate(tmp_path: Path) -> None:
    hostile = ROW | {"question": "ok;=1+1", "choices": ["a;=2", "b;c"], "flags": ["x;y"]}
    release = told(tmp_path / "r", {"test.jsonl": [hostile]})
    written(release, "csv")
    text = (release.folder / "csv/test.csv").read_bytes().decode()
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["question"], unguard(row["question"])) == ("ok;'=1+1", "ok;=1+1")
    assert json.loads(row["choices"]) == hostile["choices"]
    assert row["flags"] == '["x;y"]'
    assert not [part for part in text.split(";") if part.startswith("=")]


def test_splits_have_the_same_columns_also_where_one_has_no_row(tmp_path: Path) -> None:
    files = {"train.jsonl": rows(1, level="easy"), "dev.jsonl": [], "test.jsonl": rows(1)}
    release = told(tmp_path / "r", files)
    head = written(release)
    schemas = [arrow.read_schema(release.folder / f"parquet/{split}.parquet") for split in ("train", "dev", "test")]
    assert schemas[0] == schemas[1] == schemas[2]
    assert schemas[0].names == [*ROW, "level"]
    heads = {(release.folder / f"csv/{split}.csv").read_text().splitlines()[0] for split in ("train", "dev", "test")}
    assert heads == {",".join([*ROW, "level"])}
    # No library loads a split without rows.
    (config,) = head["configs"]
    assert [file["split"] for file in config["data_files"]] == ["train", "test"]


def test_parquet_has_types_and_groups_of_one_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP", 2000)
    release = told(tmp_path / "r", {"test.jsonl": rows(4500)})
    written(release, "parquet")
    file = arrow.ParquetFile(release.folder / "parquet/test.parquet")
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [2000, 2000, 500]
    found = file.read().to_pylist()
    assert found[4499] == ROW | {"id": "q4499", "answers": '{"W4499":"A"}'}
    assert str(file.schema_arrow.field("guideline").type) == "int64"


def test_the_card_says_what_is_loaded_by_which_name(tmp_path: Path) -> None:
    head = written(told(tmp_path / "r", {"test.jsonl": rows(2)}, licence="CC BY 4.0"), "huggingface")
    assert head["configs"] == [{"config_name": "id", "data_files": [{"split": "test", "path": "parquet/test.parquet"}]}]
    assert (head["pretty_name"], head["license"], head["language"]) == ("Soal", "cc-by-4.0", ["id"])
    (info,) = head["dataset_info"]
    features = {feature["name"]: feature for feature in info["features"]}
    assert list(features) == list(ROW)
    assert features["label"]["dtype"]["class_label"]["names"]["4"] == "E"
    assert features["answers"] == {"name": "answers", "dtype": "string"}


@pytest.mark.parametrize("label", ["Z", 7])
def test_labels_of_which_one_is_unknown_are_no_classes(tmp_path: Path, label: object) -> None:
    release = told(tmp_path / "r", {"train.jsonl": rows(1), "test.jsonl": rows(1, label=label)})
    (info,) = written(release)["dataset_info"]
    assert next(f for f in info["features"] if f["name"] == "label") == {"name": "label", "dtype": "string"}


def test_what_is_not_open_to_everybody_is_in_no_form(tmp_path: Path) -> None:
    files = {"test.jsonl": [{"id": "q1", "register": ""}], "hidden/test.jsonl": rows(1)}
    release = told(tmp_path / "r", files, is_open=lambda name: not name.startswith("hidden/"))
    head = written(release)
    assert [name for name in release.files if "hidden" in name] == ["hidden/test.jsonl"]
    assert b"hidden" not in (release.folder / "croissant.json").read_bytes()
    assert [f["name"] for f in head["dataset_info"][0]["features"]] == ["id", "register"]


def test_croissant_describes_every_file_that_is_there_before_it(tmp_path: Path) -> None:
    release = told(tmp_path / "r", {"test.jsonl": rows(1), "votes.jsonl": VOTES}, citation="Cite us.")
    written(release)
    found = json.loads((release.folder / "croissant.json").read_bytes())
    assert {file["@id"]: file["sha256"] for file in found["distribution"]} == {
        name: facts["sha256"] for name, facts in release.files.items() if name != "croissant.json"
    }
    assert [records["@id"] for records in found["recordSet"]] == ["id/test", "votes"]
    assert (found["citeAs"], found["description"]) == (
        "Cite us.",
        "1 items, made with Mufakat 0.1. README.md tells how.",
    )


def test_a_release_without_a_row_is_written_all_the_same(tmp_path: Path) -> None:
    release = told(tmp_path / "r", {"test.jsonl": []})
    assert written(release)["configs"] == []
    assert sorted(release.files) == ["croissant.json", "test.jsonl"]
