"""MC1 and MC2 targets in TruthfulQA's field names, for `score_mc` (Kalahi §4.2, Appendix F)."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from exports.formats.paper.base import DumpedItem, Format, Piece, json_lines, responses_of
from exports.scoring.rules import targets


def write(kind: Kind, items: Iterable[DumpedItem]) -> Iterator[Piece]:
    """A line a prompt."""
    return json_lines(targets(item.key, str(item.content["question"]), responses_of(item)) for item in items)


FORMATS = (Format("mc", "MC1 and MC2 targets, JSON Lines in TruthfulQA's field names", ("prompts",), write),)
