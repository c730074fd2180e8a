"""Premises on their way in: the same again changes nothing, at most so many of one document, ids stay unique."""

from collections.abc import Sequence
from typing import Any

from annotation.content.models.source import Premise
from annotation.content.rules.premises import Documents
from annotation.jobs.bulk import bulk_insert, reserve_ids
from validation.imports.existing import HeldPremise, Known
from validation.imports.outcome import Outcome, taken
from validation.imports.prepare import too_long
from validation.imports.project_context import Frame
from validation.imports.rules import PremiseRow, Problem

COLUMNS = ("id", "project_id", "target_id", "key", "text", "text_hash", "sentence_class", "document", "extra")


class PremiseTaker:
    """Takes batches of premises; the caller owns the transaction and has locked the target."""

    def __init__(self, frame: Frame, *, store: bool) -> None:
        self._frame, self._store, self._known = frame, store, Known(frame)

    def take(self, rows: Sequence[tuple[int, PremiseRow | Problem]]) -> Outcome:
        """Judge a batch in file order, and store what is new."""
        frame, outcome = self._frame, Outcome()
        known = self._known = Known(frame) if self._store else self._known
        good = [row for _, row in rows if isinstance(row, PremiseRow)]
        known.look_premises({row.key for row in good}, {row.hash for row in good})
        known.look_documents({row.document for row in good if row.document})
        documents = Documents(known.documents, frame.per_document)
        fresh: list[PremiseRow] = []
        for n, row in rows:
            if isinstance(row, Problem):
                outcome.refuse(n, row)
            elif is_unchanged(known, row):
                outcome.unchanged += 1
            elif (problem := self._problem(known, documents, row)) is not None:
                outcome.refuse(n, problem)
            else:
                outcome.flagged += note_premise(known, row)
                known.documents[row.document] = known.documents.get(row.document, 0) + 1
                fresh.append(row)
        outcome.accepted = len(fresh)
        if self._store:
            store_premises(frame, fresh)
        return outcome

    def _problem(self, known: Known, documents: Documents, row: PremiseRow) -> Problem | None:
        held = known.premises.get(row.key)
        if held is not None:
            return taken("premise_id", row.key, held.text, row.text)
        long = too_long(self._frame, row)
        if long is not None:
            return Problem(long.code, "premise", long.message, long.params)
        full = documents.take(row.document)
        return Problem(full.code, "document", full.message, full.params) if full is not None else None


def is_unchanged(known: Known, row: PremiseRow) -> bool:
    """The same text stands there under the same id, or under any where the row gives none (ruling 15)."""
    if row.made and row.hash in known.first:
        return True
    held = known.premises.get(row.key)
    return held is not None and held.hash == row.hash


def note_premise(known: Known, row: PremiseRow) -> bool:
    """Remember a new premise for the rows behind it; True where its text is there under another id."""
    first = known.first.get(row.hash)
    if first is not None:
        row.extra = {**row.extra, "duplicate_of": first.key}
    held = HeldPremise(None, row.key, row.hash, row.text[:100])
    known.premises[row.key] = held
    known.first.setdefault(row.hash, held)
    return first is not None


def store_premises(frame: Frame, rows: Sequence[PremiseRow]) -> dict[str, int]:
    """Insert new premises; their primary keys by key."""
    ids = reserve_ids(Premise, len(rows)) if rows else []
    placed = list(zip(ids, rows, strict=True))
    bulk_insert(Premise, COLUMNS, (_columns(frame, pk, row) for pk, row in placed))
    return {row.key: pk for pk, row in placed}


def _columns(frame: Frame, pk: int, row: PremiseRow) -> tuple[Any, ...]:
    project, target = frame.project_id, frame.target_id
    return (pk, project, target, row.key, row.text, row.hash, row.sentence_class, row.document, row.extra)
