"""Numbers are read as the page's language writes them; what could be two numbers is refused, never guessed."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from django.forms import Form
from django.utils.translation import override

from annotation.text.number_words import number_in_words
from annotation.ui.fields import FigureField, NumberField, WholeNumberField
from annotation.ui.pages import typed_number
from annotation.ui.typed_numbers import TypedNumberError, number_text, read_number
from tests.conventions.sources import ROOT

READ = [
    ("1.500", {"id": "1500", "su": "1500"}),
    ("1,500", {"en": "1500"}),
    ("1.500,50", {"id": "1500.50", "en": "1500.50"}),
    ("1,500.50", {"id": "1500.50", "en": "1500.50"}),
    ("1.500.000", {"id": "1500000", "en": "1500000"}),
    ("1 500", {"id": "1500", "en": "1500"}),
    ("1\u00a0500\u202f000", {"id": "1500000", "en": "1500000"}),
    ("0,3", {"id": "0.3", "en": "0.3"}),
    ("0.30", {"id": "0.30", "en": "0.30"}),
    ("0.125", {"id": "0.125", "en": "0.125"}),
    ("1.5", {"id": "1.5", "en": "1.5"}),
    ("1500.5", {"id": "1500.5", "en": "1500.5"}),
    (" 1500 ", {"id": "1500", "en": "1500"}),
    (".5", {"id": "0.5", "en": "0.5"}),
    ("-2", {"id": "-2", "en": "-2"}),
]


@pytest.mark.parametrize(
    ("typed", "language", "number"),
    [(typed, language, number) for typed, by in READ for language, number in by.items()],
)
def test_what_can_mean_one_number_is_that_number(typed: str, language: str, number: str) -> None:
    with override(language):
        assert read_number(typed) == Decimal(number)


@pytest.mark.parametrize(
    ("typed", "language", "words"),
    [
        ("1.500", "en", "Enter 1.5 or 1500."),
        ("1.000", "en", "Enter 1 or 1000."),
        ("12,250", "id", "12,25 atau 12250"),
        ("1500.000", "id", ""),
        ("1,50,0", "en", ""),
        ("1.50.000", "id", ""),
        ("1.500,000.5", "en", ""),
        ("Rp1500", "id", ""),
        ("1e3", "en", ""),
        ("--2", "en", ""),
        ("NaN", "en", ""),
        ("٣", "en", ""),
        ("5.", "en", ""),
        ("", "en", ""),
        ("9" * 41, "en", ""),
    ],
)
def test_what_could_be_two_numbers_or_is_none_is_refused(typed: str, language: str, words: str) -> None:
    class Numbers(Form):
        n = NumberField()

    with override(language):
        with pytest.raises(TypedNumberError):
            read_number(typed)
        form = Numbers({"n": typed})
        assert not form.is_valid()
        assert words in form.errors["n"][0]
        assert form["n"].value() == typed


def test_a_whole_number_with_its_thousands_loses_none_of_them() -> None:
    """Django takes the zeros behind a dot away, and read 1.000 as 1."""

    class Numbers(Form):
        whole = WholeNumberField(max_value=10_000)
        figure = FigureField()

    with override("id"):
        form = Numbers({"whole": "1.000", "figure": "2,5"})
        assert form.is_valid()
        assert form.cleaned_data == {"whole": 1000, "figure": 2.5}
        assert not Numbers({"whole": "1,5", "figure": "1"}).is_valid()
        assert [typed_number(each) for each in ("1.000", "", " ", "x", "1,5", None)] == [1000, 0, 0, -1, -1, 0]
        assert 'value="2,5"' in str(Numbers(initial={"figure": 2.5})["figure"])
    with override("en"):
        assert typed_number("1.000") == -1


@pytest.mark.parametrize("language", ["en", "id", "su"])
@pytest.mark.parametrize("number", ["0", "1", "1500", "0.1", "1.125", "1500.125", "0.0001", "2.50", "1e-05", "1234567"])
def test_what_a_field_shows_is_read_as_the_same_number(language: str, number: str) -> None:
    with override(language):
        assert read_number(number_text(Decimal(number))) == Decimal(number)
        assert read_number(number_text(float(number))) == Decimal(number)


@pytest.mark.parametrize(
    ("number", "language", "words"),
    [
        ("1500", "en", "one thousand five hundred"),
        ("1500", "id", "seribu lima ratus"),
        ("1500", "su", "sarebu lima ratus"),
        ("1.5", "id", "satu koma lima"),
        ("0.30", "en", "zero point three"),
        ("21011", "en", "twenty-one thousand eleven"),
        ("31150", "id", "tiga puluh satu ribu seratus lima puluh"),
        ("111", "su", "saratus sabelas"),
        ("10", "id", "sepuluh"),
        ("13", "id", "tiga belas"),
        ("1000000", "id", "satu juta"),
        ("9000999.99", "en", "nine million nine hundred ninety-nine point nine nine"),
        ("0", "su", "enol"),
    ],
)
def test_amounts_in_words(number: str, language: str, words: str) -> None:
    assert number_in_words(Decimal(number), language) == words


def test_every_form_reads_typed_numbers_in_this_way() -> None:
    """Fields of numbers are those of `annotation/ui/fields.py`; Django's own are for what no person types."""
    found = []
    for app in ("annotation", "validation", "exports"):
        for path in Path(ROOT / app).rglob("*.py"):
            for line in re.findall(r".*\bforms\.(?:Integer|Decimal|Float)Field\(.*", path.read_text()):
                if "HiddenInput" not in line:
                    found.append((path.relative_to(ROOT).as_posix(), line.strip().partition(" ")[0]))
    # The approval of a list of approvals.
    assert found == [("annotation/pay/forms.py", "approval")]
