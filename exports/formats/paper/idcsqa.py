"""id-csqa's published form: one JSON list of questions with everybody's answers, marks and reasons."""

import json
import textwrap
from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from annotation.kinds.mcq import published_row
from exports.formats.paper.base import Dumped, Format, Piece

INDENT = "    "


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """The list, an item at a time, laid out and escaped as the published files are."""
    before = "[\n"
    for item in items:
        row = published_row(item.key, item.content, item.author_label, item.gold, item.votes)
        laid_out = json.dumps(row, indent=len(INDENT))
        yield Piece((before + textwrap.indent(laid_out, INDENT)).encode(), 1)
        before = ",\n"
    yield Piece(b"[]" if before == "[\n" else b"\n]", 0)


FORMAT = Format("idcsqa", "id-csqa's published form, one JSON list with the answers", ("qa",), write)
