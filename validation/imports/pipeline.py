"""One file on its way into a project: read, prepared and judged in batches; storing is left to the caller's hand."""

import gc
import importlib
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.core.models.project import Project
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import storage_problem
from validation.imports.outcome import Outcome
from validation.imports.project_context import ProjectContext
from validation.imports.rules import Columns, FileRefused, Problem, Record, Source, open_source
from validation.imports.rules.problems import excerpt
from validation.imports.rules.values import Sample, ValueReplacer, readable_rows

BATCH = 2000
# How many new objects there are before Python looks for reference cycles among them.
COLLECT_AFTER = 200_000
# So many columns that nothing takes are named.
MOST_UNUSED_COLUMNS = 200
LONGEST_MODEL = 200

ColumnMapping = Mapping[str, str]
Records = Callable[[], Iterator[Record]]
ReadyRow = tuple[int, Any]
"""A row by its number: read and prepared, or with what is wrong with it."""


@dataclass(frozen=True)
class ImportFormat:
    """How rows of one form come in: who reads them, prepares whole items, and takes items, or what writers start from.

    `make_reader` may look through the file first, and says what it assumed of it. `preview_row` is what the page that
    asks first has of a row. `columns` are the fields that files of a project can have. `joins_rows` says that
    several rows can make one item: the preparer puts them together, and has to see the file from its beginning.
    `items_per_row` is how many items a row can hold. `allows_machine_items` says that files can hold what a machine
    wrote; `unused_media` names the images and sounds that were sent and that no row shows. `cell_values` are what
    cells of a field can say, where that is one of few things. `allows_snippets` says that what writers start from can
    be cut from documents.
    """

    make_reader: Callable[[ProjectContext, ColumnMapping, Records], tuple[Any, Problem | None]]
    make_preparer: Callable[[ProjectContext, ColumnMapping], Any]
    item_taker: Callable[..., Any]
    preview_row: Callable[[ProjectContext, int, Any], Sequence[Any]]
    columns: Callable[[Project], Columns]
    source_taker: Callable[..., Any] | None = None
    joins_rows: bool = False
    items_per_row: Callable[[ColumnMapping], int] = lambda mapping: 1
    allows_machine_items: bool = False
    allows_snippets: bool = False
    unused_media: Callable[[Project, Any], list[str]] = lambda project, reader: []
    cell_values: Callable[[Project, str], Sequence[str]] = lambda project, field: ()


def format_of(form: str) -> ImportFormat:
    """How rows of this form (`Kind.form`) come in: the file of its name, loaded when the first such file does."""
    found: ImportFormat = importlib.import_module(f"validation.imports.{form}").FORMAT
    return found


def check_machine_model(form: ImportFormat, model: str) -> None:
    """Refuse a file of machine-written items where there can be none, or whose model has no proper name."""
    if not form.allows_machine_items:
        message = gettext_noop("Items of this project are not written by machines: leave the model out.")
        raise FileRefused("machine_unlike", message)
    if len(model) > LONGEST_MODEL or storage_problem(model) or not model.isprintable():
        message = gettext_noop("The model's name is one line of at most %(most)s characters.")
        raise FileRefused("machine_name_wrong", message, most=LONGEST_MODEL)


def columns_for(project: Project) -> Columns:
    """The fields that files can have for this project."""
    return format_of(project.kind_spec.file_format).columns(project)


@dataclass
class Intake:
    """A file and the project that it goes into.

    `assumption` is what no column says, in words; `unused_columns` are the columns that nothing takes, as far as the
    file was read. `values` change what stands in cells; of a `sample` only the rows that it draws are taken
    (`sampled_rows`).
    """

    source: Source
    mapping: dict[str, str]
    frame: ProjectContext
    format: ImportFormat
    reader: Any
    assumption: Problem | None
    unused_columns: dict[str, None] = field(default_factory=dict)
    _taken: frozenset[str] = frozenset()
    values: ValueReplacer = field(default_factory=lambda: ValueReplacer(()))
    sample: Sample | None = None
    sampled_rows: frozenset[int] | None = None

    @classmethod
    def open(
        cls,
        project: Project,
        path: Path,
        name: str,
        mapping: ColumnMapping | None = None,
        machine: str = "",
        *,
        values: Iterable[Sequence[str]] = (),
        sample: Sample | None = None,
        separator: str = "",
    ) -> "Intake":
        """Look through the file; the mapping is guessed where none is given. Raises `FileRefused`.

        `machine` is the model that wrote the items, where none of them is a person's; `separator` is said of the file.
        """
        frame, columns = ProjectContext.for_project(project, machine), columns_for(project)
        source = open_source(path, name, separator=separator, knows=columns.knows)
        chosen = _validated_mapping(columns, source, mapping)
        source.shorten_numbers(columns.id_columns(chosen))
        form = format_of(frame.kind.file_format)
        if machine:
            check_machine_model(form, machine)
        meaning = ValueReplacer(values)
        reader, assumed = form.make_reader(frame, chosen, lambda: meaning.apply_to(source.records()))
        taken = columns.columns_read(chosen)
        left = dict.fromkeys(islice((each for each in source.columns if each not in taken), MOST_UNUSED_COLUMNS))
        intake = cls(source, chosen, frame, form, reader, assumed, left, frozenset(taken), meaning)
        if sample is not None:
            intake._draw(sample)
        return intake

    def _draw(self, sample: Sample) -> None:
        """Draw the rows that are taken, of all that can be read. Raises `FileRefused`."""
        if self.format.joins_rows and self.reader.whole:
            message = gettext_noop("Rows of translations make items together: they cannot be sampled.")
            raise FileRefused("sample_together", message)
        self.sampled_rows, of = sample.draw_rows(readable_rows(self.reader, self.records()))
        self.sample = replace(sample, readable_count=of)

    def records(self) -> Iterator[Record]:
        """Every record, with what its values mean."""
        return self.values.apply_to(self.source.records())

    @property
    def holds_items(self) -> bool:
        """Whether the rows are finished items, not what writers start from."""
        return bool(self.reader.whole)

    def prepared_rows(self, done: int = 0) -> Iterator[ReadyRow]:
        """Every row behind number `done`, read and prepared, or with what is wrong with it."""
        preparer = self.format.make_preparer(self.frame, self.mapping) if self.reader.whole else None
        if preparer is None or not self.format.joins_rows:
            return self._rows(preparer, done)
        return (row for row in preparer.gather(self._rows(preparer, 0)) if row[0] > done)

    def _rows(self, preparer: Any, done: int) -> Iterator[ReadyRow]:
        read, sheet = self.reader.read, self.source.is_sheet
        for record in self.records():
            if record.n <= done:
                continue
            row = read(record)
            if self.sampled_rows is not None and record.n not in self.sampled_rows and not isinstance(row, Problem):
                continue
            # Columns that stand in this row and in none of the first ones; a sheet has the same in all.
            if not sheet and record.data and not self._taken.issuperset(record.data):
                self._name_unused(column for column in record.data if column not in self._taken)
            if self.reader.left:
                self._name_unused(self.reader.left)
                self.reader.left.clear()
            whole = preparer is not None and not isinstance(row, Problem)
            yield record.n, preparer.prepare(row) if whole else row

    def _name_unused(self, columns: Iterable[str]) -> None:
        for column in columns:
            if len(self.unused_columns) < MOST_UNUSED_COLUMNS:
                self.unused_columns.setdefault(column)

    def batches(self, done: int = 0, size: int = BATCH) -> Iterator[list[ReadyRow]]:
        """Rows that make about so many items."""
        rows, size = self.prepared_rows(done), max(1, size // self.format.items_per_row(self.mapping))
        while batch := list(islice(rows, size)):
            yield batch

    def batch_handler(self, *, store: bool) -> Callable[[Sequence[Any]], Outcome]:
        """What judges a batch, and stores it where `store` says so."""
        sources = self.format.source_taker
        make = self.format.item_taker if self.reader.whole or sources is None else sources
        take: Callable[[Sequence[Any]], Outcome] = make(self.frame, store=store).take
        return take

    def dry_run(self) -> Iterator[Outcome]:
        """What would become of each batch; nothing is stored, and a text is remembered by its digest alone."""
        take = self.batch_handler(store=False)
        for batch in self.batches():
            yield take(batch)


def _validated_mapping(columns: Columns, source: Source, mapping: ColumnMapping | None) -> dict[str, str]:
    """A mapping under which rows can be read, guessed where none is given. Raises FileRefused."""
    try:
        return columns.validated(columns.guess(source.columns) if mapping is None else mapping, source.columns)
    except FileRefused as refused:
        if not source.assumes_header:
            raise
        message = gettext_noop(
            "The first line of the file was read as names of columns, and a column that is needed is not among them: "
            "%(columns)s. If each line is a text, choose the separator “none: each line is a text” (--separator line); "
            "else say which column is which."
        )
        raise FileRefused(refused.code, message, columns=excerpt(", ".join(source.columns))) from None


def mapped_value_counts(intake: Intake, values: Sequence[Sequence[str]]) -> dict[str, Any]:
    """How often each mapped value was met in the whole file, and of how many rows a sample was drawn."""
    told: dict[str, Any] = {}
    if values:
        counting = ValueReplacer(values)
        for _ in counting.apply_to(intake.source.records()):
            pass
        told["values"] = [[*row, counting.used[row[0], row[1], row[2], row[3]]] for row in values]
    if intake.sample is not None:
        told["sample"] = {
            "n": intake.sample.n,
            "seed": intake.sample.seed,
            "of": intake.sample.readable_count,
        }
    return told


def read_ahead(batches: Iterator[list[ReadyRow]]) -> Generator[list[ReadyRow]]:
    """The batches, each read and checked in a thread while the database stores the one before it.

    They must not touch the database.
    """
    with ThreadPoolExecutor(1, "import-reader") as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch


_running_imports, _usual_thresholds = 0, gc.get_threshold()
_counter_lock = threading.Lock()


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Rows come by the ten thousand and are in no reference cycles: looking for these took a fifth of the time.

    Several threads may be in it at once; the last one that leaves puts back what was before the first.
    """
    global _running_imports, _usual_thresholds
    with _counter_lock:
        if not _running_imports:
            _usual_thresholds = gc.get_threshold()
            gc.set_threshold(COLLECT_AFTER, *_usual_thresholds[1:])
        _running_imports += 1
    try:
        yield
    finally:
        with _counter_lock:
            _running_imports -= 1
            if not _running_imports:
                gc.set_threshold(*_usual_thresholds)
