"""What a QC lead can do to many items at once, and which of them an act leaves out (screens.md 4).

Only what can be taken back whole is done to many: what was returned, corrected, excluded or settled by a lead is
decided on its own page.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from annotation.text.gettext import gettext_noop
from validation.consensus import stages

APPROVE, EXCLUDE, CLOSE = "approve", "exclude", "close"
UNDO = "undo"
ACT_NAMES: Mapping[str, str] = {
    APPROVE: gettext_noop("Approve"),
    CLOSE: gettext_noop("Close a flag"),
    EXCLUDE: gettext_noop("Exclude"),
}
# What one act takes at most; a further one takes the rest.
MOST = 1000
SINGLE_ACT_STAGES = frozenset({stages.RETURNED, stages.CORRECTED, stages.EXCLUDED})
# Why an item is left out: what the preview says of it.
STALE, DECIDED_SINGLY, NOTHING_OPEN, NO_SUCH_FLAG = (
    "many_stale",
    "many_singly",
    "many_nothing",
    "many_no_flag",
)


@dataclass(frozen=True)
class BulkAct:
    """An act, the flag that it closes where it closes one, and the lead's words."""

    act: str
    flag: str = ""
    words: str = ""


def reason_left_out(wish: BulkAct, stage: str, open_flags: Collection[str]) -> str:
    """Say why an item cannot be part of the act as it stands; empty where it can."""
    if wish.act == CLOSE:
        return "" if wish.flag in open_flags else NO_SUCH_FLAG
    if stage in SINGLE_ACT_STAGES or (wish.act == EXCLUDE and stage == stages.ADJUDICATED):
        return DECIDED_SINGLY
    if wish.act == APPROVE and stage != stages.SUBMITTED and not open_flags:
        return NOTHING_OPEN
    return ""


def format_versions(pairs: Collection[tuple[int, int]]) -> str:
    """Items with the versions that a page showed, as its form sends them back."""
    return " ".join(f"{item}.{version}" for item, version in pairs)


def parse_versions(text: str) -> list[tuple[int, int]]:
    """Items with their versions, each once, in order. Raises ValueError for what no form of ours sends."""
    found: dict[int, int] = {}
    for each in text.split():
        item, _, version = each.partition(".")
        if not all(part.isascii() and part.isdigit() and len(part) < 18 for part in (item, version)):
            raise ValueError(each)
        found.setdefault(int(item), int(version))
    if len(found) > MOST:
        raise ValueError(len(found))
    return list(found.items())
