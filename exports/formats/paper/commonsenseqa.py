"""CommonsenseQA's form: stem and choices inside `question`, and the key to score on; no votes."""

from collections.abc import Iterable, Iterator
from typing import Any

from annotation.kinds import Kind
from exports.formats.paper.base import DumpedItem, Format, Piece, json_lines


def _row(item: DumpedItem) -> dict[str, Any]:
    options = item.content.get("options", ())
    return {
        "id": item.key,
        "question": {
            "question_concept": item.content["concept"],
            "choices": [{"label": option["key"], "text": option["text"]} for option in options],
            "stem": item.content["question"],
        },
        "answerKey": item.gold or item.author_label,
    }


def write(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """A line an item; the key is gold where there is gold, else the writer's answer."""
    return json_lines(_row(item) for item in items)


FORMATS = (Format("commonsenseqa", "CommonsenseQA's form, JSON Lines without votes", ("questions",), write),)
