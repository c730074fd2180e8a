"""The compiled catalogues for Django: each language with the fallbacks for its missing strings.

Django falls back to English at once. A language with fallbacks of its own (Sundanese to Indonesian) therefore gets
all words of these compiled in, those of Django and of its packages included: a page is never half English because a
few of its strings are new.
"""

import io
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from annotation.catalogues import FALLBACKS, mo_file, po_file
from annotation.catalogues.files import empty_catalogue, is_translated, read, strings_of

# Packages that bring words which people see here, the later ones before the earlier.
TRANSLATED_PACKAGES = (
    "django.conf",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "allauth",
)


def compile_language(language: str) -> bytes:
    """The language's `.mo`: its own translations, then for what it lacks those of its fallbacks."""
    whole = empty_catalogue(language)
    for each in reversed((language, *FALLBACKS[language])):
        if each != language:
            for path in package_catalogues(each):
                _add(whole, read(path, each))
        _add(whole, read(po_file(each), each))
    file = io.BytesIO()
    write_mo(file, whole)
    return file.getvalue()


def package_catalogues(language: str) -> Iterator[Path]:
    """The catalogues of the packages that we use, where they have this language."""
    for package in TRANSLATED_PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            path = Path(folder) / "locale" / language / "LC_MESSAGES" / "django.po"
            if path.exists():
                yield path


def _add(whole: Catalog, part: Catalog) -> None:
    """Put a catalogue's translations over those that are there; of several plural forms the last, for many, is used."""
    for message in part:
        if not message.id or not is_translated(message):
            continue
        strings = strings_of(message)
        whole.delete(message.id, message.context)
        whole.add(message.id, strings[-1:] if message.pluralizable else strings[0], context=message.context)


def is_stale(language: str) -> bool:
    """Whether a catalogue is newer than what was compiled of it, or nothing was."""
    made = mo_file(language)
    inputs = [po_file(each) for each in (language, *FALLBACKS[language])]
    inputs += [Path(__file__), *(path for each in FALLBACKS[language] for path in package_catalogues(each))]
    there = [path.stat().st_mtime for path in inputs if path.exists()]
    return not made.exists() or made.stat().st_mtime < max(there)


def compile_stale() -> list[str]:
    """Compile what is not up to date; the languages. Put in place whole: a process may be reading the old one."""
    done = [language for language in FALLBACKS if is_stale(language)]
    for language in done:
        made, making = mo_file(language), mo_file(language).with_suffix(f".{os.getpid()}")
        made.parent.mkdir(parents=True, exist_ok=True)
        making.write_bytes(compile_language(language))
        making.replace(made)
    return done
