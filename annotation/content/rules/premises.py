"""What a premise has to be before hypotheses are written for it (domain.md §4, Source; IndoNLI §3.1)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation.text.gettext import gettext_noop
from annotation.text.sentences import CLASSES, DOUBLE, PARAGRAPH, SINGLE, sentence_class
from annotation.text.tokens import word_count

__all__ = [
    "CLASSES",
    "DOUBLE",
    "PARAGRAPH",
    "SINGLE",
    "DocumentCounter",
    "Problem",
    "premise_class",
    "refusal",
    "spell_class",
]

MOST_WORDS = 200
MOST_PER_DOCUMENT = 5
_CLASS_BY_SPELLING = {name: name for name in CLASSES} | {"multiple": PARAGRAPH}


@dataclass(frozen=True)
class Problem:
    """Why a premise is not taken: a code, and an English source string with its params."""

    code: str
    message: str
    params: Mapping[str, object] = field(default_factory=dict)


def premise_class(text: str, given: str = "", language: str = "") -> str | None:
    """Give a premise's sentence class: the given one stands, only a missing one is computed.

    `multiple`, as IndoNLI's files write it, is `paragraph`. None where the given one is no class at all.
    """
    named = given.strip().casefold()
    return _CLASS_BY_SPELLING.get(named) if named else sentence_class(text, language)


def spell_class(name: str, paragraph_name: str = PARAGRAPH) -> str:
    """Write a class as the project's releases do: some say `multiple` for `paragraph`."""
    return paragraph_name if name == PARAGRAPH else name


def refusal(text: str, most_words: int = MOST_WORDS) -> Problem | None:
    """Say why a premise is refused: it has at most `most_words` words, whatever its class."""
    # So many words take at least twice as many characters: nearly every text is short enough at a glance.
    if len(text) > 2 * most_words and (count := word_count(text)) > most_words:
        message = gettext_noop("The premise has %(count)s words; at most %(most)s are taken.")
        return Problem("too_many_words", message, {"count": count, "most": most_words})
    return None


class DocumentCounter:
    """Counts the premises taken from each document: the first ones in file order, over all imports.

    `held` says how many of each document a project has already. Premises that name no document are not counted.
    """

    def __init__(self, held: Mapping[str, int], most: int = MOST_PER_DOCUMENT) -> None:
        self._held = Counter(held)
        self._most = most

    def take(self, document: str) -> Problem | None:
        """Count one more premise of a document, or say why it is not taken."""
        if not document:
            return None
        if self._held[document] >= self._most:
            message = gettext_noop("There are %(most)s premises of the document %(document)s already.")
            return Problem("document_full", message, {"document": document, "most": self._most})
        self._held[document] += 1
        return None
