"""What a release knows of an item that a machine wrote: its first wording, its level, and where it is from.

Pure. The raw version of an item is its first revision, the cleaned one its present revision (id-csqa §4.1).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from annotation.kinds import Kind, text_at
from exports.releases.rules.settings import TEST
from exports.releases.rules.splits import MODEL, named_split
from validation.consensus import stages

ORIGIN = "machine"


class Run(NamedTuple):
    """A run of generation: its number, and the chat models that it asked."""

    n: int
    models: tuple[str, ...]


class MachineItem(NamedTuple):
    """An item of a machine's: its first content, its answer then, how it began, whether its choices were looked at.

    `material`, `split` and `data` are those of what it was made from, `run` what made it; empty where it was imported.
    """

    content: Mapping[str, Any]
    author_label: str
    began: str
    choices_checked: bool
    material: str = ""
    split: str = ""
    data: Mapping[str, Any] = {}
    run: Run | None = None


def generation_record(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record of a content's making; empty for human-written items."""
    made_by = content.get("made")
    return made_by if isinstance(made_by, Mapping) else {}


def level_of(content: Mapping[str, Any]) -> str:
    """Whether the model could answer its own question: `easy`, `hard`, or empty where it was not asked."""
    return str(generation_record(content).get("level", ""))


def set_of(content: Mapping[str, Any]) -> str:
    """The key of the question set that an item belongs to; empty where it belongs to none."""
    return str(generation_record(content).get("set", ""))


def source_split(split: str) -> str:
    """A source's split as releases call it; test where it has none, or one that no release has."""
    return named_split(split) or TEST


def was_checked(stage: str, began: str, looked: bool) -> bool:
    """Whether a person looked at the answer key: a lead let it pass, or somebody judged its choices."""
    return looked or (began == stages.HAND_IN and stage != stages.SUBMITTED)


def machine_columns(
    kind: Kind, content: Mapping[str, Any], facts: MachineItem, *, label: str, silver: bool
) -> dict[str, Any]:
    """What the row of a machine's item has besides; `raw` holds the first wording of what was changed since."""
    before = facts.content
    raw = {
        text.key: text_at(before, text.key)
        for text in kind.correctable_texts(content)
        if text_at(before, text.key) != text_at(content, text.key)
    }
    first = raw_label(kind, facts)
    return _provenance_columns(content, facts) | {
        "silver": silver,
        "raw": raw | ({"label": first} if first != label else {}),
    }


def _provenance_columns(content: Mapping[str, Any], facts: MachineItem) -> dict[str, Any]:
    """Level, set and relation, and which models in which run wrote it."""
    return {
        "level": level_of(content),
        "set": set_of(content) or facts.material,
        "relation": str(facts.data.get("relation", "")),
        "model": ", ".join(facts.run.models) if facts.run else str(generation_record(content).get("model", "")),
        "run": facts.run.n if facts.run else None,
    }


def raw_label(kind: Kind, facts: MachineItem) -> str:
    """The answer that the machine gave."""
    return kind.question.judged_option(facts.content) or facts.author_label


def raw_row(kind: Kind, row: Mapping[str, Any], facts: MachineItem) -> dict[str, Any]:
    """What `Kind.export_row` reads of an item as the machine wrote it: no vote, flag or correction is its own."""
    return {
        **row,
        "content": facts.content,
        "label": raw_label(kind, facts),
        "label_source": MODEL,
        "gold": "",
        "author_label": facts.author_label,
        "corrected_by": "",
        "counted_labels": [],
        "counted_annotators": [],
        "votes": (),
        "round": 0,
        "n_labels": 0,
        "stop_reason": None,
        "audits": {},
        "flags": [],
        "revision": 1,
        "machine": _provenance_columns(facts.content, facts),
    }
