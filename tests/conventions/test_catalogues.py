"""The interface in other languages: every string is in the catalogues, none is broken, and what people read is whole.

TRANSLATED names the languages that are whole: for these the sources and the catalogues must agree. The commit that
brings a language's translations adds it here.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.conf import locale, settings
from django.utils import formats, translation

from annotation.catalogues import FALLBACKS, checking, compiling, mo_file, po_file
from annotation.catalogues.files import expected_file
from annotation.catalogues.reading import extract_strings
from annotation.core.rules.languages import INTERFACE_LANGUAGES

ROOT = Path(__file__).parents[2]
TRANSLATED: tuple[str, ...] = ("id", "su")
# Words between quotes in a script: a page gives scripts what they say, in the attributes of its elements.
SAID = re.compile(r"""(?<![\w-])(["'`])((?:[A-Z][a-z]+|[a-z]{2,})(?: [a-z]{2,})+[.!?…]?)\1""")


@cache
def source() -> Catalog:
    return extract_strings()


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_catalogue_has_what_the_sources_have(language: str) -> None:
    assert po_file(language).read_bytes() == expected_file(language, source()), "run `make messages`"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_string_is_translated(language: str) -> None:
    assert checking.missing_strings(language, source()) == []


@pytest.mark.parametrize("language", FALLBACKS)
def test_translations_keep_placeholders_tags_forms_and_edges_and_none_is_a_guess(language: str) -> None:
    assert list(checking.wrong_translations(language)) == []


@pytest.mark.parametrize("language", FALLBACKS)
def test_what_is_compiled_is_up_to_date_and_not_in_git(language: str) -> None:
    assert mo_file(language).exists()
    assert not compiling.is_stale(language)
    assert "*.mo" in (ROOT / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("language", FALLBACKS)
def test_a_language_falls_back_string_by_string(language: str) -> None:
    """Sundanese that nobody wrote is Indonesian, Django's own words included, before it is English."""
    with translation.override(language):
        assert translation.gettext("Enter a valid email address.") != "Enter a valid email address."
        assert translation.gettext("What nobody wrote in any language") == "What nobody wrote in any language"


def test_every_language_of_the_interface_is_one_that_django_knows() -> None:
    assert dict(settings.LANGUAGES) == INTERFACE_LANGUAGES
    assert set(INTERFACE_LANGUAGES) - {"en"} <= set(FALLBACKS)
    assert set(FALLBACKS) <= set(locale.LANG_INFO)


def test_our_words_come_before_those_of_packages() -> None:
    """Whatever the plural rules of their catalogues."""
    with translation.override("su"):
        ours = translation.gettext("Sunday")
    assert ours != "Sunday"


@pytest.mark.parametrize("language", FALLBACKS)
def test_numbers_and_dates_are_written_as_in_indonesia(language: str) -> None:
    with translation.override(language):
        assert formats.number_format(1234567.5, 1, force_grouping=True) == "1.234.567,5"


def test_scripts_say_nothing_of_their_own() -> None:
    scripts = sorted((ROOT / "static" / "js").glob("*.js"))
    assert len(scripts) > 8
    said = {
        (path.name, match[2])
        for path in scripts
        for match in SAID.finditer(re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.S))
        if match[2] != "use strict"
    }
    assert said == set()
