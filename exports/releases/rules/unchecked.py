"""What nobody can check of a release from its files alone, in plain words.

Pure. A value that stands in one place can be any other: what repeats it is made of it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from exports.formats.rules.configs import path_of
from exports.releases.rules import datasheet, hidden
from exports.releases.rules.settings import BY_SHARE, PUBLISHED, SplitRules
from exports.releases.rules.splits import WITHHELD
from exports.releases.rules.verify_shape import repeats_older

TEXTS = (
    "texts that people typed (items, sources, comments, responses and what tells where an item is from): CSV and "
    "Parquet, where the release has them, are made of them"
)


def unchecked_facts(part: Mapping[str, Any], rules: SplitRules) -> Iterator[str]:
    """What one project's share of a release leaves unchecked."""
    named = [
        "names of the project and its preset, licence, citation, home page, ethics, consent, canary and statements",
        "unfinished sets, licences of sources, ids that are left out, votes before a protocol",
        "marks of votes (unsure, ambiguous), revisions and guidelines within what there was",
    ]
    if datasheet.CONTEXT in part:
        named.append("the question that was asked, days, seconds on a card, imported and timed votes, pay, findings")
    if part.get("imports"):
        named.append("names, columns, rows and SHA-256 of imported files, authors of imported rows")
    if part.get("human"):
        named.append("who and how many answered for the human accuracy, and how many were right")
    if part.get("sources"):
        named.append("source sets and their clean-up, rows of tasks that are not released, missing or in work")
    yield f"what the manifest alone tells: {'; '.join(named)}"
    unsealed = [str(version["n"]) for version in part["protocols"] if not version.get("digest")]
    if unsealed:
        yield f"the rules of protocol {', '.join(unsealed)}, which was not sealed with a SHA-256"
    if repeats_older(part):
        yield "datasheet and picture of the card: a version of before there were such things was repeated"
    if "splits" in part["counts"]:
        yield from _of_splits(part, rules)


def _of_splits(part: Mapping[str, Any], rules: SplitRules) -> Iterator[str]:
    withdrawn = sum(part["counts"]["left_out"].get(reason, 0) for reason in WITHHELD)
    if rules.hidden_test:
        yield "splits from the rules, as the seed is hidden"
    elif rules.deal not in (BY_SHARE, PUBLISHED):
        yield f"splits from the rules, as `{rules.deal}` depends on what is left out"
    elif withdrawn:
        yield f"splits from the rules, as {withdrawn} rows that are said to be withdrawn had a say in them"


def unchecked_hidden(part: Mapping[str, Any]) -> str:
    """Of a release that hides answers whose hidden files lie elsewhere."""
    path = path_of(hidden.hidden_path("votes"), part.get("suffix", ""))
    return (
        f"without {path} and the files beside it: gold and labels of test, votes on it and on what is left out, "
        "numbers of items, votes and people, agreement, audits, and how the gold labels arose"
    )
