"""id-csqa's form of machine-written questions: one JSON list, no answers of people."""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.kinds import Kind
from exports.formats.paper.base import Dumped, Format, Piece

INDENT = "    "
COLUMNS = ("id", "category", "question_concept", "question", "choices", "answer_creator")


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


def laid_out(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[Piece]:
    """A list of objects with these columns, laid out and escaped as the published files are."""
    before = "[\n"
    for row in rows:
        one = json.dumps({name: row[name] for name in columns}, indent=len(INDENT))
        yield Piece((before + textwrap.indent(one, INDENT)).encode(), 1)
        before = ",\n"
    yield Piece(b"[]" if before == "[\n" else b"\n]", 0)


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """The list, an item at a time."""
    return laid_out(map(row_of, items), COLUMNS)


FORMAT = Format("idcsqa-gen", "id-csqa's form of questions that a machine wrote for concepts", ("qa",), write)
