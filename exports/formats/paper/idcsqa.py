"""id-csqa's published forms, each one JSON list: with all answers, marks and reasons; of machine-written items."""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from annotation.kinds import Kind
from annotation.kinds.mcq import published_row
from exports.formats.paper.base import DumpedItem, Format, Piece

INDENT = "    "
# What machines wrote for concepts; and adapted from English questions, without categories.
GENERATED_COLUMNS = ("id", "category", "question_concept", "question", "choices", "answer_creator")
ADAPTED_COLUMNS = ("id", "question", "choices", "question_concept", "answer_creator")


def row_of(item: DumpedItem) -> dict[str, Any]:
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


def json_list(rows: Iterable[Mapping[str, Any]]) -> Iterator[Piece]:
    """A list of objects, one at a time, laid out and escaped as the published files are."""
    before = "[\n"
    for row in rows:
        one = json.dumps(row, indent=len(INDENT))
        yield Piece((before + textwrap.indent(one, INDENT)).encode(), 1)
        before = ",\n"
    yield Piece(b"[]" if before == "[\n" else b"\n]", 0)


def write_answered(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """Questions with the answers that people gave."""
    return json_list(published_row(item.key, item.content, item.author_label, item.gold, item.votes) for item in items)


def write_machine_written(columns: Sequence[str], kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """Questions by these columns."""
    return json_list({name: row[name] for name in columns} for row in map(row_of, items))


FORMATS = (
    Format("idcsqa", "id-csqa's published form, one JSON list with the answers", ("questions",), write_answered),
    Format(
        "idcsqa-gen",
        "id-csqa's form of questions that a machine wrote for concepts",
        ("questions",),
        partial(write_machine_written, GENERATED_COLUMNS),
    ),
    Format(
        "idcsqa-adapt",
        "id-csqa's form of questions that a machine adapted to another place",
        ("questions",),
        partial(write_machine_written, ADAPTED_COLUMNS),
    ),
)
