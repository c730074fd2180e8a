"""How texts are cut into words and tokens; every length and statistic of the system says which of the two.

A word is what Unicode calls one (UTS #18, Annex C): letters, digits and `_` with the marks that belong to them, and the
joiners that some scripts need. Python's own `\\w` has no marks: it cuts words of Javanese and Devanagari at their vowel
signs, and words with decomposed letters. `static/js/sides.js` cuts alike, which a test compares.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain, groupby

# Between the two lie Han, private and unassigned characters alone.
_BLOCKS_WITH_MARKS = range(0x300, 0x1F000), range(0xE0100, 0xE01F0)
_JOINERS = "\u200c\u200d"


def _mark_ranges() -> Iterator[str]:
    places = (place for place in chain(*_BLOCKS_WITH_MARKS) if unicodedata.category(chr(place))[0] == "M")
    for _, run in groupby(enumerate(places), lambda each: each[1] - each[0]):
        found = [place for _, place in run]
        yield f"{chr(found[0])}-{chr(found[-1])}"


IN_WORD = rf"\w{''.join(_mark_ranges())}{_JOINERS}"
"""The inside of a character class, for Python and PostgreSQL alike: what words consist of."""
WORD_START, WORD_END = rf"(?<![{IN_WORD}])", rf"(?![{IN_WORD}])"
# Before a character below all marks a word is over: this spares nearly every word the long class.
WORD_PATTERN = rf"(?:\w++(?=[\0-\u02ff]|\Z)|\w[{IN_WORD}]*+)"
WORD = re.compile(WORD_PATTERN)
TOKEN = re.compile(rf"{WORD_PATTERN}(?:[-.,/']{WORD_PATTERN})*|[^\w\s]")


def words(text: str) -> list[str]:
    """Give the words of a text in lower case."""
    return WORD.findall(text.lower())


def word_count(text: str) -> int:
    """Count the words of a text."""
    return len(WORD.findall(text))


def blank_separated_count(text: str) -> int:
    """Count what stands between blanks, marks included: the words of IndoNLI's Table 4, and of nothing else."""
    return len(text.split())


def tokens(text: str) -> list[str]:
    """Give the tokens of lexical statistics, lower-cased: words keep inner marks, other marks stand alone."""
    return TOKEN.findall(text.lower())


def word_pattern(word: str) -> str:
    """A regular expression, for Python and PostgreSQL alike, that finds a word where `tokens` cuts it out."""
    return rf"{WORD_START}(?<![{IN_WORD}][-.,/']){re.escape(word)}(?![-.,/']?[{IN_WORD}])"
