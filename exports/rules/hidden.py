"""What a release tells of its test where the answers are hidden: what is asked, under an id that says nothing.

Pure. The id of an item can name its slot, and with it the label (`p7-e1`), and rows stand in an order that is drawn
from ids: rows whose answers are hidden get ids drawn with a secret of the project, which no file holds, and stand in
the order of these. What everything is lies beside the open files in the folder `hidden`.
"""

import hmac
from collections.abc import Mapping
from typing import Any

from annotation.kinds import Kind
from exports.rules.settings import TEST, SplitRules

FOLDER = "hidden"
# What every row tells of where it stands, beside what its kind asks.
_KEPT = ("split", "language", "register", "origin")
_DIGITS = 20


def hides(rules: SplitRules, split: str) -> bool:
    """Whether the answers of a split are hidden."""
    return rules.hidden_test and split == TEST


def inside(name: str) -> str:
    """The file of the folder for few that holds what the file of this name does not tell."""
    return f"{FOLDER}/{name}"


def is_hidden(name: str) -> bool:
    """Whether a file of a release is for administrators only."""
    return name.startswith(f"{FOLDER}/")


def open_id(secret: str, key: str) -> str:
    """The id under which an item stands in the open file."""
    return hmac.digest(secret.encode(), key.encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGITS]


def open_row(kind: Kind, row: Mapping[str, Any], secret: str) -> dict[str, Any]:
    """A row as everybody may have it: nothing that its kind does not name as part of the question is in it."""
    asked = kind.asked(row)
    told = {name: row[name] for name in _KEPT if name in row}
    return {**asked, **told, kind.id_column: open_id(secret, str(row[kind.id_column]))}


def told_rules(told: Mapping[str, Any], rules: SplitRules) -> dict[str, Any]:
    """The rules as card and manifest give them: the seed tells which texts went to test with whose."""
    return {**told, "seed": ""} if rules.hidden_test else dict(told)


def told_counts(counts: Mapping[str, Any], rules: SplitRules) -> dict[str, Any]:
    """The counts as card and manifest give them: how often each label is right in test is not told."""
    if not rules.hidden_test:
        return dict(counts)
    splits = {
        name: {**split, "labels": {}, "levels": {}} if hides(rules, name) else split
        for name, split in counts["splits"].items()
    }
    return {**counts, "splits": splits}
