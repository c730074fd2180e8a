"""The aligned set of a release of translations: its rows, their tasks, and their fields.

Pure. Every target has the same ids in the same order, and so has the source: a task's `Line`s are made once from the
frozen source rows, and each file is written by going through them (domain.md §7; LoraxBench §3.3). Two tasks are
derived, never translated again: open-domain QA is reading comprehension without its passage, less what cannot be
answered without it; translation is each premise once, from the target into the source.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation import kinds
from annotation.translation.rules.source_units import SHAPES, SourceShape, texts_in_order
from exports.releases.rules.markdown import file_names
from exports.releases.rules.rows import with_sorted_keys
from exports.releases.rules.settings import TEST, SplitRules

# What several texts of one role are called together, where a row keeps them as one column of labels and texts.
_JOINED_COLUMNS = {"choice": "choices", "continuation": "continuations", "response": "responses"}
# And how COPA's columns begin, which has one for each.
_NUMBERED_COLUMNS = {"alternative": "choice"}
WHOLE, OPEN, SENTENCE = "whole", "open", "sentence"


class SourceRow(NamedTuple):
    """A row of a source set as a release froze it. `names` say which of the unit's `texts` it is made of, by role."""

    source_set: str
    task: str
    shape: str
    key: str
    unit: str
    unit_revision: int
    label: str
    split: str
    data: Mapping[str, Any]
    names: Mapping[str, str]
    texts: Mapping[str, str]
    unanswerable: bool
    position: int


class Line(NamedTuple):
    """One row of a task, the same in every target: its id, split, source row, and the texts it takes, by role."""

    id: str
    split: str
    source: SourceRow
    form: str
    names: Mapping[str, str]


@dataclass(frozen=True)
class Task:
    """A task with its lines in order. `derived_from` names the task that it is derived from; `folder` is its safe
    name.
    """

    name: str
    folder: str
    lines: tuple[Line, ...]
    derived_from: str = ""
    with_source: bool = True
    splits: Mapping[str, str] = field(default_factory=dict)

    def path(self, split: str, target: str) -> str:
        """The file of a target's rows, without its ending; a folder a split where the task has several."""
        parts = (self.folder, self.splits[split], target) if len(self.splits) > 1 else (self.folder, target)
        return "/".join(parts)


class TargetUnit(NamedTuple):
    """A unit in one target: its texts, the source's as it was translated, and where they come from."""

    texts: Mapping[str, str]
    source: Mapping[str, str]
    source_revision: int
    item: str = ""
    translator: str = ""
    corrected_by: str = ""
    reviewers: Sequence[str] = ()
    round: int = 0
    approval: str = ""
    flags: Sequence[str] = ()
    origin: str = "source"
    revision: int = 0
    guideline: int | None = None


class AlignedTarget(NamedTuple):
    """A target as a release froze it; `file` is its safe name."""

    key: str
    language: str
    register: str
    name: str
    file: str


def tasks_of(rows: Iterable[SourceRow], rules: SplitRules) -> list[Task]:
    """The tasks of a release in order of their names, derived ones behind; sets by name, rows as they came."""
    by_task: dict[str, list[SourceRow]] = {}
    for row in sorted(rows, key=lambda each: (each.task, each.source_set, each.position, each.key)):
        by_task.setdefault(row.task, []).append(row)
    made: list[tuple[str, list[Line], str, bool]] = []
    for name, mine in by_task.items():
        made.append((name, _whole(mine), "", True))
    for name, mine in by_task.items():
        if rules.open_qa and (lines := _open(mine)):
            made.append((rules.open_qa, lines, name, True))
        if rules.sentences and (lines := _sentences(mine)):
            made.append((rules.sentences, lines, name, False))
    folders = file_names(name for name, *_ in made)
    return [
        Task(name, folder, tuple(lines), of, with_source, _splits(lines))
        for (name, lines, of, with_source), folder in zip(made, folders, strict=True)
    ]


def _splits(lines: Sequence[Line]) -> dict[str, str]:
    result = sorted({line.split for line in lines})
    return dict(zip(result, file_names(result), strict=True))


def split_of(row: SourceRow) -> str:
    """The split of a source row; a set without splits is there to test with."""
    return row.split or TEST


def _ids(rows: Sequence[SourceRow]) -> list[str]:
    """Ids as they came; where sets of one task share an id, with the set's short name before it."""
    sets: dict[str, set[str]] = {}
    for row in rows:
        sets.setdefault(row.key, set()).add(row.source_set)
    return [row.key if len(sets[row.key]) == 1 else f"{row.source_set}:{row.key}" for row in rows]


def _whole(rows: Sequence[SourceRow]) -> list[Line]:
    return [Line(id_, split_of(row), row, WHOLE, row.names) for id_, row in zip(_ids(rows), rows, strict=True)]


def _open(rows: Sequence[SourceRow]) -> list[Line]:
    """Reading comprehension without what its answer is read from (LoraxBench §3.3, §3.4)."""
    return [
        Line(id_, split_of(row), row, OPEN, {role: key for role, key in row.names.items() if role not in read})
        for id_, row in zip(_ids(rows), rows, strict=True)
        if (read := {role.contained_in for role in SHAPES[row.shape].roles if role.contained_in})
        and not row.unanswerable
    ]


def _sentences(rows: Sequence[SourceRow]) -> list[Line]:
    """Each premise of the pairs once, with the split of the first row that has it (LoraxBench §3.3)."""
    seen: set[str] = set()
    lines = []
    for row in rows:
        shape = SHAPES[row.shape]
        if shape.sentences and shape.shared is not None and row.unit not in seen:
            seen.add(row.unit)
            role = shape.shared.key
            lines.append(Line(row.unit, split_of(row), row, SENTENCE, {role: row.names[role]}))
    return lines


def empty_fields(fields: Mapping[str, str], texts: Mapping[str, str]) -> frozenset[str]:
    """The fields of a unit that a translation of it leaves empty."""
    return frozenset(key for key in fields if not texts.get(key, "").strip())


def is_whole(line: Line, lacks: frozenset[str]) -> bool:
    """Whether a row can be written with a translation that lacks these fields."""
    return not lacks or lacks.isdisjoint(line.names.values())


def row_of(line: Line, target: AlignedTarget, found: TargetUnit, into: str, *, beside: bool) -> dict[str, Any]:
    """One row of a target: its texts under the field's names, then whose they are. `into`: the source's language."""
    texts = {role: found.texts[key] for role, key in line.names.items()}
    row: dict[str, Any] = {"id": line.id, **_ROW_FORMS[line.form](line, texts, into)}
    if beside:
        source_texts = {role: found.source.get(key, "") for role, key in line.names.items()}
        row["source"] = dict(texts_in_order(SHAPES[line.source.shape], source_texts))
    return row | {
        "split": line.split,
        "language": target.language,
        "register": target.register,
        "target": target.key,
        "source_set": line.source.source_set,
        "source_revision": found.source_revision,
        # A premise of its own is of several rows: what one of them says (its label, its votes) is no fact of it.
        "data": {} if line.form == SENTENCE else _further_columns(line.source),
        "item": found.item,
        "translator": found.translator,
        "corrected_by": found.corrected_by,
        "reviewers": list(found.reviewers),
        "annotation_round": found.round,
        "approval": found.approval,
        "flags": list(found.flags),
        "origin": found.origin,
        "revision": found.revision,
        "guideline": found.guideline,
    }


def source_as_target(row: SourceRow) -> TargetUnit:
    """The source itself as one more target: its own texts, as clean-up left them."""
    return TargetUnit(row.texts, row.texts, row.unit_revision, revision=row.unit_revision)


def _further_columns(row: SourceRow) -> dict[str, Any]:
    """The row's further columns in one order, less those that stand among its texts."""
    taken = {"label_source", *filter(None, (SHAPES[row.shape].asked_by,))}
    return with_sorted_keys({name: value for name, value in row.data.items() if name not in taken})


def _columns(shape: SourceShape, texts: Mapping[str, str]) -> dict[str, Any]:
    """Texts by the names of their roles; several of one role as one column, or numbered as COPA has them."""
    row: dict[str, Any] = {}
    letters: dict[str, int] = {}
    for key, text in texts_in_order(shape, texts):
        role = shape.role(key)
        if not role.several:
            row[role.key] = text
        elif role.key in _NUMBERED_COLUMNS:
            letters[role.key] = letters.get(role.key, 0) + 1
            row[f"{_NUMBERED_COLUMNS[role.key]}{letters[role.key]}"] = text
        else:
            column = row.setdefault(_JOINED_COLUMNS[role.key], {"label": [], "text": []})
            column["label"].append(key.partition("-")[2])
            column["text"].append(text)
    return row


def _whole_row(line: Line, texts: Mapping[str, str], into: str) -> dict[str, Any]:
    source = line.source
    shape = SHAPES[source.shape]
    row = _columns(shape, texts) | _LABELS.get(shape.slug, _named_label)(source, texts)
    return row | ({} if shape.spans else {"label_source": str(source.data.get("label_source", "source"))})


def _open_row(line: Line, texts: Mapping[str, str], into: str) -> dict[str, Any]:
    return _columns(SHAPES[line.source.shape], texts)


def _sentence_row(line: Line, texts: Mapping[str, str], into: str) -> dict[str, Any]:
    (role, key) = next(iter(line.names.items()))
    return {"text": texts[role], "translation": line.source.texts[key], "into": into}


_ROW_FORMS: Mapping[str, Callable[[Line, Mapping[str, str], str], dict[str, Any]]] = {
    WHOLE: _whole_row,
    OPEN: _open_row,
    SENTENCE: _sentence_row,
}


def _named_label(row: SourceRow, texts: Mapping[str, str]) -> dict[str, Any]:
    """The label as the field spells it."""
    kind = kinds.judging_kind(row.shape)
    return {"label": kind.export.spell(row.label) if kind and row.label else row.label}


def _answer(row: SourceRow, texts: Mapping[str, str]) -> dict[str, Any]:
    return {"answer": row.label}


def _answer_span(row: SourceRow, texts: Mapping[str, str]) -> dict[str, Any]:
    """Where the answer stands in the translated passage, in characters; null where it does not."""
    start = texts["passage"].find(texts["answer"])
    return {"answer_start": start if start >= 0 else None}


def _copa(row: SourceRow, texts: Mapping[str, str]) -> dict[str, Any]:
    asked = SHAPES[row.shape].asked_by
    label: str | int = int(row.label) if row.label.isascii() and row.label.isdigit() else row.label
    return {asked: str(row.data.get(asked, "")), "label": label}


_LABELS: Mapping[str, Callable[[SourceRow, Mapping[str, str]], dict[str, Any]]] = {
    "choices": _answer,
    "continuations": _answer,
    "prompt": _answer,
    "passage": _answer_span,
    "alternatives": _copa,
}
