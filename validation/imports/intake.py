"""One file on its way into a project: read, prepared and judged in batches; storing is left to the caller's hand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.models import Project
from validation.rules.intake import Problem, Reader, Source, guess_mapping, open_source
from validation.rules.intake.columns import checked
from validation.rules.intake.rowshape import PremiseRow

from .frame import Frame
from .outcome import Outcome
from .pairs import PairTaker
from .premises import PremiseTaker
from .prepare import Pair, Preparer

BATCH = 2000

Ready = tuple[int, PremiseRow | Pair | Problem]


@dataclass
class Intake:
    """A file and the project that it goes into."""

    source: Source
    mapping: dict[str, str]
    frame: Frame
    reader: Reader

    @classmethod
    def open(
        cls, project: Project, path: Path, name: str, mapping: Mapping[str, str] | None = None
    ) -> "Intake":
        """Look through the file; the mapping is guessed where none is given. Raises `FileRefused`."""
        source = open_source(path, name)
        chosen = checked(guess_mapping(source.columns) if mapping is None else mapping, source.columns)
        frame = Frame.of(project)
        return cls(source, chosen, frame, Reader(chosen, frame.language, frame.kind.read_label))

    @property
    def holds_pairs(self) -> bool:
        return self.reader.pairs

    def ready(self, done: int = 0) -> Iterator[Ready]:
        """Every row behind number `done`, read and prepared, or with what is wrong with it."""
        prepare = (
            Preparer(self.frame, with_tags="tags" in self.mapping).prepare if self.reader.pairs else None
        )
        read = self.reader.read
        for record in self.source.records():
            if record.n <= done:
                continue
            row = read(record)
            if prepare is None or isinstance(row, Problem):
                yield record.n, row  # type: ignore[misc]
            else:
                yield record.n, prepare(row)  # type: ignore[arg-type]

    def batches(self, done: int = 0, size: int = BATCH) -> Iterator[list[Ready]]:
        rows = self.ready(done)
        while batch := list(islice(rows, size)):
            yield batch

    def taker(self, *, store: bool) -> Callable[[Sequence[Any]], Outcome]:
        """What judges a batch, and stores it where `store` says so."""
        made = PairTaker if self.reader.pairs else PremiseTaker
        return made(self.frame, store=store).take

    def rehearse(self) -> Iterator[Outcome]:
        """What would become of each batch; nothing is stored, and a text is remembered by its digest alone."""
        take = self.taker(store=False)
        for batch in self.batches():
            yield take(batch)
