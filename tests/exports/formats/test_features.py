"""What a card says by machine: features, what a hub lists a dataset by, how it is loaded; and in Croissant."""

from typing import Any

import pyarrow as pa
import pytest

from annotation import kinds
from exports.formats.release import croissant
from exports.formats.release.huggingface import (
    config_data_files,
    features,
    fits_class_label,
    head,
    label_names,
)
from exports.formats.rules.columns import BOOL, INT, NUMBER, TEXT, TEXTS
from exports.formats.rules.configs import Config
from exports.releases.rules.loading import MOST_LISTED, loading_section

CHOICES = pa.struct([("label", TEXTS), ("text", TEXTS)])


def config(kind: str = "nli", **told: Any) -> Config:
    given: dict[str, Any] = {"name": "id", "language": "id", "register": "", "splits": {"test": "test.jsonl"}}
    return Config(part=0, kind=kinds.get(kind), **(given | told))


@pytest.mark.parametrize(
    ("of", "names"),
    [
        (config("nli"), ("entailment", "neutral", "contradiction")),
        (config("mcq"), ("A", "B", "C", "D", "E")),
        (config("mcq-judged"), ("A", "B", "C", "D", "E")),
        (config("translation", task="t", shapes=("pair",)), ("entailment", "neutral", "contradiction")),
        (config("translation", task="t", shapes=("alternatives",)), ("choice1", "choice2")),
        (config("translation", task="t", shapes=("sentence",)), ()),
        (config("translation", task="t", shapes=("pair", "sentence")), ()),
        (config("translation", task="t"), ()),
    ],
)
def test_labels_are_those_of_the_kind_that_judges(of: Config, names: tuple[str, ...]) -> None:
    assert label_names(of) == names


@pytest.mark.parametrize(
    ("seen", "fit"),
    [(["a", None], True), ([0, 1], True), ([2], False), (["-"], False), ([], True)],
)
def test_labels_are_classes_only_where_every_one_is(seen: list[object], fit: bool) -> None:
    assert fits_class_label(("a", "b"), seen) is fit
    assert not fits_class_label((), seen)


def test_every_type_has_its_feature() -> None:
    columns = {
        "id": TEXT,
        "n": INT,
        "share": NUMBER,
        "sure": BOOL,
        "answers": TEXT,
        "flags": TEXTS,
        "choices": CHOICES,
        "responses": pa.list_(pa.struct([("key", TEXT), ("x", TEXT)])),
        "deep": pa.list_(TEXTS),
        "label": TEXT,
    }
    assert features(pa.schema(columns), ("a", "b")) == [
        {"name": "id", "dtype": "string"},
        {"name": "n", "dtype": "int64"},
        {"name": "share", "dtype": "float64"},
        {"name": "sure", "dtype": "bool"},
        {"name": "answers", "dtype": "string"},
        {"name": "flags", "list": "string"},
        {
            "name": "choices",
            "struct": [{"name": "label", "list": "string"}, {"name": "text", "list": "string"}],
        },
        {
            "name": "responses",
            "list": [{"name": "key", "dtype": "string"}, {"name": "x", "dtype": "string"}],
        },
        {"name": "deep", "list": {"list": "string"}},
        {"name": "label", "dtype": {"class_label": {"names": {"0": "a", "1": "b"}}}},
    ]
    assert features(pa.schema({"label": INT}), ()) == [{"name": "label", "dtype": "int64"}]


@pytest.mark.parametrize(
    ("licences", "told"),
    [
        (["CC BY 4.0"], {"license": "cc-by-4.0"}),
        (["CC BY 4.0", "cc-by-4.0", ""], {"license": "cc-by-4.0"}),
        (["Ours"], {"license": "other", "license_name": "Ours"}),
        (["MIT", "Ours"], {"license": ["mit", "other"], "license_name": "Ours"}),
        ([""], {}),
    ],
)
def test_licences_are_called_as_the_hub_calls_them(licences: list[str], told: dict[str, Any]) -> None:
    found = head([config()], "T", licences, 1)
    assert {name: found[name] for name in found if name.startswith("license")} == told


@pytest.mark.parametrize(("rows", "size"), [(999, "n<1K"), (1000, "1K<n<10K"), (20_000_000, "n>10M")])
def test_a_dataset_is_listed_by_language_size_and_what_is_done_with_it(rows: int, size: str) -> None:
    assert head([config()], "T", [], rows) == {
        "pretty_name": "T",
        "language": ["id"],
        "multilinguality": "monolingual",
        "size_categories": [size],
        "task_categories": ["text-classification"],
    }
    more = [config("translation", task="t", shapes=("passage",), language="jv"), config("cultural")]
    found = head(more, "T", [], rows)
    assert (found["language"], found["multilinguality"]) == (["id", "jv"], "multilingual")
    assert found["task_categories"] == ["translation", "question-answering", "multiple-choice"]


def _head(n: int, dtype: Any = "string") -> dict[str, Any]:
    configs = [config_data_files(f"c{i}", {"train": "a", "test": "parquet/test.parquet"}) for i in range(n)]
    return {"configs": configs, "dataset_info": [{"features": [{"name": "label", "dtype": dtype}]}]}


def test_the_card_says_how_a_release_is_loaded() -> None:
    text = "\n".join(loading_section(_head(1, {"class_label": {}}), {"csv/test.csv": {"rows": 1}}))
    assert 'load_dataset("FOLDER", "c0", split="test")' in text
    assert 'read_parquet("FOLDER/parquet/test.parquet")' in text
    assert "int2str" in text
    assert "- `c0`: `train`, `test`" in text
    assert "apostrophe" in text


def test_the_card_says_no_more_than_there_is() -> None:
    assert loading_section({}, {}) == []
    lines = loading_section(_head(MOST_LISTED + 2), {})
    text = "\n".join(lines)
    assert "int2str" not in text
    assert "apostrophe" not in text
    assert "- and 2 more, at the head of this file." in lines


def test_croissant_has_every_file_and_every_field() -> None:
    facts = {"rows": 1, "bytes": 7, "sha256": "f" * 64}
    table = croissant.RecordSet("id/test", "id: test", "parquet/test.parquet", pa.schema({"id": TEXT, "label": INT}))
    found = croissant.describe_release(
        title="T",
        description="Words.",
        about=[{"licence": "L", "citation": "", "homepage": "https://example.org"}, {"licence": "L"}],
        languages=["id", "id"],
        files={"parquet/test.parquet": facts, "README": facts},
        tables=[table],
    )
    assert [file["encodingFormat"] for file in found["distribution"]] == [
        "application/octet-stream",
        "application/x-parquet",
    ]
    assert found["distribution"][1]["sha256"] == "f" * 64
    assert (found["license"], found["url"], found["inLanguage"]) == (["L"], "https://example.org", ["id"])
    assert "citeAs" not in found
    (records,) = found["recordSet"]
    assert [field["dataType"] for field in records["field"]] == ["sc:Text", ["sc:Integer", "cr:Label"]]
    assert records["field"][0]["source"] == {
        "fileObject": {"@id": "parquet/test.parquet"},
        "extract": {"column": "id"},
    }


def test_croissant_reads_the_fields_of_records_out_of_them() -> None:
    columns = {
        "choices": CHOICES,
        "responses": pa.list_(pa.struct([("key", TEXT)])),
        "flags": TEXTS,
        "annotator_spans": pa.list_(pa.list_(pa.struct([("text", TEXT)]))),
    }
    table = croissant.RecordSet("t", "rows", "p", pa.schema(columns))
    found = croissant.describe_release(title="", description="", about=[], languages=[], files={}, tables=[table])
    choices, responses, flags = found["recordSet"][0]["field"]
    # No reader takes the fields of records out of lists of lists.
    assert found["recordSet"][0]["description"] == "rows; without annotator_spans of the file"
    assert choices["subField"][0]["source"]["transform"] == {"jsonPath": "label"}
    assert [choices["subField"][0]["isArray"], "isArray" in choices] == [True, False]
    assert (responses["isArray"], responses["subField"][0]["@id"]) == (True, "t/responses/key")
    assert (flags["isArray"], flags["arrayShape"], flags["dataType"]) == (True, "-1", "sc:Text")
