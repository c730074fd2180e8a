"""The word list of a register: words that belong to it, and what each stands for (LoraxBench §3.2: Javanese krama
`kula` where ngoko has `aku`). A text that leads edit, one a line: `word = what it stands for`."""

from collections.abc import Iterable

from annotation.text.gettext import gettext_noop
from annotation.text.normalise import key_form, storage_problem

LONGEST_WORD = 80
LONGEST_MEANING = 200
MOST_WORDS = 500
LONGEST_LIST = MOST_WORDS * (LONGEST_WORD + LONGEST_MEANING + 4)

Word = tuple[str, str]


class WordListError(ValueError):
    """A list that cannot be read: the line at fault (from 1), and the reason (English, translatable)."""

    def __init__(self, line: int, reason: str) -> None:
        self.line, self.reason = line, reason
        super().__init__(f"line {line}: {reason}")


def parse(text: str) -> tuple[Word, ...]:
    """Read the list: word and meaning, in its order. Raises `WordListError` for the first line that is wrong.

    A word stands there once, however it is spelt in capitals. Blank lines mean nothing.
    """
    words: dict[str, Word] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        word, sign, meaning = (part.strip() for part in line.partition("="))
        key = key_form(word, casefold=True)
        reason = _line_problem(word, sign, meaning)
        if not reason and key in words:
            reason = gettext_noop("this word is listed twice")
        if not reason and len(words) == MOST_WORDS:
            reason = gettext_noop("there are more than 500 words")
        if reason:
            raise WordListError(number, reason)
        words[key] = (word, meaning)
    return tuple(words.values())


def _line_problem(word: str, sign: str, meaning: str) -> str:
    """Say what is wrong with one line; empty where nothing is."""
    if not sign:
        return gettext_noop("has no equals sign: write a word, an equals sign, and what it stands for")
    if not word or len(word) > LONGEST_WORD or storage_problem(word):
        return gettext_noop("before the equals sign there must be a word, at most 80 characters")
    if not meaning or len(meaning) > LONGEST_MEANING or storage_problem(meaning):
        return gettext_noop("after the equals sign there must be words, at most 200 characters")
    return ""


def text_of(words: Iterable[Iterable[str]]) -> str:
    """Write a list as the text that `parse` reads."""
    return "\n".join(" = ".join(pair) for pair in words)
