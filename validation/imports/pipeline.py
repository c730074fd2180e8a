"""One file on its way into a project: read, prepared and judged in batches; storing is left to the caller's hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.core.models.project import Project
from validation.imports.import_formats import WAYS, RowReader, columns_for, machine_checked
from validation.imports.outcome import Outcome
from validation.imports.project_context import Frame
from validation.imports.rules import Problem, Record, Source, open_source

BATCH = 2000
# So many columns that nothing takes are named.
MOST_LEFT = 200

Ready = tuple[int, Any]
"""A row by its number: read and prepared, or with what is wrong with it."""


@dataclass
class Intake:
    """A file and the project that it goes into.

    `assumed` is what no column says, in words; `left` are the columns that nothing takes, as far as the file was read.
    """

    source: Source
    mapping: dict[str, str]
    frame: Frame
    reader: RowReader
    assumed: Problem | None
    left: dict[str, None] = field(default_factory=dict)
    _taken: frozenset[str] = frozenset()

    @classmethod
    def open(
        cls,
        project: Project,
        path: Path,
        name: str,
        mapping: Mapping[str, str] | None = None,
        machine: str = "",
    ) -> "Intake":
        """Look through the file; the mapping is guessed where none is given. Raises `FileRefused`.

        `machine` is the model that wrote the items, where none of them is a person's.
        """
        source, frame, columns = open_source(path, name), Frame.of(project, machine), columns_for(project)
        chosen = columns.checked(
            columns.guess(source.columns) if mapping is None else mapping, source.columns
        )
        way = WAYS[frame.kind.file_form]
        if machine:
            machine_checked(way, machine)
        reader, assumed = way.reader(frame, chosen, source.records)
        taken = columns.taken(chosen)
        unread = (column for column in source.columns if column not in taken)
        left = dict.fromkeys(islice(unread, MOST_LEFT))
        return cls(source, chosen, frame, reader, assumed, left, frozenset(taken))

    @property
    def holds_items(self) -> bool:
        """Whether the rows are finished items, not what writers start from."""
        return self.reader.whole

    def ready(self, done: int = 0) -> Iterator[Ready]:
        """Every row behind number `done`, read and prepared, or with what is wrong with it."""
        way = WAYS[self.frame.kind.file_form]
        preparer = way.preparer(self.frame, self.mapping) if self.reader.whole else None
        if preparer is None or not way.gathers:
            return self._rows(preparer, done)
        rows = preparer.gather(self._rows(preparer, 0))
        return (row for row in rows if row[0] > done)

    def _rows(self, preparer: Any, done: int) -> Iterator[Ready]:
        for record in self.source.records():
            if record.n <= done:
                continue
            row = self.reader.read(record)
            self._leave(record)
            if preparer is None or isinstance(row, Problem):
                yield record.n, row
            else:
                yield record.n, preparer.prepare(row)

    def _leave(self, record: Record) -> None:
        """Note columns that stand in this row and in none of the first ones; a sheet has the same in all."""
        if self.source.header:
            return
        for column in record.data or ():
            if column not in self._taken and column not in self.left and len(self.left) < MOST_LEFT:
                self.left[column] = None

    def batches(self, done: int = 0, size: int = BATCH) -> Iterator[list[Ready]]:
        """Rows that make about so many items."""
        rows, size = self.ready(done), max(1, size // WAYS[self.frame.kind.file_form].weight(self.mapping))
        while batch := list(islice(rows, size)):
            yield batch

    def taker(self, *, store: bool) -> Callable[[Sequence[Any]], Outcome]:
        """What judges a batch, and stores it where `store` says so."""
        way = WAYS[self.frame.kind.file_form]
        taker = way.items if self.reader.whole or way.sources is None else way.sources
        return taker(self.frame, store=store).take

    def rehearse(self) -> Iterator[Outcome]:
        """What would become of each batch; nothing is stored, and a text is remembered by its digest alone."""
        take = self.taker(store=False)
        for batch in self.batches():
            yield take(batch)
