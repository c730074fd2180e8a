"""The checks of translations on NusaX's 300 parallel rows: what they have to find, and how often they are wrong."""

import orjson
import pytest

from tests import nusax
from tests.conventions.sources import ROOT
from tests.data import DATA, needs_data

pytestmark = needs_data
LANGUAGES = sorted(nusax.CODES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_numerals_differ_in_the_rows_that_are_expected(language: str) -> None:
    """Before words for numbers are considered; the file lists the first forty rows."""
    expected = orjson.loads((DATA / "expected" / "nusax_parallel_300.json").read_bytes())
    wanted = expected["from_indonesian"][language]
    found = nusax.numerals_differ(language)
    assert len(found) == wanted["numbers_differ"]
    assert found[:40] == wanted["numbers_differ_rows"]


def test_the_known_errors_are_found() -> None:
    found = {
        (language, row)
        for language, each in nusax.findings_by_language().items()
        for row in each.rows["numbers_differ"]
    }
    assert found >= nusax.KNOWN_ERRORS
    assert ("ngaju", 10) in {(language, row) for language in LANGUAGES for row in _lengths(language)}


def _lengths(language: str) -> list[int]:
    return nusax.findings_by_language()[language].rows["length_unusual"]


def test_words_for_numbers_leave_few_rows_to_look_at() -> None:
    """132 rows differ in numerals, most of them harmlessly; with words for numbers 24 are left."""
    differ = sum(len(nusax.numerals_differ(language)) for language in LANGUAGES)
    left = sum(len(found.rows["numbers_differ"]) for found in nusax.findings_by_language().values())
    assert differ == 132
    assert left == 24
    assert sum(len(nusax.harmless_warnings(*each)) for each in nusax.findings_by_language().items()) == 16
    for language, found in nusax.findings_by_language().items():
        assert set(found.rows["numbers_differ"]) <= set(nusax.numerals_differ(language))


def test_where_numerals_stay_a_number_in_words_warns() -> None:
    """But for those that were only written apart, as 17.48 and 17:48."""
    for language, found in nusax.findings_by_language().items():
        differ = nusax.numerals_differ(language)
        assert set(found.stay) <= set(differ)
        assert len(differ) - len(found.stay) <= 1


def test_another_language_is_told_and_hardly_ever_where_there_is_none() -> None:
    told = nusax.language_identification().values()
    assert sum(each.called_other for each in told) == 36
    assert sum(each.right for each in told) == 3534
    assert sum(each.let_by for each in told) == 258
    assert sum(each.wrong for each in told) == 38874


@pytest.mark.parametrize("table", [nusax.finds_table, nusax.errors_table], ids=["finds", "errors"])
def test_the_documented_figures_are_those_that_are_measured(table: object) -> None:
    assert callable(table)
    assert table() in (ROOT / "docs" / "checks.md").read_text()
