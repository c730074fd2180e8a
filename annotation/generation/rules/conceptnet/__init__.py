"""Question sets from ConceptNet: lines, entities, relations, threes and filters (mCSQA §3.1; domain.md §5).

Nothing here reads a file or a database: whoever streams the assertions brings lines and synonyms.
"""

from annotation.generation.rules.conceptnet.entities import is_letter, words
from annotation.generation.rules.conceptnet.lines import Assertion, node, read, tag
from annotation.generation.rules.conceptnet.relations import RELATIONS, SYNONYM, chosen
from annotation.generation.rules.conceptnet.sets import (
    DIRECTIONS,
    FILTERS,
    QuestionSet,
    fault,
    place,
    set_key,
    threes,
)

__all__ = [
    "DIRECTIONS",
    "FILTERS",
    "RELATIONS",
    "SYNONYM",
    "Assertion",
    "QuestionSet",
    "chosen",
    "fault",
    "is_letter",
    "node",
    "place",
    "read",
    "set_key",
    "tag",
    "threes",
    "words",
]
