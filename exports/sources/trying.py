"""The first rows of a file as they would stand in a source set, for the page that asks before anything is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from annotation.jobs.models import Import
from annotation.translation.rules.source_rows import problem_of
from annotation.translation.rules.source_shapes import SHAPES, Row, field_title, in_order
from validation.imports.actions import stored_path
from validation.imports.outcome import words
from validation.imports.rules import FileRefused, Problem, open_source
from validation.imports.rules.source_columns import source_columns
from validation.imports.rules.sources import SourceReader

SHOWN = 5
LOOKED_AT = 500


@dataclass(frozen=True)
class Shown:
    """One row: its texts as (name, letter, text), or what is wrong with it."""

    n: int
    key: str = ""
    label: str = ""
    split: str = ""
    texts: Sequence[tuple[str, str, str]] = ()
    further: Sequence[str] = ()
    field: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Preview:
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
        for record in islice(source.records(), LOOKED_AT):
            looked_at += 1
            if record.data is not None and not meets(record.data, where):
                left_out += 1
                continue
            row = reader.read(record)
            problem = row if isinstance(row, Problem) else problem_of(SHAPES[shape], row)
            if problem is not None:
                bad.append(Shown(record.n, field=problem.field, reason=words(problem)))
            elif isinstance(row, Row):
                good.append(_shown(shape, row))
    except FileRefused as refused:
        return Preview(problem=words(refused))
    return Preview(good[:SHOWN], bad[:SHOWN], looked_at, left_out)


def _shown(shape: str, row: Row) -> Shown:
    texts = [(*field_title(SHAPES[shape], key), text) for key, text in in_order(SHAPES[shape], row.texts)]
    return Shown(row.number, row.key, row.label, row.split, texts, sorted(row.data))


def meets(data: Mapping[str, object], where: Sequence[Sequence[str]]) -> bool:
    """Whether a record fulfils every condition; a number is compared as it is written."""
    return all(str(data.get(column, "")).strip() == value for column, value in where)
