"""One file a task and target: the same rows in the same order for every target, and for the source (domain.md §7).

Items come in drawn order, files go by task and target. What a unit says in a target is put to a nameless file on the
way and read again when its rows are written, so that a release of any size takes little memory.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from exports.aligned.rules import missing
from exports.aligned.rules import rows as aligned
from exports.aligned.rules.missing import READY, ProgressBoard, TranslationStatus
from exports.aligned.rules.rows import AlignedTarget, Line, TargetUnit
from exports.releases import sql
from exports.releases.layouts.base import Layout, LayoutContext, Sinks
from exports.releases.rules.machine import MachineItem
from exports.releases.rules.manifest import Tally
from exports.releases.rules.rows import FrozenItem
from exports.releases.rules.splits import Outcome

PAGE = 500


class Aligned(Layout):
    """The aligned set of a project's targets."""

    def __init__(self, frame: LayoutContext) -> None:
        super().__init__(frame)
        targets = {str(each["key"]): each for each in frame.context["targets"]}
        self.source, self.targets = missing.targets_of(frame.rules, frame.language, targets)
        self.target_keys = frame.target_keys
        self.board = ProgressBoard(self.targets)
        self.verdicts: dict[tuple[str, bool, str, str], TranslationStatus] = {}
        self.kept: dict[tuple[str, str], tuple[int, int]] = {}
        # Nameless from the start: whatever stops the build, nothing of it is left.
        self.spool = tempfile.TemporaryFile(dir=frame.folder)  # noqa: SIM115 - `close` does
        self.size = 0

    def begin(self, sinks: Sinks) -> None:
        """Read which units there are."""
        withheld = self.frame.withheld.units
        self.rows = [row for row in sql.source_rows(self.frame.release) if row.unit not in withheld]
        self.fields = {row.unit: row.texts for row in self.rows}

    def collect(self, item: FrozenItem) -> int:
        """Put down how far its unit is in its target; what is withheld is as if nobody had translated it."""
        if item.item in self.frame.withheld.reasons:
            return 0
        content = item.content or {}
        found, unit = self._verdict(item), str(content.get("unit", ""))
        if unit in self.fields:
            ready = found.state == READY
            lacks = aligned.empty_fields(self.fields[unit], _texts(content["fields"])) if ready else frozenset()
            self.board.add(self.target_keys[item.target], unit, found.state, lacks)
        return 0

    def assign_destinations(self) -> None:
        """Which rows there are, and which of them each target has."""
        self.tasks = aligned.tasks_of(self.rows, self.frame.rules)
        self.placing = missing.SplitPlacing(self.tasks, self.board, self.frame.rules)

    def _verdict(self, item: FrozenItem) -> TranslationStatus:
        where = (item.stage, bool(item.sampled), item.gold, item.gold_from)
        found = self.verdicts.get(where)
        if found is None:
            accepting = self.frame.kind.question.label_keys[0]
            found = self.verdicts[where] = missing.judge_translation(self.frame.rules, accepting, *where)
        return found

    def outcome(self, item: FrozenItem, content: Mapping[str, Any], machine: MachineItem | None, met: int) -> Outcome:
        found = self._verdict(item)
        return self.placing.outcome(self.target_keys[item.target], content["unit"], found, item.gold)

    def add_released(self, item: FrozenItem, outcome: Outcome, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        content = facts["content"]
        line = {
            "texts": _texts(content["fields"]),
            "source": _texts(content["source"]),
            "source_revision": content["unit_revision"],
            "item": facts["key"],
            "translator": facts["author"],
            "corrected_by": facts["corrected_by"],
            "reviewers": sorted(set(facts["counted_annotators"])),
            "round": facts["round"],
            "approval": missing.APPROVALS[outcome.source],
            "flags": facts["flags"],
            "origin": facts["origin"],
            "revision": facts["revision"],
            "guideline": facts["guideline"],
        }
        data = orjson.dumps(line)
        self.kept[self.target_keys[item.target], content["unit"]] = self.size, len(data)
        self.size += self.spool.write(data)
        return {}

    def end_page(self, sinks: Sinks) -> None:
        """Files are written at the end."""

    def finish(self, sinks: Sinks) -> None:
        """Write every task's files, the source's beside those of the targets."""
        for task, written in zip(self.tasks, self.placing.written, strict=True):
            for split in task.splits:
                lines = [line for line in written if line.split == split]
                for target in [self.source, *self.targets] if task.with_source else self.targets:
                    sinks.write_whole(task.path(split, target.file), self._pages(lines, target))
                    self.frame.tick()

    def close(self) -> None:
        self.spool.close()

    def _pages(self, lines: list[Line], target: AlignedTarget) -> Iterator[list[dict[str, Any]]]:
        """A target's rows of some lines, a page at a time."""
        page: list[dict[str, Any]] = []
        for line in lines:
            is_source = target is self.source
            found = aligned.source_as_target(line.source) if is_source else self._found(line, target)
            if found is not None:
                page.append(aligned.row_of(line, target, found, self.frame.language, beside=self.frame.rules.beside))
            if len(page) >= PAGE:
                yield page
                page = []
                self.frame.tick()
        yield page

    def _found(self, line: Line, target: AlignedTarget) -> TargetUnit | None:
        if self.board.state(line, target.key) != READY:
            return None
        start, length = self.kept[target.key, line.source.unit]
        self.spool.seek(start)
        return TargetUnit(**orjson.loads(self.spool.read(length)))

    def counts(self, tally: Tally) -> dict[str, Any]:
        counts = tally.counts({}, ())
        counts["approvals"] = missing.count_approvals(counts.pop("splits"))
        table = missing.missing_table(self.tasks, self.board, self.frame.rules)
        released = Counter(target for target, _ in self.kept)
        source = {"file": self.source.file, "language": self.frame.language}
        return counts | {
            "source": source,
            "targets": missing.target_sums(self.targets, table, released),
            "tasks": table,
        }


def _texts(fields: list[Mapping[str, Any]]) -> dict[str, str]:
    return {str(each["key"]): str(each["text"]) for each in fields}
