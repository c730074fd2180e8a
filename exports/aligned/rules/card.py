"""The card of an aligned release: its sources, targets and tasks, and missing rows.

Pure; `exports.releases.rules.card` puts it among the rest.
"""

from collections.abc import Mapping
from typing import Any

from exports.aligned.rules.missing import STATES
from exports.releases.rules.markdown import plain, table

# The columns of the paper's Table 2, by what a step of clean-up did.
CLEAN_UP_COLUMNS: Mapping[str, str] = {
    "removed": "removed",
    "typo": "typos fixed",
    "distractor": "distractors improved",
    "unanswerable": "unanswerable without passage",
}

COLUMNS = (
    "texts stand under the names of their roles, `label` and `answer` are the source's, `item` is the translation "
    "that a row is of (`id` in `votes.jsonl`), `approval` says who approved it (`review`, `translator`, `lead`, "
    "`none`), `reviewers` are those whose votes count, under stable pseudonyms."
)


def sections(counts: Mapping[str, Any], context: Mapping[str, Any]) -> list[str]:
    """Everything that the card of other releases has no word for."""
    return [*_sources(counts, context), *_targets(counts, context), *_tasks(counts), *_missing(counts)]


def _sources(counts: Mapping[str, Any], context: Mapping[str, Any]) -> list[str]:
    heads = ["source set", "task", "fields", *CLEAN_UP_COLUMNS.values()]
    rows = [
        [
            plain(each["key"]),
            plain(each["task"]),
            each["shape"],
            *(each["clean_up"].get(what, 0) for what in CLEAN_UP_COLUMNS),
        ]
        for each in context["sources"]
    ]
    intro = f"Texts in `{counts['source']['language']}`, cleaned and then frozen before translation."
    return ["## Sources", "", intro, "", *table(heads, rows), ""]


def _targets(counts: Mapping[str, Any], context: Mapping[str, Any]) -> list[str]:
    rows = [
        [
            f"`{each['file']}`",
            plain(each["name"]) or "–",
            f"`{each['language']}`",
            plain(each["register"]) or "–",
            each["translations"],
            each["rows"],
        ]
        for each in counts["targets"]
    ]
    lines = [
        "## Targets",
        "",
        *table(["file", "name", "language", "register", "translations", "rows"], rows),
        "",
    ]
    by_key = {each["key"]: each for each in context["targets"]}
    described = [each for each in counts["targets"] if by_key[each["target"]]["description"]]
    lines += [f"- `{each['file']}`: {plain(by_key[each['target']]['description'])}" for each in described]
    return [*lines, *([""] if described else [])]


def _tasks(counts: Mapping[str, Any]) -> list[str]:
    rows = [
        [
            f"`{task['folder']}`",
            f"derived from {plain(task['derived_from'])}" if task["derived_from"] else "translated",
            ", ".join(f"{plain(split['split'])} {split['rows']}" for split in task["splits"]),
            task["source_rows"],
            task["complete"],
        ]
        for task in counts["tasks"]
    ]
    return [
        "## Tasks",
        "",
        *table(["task", "made", "splits", "source rows", "rows that every target has"], rows),
        "",
        f"Every file of a task has the same ids in the same order; `{counts['source']['file']}.jsonl` is the source. "
        "A row that a target lacks is absent from its file alone, unless `complete_only` is set.",
        "",
    ]


def _missing(counts: Mapping[str, Any]) -> list[str]:
    approvals = counts["approvals"]
    lines = [
        f"Of the released translations {approvals['review']} were approved by reviewers, {approvals['translator']} "
        f"corrected by a reviewer and then approved by their translator, {approvals['lead']} approved by a lead; "
        f"{approvals['none']} were not drawn for review.",
        "",
        "## What is missing where",
        "",
    ]
    heads = ["target", "in the files", *(name.lower() for name in STATES.values())]
    for task in counts["tasks"]:
        rows = [
            [plain(each["target"]), each["released"], *(each[state] for state in STATES)] for each in task["targets"]
        ]
        lines += [f"### {plain(task['task'])}", "", *table(heads, rows), ""]
    return lines


def is_aligned(counts: Mapping[str, Any]) -> bool:
    """Whether counts are those of an aligned release."""
    return "tasks" in counts
