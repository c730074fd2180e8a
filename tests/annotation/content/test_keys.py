"""Ids: each that is accepted is reached by page, API and client; what no address can carry is refused."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import resolve
from mufakat_client.resources import Resource

from annotation.content.models.item import Item
from annotation.content.rules.keys import id_problem
from annotation.tasks.rules.templates import template
from annotation.webhooks.rules import item_path
from tests import factory
from tests.annotation.tasks.items import make_task_project
from tests.conventions.table import addresses
from tests.data import CASES, needs_cases
from validation.imports.rules import Problem, Record
from validation.imports.rules.cells import Cells
from validation.imports.rules.pairs import PAIRS, Reader
from validation.imports.rules.tasks import TaskReader, columns_of
from validation.review.api import ACTS_SERVED

REACHED = ["a b", "doc/1", "votes", "votes/1", "1:approved", "a%2Fb", "x?y#z", "..a", "é", "a\\b", "100%"]
REFUSED = ["x/votes", "x:approve", ".", "..", "a/../b", "./a", "/a", "a/", "a//b", "a\nb", "a\x85b", "a\u2028b"]


@pytest.mark.parametrize("key", REACHED)
def test_an_address_carries_what_is_accepted(key: str) -> None:
    assert id_problem(key) is None
    for path in (item_path("p", key), "/api/v1/" + Resource(None, "projects/p/items")._at(key)):  # type: ignore[arg-type]
        found = resolve(unquote(path))
        assert (found.url_name, found.kwargs["key"]) == ("api_item", key)
        assert resolve(f"{unquote(path)}/votes").kwargs["key"] == key


@pytest.mark.parametrize("key", REFUSED)
def test_what_no_address_carries_is_refused(key: str) -> None:
    found = id_problem(key)
    assert found is not None
    assert found[0] % found[1]
    task = template("sentiment")
    records: dict[Cells[Any], dict[str, str]] = {
        TaskReader(columns_of(task).guess(["id", "text"]), task, {}): {"id": key, "text": "Satu kalimat."},
        Reader(PAIRS.guess(["premise_id", "premise"]), "id", str): {"premise_id": key, "premise": "Satu kalimat."},
    }
    for reader, row in records.items():
        problem = reader.read(Record(1, row, None))
        assert isinstance(problem, Problem)
        assert problem.code == "id_unreachable"


def test_every_ending_of_an_address_behind_an_id_is_refused() -> None:
    endings = {a.pattern.partition("<path:key>")[2] for a in addresses() if "<path:key>" in a.pattern} - {""}
    endings |= {f":{act}" for act in ACTS_SERVED}
    assert {ending for ending in endings - {":<act:act>"} if id_problem(f"x{ending}") is None} == set()
    assert len(endings) > 20


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("key", ["doc/1 é?", pytest.param("", marks=needs_cases, id="case")])
def test_an_imported_id_is_read_over_the_api_or_refused(key: str, tmp_path: Path, settings: Any, capsys: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    project, web = make_task_project("sentiment"), Client()
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps({"id": key, "text": "Satu kalimat."}))
    if not key:
        with pytest.raises(CommandError, match="refused: 1"):
            call_command("import_items", project.slug, str(CASES / "slashid.jsonl"))
        assert "row 1, id: The id ends with" in capsys.readouterr().out
        return
    call_command("import_items", project.slug, str(path))
    web.force_login(factory.user(administrator=True))
    assert web.get(item_path(project.slug, Item.objects.get().key)).json()["key"] == key
    assert web.get(f"/p/{project.slug}/items/{Item.objects.get().pk}/").status_code == 200
