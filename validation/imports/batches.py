"""A batch of rows in a request: imported like a file, with one response for each row."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
from django.db import IntegrityError, transaction

from annotation.core.errors import Invalid
from annotation.core.models.project import Project, Target
from annotation.files import scratch
from validation.imports.outcome import Outcome, problem_in_words
from validation.imports.pipeline import Intake, ReadyRow, rare_garbage_collection, read_ahead
from validation.imports.rules import FileRefused

# Of one request: what a web process does within its time.
MOST_BYTES = 64 * 1024 * 1024
MOST_CLASHES = 5
# Rows of one transaction, more than of an import's, which saves its progress with each: an eighth less is to be done.
ROWS_AT_ONCE = 5000
STORED, UNCHANGED, REFUSED = "stored", "unchanged", "refused"
ITEMS, SOURCES = "items", "sources"


class Batch:
    """Rows as JSON Lines, kept in a file of their own until they are answered for. Close it; a response does."""

    def __init__(self, project: Project, chunks: Iterable[bytes], *, holds: str) -> None:
        """Keep and look through the rows. Raises Invalid where they cannot be read, or are not what they should be."""
        handle, name = tempfile.mkstemp(prefix="batch-", dir=scratch())
        self.path = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                written = 0
                for chunk in chunks:
                    written += len(chunk)
                    if written > MOST_BYTES:
                        raise Invalid(field="body", code="batch_too_large")
                    file.write(chunk)
            try:
                self.intake = Intake.open(project, self.path, "batch.jsonl")
            except FileRefused as refused:
                raise Invalid(problem_in_words(refused), field="body", code=refused.code) from None
            if self.intake.holds_items != (holds == ITEMS):
                raise Invalid(field="body", code=f"batch_not_{holds}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)

    def __iter__(self) -> Iterator[bytes]:
        """Store the rows and answer for each in their order, then with the counts.

        What was answered for is committed: a batch that breaks off was stored as far as its answer goes, and whoever
        sends it again is told `unchanged` of that.
        """
        counts = dict.fromkeys((STORED, UNCHANGED, REFUSED), 0)
        take = self.intake.batch_handler(store=True)
        with (
            closing(self),
            closing(read_ahead(self.intake.batches(size=ROWS_AT_ONCE))) as batches,
            rare_garbage_collection(),
        ):
            for rows in batches:
                answers = list(_answers(rows, self._taken(take, rows)))
                for answer in answers:
                    counts[answer["status"]] += 1
                yield b"".join(orjson.dumps(answer) + b"\n" for answer in answers)
        yield orjson.dumps({"done": True, **counts}) + b"\n"

    def _taken(self, take: Any, rows: Sequence[ReadyRow]) -> Outcome:
        for clash in range(MOST_CLASHES):
            try:
                with transaction.atomic():
                    # One import at a time in a target; assignments and votes only share the row's key, and pass.
                    Target.objects.select_for_update(no_key=True).get(pk=self.intake.frame.target_id)
                    outcome: Outcome = take(rows)
                    return outcome
            except IntegrityError:
                # A writer submitted the same key in this very moment: the next look sees it.
                if clash + 1 == MOST_CLASHES:
                    raise
        raise AssertionError


def _answers(rows: Sequence[ReadyRow], outcome: Outcome) -> Iterator[dict[str, Any]]:
    wrong: dict[int, list[dict[str, str]]] = {}
    for row in outcome.refused:
        wrong.setdefault(row.n, []).append({"code": row.code, "field": row.field, "detail": row.reason})
    same = set(outcome.unchanged_rows)
    for n, _ in rows:
        if n in wrong:
            yield {"n": n, "status": REFUSED, "problems": wrong[n]}
        else:
            yield {"n": n, "status": UNCHANGED if n in same else STORED}
