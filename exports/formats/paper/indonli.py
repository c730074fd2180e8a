"""IndoNLI's published forms, JSON Lines: of pairs that experts wrote and validated, and of lay writers' pairs."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from annotation.content.rules.premises import spell_class
from annotation.kinds import Kind
from exports.formats.paper.base import DumpedItem, Format, Piece

EXPERT, LAY = "expert", "lay"
MULTIPLE = "multiple"
# Imports put this behind an id that stands for something else already, since published files use some ids twice.
_TAKEN = re.compile(r"~[0-9a-z]+\Z")


def _id(key: str) -> int | str:
    """An id as it was published: a number where it is one."""
    plain = _TAKEN.sub("", key)
    return int(plain) if plain.isascii() and plain.isdigit() and str(int(plain)) == plain else plain


def _shared_columns(item: DumpedItem) -> dict[str, Any]:
    """What both forms have. Labels are e, c, n; what is not known is null."""
    content, extra = item.content, item.extra
    by = next((each for each in (EXPERT, LAY) if each in item.preset.split("-")), None)
    return {
        "pair_id": _id(item.key),
        "premise_id": _id(str(extra.get("premise_id") or item.source)),
        "premise": content["premise"],
        "hypothesis": content["hypothesis"],
        "label": item.gold or item.author_label or None,
        "data_split": content.get("data_split") or item.split or None,
        "annotator_type": content.get("annotator_type") or by,
        "sentence_size": spell_class(item.text_class, MULTIPLE),
    }


_COLUMNS = ("premise", "hypothesis", "data_split", "annotator_type", "sentence_size")


def expert_row(item: DumpedItem) -> dict[str, Any]:
    """The columns of test_expert, and behind them the labels, the author's first, which the gold label comes from."""
    row = _shared_columns(item)
    return {
        **{name: row[name] for name in ("pair_id", "premise_id")},
        "author_label": item.author_label or None,
        "annotation_round": item.round if item.gold else None,
        # Votes without a gold label say that there is none, or none yet: the author's is not put in its place.
        "label": row["label"] if item.gold or not item.votes else None,
        **{name: row[name] for name in _COLUMNS},
        "source": item.extra.get("source", ""),
        "topics": item.extra.get("topics", ""),
        "annotator_labels": [item.author_label or None, *(vote["label"] for vote in item.votes)],
    }


def write(row: Callable[[DumpedItem], dict[str, Any]], kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """A line a pair, escaped as the published files are."""
    return (Piece(json.dumps(row(item)).encode() + b"\n", 1) for item in items)


FORMATS = (
    Format(
        "indonli",
        "IndoNLI's form of experts' pairs, JSON Lines with all labels",
        ("pairs",),
        partial(write, expert_row),
    ),
    Format(
        "indonli-lay",
        "IndoNLI's form of lay writers' pairs, JSON Lines",
        ("pairs",),
        partial(write, _shared_columns),
    ),
)
