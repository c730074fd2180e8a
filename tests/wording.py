"""Words on pages: what a person reads there in the language of the interface, and languages that nobody speaks, which
show where a page has words of its own or no room for longer ones."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.utils.translation import trans_real

# Not words of the interface: what is typed in or computed, keys, names of things.
OWN_LANGUAGE_ELEMENTS = {
    "script",
    "style",
    "template",
    "code",
    "kbd",
    "pre",
    "bdi",
    "svg",
    "textarea",
    "math",
}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
SPOKEN_ATTRIBUTES = ("placeholder", "title", "aria-label", "alt")
PLACEHOLDER = re.compile(r"(%\(\w+\)[#0 +-]*\d*(?:\.\d+)?[a-zA-Z]|%[%sdifr]|\{\w*\}|<[^>]*>|&\w+;)")
PLAIN = "AaBCcDdEeFGgHIiJjKkLlNnOoPRrSsTtUuWwYyZzbfhkmpqvxMQVX"
ACCENTED = "ÅåƁÇćÐďÉéƑĞğĤÎîĴĵĶķĻļÑńÖöÞŔŕŠšŦţÛûŴŵÝýŽžƀƒĥҡ₥þʠṽẋṀǪṼẊ"
HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
_TO_ACCENTED = str.maketrans(PLAIN, ACCENTED)
_TO_HEBREW = {ord(letter): HEBREW[n % len(HEBREW)] for n, letter in enumerate(PLAIN)}


def accented(text: str) -> str:
    """A string as no language has it: every letter accented, and a third longer, as translations become."""
    parts = PLACEHOLDER.split(text)
    said = "".join(part if n % 2 else part.translate(_TO_ACCENTED) for n, part in enumerate(parts))
    bare = "".join(parts[::2]).strip()
    end = said.rstrip()
    return f"{end}{'·' * (len(bare) // 3)}{said[len(end) :]}"


def right_to_left(text: str) -> str:
    """A string in letters that are read from the right."""
    parts = PLACEHOLDER.split(text)
    return "".join(part if n % 2 else part.translate(_TO_HEBREW) for n, part in enumerate(parts))


class PseudoLanguage(trans_real.DjangoTranslation):
    """A language whose words are made from the English ones; `counted` takes the plural for any number but one."""

    def __init__(self, language: str, say: object) -> None:
        super().__init__(language)
        self.say = say

    def gettext(self, message: str) -> str:
        said: str = self.say(message.rpartition(trans_real.CONTEXT_SEPARATOR)[2])  # type: ignore[operator]
        return said

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@contextmanager
def pseudo_language(say: object, *, bidi: bool = False, language: str = "id") -> Iterator[None]:
    """Within it a language of the interface has such words, read from the right where it is `bidi`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(trans_real._translations, language, PseudoLanguage(language, say))  # type: ignore[attr-defined]
        if bidi:
            patch.setattr(settings, "LANGUAGES_BIDI", [*settings.LANGUAGES_BIDI, language])
        yield


class _Reader(HTMLParser):
    """The texts of a page that are in its own language."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.texts: list[str] = []
        self.language = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.language = self.language or (given.get("lang") or "" if tag == "html" else "")
        foreign = (given.get("lang") or self.language) != self.language or tag in OWN_LANGUAGE_ELEMENTS
        hidden = bool(self.open) and self.open[-1][1]
        if not (hidden or foreign):
            self.texts += [value for name in SPOKEN_ATTRIBUTES if (value := given.get(name))]
            if tag == "input" and given.get("type") in ("submit", "button", "reset"):
                self.texts.append(given.get("value") or "")
        if tag not in VOID:
            self.open.append((tag, hidden or foreign))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and self.open and not self.open[-1][1]:
            self.texts.append(" ".join(data.split()))


def texts_of(page: str) -> list[str]:
    """What a page says in the language that it says it is in: its text, and what is read out or shown in fields."""
    reader = _Reader()
    reader.feed(page)
    return reader.texts
