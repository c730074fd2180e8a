"""Parquet: a file for each file of rows, with types; what dataset libraries and data frames read fastest.

The bytes are those of one version of pyarrow, which is locked, with everything that could differ said here. Rows go
in groups of one size, so that a file of any length takes little memory.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import orjson
from django.utils.translation import gettext_noop

from exports.formats.release.base import Form, Told, parsed
from exports.formats.release.tables import Table, renamed, tables
from exports.formats.rules.columns import BOOL, INT, JSON, LIST, NUMBER, RECORD, TEXT, Type, reader
from exports.formats.rules.configs import Config
from exports.releases.writers import Sink

if TYPE_CHECKING:
    import pyarrow

FOLDER = "parquet"
GROUP = 20_000


def write(told: Told) -> None:
    """Write every table; splits of one config have the same columns, whether or not each has rows."""
    for table in tables(told):
        for name in table.files:
            _file(told, table, name)


def ensure(told: Told) -> None:
    """Write them for a form that describes them, where nobody chose them."""
    if not any(name.startswith(f"{FOLDER}/") for name in told.files):
        write(told)


def of_config(told: Told, config: Config) -> dict[str, str]:
    """A config's files, by split; those without a row are left aside, as no library loads them."""
    files = {split: renamed(name, FOLDER) for split, name in config.splits.items()}
    return {split: path for split, path in files.items() if told.files.get(path, {}).get("rows")}


def columns_of(told: Told, path: str) -> dict[str, Type]:
    """The columns that a written file has."""
    from pyarrow import parquet

    return {field.name: _type(field.type) for field in parquet.read_schema(told.folder / path)}


def values_of(told: Told, path: str, column: str) -> set[Any]:
    """The values of a column that has few."""
    from pyarrow import parquet

    found: set[Any] = set()
    for batch in parquet.ParquetFile(told.folder / path).iter_batches(GROUP, columns=[column]):
        found.update(batch.column(0).unique().to_pylist())
    return found


class _File(io.RawIOBase):
    """A sink as pyarrow wants a file; it closes itself."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sink.append(bytes(data), 0)
        return len(data)

    def tell(self) -> int:
        return self.sink.size


def _file(told: Told, table: Table, name: str) -> None:
    from pyarrow import parquet

    schema = schema_of(table.columns)
    with (
        told.sink(renamed(name, FOLDER)) as sink,
        parquet.ParquetWriter(
            _File(sink),
            schema,
            version="2.6",
            data_page_version="1.0",
            compression="zstd",
            compression_level=3,
            use_dictionary=True,
            write_statistics=True,
            store_schema=False,
        ) as writer,
    ):
        for group in _groups(told, table, name, schema):
            writer.write_table(group, row_group_size=GROUP)
            sink.append(b"", group.num_rows)


def _groups(told: Told, table: Table, name: str, schema: "pyarrow.Schema") -> Iterator["pyarrow.Table"]:
    """The rows in groups of one size."""
    import pyarrow

    readers = {column: read for column, kind in table.columns.items() if (read := reader(kind))}
    held: list[pyarrow.RecordBatch] = []
    for lines in told.lines(name):
        held += _read(_converted(lines, readers), schema).to_batches()
        if sum(batch.num_rows for batch in held) >= GROUP:
            yield pyarrow.Table.from_batches(held, schema)
            held = []
    if held:
        yield pyarrow.Table.from_batches(held, schema)


def _converted(lines: list[bytes], readers: Mapping[str, Callable[[Any], Any]]) -> list[bytes]:
    """The lines with what is not of its column's type made so."""
    if not readers:
        return lines
    found = []
    for row in parsed(lines):
        made = {name: read(row[name]) for name, read in readers.items() if name in row}
        found.append(orjson.dumps({**row, **made}, option=orjson.OPT_APPEND_NEWLINE))
    return found


def _read(lines: list[bytes], schema: "pyarrow.Schema") -> "pyarrow.Table":
    """Rows by pyarrow's own reader, in one piece; `pyarrow.array` would load pandas."""
    import pyarrow
    from pyarrow import json

    data = b"".join(lines)
    found = json.read_json(
        pyarrow.BufferReader(data),
        read_options=json.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
    return found.combine_chunks()


def schema_of(columns: Mapping[str, Type]) -> "pyarrow.Schema":
    """The columns as Arrow has them."""
    import pyarrow

    return pyarrow.schema([(name, _arrow(kind)) for name, kind in columns.items()])


def _arrow(kind: Type | None) -> "pyarrow.DataType":
    import pyarrow

    if kind is None or kind.what in (TEXT, JSON):
        return pyarrow.string()
    if kind.what == LIST:
        return pyarrow.list_(_arrow(kind.of))
    if kind.what == RECORD:
        return pyarrow.struct([(name, _arrow(each)) for name, each in kind.fields])
    return {INT: pyarrow.int64(), NUMBER: pyarrow.float64(), BOOL: pyarrow.bool_()}[kind.what]


def _type(kind: "pyarrow.DataType") -> Type:
    from pyarrow import types

    if types.is_list(kind):
        return Type(LIST, (("", _type(kind.value_type)),))
    if types.is_struct(kind):
        return Type(RECORD, tuple((each.name, _type(each.type)) for each in kind))
    plain = {INT: types.is_int64, NUMBER: types.is_float64, BOOL: types.is_boolean}
    return Type(next((what for what, fits in plain.items() if fits(kind)), TEXT))


FORM = Form(
    slug="parquet",
    title="Parquet",
    help=gettext_noop("With types, for dataset libraries and data frames."),
    write=write,
    order=40,
)
