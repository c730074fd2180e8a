"""What the filters of machine-written questions look for, a language at a time: short lists that were written down."""

from dataclasses import dataclass

LATIN = r"A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff"
CYRILLIC = r"\u0400-\u052f"
HAN = r"\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
KANA = r"\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"


@dataclass(frozen=True)
class Lists:
    """Words and phrases in lower case, in the form of `key_form(casefold=True)`.

    `small` are words without content of their own that choices and questions may share; `surface` speak of letters,
    lengths or the choices themselves; `opinions` make a question a matter of taste (superlatives of languages that
    annotation.text.languages knows stand there); `refusals` are what a model says instead of a question;
    `offensive` are words with which nothing is published. `harmless` hold one of those and mean something else.
    `script` are the letters that the language is written with, as a class of a regular expression; empty where that
    is not said. A language without `blanks` is searched as letters, the others as words.
    """

    code: str
    aliases: tuple[str, ...] = ()
    small: frozenset[str] = frozenset()
    surface: frozenset[str] = frozenset()
    opinions: frozenset[str] = frozenset()
    refusals: frozenset[str] = frozenset()
    offensive: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    script: str = ""
    blanks: bool = True
