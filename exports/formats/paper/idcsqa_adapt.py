"""id-csqa's form of questions that a machine adapted from English ones: without categories."""

from collections.abc import Iterable, Iterator

from annotation.kinds import Kind
from exports.formats.paper.base import Dumped, Format, Piece
from exports.formats.paper.idcsqa_gen import laid_out, row_of

COLUMNS = ("id", "question", "choices", "question_concept", "answer_creator")


def write(kind: Kind, items: Iterable[Dumped]) -> Iterator[Piece]:
    """The list, an item at a time."""
    return laid_out(map(row_of, items), COLUMNS)


FORMAT = Format(
    "idcsqa-adapt", "id-csqa's form of questions that a machine adapted to another place", ("qa",), write
)
