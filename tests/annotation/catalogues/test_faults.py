"""What has to be in a translation as it is in the English."""

import pytest

from annotation.catalogues.faults import faults

RIGHT = [
    ("Send", "Kirim"),
    ("%(n)s of %(of)s", "%(n)s dari %(of)s"),
    ("%(of)s: %(n)s", "%(n)s – %(of)s"),
    ("%(name)s and %(name)s's", "%(name)s"),
    ("100 %% sure.", "100 %% yakin."),
    ("{n} written", "{n} ditulis"),
    ('<a href="%(url)s">Go</a> on…', '<a href="%(url)s">Ayo</a>...'),
    (("%(n)s item", "%(n)s items"), ("%(n)s butir",)),
    (("One item left.", "%(n)s items left."), ("Tinggal %(n)s butir.",)),
    ("About “%(name)s”", "Tentang “%(name)s”"),
    ("Send", ""),
]
WRONG = [
    ("%(n)s of %(of)s", "%(n)s", "lacks %(of)s"),
    ("%(n)s", "%(m)s", "has %(m)s, which the English has not"),
    ("%(n)d", "%(n)s", "lacks %(n)d"),
    ("%s of %d", "%d dari %s", "in another order"),
    ("100 %%", "100 %", "other placeholders"),
    ("{n} written", "ditulis", "lacks {n}"),
    ("<b>Go</b>", "<i>Ayo</i>", "other tags"),
    ("A&nbsp;b", "A b", "other tags or entities"),
    ("Send ", "Kirim", "ends with other blanks"),
    ("\nSend", "Kirim", "begins with other blanks"),
    ("Sent.", "Terkirim", "ends with no mark, the English with ."),
    ("Sure?", "Yakin!", "ends with !, the English with ?"),
    (("%(n)s item", "%(n)s items"), ("satu butir", "%(n)s butir"), "has 2 forms, not 1"),
    (("One item", "%(n)s items"), ("satu butir",), "lacks %(n)s"),
]


@pytest.mark.parametrize(("english", "translation"), RIGHT)
def test_nothing_is_wrong(english: str, translation: str) -> None:
    assert list(faults(english, translation, 1)) == []


@pytest.mark.parametrize(("english", "translation", "why"), WRONG)
def test_a_fault_is_named(english: str, translation: str, why: str) -> None:
    assert why in "; ".join(faults(english, translation, 1))


def test_where_a_language_has_two_forms_the_singular_may_leave_its_number_out() -> None:
    english = ("%(n)s item", "%(n)s items")
    assert list(faults(english, ("one thing", "%(n)s things"), 2)) == []
    assert "lacks %(n)s" in list(faults(english, ("one thing", "things"), 2))
    assert list(faults(english, ("one thing", ""), 2)) == ["lacks a form"]
