"""What a form of dump is, and the item that it is given."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from annotation.kinds import Kind


class Dumped(NamedTuple):
    """An item as it stands: its content, who wrote it, and its standing votes in the order in which they came.

    `source` is the key of what it was made from. `votes` hold annotator, label, unsure, answers and comment.
    """

    key: str
    source: str
    content: Mapping[str, Any]
    author: str
    author_label: str
    gold: str
    votes: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Format:
    """One form: its slug, what it is (shown as help), the shapes that fit it, and items to bytes, piece by piece."""

    slug: str
    title: str
    shapes: tuple[str, ...]
    write: Callable[[Kind, Iterable[Dumped]], Iterator[bytes]]


def lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """JSON Lines: one object a line."""
    for row in rows:
        yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
