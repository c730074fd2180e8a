"""What a form of dump is, and the item that it is given."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from annotation.elicitation.rules.responses import BEST, Response
from annotation.kinds import Kind


class DumpedItem(NamedTuple):
    """An item as it stands: its content, who wrote it, and its standing votes in the order in which they came.

    `source` is the key of what it was made from, `target` that of its target, where the project has some. `votes` hold
    annotator, label, unsure, answers and comment. `round` is the one it ended in, `text_class` and `extra` are what its
    source says of itself, `split` that of the newest release that has it, `preset` what its project was made from.
    """

    key: str
    source: str
    content: Mapping[str, Any]
    author: str
    author_label: str
    gold: str
    votes: Sequence[Mapping[str, Any]]
    target: str = ""
    round: int = 0
    text_class: str = ""
    extra: Mapping[str, Any] = {}
    split: str = ""
    preset: str = ""


class Piece(NamedTuple):
    """Some bytes of a file, and how many rows end in them."""

    data: bytes
    rows: int


class FormFault(ValueError):
    """An item that cannot be written in a form: its key, and the reason in English."""

    def __init__(self, key: str, reason: str) -> None:
        self.key, self.reason = key, reason
        super().__init__(f"{key}: {reason}")


@dataclass(frozen=True)
class Format:
    """One form: its slug, what it is (shown as help), what it holds (`Kind.form`), items to pieces of a file.

    `write` raises FormFault for an item that the form has no room for.
    """

    slug: str
    title: str
    file_formats: tuple[str, ...]
    write: Callable[[Kind, Iterable[DumpedItem]], Iterator[Piece]]


def responses_of(item: DumpedItem) -> list[Response]:
    """A prompt's responses in their order. Raises FormFault where there is not exactly one best."""
    options = item.content["options"]
    result = [Response(str(o["key"]), str(o["text"]), str(o["role"])) for o in options]
    best = sum(each.role == BEST for each in result)
    if best != 1:
        raise FormFault(item.key, f"{best} responses are marked as the best; this form has exactly one.")
    return result


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[Piece]:
    """JSON Lines: one object a line."""
    for row in rows:
        yield Piece(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE), 1)
