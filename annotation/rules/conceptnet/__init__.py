"""Question sets from ConceptNet: lines, entities, relations, threes and filters (mCSQA §3.1; domain.md §5).

Nothing here reads a file or a database: whoever streams the assertions brings lines and synonyms.
"""

from .entities import is_letter, words
from .lines import Assertion, node, read, tag
from .relations import RELATIONS, SYNONYM, chosen
from .sets import DIRECTIONS, FILTERS, QuestionSet, fault, place, set_key, threes

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
