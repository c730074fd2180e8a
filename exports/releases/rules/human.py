"""How well people answer who had no part in making a release: from its context to its card. Pure.

No file holds their answers, which stay with the studies; of the sums the shares can be computed again.
"""

from collections.abc import Mapping
from typing import Any

from exports.releases.rules.gold_origins import percent, share_with_interval
from exports.releases.rules.markdown import plain
from exports.releases.rules.verify import Check

HUMAN = "human"
_WHO = {
    "baseline": "people who knew nothing of the project but a short text and examples",
    "evaluation": "people who had no part in the project",
}


def sections(context: Mapping[str, Any]) -> list[str]:
    """The card's section; nothing where nobody measured it."""
    studies = context.get(HUMAN, ())
    if not studies:
        return []
    lines = ["## How well people answer", ""]
    for study in studies:
        sources = ", ".join(plain(source) for source in study["sources"])
        who = _WHO.get(study["study"], "people")
        lines.append(
            f"- {study['people']:,} {who} answered each item of a sample of {sources}: what most of them say is the "
            f"label of {percent(study['right'], ' items')}."
        )
    return [*lines, "", "Their answers are in no file; `verify_release` computes the shares again from the sums.", ""]


def check_human(part: Mapping[str, Any]) -> list[Check]:
    """The shares from their sums; nothing where there are none."""
    if not part.get(HUMAN):
        return []
    check = Check("accuracies of people, from their sums")
    for study in part[HUMAN]:
        told = study["right"]
        again = share_with_interval(told["n"], told["of"])
        check.count(told == again and 0 <= told["n"] <= told["of"], f"{study['study']} {study['n']}: {told}")
    return [check]
