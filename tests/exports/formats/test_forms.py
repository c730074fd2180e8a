"""CSV, Parquet, the head of the card and Croissant, from the JSON Lines that lie in a folder: no database."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from pyarrow import parquet as arrow

from annotation import kinds
from annotation.text.formulas import GUARDED_COLUMN, guard, unguard
from exports.formats import release as forms
from exports.formats.release import parquet
from exports.formats.release.base import Part, ReleaseFiles
from exports.formats.writers import write_bytes
from exports.releases.rules.settings import SplitRules
from tests.data import DATA, needs_data

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
        *("csv/dev.csv", "csv/dev.spreadsheet.csv", "csv/test.csv", "csv/test.spreadsheet.csv"),
        *("csv/votes.csv", "csv/votes.spreadsheet.csv"),
        "dev.jsonl",
        *("parquet/dev.parquet", "parquet/test.parquet", "parquet/votes.parquet"),
        *("test.jsonl", "votes.jsonl"),
    ]
    assert {name: facts["rows"] for name, facts in first.files.items() if "test" in name} == {
        "test.jsonl": 7,
        "csv/test.csv": 7,
        "csv/test.spreadsheet.csv": 7,
        "parquet/test.parquet": 7,
    }


def in_file(value: Any) -> str:
    """A value of a row as a cell of the data has it."""
    if isinstance(value, str):
        return value
    return "" if value is None else orjson.dumps(value).decode()


def cells(release: ReleaseFiles, name: str) -> list[dict[str, str]]:
    text = (release.folder / name).read_bytes().decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


HARMLESS = ["Senyum ;-)", "Paragraf satu.\n\nParagraf dua.", "\tmenjorok\r\n\tlagi", "'-kan", " dua blanko ", "-"]


@pytest.mark.parametrize("text", [*HARMLESS, "=1+1", "'=2", "ok;=1+1", "a\n=1", "\r\n@x", '"a",b', "١٢;+٣"])
def test_the_data_are_as_the_json_lines_have_them_and_the_copy_is_no_formula(tmp_path: Path, text: str) -> None:
    """Byte for byte, also where the column is of lists or where every page but one has nothing to guard."""
    row = ROW | {"question": text, "choices": [text, "b;c"], "flags": [text]}
    release = told(tmp_path / "r", {"test.jsonl": [ROW | {"question": "biasa"}, row]})
    written(release, "csv")
    found, copies = cells(release, "csv/test.csv")[1], cells(release, "csv/test.spreadsheet.csv")[1]
    assert found == {name: in_file(value) for name, value in row.items()}
    assert text in (release.folder / "csv/test.csv").read_bytes().decode().replace('""', '"')
    assert list(copies) == ["\ufeffid", *list(row)[1:], GUARDED_COLUMN]
    assert copies[GUARDED_COLUMN] == ""
    assert copies["question"] == (text if text == "-" else guard(text))
    assert unguard(copies["question"]) == text
    assert [json.loads(copies[name]) for name in ("choices", "flags")] == [row["choices"], row["flags"]]
    whole = (release.folder / "csv/test.spreadsheet.csv").read_bytes().decode()
    for separator in ",;\t":
        for line in csv.reader(io.StringIO(whole, newline=""), delimiter=separator):
            assert not [cell for cell in line if re.match(r'["\s]*[=+@]', cell)]


@needs_data
def test_published_texts_of_the_cases_are_in_the_csv_as_given(tmp_path: Path) -> None:
    given = [json.loads(line) for line in (DATA / "cases/csvq.jsonl").read_text().splitlines()]
    release = told(tmp_path / "r", {"test.jsonl": [ROW | {"question": each["text"]} for each in given]})
    written(release, "csv")
    assert [row["question"] for row in cells(release, "csv/test.csv")] == [each["text"] for each in given]


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
