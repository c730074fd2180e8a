"""A49: no copy for spreadsheets has a cell that one takes for a formula, whichever sign separates its cells; the data
beside it are as they are."""

import ast
import csv
import io
import re
from contextlib import suppress

import pytest
from django.apps import apps
from django.db import DataError, IntegrityError, models, transaction
from django.db.models import F, Value
from django.db.models.functions import Replace

from annotation.text.formulas import GUARDED_COLUMN, line, unguard
from tests.conventions.sources import ROOT
from tests.conventions.table import family_of, read_whole, rows
from tests.conventions.visits import send
from tests.conventions.world import World

pytestmark = pytest.mark.django_db
EVALUATED = re.compile('[\\s\ufeff\u200b"]*[=+\\-@\uff1d\uff0b\uff0d\uff20]')
# Numbers are no formulas, and a lone hyphen is the sign for none.
NUMBER = re.compile(r"-\d+(\.\d+)?|-")
MARK = "canary-"
GETS = [row for row in rows() if row.method == "GET" and not family_of(row.route)]
# The files of CSV that are written beside `annotation.text.formulas.line`, and why.
WRITERS = {
    "annotation/text/formulas.py",
    "exports/formats/release/csv.py",  # both files of a table at once; the sign for none is not guarded
    "exports/formats/rules/kalahi_csv.py",  # the published format, byte for byte
    "validation/management/commands/replay.py",  # a command's file: numbers, and the ids and labels of its input
}


def plant(words: str) -> None:
    """Put these words before every planted mark, in every column of text that has room for them."""
    for model in apps.get_models():
        if model._meta.app_label not in ("annotation", "validation", "exports"):
            continue
        for field in model._meta.local_fields:
            if not isinstance(field, models.CharField | models.TextField) or field.choices:
                continue
            marked = model._base_manager.filter(**{f"{field.name}__contains": MARK})
            told = Replace(F(field.name), Value(MARK), Value(words + MARK))
            with suppress(DataError, IntegrityError), transaction.atomic():
                marked.update(**{field.name: told})


@pytest.mark.parametrize("role", ["administrator", "writer"])
def test_no_cell_is_a_formula_whatever_separates(world: World, role: str) -> None:
    plant("ok;=1;\t@2;\n-")
    client, seen, planted = world.client(role), set(), 0
    for row in GETS:
        # Pages that the table refuses are refused: test_routes asks for each.
        if row.expected[role][0] not in ("200", "-") or row.is_api:
            continue
        answer = send(row, client, world.own)
        if not answer.headers.get("Content-Type", "").startswith("text/csv"):
            continue
        seen.add(row.route)
        data, copy = read_whole(answer), read_whole(send(row, client, world.own, "copy=spreadsheet"))
        assert copy.headers["Content-Disposition"].endswith('.spreadsheet.csv"')
        text = copy.content.decode("utf-8-sig")
        planted += text.count(MARK)
        head, *body = csv.reader(io.StringIO(text, newline=""))
        assert head.pop() == GUARDED_COLUMN
        assert not any(row_cells.pop() for row_cells in body)
        assert data.content.decode() == "".join(line(map(unguard, row_cells)) for row_cells in (head, *body)), row.route
        for separator in ",;\t":
            for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
                risky = [cell for cell in cells if EVALUATED.match(cell) and not NUMBER.fullmatch(cell)]
                assert not risky, f"{row.route} at {separator!r}: {risky}"
    assert "my_pay_csv" in seen
    assert len(seen) > (14 if role == "administrator" else 0)
    assert planted


def test_every_csv_is_written_in_one_place() -> None:
    found = set()
    for path in ROOT.glob("*/**/*.py"):
        name = path.relative_to(ROOT).as_posix()
        if name.split("/")[0] in ("annotation", "validation", "exports", "config"):
            text = path.read_text()
            # Reading all files as trees takes seconds; few name the module.
            nodes = ast.walk(ast.parse(text)) if "csv." in text else ()
            calls = (node for node in nodes if isinstance(node, ast.Call))
            if any(ast.unparse(call.func) in ("csv.writer", "csv.DictWriter") for call in calls):
                found.add(name)
    assert found == WRITERS
