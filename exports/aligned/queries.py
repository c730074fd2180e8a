"""The present state of every unit in every target, for the preview of a release and the page of missing rows."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from annotation.content.models.units import Translation
from annotation.core.models.project import Project
from annotation.translation.models import SourceEntry
from exports.aligned.rules import missing
from exports.aligned.rules import rows as aligned
from exports.aligned.rules.missing import READY, ProgressBoard, SplitPlacing, TranslationStatus
from exports.aligned.rules.rows import SourceRow
from exports.releases.rules.manifest import split_counts
from exports.releases.rules.settings import SplitRules

# What may hold an empty text, as both databases write JSON; each is looked at.
_MAYBE_EMPTY = r'"text": "(\s|\\[ntrf]|\\u[0-9a-f]{4})*"'


def source_rows(project: Project) -> Iterator[SourceRow]:
    """The rows that a release frozen now would have, without their texts."""
    result = SourceEntry.objects.filter(
        source_set__project=project, source_set__frozen_at__isnull=False, removed=False, unit__removed=False
    ).values_list(
        "source_set__key",
        "source_set__task",
        "source_set__shape",
        "key",
        "unit__key",
        "unit__revision",
        "label",
        "split",
        "data",
        "fields",
        "unanswerable",
        "position",
    )
    for row in result.iterator(chunk_size=5000):
        yield SourceRow(*row[:10], {}, *row[10:])


def preview(project: Project, rules: SplitRules) -> dict[str, Any]:
    """The counts that an aligned release frozen now would have; four statements, whatever its size."""
    described = {
        target.key: {"language": target.language, "register": target.register, "name": target.name}
        for target in project.targets.all()
    }
    source, targets = missing.targets_of(rules, project.language, described)
    tasks, board = aligned.tasks_of(source_rows(project), rules), ProgressBoard(targets)
    empty, accepting = _empty_fields(project), project.kind_spec.question.label_keys[0]
    rows = Translation.objects.filter(project=project).values_list(
        "target__key", "unit__key", "item__stage", "item__sampled", "item__gold", "item__gold_from"
    )
    result: list[tuple[str, str, TranslationStatus, str]] = []
    known: dict[tuple[str, bool, str, str], TranslationStatus] = {}
    for target, unit, stage, sampled, gold, gold_from in rows.iterator(chunk_size=5000):
        facts = stage, sampled, gold, gold_from
        if facts not in known:
            known[facts] = missing.judge_translation(rules, accepting, *facts)
        ready = known[facts].state == READY
        board.add(target, unit, known[facts].state, empty.get((target, unit), frozenset()) if ready else frozenset())
        result.append((target, unit, known[facts], gold))
    placing = SplitPlacing(tasks, board, rules)
    placed = [(target, placing.outcome(target, unit, verdict, gold)) for target, unit, verdict, gold in result]
    released = Counter(target for target, outcome in placed if outcome.split)
    counts = split_counts(Counter(outcome for _, outcome in placed), {}, ())
    counts["approvals"] = missing.count_approvals(counts.pop("splits"))
    table = missing.missing_table(tasks, board, rules)
    return counts | {
        "source": {"file": source.file, "language": project.language},
        "targets": missing.target_sums(targets, table, released),
        "tasks": table,
    }


def _empty_fields(project: Project) -> dict[tuple[str, str], frozenset[str]]:
    """The few translations that leave a field empty, with these fields."""
    maybe = (
        Translation.objects.filter(project=project)
        .alias(written=Cast("fields", TextField()))
        .filter(written__regex=_MAYBE_EMPTY)
    )
    result = {}
    for target, unit, fields in maybe.values_list("target__key", "unit__key", "fields"):
        texts = {str(each["key"]): str(each["text"]) for each in fields}
        result[target, unit] = aligned.empty_fields(texts, texts)
    return result
