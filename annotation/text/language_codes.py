"""Languages by their codes: BCP 47 tags made of ISO 639 codes, scripts and regions, with the languages' names.

The lists are those of ISO 639-3, 15924 and 3166 as pycountry ships them.
"""

import re
from dataclasses import dataclass

import pycountry

from annotation.text import languages

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(-(?P<script>[a-z]{4}))?(-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)(?P<private>-x(-[a-z0-9]{1,8})+)?",
    re.IGNORECASE,
)
LONGEST_TAG = 35


@dataclass(frozen=True)
class Language:
    """A language as a project names it: its tag in the usual spelling, and its name (empty for a private code)."""

    code: str
    name: str


def language_of(text: str) -> Language | None:
    """The language that a tag names, or one that is called so; None where there is none.

    A code of three letters that has one of two is spelt with that one (`jav` is `jv`), so that a language has one
    spelling. `qaa` to `qtz` are free for languages without a code (ISO 639-2 §4): nobody but the team names them.
    """
    wanted = text.strip()
    parts = _TAG.fullmatch(wanted)
    if parts is None or len(wanted) > LONGEST_TAG:
        return _by_name(wanted)
    language = _by_code(parts["language"].lower())
    if language is None:
        return _by_name(wanted)
    script, region = (parts["script"] or "").title(), (parts["region"] or "").upper()
    if script and pycountry.scripts.get(alpha_4=script) is None:
        return None
    if region.isalpha() and pycountry.countries.get(alpha_2=region) is None:
        return None
    rest = (parts["variants"] + (parts["private"] or "")).lower()
    code = "-".join(part for part in (language.code, script, region) if part) + rest
    return Language(code, language.name)


def names_of(code: str) -> tuple[str, ...]:
    """What files call a language: its codes, its names in ISO 639-3, and those that its file knows beside."""
    main = code.replace("_", "-").partition("-")[0].casefold()
    by_length = {2: "alpha_2", 3: "alpha_3"}.get(len(main))
    row = pycountry.languages.get(**{by_length: main}) if by_length else None
    names = [getattr(row, name, "") for name in ("alpha_2", "alpha_3", "name", "common_name")]
    language = languages.get(main)
    return tuple(dict.fromkeys(name for name in (code, *names, *language.names, *language.aliases) if name))


def _by_code(code: str) -> Language | None:
    if len(code) == 3 and "qaa" <= code <= "qtz":
        return Language(code, "")
    if len(code) == 2:
        row = pycountry.languages.get(alpha_2=code)
    else:
        row = pycountry.languages.get(alpha_3=code) or pycountry.languages.get(bibliographic=code)
    return None if row is None else _language_of_row(row)


def _by_name(name: str) -> Language | None:
    row = pycountry.languages.get(name=name) if name else None
    return None if row is None else _language_of_row(row)


def _language_of_row(row: object) -> Language | None:
    """The language as it is spelt here; what stands for none or for many (`und`, `mul`) is none."""
    if getattr(row, "scope", "") == "S":
        return None
    code = getattr(row, "alpha_2", None) or getattr(row, "alpha_3", "")
    return Language(str(code), str(getattr(row, "name", "")))
