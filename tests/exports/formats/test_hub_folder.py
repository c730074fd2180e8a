"""What the card says by machine is what its files hold: rows, votes, soft labels; tables without rows have columns."""

import csv
from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml
from pyarrow import parquet

from annotation.content.models.item import Item
from exports.formats.release.huggingface import features
from exports.releases.verify import verify
from tests import review
from tests.exports.world import Staged, build, folder, freeze, rows, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="own")


def head_of(at: Path) -> dict[str, Any]:
    head: dict[str, Any] = yaml.safe_load((at / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    return head


def test_votes_and_soft_labels_are_configs_with_their_features(made: Staged) -> None:
    at = folder(release := build(freeze(made, no_gold="test", forms="")))
    head = head_of(at)
    files = {
        each["config_name"]: {file["split"]: file["path"] for file in each["data_files"]} for each in head["configs"]
    }
    assert files["votes"] == {"votes": "parquet/votes.parquet"}
    assert files["soft-labels"]["test"] == "parquet/distributions/test.parquet"
    told = {each["config_name"]: each["features"] for each in head["dataset_info"]}
    for name in ("votes", "soft-labels"):
        for path in files[name].values():
            assert told[name] == features(parquet.read_schema(at / path), ())
    soft = parquet.read_table(at / "parquet/distributions/test.parquet").to_pylist()
    assert soft == rows(release, "distributions/test")
    votes = parquet.read_table(at / "parquet/votes.parquet").to_pylist()
    assert [vote["pair_id"] for vote in votes] == [vote["pair_id"] for vote in rows(release, "votes")]
    card = (at / "README.md").read_text()
    assert "- `votes`: `votes`: every vote, whatever split its item is in" in card


def test_a_split_without_rows_keeps_its_columns_and_types(made: Staged) -> None:
    at = folder(build(freeze(made, forms="")))
    (without,) = [split for split in ("dev", "test") if (at / f"{split}.jsonl").read_bytes() == b""]
    empty, full = (parquet.read_table(at / "parquet" / f"{split}.parquet") for split in (without, "train"))
    assert (empty.num_rows, empty.schema) == (0, full.schema)
    frames = [pandas.read_parquet(at / "parquet" / f"{split}.parquet") for split in (without, "train")]
    assert list(frames[0].columns) == list(frames[1].columns)
    with (at / "csv" / f"{without}.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [full.schema.names]
    (config,) = [each for each in head_of(at)["configs"] if each["config_name"] == "id"]
    left = {"dev": "validation", "test": "test"}
    assert [file["split"] for file in config["data_files"]] == ["train", *(left[n] for n in left if n != without)]
    assert f"Without rows: `parquet/{without}.parquet`." in (at / "README.md").read_text()


def test_votes_that_nobody_gave_have_the_columns_of_votes(made: Staged) -> None:
    """A release of items on which nobody voted: the file is there, with the types that votes have elsewhere."""
    with_votes = parquet.read_schema(folder(build(freeze(made, forms=""))) / "parquet/votes.parquet")
    nobody = review.world(1, slug="untouched")
    Item.objects.filter(project=nobody.project).update(stage="written", sampled=False)
    at = folder(build(freeze(nobody, forms="")))
    assert (at / "votes.jsonl").read_bytes() == b""
    empty = parquet.read_schema(at / "parquet/votes.parquet")
    assert [(column.name, column.type) for column in empty] == [
        (column.name, column.type) for column in with_votes if column.name != "author_label"
    ]
    report = verify(at)
    assert report.right, [fault for check in report.checks for fault in check.faults]
