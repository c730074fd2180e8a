"""Whether the labels that people gave in a release can be used as distributions (soft labels). Pure.

Where a protocol stops early, further people are asked about disputed items only: all labels of an item together look
more agreed than people are. Then each row of `distributions/` says so, and gives the votes that were asked for whatever
others had said, with the row's weight: weighted means of shares of those, over rows, are without bias. Why votes of
files were asked for nobody knows, whatever the protocol here says.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.kinds import Kind
from annotation.text.gettext import gettext_noop
from validation.consensus.audit import AUDITED, PANEL, TWO_AGREE
from validation.consensus.completion import places_in_any_case
from validation.consensus.design import stops_early
from validation.consensus.protocol import Protocol
from validation.consensus.translation_review import FEATURE as REVIEW

EVERY_VOTE, STOPPED, OF_FILES = "all_votes", "stopped_early", "imported"
NOTES: Mapping[str, str] = {
    EVERY_VOTE: gettext_noop("asked for whatever others had said: their shares are distributions"),
    STOPPED: gettext_noop("from adaptively stopped votes, do not use as distributions"),
    OF_FILES: gettext_noop(
        "imported, some or all of them; why those were asked for is not known, so that disputed items may have more of "
        "them: do not use as distributions"
    ),
}
NAME = "soft_labels"
_PLACES = 4


def has_label_votes(kind: Kind) -> bool:
    """Whether votes are labels; reviewers approve a text or send it back."""
    return REVIEW not in kind.features


def soft_labels(kind: Kind, protocols: Sequence[Mapping[str, Any]], counts: Mapping[str, Any]) -> dict[str, Any]:
    """What the counts of a release say of it; nothing where votes are no labels, or nobody voted."""
    if not has_label_votes(kind) or not counts["votes"]["given"]:
        return {}
    origin = STOPPED if any(map(stops_early, _rules(protocols))) else EVERY_VOTE
    if counts["people"].get("votes_imported"):
        origin = OF_FILES
    panel = counts.get("arose", {}).get("panel", {}).get("items", 0)
    return {NAME: {"from": origin, "note": NOTES[origin], **({"panel_items": panel} if panel else {})}}


def sections(part: Mapping[str, Any]) -> list[str]:
    """The section of the card; nothing in releases of before there was such a thing."""
    soft = part["counts"].get(NAME)
    if soft is None:
        return []
    lines = [f"The votes of an item, and `label_count` in `distributions/`, are {soft['note']}."]
    if soft["from"] != EVERY_VOTE:
        lines[0] = f"**{lines[0]}**"
    if any(map(stops_early, _rules(part["context"]["protocols"]))):
        lines[0] += (
            " In `distributions/`, `first_votes` counts the votes that were asked for whatever others had said, and "
            "`weight` how many rows the row stands for (0: for none): means over rows of what is linear in shares, "
            "such as cross-entropy, are without bias when they are weighted so. Null: not known."
        )
    if soft.get("panel_items"):
        lines[0] += f" The {soft['panel_items']:,} rows of the panel (`label_count_from`: `panel`) have all labels."
    return ["## Soft labels", "", *lines, ""]


def _rules(protocols: Sequence[Mapping[str, Any]]) -> list[Protocol]:
    return [Protocol.from_stored(version["rules"]) for version in protocols]


class SoftLabels:
    """The columns of `distributions/` that say what a row's labels rest on; none where no protocol stops early."""

    def __init__(self, protocols: Sequence[Mapping[str, Any]]) -> None:
        rules = _rules(protocols)
        self.stops_early = any(map(stops_early, rules))
        alike = {(bool(protocol.alpha), protocol.rounds[0]): protocol for protocol in rules}
        self._protocol = next(iter(alike.values())) if len(alike) == 1 else None

    def columns(
        self, row: Mapping[str, Any], votes: Sequence[Mapping[str, Any]], labels: Iterable[str] = ()
    ) -> dict[str, Any]:
        """What `label_count` is from, the votes asked for in any case, and how many rows this one stands for.

        `labels` are counted also where none of those votes is for them.
        """
        if not self.stops_early:
            return {}
        route, protocol = row.get("stop_reason"), self._protocol
        origin = PANEL if route == PANEL else STOPPED
        for vote in votes:
            if vote.get("imported"):
                origin, protocol = OF_FILES, None
        if protocol is None:
            return {"label_count_from": origin, "first_votes": None, "weight": None}
        if protocol.alpha:
            return {"label_count_from": origin, **_under_audits(protocol, route or "", row.get("q"), votes, labels)}
        first: dict[str, int] = dict.fromkeys(labels, 0)
        for vote in votes:
            if vote["round"] == 1:
                label = f"{vote['label']}"
                first[label] = first[label] + 1 if label in first else 1
        return {"label_count_from": origin, "first_votes": first, "weight": 1.0}


def _under_audits(
    protocol: Protocol, route: str, chance: float | None, votes: Sequence[Mapping[str, Any]], labels: Iterable[str]
) -> dict[str, Any]:
    """The first two votes, or all of the panel's, and how many rows the item stands for."""
    in_order = sorted(votes, key=lambda vote: (vote["round"], vote["n"]))[: places_in_any_case(protocol, route)]
    weight = 0.0 if route == TWO_AGREE else round(1 / (chance or 1.0), _PLACES) if route == AUDITED else 1.0
    first = dict.fromkeys(labels, 0) | Counter(str(vote["label"]) for vote in in_order)
    return {"first_votes": first, "weight": weight}
