"""Columns of an import: the usual names of languages are known, and what nothing takes is named."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.core.models.project import Project
from tests import factory
from tests.translations import a_translation_project
from tests.validation.imports_run import import_items
from tests.validation.imports_units import counts, import_rows, keep_file

pytestmark = pytest.mark.django_db(transaction=True)
# Columns as NusaX and LoraxBench call these languages.
NAMED = {
    "ace": "acehnese",
    "bjn": "banjarese",
    "bbc": "toba_batak",
    "jv": "javanese",
    "mak": "Makassar",
    "abs": "Ambonese Malay",
    "gor": "gorontalo",
}


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def rows() -> list[dict[str, Any]]:
    return [
        {
            "row": n,
            "indonesian": f"Hujan {n}.",
            "klingon": "Sis.",
            **{name: f"{name} {n}" for name in NAMED.values()},
        }
        for n in range(1, 3)
    ]


def test_usual_names_of_languages_are_their_targets() -> None:
    project = a_translation_project(targets=tuple((code, "") for code in NAMED))
    taken = import_rows(project, rows())
    assert counts(taken) == (2 * len(NAMED), 0, 0)
    assert {field: column for field, column in taken.mapping["fields"].items() if field.startswith("to:")} == {
        f"to:{code}": name for code, name in NAMED.items()
    }


def test_pages_name_what_nothing_takes(client: Client) -> None:
    project = a_translation_project(targets=tuple((code, "") for code in NAMED))
    client.force_login(factory.user(administrator=True))
    kept = keep_file(project, rows())
    page = client.get(reverse("import_page", args=[project.slug, kept.pk])).content.decode()
    assert "Columns that nothing takes:" in page
    taken = import_rows(project, rows())
    report = client.get(reverse("import_page", args=[project.slug, taken.pk])).content.decode()
    assert "Columns that nothing takes:" in report
    assert "<bdi>klingon</bdi>" in report
    assert "<bdi>acehnese</bdi>" not in report


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_the_command_names_what_nothing_takes(options: tuple[str, ...], tmp_path: Path) -> None:
    """Those too that first stand far behind the rows that the columns are guessed from."""
    project = factory.project("pasar")
    lines = [{"premise": f"Ibu membeli {n} mangga.", "catatan": "x", "label": "e"} for n in range(80)]
    lines[70]["sumber lain"] = "y"
    path = tmp_path / "premises.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    out = StringIO()
    call_command("import_items", project.slug, str(path), *options, stdout=out, stderr=StringIO())
    assert "columns that nothing takes: catatan, label, sumber lain\n" in out.getvalue()
    # Of premises no label is kept, though pairs have a field of that name.
    assert import_items(project.slug, path)[1]["columns_left"] == ["catatan", "label", "sumber lain"]
    assert Project.objects.count() == 1
