"""The first rows of a file as they would be stored, for the page that asks before anything is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from annotation.files import storage
from annotation.jobs.models import Import
from annotation.kinds import Label
from validation.imports.actions import kept_source, stored_name
from validation.imports.outcome import Outcome, add_unread, problem_in_words
from validation.imports.pipeline import Intake
from validation.imports.rules import FileRefused, Problem
from validation.imports.rules.json_values import WrittenNumber, to_json
from validation.imports.rules.problems import excerpt

SHOWN = 6
LOOKED_AT = 500
# So many values stand beside a column, of so many characters, found in so many rows.
SAMPLES, LONGEST_SAMPLE, SAMPLED_ROWS = 3, 60, 200


@dataclass(frozen=True)
class PreviewRow:
    """One row: its number, and either what is wrong with it or what would be stored.

    `facts` stand above the texts, as (name, value) where a name is needed; `options` are labels of the item's own,
    the answer among them is `label`; `votes` are (name, label, whether it is marked, reason); `translated` are texts
    in other languages, as (target, language, text).
    """

    n: int
    problem: Problem | None
    key: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()
    options: tuple[Label, ...] = ()
    label: Label | None = None
    author: str = ""
    votes: tuple[tuple[str, str, bool, str], ...] = ()
    tags: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    translated: tuple[tuple[str, str, str], ...] = ()

    @property
    def reason(self) -> str:
        """Why the row would be refused."""
        return problem_in_words(self.problem) if self.problem is not None else ""


@dataclass(frozen=True)
class Preview:
    """What a file looks like under a mapping; `problem` where it cannot be read, `assumption` what no column says.

    `unread` are values that cannot be read: column, person, value, how often; `notes` what was passed over.
    """

    rows: tuple[PreviewRow, ...] = ()
    refused: tuple[PreviewRow, ...] = ()
    looked_at: int = 0
    items: bool = False
    assumption: str = ""
    problem: str = ""
    unread: Sequence[Sequence[str | int]] = ()
    notes: Sequence[str] = ()


def preview(
    taken: Import, mapping: Mapping[str, str], machine: str = "", values: Sequence[Sequence[str]] = ()
) -> Preview:
    """Read the first rows; nothing is stored, and the database is not asked. `machine` is the model that wrote them."""
    try:
        with storage().local_copy(stored_name(taken)) as path:
            more: dict[str, Any] = {"values": values, "separator": taken.mapping.get("separator", "")}
            intake = Intake.open(taken.project, path, taken.name, mapping, machine, **more)
            rows = list(islice(intake.prepared_rows(), LOOKED_AT))
    except FileRefused as refused:
        return Preview(problem=problem_in_words(refused))
    shown = [
        each
        for n, row in rows
        for each in (
            [PreviewRow(n, row)] if isinstance(row, Problem) else intake.format.preview_row(intake.frame, n, row)
        )
    ]
    return Preview(
        rows=tuple([row for row in shown if row.problem is None][:SHOWN]),
        refused=tuple([row for row in shown if row.problem is not None][:SHOWN]),
        looked_at=len(rows),
        items=intake.holds_items,
        assumption=problem_in_words(intake.assumption) if intake.assumption is not None else "",
        unread=_unread_values(rows, intake.mapping),
        notes=list(map(problem_in_words, intake.source.notes())),
    )


def _unread_values(rows: Sequence[tuple[int, Any]], columns: Mapping[str, str]) -> list[list[str | int]]:
    """What cannot be read in these rows: marks kept as unknown, and values that rows are refused for."""
    outcome = Outcome()
    for n, row in rows:
        if isinstance(row, Problem):
            outcome.refuse(n, row)
        else:
            outcome.unread.update(getattr(row, "unread", ()))
    return add_unread((), outcome.unread + outcome.unknown_values, columns)


def samples(taken: Import) -> dict[str, list[str]]:
    """Columns of a file to the first few values that they hold, shortened; none of a file that cannot be read."""
    found: dict[str, list[str]] = {column: [] for column in taken.mapping.get("columns", [])}
    try:
        with storage().local_copy(stored_name(taken)) as path:
            records = list(islice(kept_source(taken, path).records(), SAMPLED_ROWS))
        for data in (record.data for record in records if record.data is not None):
            for column, values in found.items():
                text = _sample(_value(data, column))
                if text and len(values) < SAMPLES and text not in values:
                    values.append(text)
    except FileRefused:
        return {}
    return found


def _value(data: Mapping[str, Any], column: str) -> Any:
    """What a record has in a column; a dotted name leads into what is nested."""
    if column in data:
        return data[column]
    value: Any = data
    for part in column.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _sample(value: Any) -> str:
    if value is None or value == "":
        return ""
    text = str(value) if isinstance(value, (str, WrittenNumber)) else to_json(value).decode()
    return excerpt(" ".join(text.split()), LONGEST_SAMPLE)


def facts_of(*facts: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Those of the facts that hold something."""
    return tuple((name, value) for name, value in facts if value)
