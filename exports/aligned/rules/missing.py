"""What is missing where: every row of every task in every target, distinguished by how far its translation is.

Pure; the preview, the release and the page of missing rows count by the same functions.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from annotation.text.gettext import gettext_noop
from exports.aligned.rules.rows import AlignedTarget, Line, Task, is_whole
from exports.releases.rules.markdown import file_names
from exports.releases.rules.settings import LEAVE_OUT, SplitRules
from exports.releases.rules.splits import Outcome
from validation.consensus import stages

READY, MISSING, IN_WORK, INCOMPLETE, EXCLUDED = "rows", "missing", "in_work", "incomplete", "excluded"
STATES: Mapping[str, str] = {
    READY: gettext_noop("Rows"),
    MISSING: gettext_noop("Missing"),
    IN_WORK: gettext_noop("In work"),
    INCOMPLETE: gettext_noop("Incomplete"),
    EXCLUDED: gettext_noop("Left out"),
}
SEVERAL = "several"
# What the label source of a released item says of its translation: who approved it. What a reviewer corrected may be
# approved by its translator (ruling 19).
APPROVALS: Mapping[str, str] = {
    "gold": "review",
    "accepted": "translator",
    "adjudicated": "lead",
    "author": "none",
}


class TranslationStatus(NamedTuple):
    """What a unit's translation is to the release: its state, whose word approves it, or why it is left out."""

    state: str
    source: str = ""
    reason: str = ""


def judge_translation(
    rules: SplitRules, accepting: str, stage: str, sampled: bool, gold: str, gold_from: str = "votes"
) -> TranslationStatus:
    """Judge a translation by where it stands; `accepting` is the label that approves.

    One that was not drawn for review is ready as it is, unless the rules leave it out.
    """
    if stage in (stages.SETTLED, stages.ADJUDICATED):
        if gold != accepting:
            return TranslationStatus(EXCLUDED, reason="not_approved")
        if stage == stages.ADJUDICATED:
            return TranslationStatus(READY, "adjudicated")
        return TranslationStatus(READY, "accepted" if gold_from == "author" else "gold")
    if stage == stages.WRITTEN and not sampled:
        if rules.unreviewed == LEAVE_OUT:
            return TranslationStatus(IN_WORK, reason="not_sampled")
        return TranslationStatus(READY, "author")
    if stage == stages.EXCLUDED:
        return TranslationStatus(EXCLUDED, reason=stage)
    reasons = {stages.WRITTEN: "not_validated", stages.NO_CONSENSUS: "no_gold"}
    return TranslationStatus(IN_WORK, reason=reasons.get(stage, stage))


@dataclass
class ProgressBoard:
    """How far each unit is in each target, by their keys, and which fields of what is ready are empty."""

    targets: Sequence[AlignedTarget]
    states: dict[tuple[str, str], str] = field(default_factory=dict)
    lacks: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def add(self, target: str, unit: str, state: str, lacks: frozenset[str] = frozenset()) -> None:
        """Put a unit's translation down."""
        self.states[target, unit] = state
        if lacks:
            self.lacks[target, unit] = lacks

    def state(self, line: Line, target: str) -> str:
        """How far a row is in a target."""
        place = target, line.source.unit
        result = self.states.get(place, MISSING)
        if result == READY and place in self.lacks and not is_whole(line, self.lacks[place]):
            return INCOMPLETE
        return result

    def is_complete(self, line: Line) -> bool:
        """Whether every target has the row."""
        return all(self.state(line, target.key) == READY for target in self.targets)


def releasable_rows(task: Task, board: ProgressBoard, rules: SplitRules) -> list[Line]:
    """The rows of a task that the release may hold; the source has these, each target those of them that are ready."""
    return [line for line in task.lines if not rules.complete_only or board.is_complete(line)]


class SplitPlacing:
    """Where each translation goes once all are known: the splits of those of its rows that the release holds."""

    def __init__(self, tasks: Sequence[Task], board: ProgressBoard, rules: SplitRules) -> None:
        self.taken = {target.key for target in board.targets}
        self.live = {line.source.unit for task in tasks for line in task.lines}
        self.written = [releasable_rows(task, board, rules) for task in tasks]
        self.splits: dict[tuple[str, str], str] = {}
        for line in chain.from_iterable(self.written):
            for target in board.targets:
                if board.state(line, target.key) == READY:
                    place = target.key, line.source.unit
                    before = self.splits.setdefault(place, line.split)
                    self.splits[place] = line.split if before == line.split else SEVERAL

    def outcome(self, target: str, unit: str, found: TranslationStatus, gold: str) -> Outcome:
        """Where a translation goes, or why nowhere."""
        split = self.splits.get((target, unit), "")
        if target not in self.taken:
            return Outcome("", "", "", "other_target")
        if unit not in self.live:
            return Outcome("", "", "", "source_removed")
        if found.reason or not split:
            return Outcome("", "", "", found.reason or "incomplete")
        return Outcome(split, gold, found.source, "")


def missing_table(tasks: Iterable[Task], board: ProgressBoard, rules: SplitRules) -> list[dict[str, Any]]:
    """The table of what is missing where, task by task, as plain values: page, CSV, card and manifest read it."""
    made = []
    for task in tasks:
        held, splits = releasable_rows(task, board, rules), Counter(line.split for line in task.lines)
        targets = []
        for target in board.targets:
            states = Counter(board.state(line, target.key) for line in task.lines)
            released = sum(board.state(line, target.key) == READY for line in held)
            targets.append({"target": target.key, "released": released, **{state: states[state] for state in STATES}})
        made.append(
            {
                "task": task.name,
                "folder": task.folder,
                "derived_from": task.derived_from,
                "source_rows": len(task.lines),
                "complete": sum(map(board.is_complete, task.lines)),
                "released": len(held),
                "splits": [{"split": split, "rows": n} for split, n in sorted(splits.items())],
                "targets": targets,
            }
        )
    return made


def target_sums(
    targets: Iterable[AlignedTarget], found: Iterable[Mapping[str, Any]], released: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Each target with its name in files, its released translations, and its rows in all tasks."""
    rows: Counter[str] = Counter()
    for task in found:
        rows.update({each["target"]: each["released"] for each in task["targets"]})
    return [
        {
            "target": target.key,
            "file": target.file,
            "language": target.language,
            "register": target.register,
            "name": target.name,
            "translations": released[target.key],
            "rows": rows[target.key],
        }
        for target in targets
    ]


def count_approvals(splits: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Released translations by who approved them: a reviewer, a lead, nobody."""
    result: Counter[str] = Counter()
    for split in splits.values():
        result.update({APPROVALS[source]: n for source, n in split["label_sources"].items()})
    return {name: result[name] for name in APPROVALS.values()}


def targets_of(
    rules: SplitRules, language: str, targets: Mapping[str, Mapping[str, str]]
) -> tuple[AlignedTarget, list[AlignedTarget]]:
    """The source as one more target, and the targets that the rules take, by key; each with its name in files."""
    named = rules.targets.split()
    keys = sorted(key for key in targets if not named or key in named)
    source, *files = file_names([language, *keys])
    return AlignedTarget(language, language, "", "", source), [
        AlignedTarget(key, targets[key]["language"], targets[key]["register"], targets[key]["name"], file)
        for key, file in zip(keys, files, strict=True)
    ]


def unknown_targets(rules: SplitRules, keys: Iterable[str]) -> list[str]:
    """Targets that the rules name and nobody has."""
    return sorted(set(rules.targets.split()) - set(keys))
