"""id-csqa's published forms, each one JSON list: with all answers, marks and reasons; of machine-written items."""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from annotation.kinds import Kind
from annotation.kinds.mcq import published_row
from exports.formats.paper.base import Dumped, Format, Piece

INDENT = "    "
# What machines wrote for concepts; and adapted from English questions, without categories.
GENERATED = ("id", "category", "question_concept", "question", "choices", "answer_creator")
ADAPTED = ("id", "question", "choices", "question_concept", "answer_creator")


def row_of(item: Dumped) -> dict[str, Any]:
    """A question by the published columns; the answer is the choice whose role says so."""
    options = item.content["options"]
    return {
        "id": item.key,
        "category": item.content.get("category", ""),
        "question_concept": item.content.get("concept", ""),
        "question": item.content["question"],
        "choices": {
            "label": [option["key"] for option in options],
            "text": [option["text"] for option in options],
        },
        "answer_creator": next((option["key"] for option in options if option.get("role") == "answer"), ""),
    }


def laid_out(rows: Iterable[Mapping[str, Any]]) -> Iterator[Piece]:
    """A list of objects, one at a time, laid out and escaped as the published files are."""
    before = "[\n"
    for row in rows:
        one = json.dumps(row, indent=len(INDENT))
        yield Piece((before + textwrap.indent(one, INDENT)).encode(), 1)
        before = ",\n"
    yield Piece(b"[]" if before == "[\n" else b"\n]", 0)


def answered(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """Questions with the answers that people gave."""
    return laid_out(
        published_row(item.key, item.content, item.author_label, item.gold, item.votes) for item in items
    )


def by_machine(columns: Sequence[str], kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """Questions by these columns."""
    return laid_out({name: row[name] for name in columns} for row in map(row_of, items))


FORMATS = (
    Format("idcsqa", "id-csqa's published form, one JSON list with the answers", ("questions",), answered),
    Format(
        "idcsqa-gen",
        "id-csqa's form of questions that a machine wrote for concepts",
        ("questions",),
        partial(by_machine, GENERATED),
    ),
    Format(
        "idcsqa-adapt",
        "id-csqa's form of questions that a machine adapted to another place",
        ("questions",),
        partial(by_machine, ADAPTED),
    ),
)
