"""A release of each kind in mlcroissant: valid, every file as its checksum says, every row as it is."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.interop.conftest import NAMES

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]
# A card tells no date and no number, so that equal releases have equal bytes.
NOT_TOLD = ("datePublished", "version", "citeAs", "license")


def read(folder: Path) -> Any:
    import mlcroissant

    return mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))


def plain(value: Any) -> Any:
    """Texts come as bytes, lists as arrays, and the fields of records by their whole names."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {name.rpartition("/")[2]: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if hasattr(value, "__len__") and not isinstance(value, str) else value


@pytest.mark.parametrize("release", NAMES)
def test_a_release_of_each_kind_is_valid(release: str, releases: dict[str, Path]) -> None:
    issues = read(releases[release]).metadata.ctx.issues
    assert not issues.errors
    assert all(any(name in warning for name in NOT_TOLD) for warning in issues.warnings), issues.report()


@pytest.mark.parametrize("release", NAMES)
def test_every_table_is_read(release: str, releases: dict[str, Path]) -> None:
    """The first row of each, and as many as its file has."""
    folder = releases[release]
    dataset = read(folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for records in dataset.metadata.record_sets:
        (path,) = {field.source.file_object for field in records.fields if field.source.file_object} or {""}
        rows = [plain(row) for row in dataset.records(records.id)]
        assert rows, records.id
        assert not path or len(rows) == manifest["files"][path]["rows"]


def test_rows_are_those_of_the_lines(releases: dict[str, Path]) -> None:
    for release, name, file in (
        ("nli", "id/test", "test"),
        ("cultural", "id/test", "test"),
        ("mcq", "id/test", "test"),
        ("translation", "nli-id-resmi/test", "nli/id-resmi"),
    ):
        found = [plain(row) for row in read(releases[release]).records(name)]
        lines = [json.loads(line) for line in (releases[release] / f"{file}.jsonl").read_bytes().splitlines()]
        assert len(found) == len(lines)
        for row, line in zip(found, lines, strict=True):
            texts = {column: value for column, value in line.items() if isinstance(value, str | list)}
            assert {column: row[column] for column in texts} == texts


@pytest.mark.parametrize("release", NAMES)
def test_checksums_are_those_of_the_files(release: str, releases: dict[str, Path]) -> None:
    told = json.loads((releases[release] / "croissant.json").read_bytes())
    for file in told["distribution"]:
        data = (releases[release] / file["contentUrl"]).read_bytes()
        assert (sha256(data).hexdigest(), f"{len(data)} B") == (file["sha256"], file["contentSize"])
