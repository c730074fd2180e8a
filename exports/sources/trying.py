"""The first rows of a file as they would stand in a source set, for the page that asks before anything is stored."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from annotation.jobs.models import Import
from annotation.translation.rules.clean_up import problem_of
from annotation.translation.rules.source_units import SHAPES, Row, field_title, in_order
from validation.imports.actions import stored_path
from validation.imports.outcome import words
from validation.imports.rules import FileRefused, Problem, Source, open_source
from validation.imports.rules.source_columns import source_columns
from validation.imports.rules.sources import SourceReader

SHOWN = 5
LOOKED_AT = 500


class Shown(NamedTuple):
    """One row: its texts as (name, letter, text), or what is wrong with it."""

    n: int
    key: str = ""
    label: str = ""
    split: str = ""
    texts: Sequence[tuple[str, str, str]] = ()
    further: Sequence[str] = ()
    field: str = ""
    reason: str = ""


class Preview(NamedTuple):
    """What a file looks like under a mapping; `problem` where it cannot be read so."""

    rows: Sequence[Shown] = ()
    refused: Sequence[Shown] = ()
    looked_at: int = 0
    left_out: int = 0
    gone: bool = False
    problem: str = ""


def preview(taken: Import, mapping: Mapping[str, str], where: Sequence[Sequence[str]]) -> Preview:
    """Read the first rows that fulfil every condition; nothing is stored, and the database is not asked."""
    path, shape = stored_path(taken), taken.mapping["set"]["shape"]
    if not path.exists():
        return Preview(gone=True)
    try:
        source = open_source(path, taken.name)
        reader = SourceReader(shape, source_columns(shape).checked(mapping, source.columns))
        good, bad, looked_at, left_out = [], [], 0, 0
        for n, row in islice(rows_of(source, reader, where), LOOKED_AT):
            looked_at += 1
            problem = problem_of(SHAPES[shape], row) if isinstance(row, Row) else row
            if problem is not None:
                bad.append(Shown(n, field=problem.field, reason=words(problem)))
            elif isinstance(row, Row):
                good.append(_shown(shape, row))
            else:
                left_out += 1
    except FileRefused as refused:
        return Preview(problem=words(refused))
    return Preview(good[:SHOWN], bad[:SHOWN], looked_at, left_out)


def _shown(shape: str, row: Row) -> Shown:
    texts = [(*field_title(SHAPES[shape], key), text) for key, text in in_order(SHAPES[shape], row.texts)]
    return Shown(row.number, row.key, row.label, row.split, texts, sorted(row.data))


def rows_of(
    source: Source, reader: SourceReader, where: Sequence[Sequence[str]]
) -> Iterator[tuple[int, Row | Problem | None]]:
    """The records of a file by number as rows, or what is wrong with them; None for those that the filter leaves out.

    A record fulfils every condition; a number is compared as it is written.
    """
    for record in source.records():
        data = record.data
        if data is not None and any(str(data.get(name, "")).strip() != value for name, value in where):
            yield record.n, None
        else:
            yield record.n, reader.read(record)
