"""The test split of a release with hidden answers: only the questions, under ids that reveal nothing.

Pure. The id of an item can name its slot, and with it the label (`p7-e1`); the ids of the others of its premise name
the slots that are left, and rows stand in an order that is drawn from ids. So no open file of such a release has an id
of an item: every row and vote stands under one drawn with a secret of the project, which no file holds, in the order
of these, and what is in no split is counted only. What everything is lies beside the open files in the folder `hidden`.
"""

import hmac
from collections.abc import Mapping
from typing import Any

from annotation.kinds import Kind
from exports.releases.rules.settings import TEST, SplitRules

FOLDER = "hidden"
# Files that a release which hides nothing has not: which id is whose, and what is in no split.
IDS, LEFT_OUT = "ids", "left_out"
# The fields of every row besides those of its kind.
_KEPT_COLUMNS = ("split", "language", "register", "origin")
_DIGITS = 20


def hides_answers(rules: SplitRules, split: str) -> bool:
    """Whether the answers of a split are hidden."""
    return rules.hidden_test and split == TEST


def hidden_path(name: str) -> str:
    """The file in the restricted folder with the content that the file of this name leaves out."""
    return f"{FOLDER}/{name}"


def is_hidden(name: str) -> bool:
    """Whether a file of a release is for administrators only."""
    return name.startswith(f"{FOLDER}/")


def open_id(secret: str, key: str) -> str:
    """The id under which an item stands in the open file."""
    return hmac.digest(secret.encode(), key.encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGITS]


def hides_votes(rules: SplitRules, split: str) -> bool:
    """Whether votes of this split (empty: of none) are for few."""
    return rules.hidden_test and split in ("", TEST)


def question_row(kind: Kind, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of test as everybody may have it: nothing that its kind does not name as part of the question is in it."""
    asked = kind.export.public_columns(row)
    return {**asked, **{name: row[name] for name in _KEPT_COLUMNS if name in row}}


def public_rules(public: Mapping[str, Any], rules: SplitRules) -> dict[str, Any]:
    """The rules in card and manifest: the seed is left out, as it reveals which texts went to test."""
    return {**public, "seed": ""} if rules.hidden_test else dict(public)


def public_counts(counts: Mapping[str, Any], rules: SplitRules) -> dict[str, Any]:
    """The counts in card and manifest, without how often each label is right in test."""
    if not rules.hidden_test:
        return dict(counts)
    splits = {
        name: {**split, "labels": {}, "levels": {}} if hides_answers(rules, name) else split
        for name, split in counts["splits"].items()
    }
    return {**{name: n for name, n in counts.items() if name != "unanswered"}, "splits": splits}
