"""Further forms in a release that is frozen and built: told in manifest and card, and the same bytes each time."""

from hashlib import sha256

import pytest

from tests.exports.world import build, files, freeze, manifest, staged

pytestmark = pytest.mark.django_db
FORMS = "csv parquet huggingface croissant"


def test_a_release_has_its_forms_and_is_built_to_the_same_bytes() -> None:
    made = staged()
    one, two = (build(freeze(made, forms=FORMS)) for _ in range(2))
    found, again = files(one), files(two)
    told = manifest(one)["files"]
    for name in ("train", "dev", "test", "votes"):
        for path in (f"csv/{name}.csv", f"csv/{name}.spreadsheet.csv", f"parquet/{name}.parquet"):
            assert told[path]["sha256"] == sha256(found[path]).hexdigest()
            assert told[path]["rows"] == told[f"{name}.jsonl"]["rows"]
            assert again[path] == found[path]
    assert told["croissant.json"]["sha256"] == sha256(found["croissant.json"]).hexdigest()
    card = found["README.md"].decode()
    assert card.startswith('---\npretty_name: "')
    assert 'load_dataset("FOLDER", "id", split="' in card
    assert again["README.md"] == found["README.md"]


def test_a_release_of_json_lines_only_has_no_other_file() -> None:
    found = files(build(freeze(staged(), forms="none")))
    assert sorted(found) == [
        *("README.md", "dev.jsonl", "guidelines/validation-1.md", "guidelines/writing-1.md", "manifest.json"),
        *("picture.html", "test.jsonl", "train.jsonl", "votes.jsonl"),
    ]
    assert found["README.md"].startswith(b"# ")
