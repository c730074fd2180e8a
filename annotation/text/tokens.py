"""How texts are cut into words and tokens; every length and statistic of the system says which of the two."""

import re

WORD = re.compile(r"\w+")
TOKEN = re.compile(r"\w+(?:[-.,/']\w+)*|[^\w\s]")


def words(text: str) -> list[str]:
    r"""Give the words (`\w+`) of a text in lower case, the unit of IndoNLI's lengths (Table 2)."""
    return WORD.findall(text.lower())


def word_count(text: str) -> int:
    r"""Count the words (`\w+`) of a text."""
    return len(WORD.findall(text))


def tokens(text: str) -> list[str]:
    """Give the tokens of lexical statistics, lower-cased: words keep inner marks, other marks stand alone."""
    return TOKEN.findall(text.lower())


def word_pattern(word: str) -> str:
    """A regular expression, for Python and PostgreSQL alike, that finds a word where `tokens` cuts it out."""
    return rf"(?<!\w)(?<!\w[-.,/']){re.escape(word)}(?![-.,/']?\w)"
