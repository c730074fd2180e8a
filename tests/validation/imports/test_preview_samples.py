"""Beside each column the first values that it holds, so that nobody has to open the file again."""

from pathlib import Path
from typing import Any

import pytest

from annotation.jobs.models import Import
from tests import factory
from validation.imports.actions import import_keep
from validation.imports.preview import LONGEST_SAMPLE, samples

pytestmark = pytest.mark.django_db

SHEET = b"id,text,note\np1,,\np2,Ikan  dijual.,\np3,Ikan dijual.,\np4,<b>Adik</b> pulang.,\np5," + b"a" * 99 + b",\n"
LINES = b'{"id": 1, "text": "Ikan dijual.", "note": {"by": "Ani"}}\n{"id": 2, "text": "Adik pulang.", "note": null}\n'


def kept(name: str, content: bytes) -> Import:
    project = factory.project()
    return import_keep(project=project, by=factory.user(administrator=True), name=name, chunks=iter([content]))


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path


def test_the_first_three_values_of_each_column() -> None:
    long = "a" * (LONGEST_SAMPLE - 1) + "…"
    assert samples(kept("a.csv", SHEET)) == {
        "id": ["p1", "p2", "p3"],
        "text": ["Ikan dijual.", "<b>Adik</b> pulang.", long],
        "note": [],
    }


def test_what_is_nested_is_shown_as_it_stands() -> None:
    found = samples(kept("a.jsonl", LINES))
    assert found["id"] == ["1", "2"]
    assert found["text"] == ["Ikan dijual.", "Adik pulang."]
    noted = [values for column, values in found.items() if column.startswith("note")]
    assert noted in ([['{"by":"Ani"}']], [["Ani"]])
