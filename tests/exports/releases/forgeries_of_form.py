"""Forgeries of the form of a release: sections taken out, answers told to be hidden, bytes that two readers read
differently."""

from collections.abc import Callable
from typing import Any

import pyarrow
from pyarrow import parquet

from tests.exports.releases.forger import Forged
from tests.exports.releases.forgeries import REWRITTEN, Forgery, Row, gone, told, words

TABLE, BYTES, MISSING = "parquet/test.parquet", "has other bytes", "a build of this version writes it"
MANIFEST, TWICE = "manifest.json", '"counts": {"items": 999}, "counts": {'


def without(*path: str | int) -> Callable[[Forged], Any]:
    """Take a section out of the manifest."""

    def change(manifest: Row) -> None:
        held: Any = manifest
        for name in path[:-1]:
            held = held[name]
        del held[path[-1]]

    return lambda of: of.tell(change)


def all_of(*changes: Callable[[Forged], Any]) -> Callable[[Forged], Any]:
    """One change after the other."""

    def change(of: Forged) -> None:
        for each in changes:
            each(of)

    return change


def another_library(name: str, turn: Callable[[pyarrow.Table], pyarrow.Table] | None = None) -> Callable[[Forged], Any]:
    """A Parquet file names another version of pyarrow, with other contents where they are turned."""

    def change(of: Forged) -> None:
        if turn is not None:
            table = turn(parquet.read_table(of.at / name))
            parquet.write_table(table, of.at / name, compression="zstd", store_schema=bool(table.schema.metadata))
        data, mark = (of.at / name).read_bytes(), b"parquet-cpp-arrow version "
        at = data.rindex(mark) + len(mark)
        digit = b"8" if data[at : at + 1] == b"9" else b"9"
        (of.at / name).write_bytes(data[:at] + digit + data[at + 1 :])

    return change


def _turned(table: pyarrow.Table) -> pyarrow.Table:
    """Every row has the same label."""
    at = table.schema.get_field_index("label")
    return table.set_column(at, table.schema.field(at), pyarrow.array(["contradiction"] * table.num_rows))


def _with_names(table: pyarrow.Table) -> pyarrow.Table:
    """Names of classes that the card does not give."""
    return table.replace_schema_metadata({b"huggingface": b'{"info":{}}'})


def linked(name: str, to_folder: bool) -> Callable[[Forged], Any]:
    """Something that lies elsewhere stands beside the files, or in place of one."""

    def change(of: Forged) -> None:
        elsewhere = of.at.parent / "elsewhere"
        if to_folder:
            elsewhere.mkdir()
        else:
            (of.at / name).rename(elsewhere)
        (of.at / name).symlink_to(elsewhere)

    return change


def turned(name: str) -> Callable[[Forged], Any]:
    """The names of the last row stand in another order."""

    def change(of: Forged) -> None:
        rows = of.rows(name)
        of.put(name, [*rows[:-1], dict(reversed(rows[-1].items()))])

    return change


def lines_more(name: str) -> Callable[[Forged], Any]:
    """A blank line stands at the end of a file."""
    return lambda of: (of.at / name).write_bytes((of.at / name).read_bytes() + b"\n")


def hides(of: Forged) -> None:
    """An open release is told to hide the answers of its test, whose whole rows lie elsewhere."""

    def change(manifest: Row) -> None:
        manifest["rules"]["hidden_test"] = True
        for name in ("ids", "left_out", "test", "votes"):
            manifest["files"][f"hidden/{name}.jsonl"] = {"rows": 3, "bytes": 9, "sha256": "0" * 64}

    of.tell(change)


def no_datasheet(of: Forged) -> None:
    """Nothing answers reviewers, as before there were datasheets."""
    all_of(without("datasheet"), without("picture"), gone("picture.html"))(of)
    for path in (of.at / "guidelines").iterdir():
        path.unlink()


# As in `forgeries`: of copies, of the manifest alone, and of what our own writers make the rest of.
FORM_OF_COPIES = [
    Forgery(
        "a name that stands twice in a row", "pairs", words("test.jsonl", '"label":', '"label":"x","label":'), BYTES
    ),
    Forgery("names of a row in another order", "pairs", turned("votes.jsonl"), BYTES),
    Forgery("a blank line behind the votes", "pairs", lines_more("votes.jsonl"), "input data is empty"),
    Forgery("labels in Parquet of another library", "pairs", another_library(TABLE, _turned), REWRITTEN),
    Forgery(
        "a column of Parquet of another library, gone",
        "pairs",
        another_library(TABLE, lambda table: table.drop_columns(["label"])),
        REWRITTEN,
    ),
    Forgery("names of classes in Parquet of another library", "pairs", another_library(TABLE, _with_names), REWRITTEN),
]
FORM_OF_MANIFEST = [
    Forgery("labels in an open test that is told to be hidden", "pairs", hides, "of test, and it tells"),
    Forgery("open votes that are told to be hidden", "pairs", hides, "a vote on it stands open"),
    Forgery("ids left out that are told to be hidden", "pairs", hides, "the manifest tells labels, seed, left_out"),
    Forgery("a name that stands twice in the manifest", "pairs", words(MANIFEST, '"counts": {', TWICE), BYTES),
    Forgery("a blank line behind the manifest", "pairs", lines_more(MANIFEST), BYTES),
    Forgery("a linked folder", "pairs", linked("tools", to_folder=True), "is a link"),
    Forgery("a linked file", "pairs", linked("votes.jsonl", to_folder=False), "is a link"),
]
FORM_OF_ROWS = [
    Forgery("answers that are told to be hidden", "pairs", told("rules", "hidden_test", to=True), "does not name it"),
    Forgery("what soft labels rest on, gone", "pairs", without("counts", "soft_labels"), MISSING),
    Forgery("how gold arose, gone", "pairs", without("counts", "arose"), MISSING),
    Forgery("figures of audits, gone", "audits", without("counts", "arose", "audits"), MISSING),
    Forgery("the datasheet, gone", "pairs", no_datasheet, MISSING),
    Forgery("the picture, gone", "pairs", all_of(without("picture"), gone("picture.html")), MISSING),
    Forgery("days of collection, gone", "pairs", without("datasheet", "collection", "voting"), MISSING),
    Forgery("a protocol's hash with its name, gone", "pairs", without("protocols", 0, "digest"), MISSING),
    Forgery("a rule, gone", "pairs", without("rules", "strict"), "no rule of such a project"),
]
