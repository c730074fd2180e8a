"""The strings of libraries that our catalogues translate are those that the libraries ask for."""

import re
from pathlib import Path

import allauth
import django
import pytest
from django import forms
from django.utils import translation

from annotation.core.words_of_libraries import WORDS


@pytest.fixture(scope="module")
def sources() -> str:
    folders = [Path(allauth.__file__).parent / "account", Path(allauth.__file__).parent / "mfa"]
    base = Path(django.__file__).parent
    folders += [base / "contrib" / "auth", base / "forms", base / "core", base / "conf"]
    found = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in folders
        for path in folder.rglob("*.py")
        if "migrations" not in path.parts
    )
    return re.sub(r'"\s*\n\s*"', "", found)  # a sentence on several lines


@pytest.mark.parametrize("words", WORDS)
def test_the_libraries_still_say_it(words: str, sources: str) -> None:
    assert f'"{words}"' in sources


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        (forms.IntegerField(min_value=3), "1", "Kedah 3 atanapi langkung."),
        (forms.IntegerField(max_value=3), "5", "Kedah 3 atanapi kirang."),
        (forms.DecimalField(decimal_places=2), "1.555", "Paling seueur 2 angka saatos koma."),
        (forms.DecimalField(max_digits=3), "15555", "Paling seueur 3 angka."),
        (forms.CharField(max_length=3), "abcde", "Paling seueur 3 karakter (ayeuna 5)."),
        (forms.ChoiceField(), "x", "Pilih nu aya dina daptar; x teu aya di dinya."),
    ],
)
def test_forms_say_it_in_sundanese(field: forms.Field, typed: str, said: str) -> None:
    with translation.override("su"):
        with pytest.raises(forms.ValidationError) as refused:
            field.clean(typed)
        assert refused.value.messages == [said]
