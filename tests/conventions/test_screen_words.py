"""What the pages for annotators name in italics stands on the screen, in the words of each page's language."""

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from annotation.catalogues.files import full_catalogue, is_translated, strings_of
from annotation.catalogues.reading import extract_strings
from tests.conventions import sources

PAGES = sorted((sources.ROOT / "docs").glob("annotators*.md"))
ITALICS = re.compile(r"(?<![*\w])\*([^*\n]+)\*(?![*\w])")


@cache
def english() -> Catalog:
    return extract_strings()


def plain(words: str) -> str:
    return words.strip().rstrip(".:…?").casefold()


def on_screen(language: str) -> set[str]:
    """The interface's strings in this language; the English ones as long as it has none of its own."""
    if language == "en":
        ids = (message.id for message in english() if message.id)
        return {plain(each) for one in ids for each in ([one] if isinstance(one, str) else one)}
    translated = [message for message in full_catalogue(language, english()) if message.id and is_translated(message)]
    return {plain(each) for message in translated for each in strings_of(message)} or on_screen("en")


def unknown(text: str, there: set[str]) -> list[str]:
    """What stands in italics and on no screen; a link to the same page in another language is none of it."""
    return [words for words in ITALICS.findall(text) if "](" not in words and plain(words) not in there]


def language_of(page: Path) -> str:
    return page.suffixes[0].removeprefix(".") if len(page.suffixes) == 2 else "en"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_words_in_italics_stand_on_the_screen(page: Path) -> None:
    text = page.read_text()
    assert ITALICS.search(text)
    assert unknown(text, on_screen(language_of(page))) == []


def test_a_word_of_no_screen_is_found() -> None:
    there = {plain("Submit again"), plain("Undo last answer")}
    text = "*In English: [a.md](a.md)* Press *Submit again* or *Hand in once more*; **bold** and 2*3*4 are none."
    assert unknown(text, there) == ["Hand in once more"]
    assert "undo last answer" in on_screen("en")
    assert "take back" not in on_screen("en")
