"""Question sets: three targets of one source and relation, and the filters that drop them (mCSQA §3.1; domain.md §5).

All targets of a source (each once, in any order of lines) are put in seeded order and cut into disjoint threes; a set
is then kept or dropped as a whole. So a long entity costs the set that it fell into, as the paper says, and is not
taken out of its source beforehand.
"""

from collections.abc import Callable, Collection
from hashlib import sha256
from typing import NamedTuple

from annotation.core.rules import draws
from annotation.generation.rules.conceptnet.entities import MOST_WORDS, is_letter, words
from annotation.text.normalise import key_form

FORWARD, BACKWARD = "forward", "backward"
DIRECTIONS = (FORWARD, BACKWARD)
SIZE = 3
# In this order: a set that several filters would drop is counted under the first.
FILTERS = ("words", "letter", "part", "synonym")
LONGEST_KEY = 200
Related = Callable[[str, str], bool]


class QuestionSet(NamedTuple):
    """Three targets (terms with underscores) of one source, in seeded order."""

    language: str
    relation: str
    direction: str
    source: str
    targets: tuple[str, ...]


def threes(
    seed: str, language: str, relation: str, direction: str, source: str, targets: Collection[str]
) -> list[QuestionSet]:
    """The disjoint sets of a source; up to two targets are left over behind the last."""
    if len(targets) < SIZE:
        return []
    drawn = draws.order(seed, f"targets:{language}:{relation}:{direction}:{source}", set(targets))
    whole = len(drawn) - len(drawn) % SIZE
    return [
        QuestionSet(language, relation, direction, source, tuple(drawn[start : start + SIZE]))
        for start in range(0, whole, SIZE)
    ]


def fault(found: QuestionSet, synonyms: Related) -> str:
    """The filter that drops a set, or empty. `synonyms` says whether two terms are Synonyms in either direction."""
    entities = (found.source, *found.targets)
    if any(words(entity) > MOST_WORDS for entity in entities):
        return "words"
    if any(is_letter(entity) for entity in entities):
        return "letter"
    folded = [key_form(target, casefold=True) for target in found.targets]
    pairs = [(0, 1), (0, 2), (1, 2)]
    if any(folded[a] in folded[b] or folded[b] in folded[a] for a, b in pairs):
        return "part"
    if any(synonyms(found.targets[a], found.targets[b]) for a, b in pairs):
        return "synonym"
    return ""


def set_key(found: QuestionSet) -> str:
    """What a set is called for good: the same three of the same source have the same key in every import."""
    digest = sha256("\n".join(sorted(found.targets)).encode()).hexdigest()[:12]
    head = f"{found.language}:{found.relation}:{found.direction}"
    key = f"{head}:{found.source}:{digest}"
    if len(key) <= LONGEST_KEY:
        return key
    return f"{head[:100]}:{sha256(key.encode()).hexdigest()[:32]}"


def place(seed: str, key: str) -> int:
    """The set's place in the drawn order: the lowest are taken, as many as the project wants."""
    return draws.draw(seed, "sets", key)
