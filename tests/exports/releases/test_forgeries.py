"""A forger fails: what somebody changes in a release is noticed, though every hash is made anew.

A forger of further forms, card or manifest makes all hashes again; a forger of rows or votes has our own writers make
everything that follows from them, so that only rows and votes themselves can tell.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from exports.releases.verify import verify
from tests.exports.releases.forger import WORLDS, Forged

pytestmark = pytest.mark.django_db
Row = dict[str, Any]
REWRITTEN = "written again"


@dataclass(frozen=True)
class Forgery:
    """What is changed in a release of which kind, and words of what notices it."""

    name: str
    of: str
    change: Callable[[Forged], Any]
    noticed: str = REWRITTEN


def faults(at: Path) -> list[str]:
    """Every fault that the files alone show, behind what was checked."""
    checks = verify(at, files_only=True).checks
    return [f"{check.what}: {fault}" for check in checks for fault in check.faults]


def cell(name: str, column: str, value: Any) -> Callable[[Forged], Any]:
    """Another value in the first row of a Parquet file."""

    def change(of: Forged) -> None:
        table = parquet.read_table(of.at / name)
        values = [value, *table[column].to_pylist()[1:]]
        at = table.schema.get_field_index(column)
        changed = table.set_column(at, table.schema.field(at), pyarrow.array(values, table.schema.field(at).type))
        parquet.write_table(changed, of.at / name, compression="zstd", store_schema=False)

    return change


def words(name: str, old: str, new: str) -> Callable[[Forged], Any]:
    return lambda of: of.replace(name, old, new)


def value(name: str, **columns: Any) -> Callable[[Forged], Any]:
    """Other values in the first row of a file of rows."""
    return lambda of: of.change(name, lambda row: row.update(columns))


def told(*path: str | int, to: Any) -> Callable[[Forged], Any]:
    """Another value in the manifest."""

    def change(manifest: Row) -> None:
        held: Any = manifest
        for name in path[:-1]:
            held = held[name]
        assert held[path[-1]] != to
        held[path[-1]] = to

    return lambda of: of.tell(change)


def added(name: str, data: bytes) -> Callable[[Forged], Any]:
    def change(of: Forged) -> None:
        (of.at / name).parent.mkdir(exist_ok=True)
        (of.at / name).write_bytes(data)

    return change


def gone(name: str) -> Callable[[Forged], Any]:
    def change(of: Forged) -> None:
        (of.at / name).unlink()

    return change


COPY, TASK_FILE = "csv/test.spreadsheet.csv", "lm_eval/own_id_nli.yaml"
COUNTED = "distributions/test.jsonl"
# Forgeries of what follows from rows and votes: every hash is made again, nothing else.
OF_COPIES = [
    Forgery("a label in CSV", "pairs", words("csv/test.csv", ",neutral,gold", ",entailment,gold")),
    Forgery("a text in CSV", "questions", words("csv/test.csv", "Untuk apa", "Buat apa")),
    Forgery("a vote in CSV", "pairs", words("csv/votes.csv", ",W04,", ",W05,")),
    Forgery("a label in the copy for spreadsheets", "pairs", words(COPY, "neutral", "x")),
    Forgery("a formula in the copy for spreadsheets", "pairs", words(COPY, "Pedagang", "=1+1")),
    Forgery("a label in Parquet", "pairs", cell("parquet/test.parquet", "label", "contradiction")),
    Forgery("a text in Parquet", "questions", cell("parquet/test.parquet", "question", "Apa?")),
    Forgery("a voter in Parquet", "pairs", cell("parquet/votes.parquet", "annotator", "W99")),
    Forgery("a translation in Parquet", "translations", cell("parquet/nli/su.parquet", "premise", "Lain.")),
    Forgery("counts of a distribution", "pairs", words(COUNTED, '"neutral":3', '"neutral":4')),
    Forgery("entropy of labels", "questions", words(COUNTED, '"entropy":0.0', '"entropy":0.5')),
    Forgery("rows that splits share", "pairs", words("leakage.json", '": 3', '": 0')),
    Forgery("a type in Croissant", "pairs", words("croissant.json", "sc:Integer", "sc:Text")),
    Forgery("the licence in Croissant", "pairs", words("croissant.json", '"isLive', '"license": "MIT", "isLive')),
    Forgery("code of the harness", "pairs", words("lm_eval/utils.py", "import ", "import os, ")),
    Forgery("a prompt of a paper", "pairs", words(TASK_FILE, "doc_to_text: ", "doc_to_text: # ")),
    Forgery("the split of a task", "pairs", words(TASK_FILE, "test.jsonl", "train.jsonl")),
    Forgery("a task in the folder's README", "pairs", words("lm_eval/README.md", "own_id_nli", "own_id")),
    Forgery("the number of items on the card", "pairs", words("README.md", "4 items", "400 items")),
    Forgery("the seed on the card", "pairs", words("README.md", "`seed`: `s1`", "`seed`: `s2`")),
    Forgery("a row of the card's splits", "pairs", words("README.md", "| test | 3 |", "| test | 30 |")),
    Forgery("the first voter on the card", "pairs", words("README.md", "25.0 %", "95.0 %")),
    Forgery("the number of voters on the card", "pairs", words("README.md", "4 voted", "40 voted")),
    Forgery("the audits on the card", "audits", words("README.md", "agreements were audited", "items were audited")),
    Forgery("a feature at the head of the card", "pairs", words("README.md", '"class_label"', '"class-label"')),
    Forgery("a figure of a card of translations", "translations", words("README.md", "9 items", "90 items")),
    Forgery("a file that nothing gives", "pairs", added("csv/more.csv", b"a\r\n"), "nothing in the release gives it"),
    Forgery("rows that no rule gives", "pairs-plain", added("more.jsonl", b"{}\n"), "no rule of the release gives"),
    Forgery("a form that is missing", "pairs", gone("csv/votes.csv"), "is missing"),
]  # fmt: skip
# Forgeries of the manifest alone.
OF_MANIFEST = [
    Forgery("voters in the manifest", "pairs", told("counts", "people", "voters", to=40)),
    Forgery("votes in the manifest", "pairs", told("counts", "votes", "given", to=200)),
    Forgery("first voters", "pairs", told("counts", "arose", "first_voter_agrees", "n", to=4), "counted again"),
    Forgery("rows of a target", "translations", told("counts", "targets", 0, "rows", to=11)),
    Forgery("the quorum of a sealed protocol", "pairs", told("protocols", 0, "rules", "quorum", to=2), "sealed"),
    Forgery("a sealed protocol's hash", "pairs", told("protocols", 0, "digest", to="0" * 64), "sealed"),
    Forgery("a protocol without a hash", "pairs", told("protocols", 0, "digest", to=None)),
    Forgery("votes before a protocol", "pairs", told("protocols", 0, "votes_before", to=7)),
    Forgery("the seed of the splits", "pairs", told("rules", "seed", to="s2")),
    Forgery("the licence", "pairs", told("about", "licence", to="MIT")),
    Forgery("the version that made it", "pairs", told("software", "version", to="0.1.0"), "is not of Mufakat"),
    Forgery("the project's name", "questions", told("project", "name", to="other")),
    Forgery("a field that no build writes", "pairs", lambda of: of.tell(lambda m: m.update(more=1))),
    Forgery("rows of a file", "pairs", told("files", "test.jsonl", "rows", to=9), "numbers of rows"),
]  # fmt: skip


@pytest.mark.parametrize("name", [f"{name}{ending}" for name in WORLDS for ending in ("", "-plain")])
def test_a_release_that_nobody_changed_is_right(releases: dict[str, Path], name: str) -> None:
    report = verify(releases[name], files_only=True)
    assert report.right, faults(releases[name])


@pytest.mark.parametrize("forgery", OF_COPIES, ids=lambda forgery: forgery.name)
def test_what_follows_from_rows_cannot_be_forged(releases: dict[str, Path], tmp_path: Path, forgery: Forgery) -> None:
    forged = Forged(shutil.copytree(releases[forgery.of], tmp_path / "copy"))
    forgery.change(forged)
    if forgery.noticed != "is missing":
        forged.hash_again()
    found = faults(forged.at)
    assert any(forgery.noticed in fault for fault in found), found


@pytest.mark.parametrize("forgery", OF_MANIFEST, ids=lambda forgery: forgery.name)
def test_the_manifest_cannot_be_forged(releases: dict[str, Path], tmp_path: Path, forgery: Forgery) -> None:
    forged = Forged(shutil.copytree(releases[forgery.of], tmp_path / "copy"))
    forgery.change(forged)
    found = faults(forged.at)
    assert any(forgery.noticed in fault for fault in found), found
