"""Differences from the release before: rows that were added, removed, moved, or have another label or text.

Pure; the file that tells of it names the earlier release by the checksum of its manifest, so that the same two
states give the same bytes wherever they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from exports.releases.rules.markdown import plain, table

FILE = "CHANGES.md"
# So many ids are listed of each sort; more are only counted.
MOST_LISTED = 1000
CHANGE_KINDS: Mapping[str, str] = {
    "added": "Rows added",
    "removed": "Rows removed",
    "moved": "In another split",
    "relabelled": "With another label",
    "reworded": "With another text",
}


class EarlierRow(NamedTuple):
    """How the release before had an item."""

    split: str
    label: str
    revision: int
    votes_n: int


@dataclass
class Changes:
    """Counts rows as they go by, each with how it was before (None: it was not there), and lists the first of them."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANGE_KINDS, 0))
    new_votes: int = 0
    keys: dict[str, list[str]] = field(default_factory=lambda: {sort: [] for sort in CHANGE_KINDS})

    def add(self, key: str, now: EarlierRow, before: EarlierRow | None) -> None:
        """Compare one item."""
        self.new_votes += now.votes_n - (before.votes_n if before else 0)
        for sort in () if now[:3] == (before and before[:3]) else _change_kinds_of(now, before):
            self.counts[sort] += 1
            listed = self.keys[sort]
            if len(listed) < MOST_LISTED:
                listed.append(key)

    def to_dict(self) -> dict[str, int]:
        return {**self.counts, "new_votes": self.new_votes}


def _change_kinds_of(now: EarlierRow, before: EarlierRow | None) -> list[str]:
    if before is None or not before.split:
        return ["added"] if now.split else []
    if not now.split:
        return ["removed"]
    changed = {
        "moved": now.split != before.split,
        "relabelled": now.label != before.label,
        "reworded": now.revision != before.revision,
    }
    return [sort for sort, differs in changed.items() if differs]


class PartChanges(NamedTuple):
    """The changes in one project's rows, and the rules of both releases; `named`: rows that may be listed."""

    name: str
    changes: Changes
    rules: Mapping[str, Any]
    before: Mapping[str, Any]
    named: bool = True


def changes_text(parts: Sequence[PartChanges], manifest_sha256: str) -> str:
    """Write CHANGES.md. `manifest_sha256`: the checksum of the earlier release's manifest."""
    lines = [
        "# Changes",
        "",
        f"Since the release whose `manifest.json` has the SHA-256 `{manifest_sha256}`.",
        "",
    ]
    for part in parts:
        if len(parts) > 1:
            lines += [f"## {plain(part.name)}", ""]
        lines += _part(part, "###" if len(parts) > 1 else "##")
    return "\n".join(lines)


def _part(part: PartChanges, head: str) -> list[str]:
    counts = part.changes.to_dict()
    rows: list[Sequence[object]] = [[words, counts[sort]] for sort, words in CHANGE_KINDS.items()]
    lines = [*table(["what", "number"], [*rows, ["New votes", counts["new_votes"]]]), ""]
    names = [name for name in part.rules if part.rules[name] != part.before.get(name)]
    if names:
        values = [[f"`{name}`", _value(part.before.get(name)), _value(part.rules[name])] for name in names]
        lines += [f"{head} Rules", "", *table(["rule", "before", "now"], values), ""]
    for sort, words in CHANGE_KINDS.items() if part.named else ():
        lines += _listed(f"{head} {words}", part.changes.keys[sort], counts[sort])
    return lines


def _listed(head: str, keys: Sequence[str], n: int) -> list[str]:
    if not keys:
        return []
    more = [f"- and {n - len(keys):,} more"] if n > len(keys) else []
    return [head, "", *(f"- `{key.replace('`', chr(39))}`" for key in keys), *more, ""]


def _value(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text.replace('`', chr(39)).replace('|', '/')}`" if text else "–"
