"""What the filters of machine-written questions look for, by language: one file each in `words`, written by hand."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotation.text.languages.base import parse_phrases

FOLDER = Path(__file__).parent / "words"
# Letters of a script, as a class of a regular expression.
SCRIPTS = {
    "LATIN": r"A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff",
    "CYRILLIC": r"\u0400-\u052f",
    "HAN": r"\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "KANA": r"\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f",
}


@dataclass(frozen=True)
class Lists:
    """Words and phrases in lower case, in the form of `key_form(casefold=True)`.

    `small` are words without content of their own that choices and questions may share; `surface` speak of letters,
    lengths or the choices themselves; `opinions` make a question a matter of taste (superlatives of languages that
    annotation.text.languages knows stand there); `refusals` are what a model says instead of a question;
    `offensive` are words with which nothing is published. `harmless` hold one of those and mean something else.
    `script` are the letters that the language is written with; empty where that is not known. A language without
    `blanks` is searched as letters, the others as words.
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


@cache
def lists_by_language() -> dict[str, Lists]:
    """Every language that has a file, by each of its codes."""
    by_code: dict[str, Lists] = {}
    for path in FOLDER.glob("*.toml"):
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        aliases, blanks = tuple(raw.pop("aliases")), raw.pop("blanks", True)
        script = "".join(SCRIPTS[name] for name in raw.pop("script").split())
        words = {name: parse_phrases(text) for name, text in raw.items()}
        lists = Lists(path.stem, aliases, script=script, blanks=blanks, **words)
        by_code |= dict.fromkeys((lists.code, *lists.aliases), lists)
    return by_code


@cache
def get(code: str) -> Lists:
    """The lists of a language; a region, script or register behind `-` or `_` is ignored. Unknown: empty ones."""
    main = code.replace("_", "-").partition("-")[0].casefold()
    return lists_by_language().get(main) or Lists(main)
