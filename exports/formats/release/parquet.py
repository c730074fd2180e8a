"""Parquet: a file for each file of rows, with types; the fastest form for dataset libraries and data frames.

The bytes are those of one version of pyarrow, which is locked, with everything that could differ said here. Rows go
in groups of one size, so that a file of any length takes little memory.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from annotation.text.gettext import gettext_noop
from exports.formats.release.base import Form, ReleaseFiles, Table, parse_lines, path_in_folder, tables
from exports.formats.rules.configs import ENDING, Config
from exports.formats.writers import Sink

if TYPE_CHECKING:
    import pyarrow

FOLDER = "parquet"
_KEPT_TYPES = (str, type(None))
GROUP = 20_000


def write(release: ReleaseFiles) -> None:
    """Write every table; splits of one config have the same columns, whether or not each has rows."""
    for table in tables(release):
        for name in table.files:
            _file(release, table, name)


def ensure_written(release: ReleaseFiles) -> None:
    """Write them for a form that describes them, where nobody chose them."""
    if not any(name.startswith(f"{FOLDER}/") for name in release.files):
        write(release)


def of_config(release: ReleaseFiles, config: Config) -> dict[str, str]:
    """A config's files, by split; those without a row are ignored, as `datasets` refuses them."""
    files = {split: path_in_folder(name, FOLDER) for split, name in config.splits.items()}
    return {split: path for split, path in files.items() if release.files.get(path, {}).get("rows")}


def schema(release: ReleaseFiles, path: str) -> "pyarrow.Schema":
    """The schema of a file that was written."""
    return release.schemas[path.removeprefix(f"{FOLDER}/").removesuffix(FOLDER) + ENDING[1:]]


def values_of(release: ReleaseFiles, path: str, column: str) -> set[Any]:
    """The values of a column that has few."""
    from pyarrow import parquet

    result: set[Any] = set()
    for batch in parquet.ParquetFile(release.folder / path).iter_batches(GROUP, columns=[column]):
        result.update(batch.column(0).unique().to_pylist())
    return result


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


def _file(release: ReleaseFiles, table: Table, name: str) -> None:
    from pyarrow import parquet

    with (
        release.sink(path_in_folder(name, FOLDER)) as sink,
        parquet.ParquetWriter(
            _File(sink),
            table.schema,
            version="2.6",
            data_page_version="1.0",
            compression="zstd",
            compression_level=3,
            use_dictionary=True,
            write_statistics=True,
            store_schema=False,
        ) as writer,
    ):
        for group in _groups(release, table, name):
            writer.write_table(group, row_group_size=GROUP)
            sink.append(b"", group.num_rows)


def _groups(release: ReleaseFiles, table: Table, name: str) -> Iterator["pyarrow.Table"]:
    """The rows in groups of one size."""
    import pyarrow

    from exports.formats.rules.columns import converter_to

    readers = {column.name: read for column in table.schema if (read := converter_to(column.type))}
    held: list[pyarrow.RecordBatch] = []
    for lines in release.lines(name):
        held += _read(_converted(lines, readers), table.schema).to_batches()
        if sum(batch.num_rows for batch in held) >= GROUP:
            yield pyarrow.Table.from_batches(held, table.schema)
            held = []
    if held:
        yield pyarrow.Table.from_batches(held, table.schema)


def _converted(lines: list[bytes], readers: Mapping[str, Callable[[Any], Any]]) -> list[bytes]:
    """The lines with what is not of its column's type made so."""
    if not readers:
        return lines
    result = []
    for row in parse_lines(lines):
        # Texts and nulls are of every column that has them.
        made = {name: read(row[name]) for name, read in readers.items() if type(row.get(name)) not in _KEPT_TYPES}
        result.append(orjson.dumps({**row, **made}, option=orjson.OPT_APPEND_NEWLINE))
    return result


def _read(lines: list[bytes], schema: "pyarrow.Schema") -> "pyarrow.Table":
    """Rows by pyarrow's own reader, in one piece; `pyarrow.array` would load pandas."""
    import pyarrow
    from pyarrow import json

    data = b"".join(lines)
    result = json.read_json(
        pyarrow.BufferReader(data),
        read_options=json.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )
    return result.combine_chunks()


FORM = Form(
    slug="parquet",
    title="Parquet",
    help=gettext_noop("With types, for dataset libraries and data frames."),
    write=write,
    order=40,
)
