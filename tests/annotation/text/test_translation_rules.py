"""Numbers, placeholders, lengths and letters of translations: single decisions as tables, and what always holds."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text import checks, numbers
from annotation.text import length_ratios as lengths
from annotation.text import letter_trigrams as letters
from annotation.text.checks.base import FieldPair, SetContext, SlotText
from annotation.text.languages import get, languages_by_code
from annotation.text.length_ratios import LengthStatistics, UsualRatio
from annotation.text.letter_trigrams import LetterStatistics
from annotation.text.numbers import Difference
from annotation.text.placeholders import placeholders, without_placeholders
from annotation.translation.rules.target_resources import SILENCE_REASONS, TargetResources, silent_checks
from tests.annotation.text.examples import EXAMPLES
from tests.annotation.text.examples.sets import translation_example

TRANSLATION = [check for check in checks.all_checks() if EXAMPLES[check].good[0].field_pairs]
WILD = st.text(st.characters() | st.sampled_from("0123456789.,/%{}[]<>()?!… \n\u00e9e\u0301\u200babz@:"), max_size=60)
SAID = [
    ("id", "lima belas ribu", ["15000"]),
    ("id", "seratus sembilan puluh ribu rupiah", ["190000"]),
    ("id", "dua ribu delapan belas", ["2018"]),
    ("id", "dua tiga orang", ["2", "3"]),
    ("id", "sejuta", []),
    ("id", "satu juta dua ratus ribu", ["1200000"]),
    ("id", "sepuluh, sebelas, seratus", ["10", "11", "100"]),
    ("id", "seribu sembilan ratus sembilan puluh enam", ["1996"]),
    ("id", "kuda", []),
    ("en", "twenty-five people and two dogs", ["25", "2"]),
    ("en", "one hundred and five", ["105"]),
    ("en", "seventeen hundred", ["1700"]),
    ("en", "the first of three", ["1", "3"]),
    ("jv", "limalas éwu", ["15000"]),
    ("jv", "rong atus seket", ["250"]),
    ("jv", "selawe wong", ["25"]),
    ("su", "tilu puluh lima", ["35"]),
    ("su", "opat belas rebu", ["14000"]),
    ("min", "duo puluah limo", ["25"]),
    ("nij", "jalatien ribu due ratus sapuluh", ["9210"]),
    ("ban", "petang dasa tali", ["40000"]),
    ("xx", "lima", []),
]
COMPARED = [
    ("15.000", "15,000", ("id", "en"), Difference()),
    ("15.000", "150.000", ("id", "jv"), Difference(("15.000",), ("150.000",))),
    ("35 ribu", "35.000", ("id", "en"), Difference()),
    ("35rb", "telung puluh lima ewu", ("id", "jv"), Difference()),
    ("35 ribu", "35 ewu", ("id", "jv"), Difference()),
    ("5 orang, 5 kuda", "lima wong, 5 jaran", ("id", "jv"), Difference()),
    ("5 orang, 5 kuda", "wong, jaran lima", ("id", "jv"), Difference(("5",))),
    ("tiga orang", "3 people", ("id", "en"), Difference()),
    ("tiga orang", "4 people", ("id", "en"), Difference((), ("4",))),
    ("jam 17.48", "at 17:48", ("id", "en"), Difference()),
    ("17:48", "17.48", ("id", "en"), Difference()),
    ("tb2 kuda", "dumadakan jaran", ("id", "jv"), Difference()),
    ("kuda2 dan sapi2", "horses and cows", ("id", "en"), Difference()),
    ("2 kuda", "jaran", ("id", "jv"), Difference(("2",))),
    ("2 kuda", "pindo", ("id", "xx"), Difference(("2",))),
    ("5 dan 6", "6 lan 5", ("id", "jv"), Difference()),
    ("", "7", ("id", "jv"), Difference((), ("7",))),
]


@pytest.mark.parametrize(("language", "text", "expected"), SAID)
def test_numbers_in_words(language: str, text: str, expected: list[str]) -> None:
    assert sorted(numbers.numbers_in_words(text, get(language)).elements()) == sorted(expected)


@pytest.mark.parametrize(("source", "text", "languages", "expected"), COMPARED)
def test_numbers_compared(source: str, text: str, languages: tuple[str, str], expected: Difference) -> None:
    assert numbers.compare(source, text, languages) == expected
    assert bool(expected) == (expected != Difference())


def test_numerals_that_have_to_stay() -> None:
    def kept(source: str, text: str) -> Difference:
        return numbers.compare(source, text, ("id", "jv"), stay=True)

    assert kept("5 kuda", "jaran lima") == Difference((), (), ("5",))
    assert kept("5 kuda", "5 jaran") == Difference()
    assert kept("5 kuda 6 sapi", "jaran lima") == Difference(("6",), (), ("5",))
    assert kept("lima kuda", "jaran lima") == Difference()


@pytest.mark.parametrize("language", sorted({each.code for each in languages_by_code().values() if each.numbers}))
def test_every_list_counts_to_ten_and_by_size(language: str) -> None:
    told = get(language).numbers
    assert told is not None
    assert set(range(1, 11)) <= set(told.words.values()) | set(told.multipliers.values())
    assert {10, 1000} <= set(told.multipliers.values()) | set(told.words.values())
    fold = get(language).fold
    assert all(fold(word) == word for word in (*told.words, *told.multipliers)) or language == "jv"


PLACED = [
    ("Halo {nama} dan %s, %(kota)s, %1$d!", ["{nama}", "%s", "%(kota)s", "%1$d"]),
    ("Diskon 10% dan 5 %", []),
    ("10% suka, 20% diam", []),
    ("[URL] [Nama] [USER_1]", ["[URL]", "[USER_1]"]),
    ("<b>tebal</b> 3 < 4 > 2", ["<b>", "</b>"]),
    ("a@b.id, a.b+c@contoh.co.id.", ["a@b.id", "a.b+c@contoh.co.id"]),
    ("https://contoh.id/x?y=1, www.contoh.id.", ["https://contoh.id/x?y=1", "www.contoh.id"]),
]


@pytest.mark.parametrize(("text", "expected"), PLACED)
def test_placeholders(text: str, expected: list[str]) -> None:
    assert sorted(placeholders(text).elements()) == sorted(expected)
    left = without_placeholders(text)
    assert not any(each in left for each in expected)


# --- lengths ------------------------------------------------------------------------------


def test_lengths_are_robust_and_say_nothing_of_few() -> None:
    pairs = [("text", "a" * 20, "b" * (18 + n % 5)) for n in range(30)]
    usual = lengths.learn_lengths(pairs)
    assert usual.rows == 30
    score = usual.score("text", "a" * 20, "b" * 20)
    assert score is not None
    assert abs(score) < 0.1
    far = usual.score("text", "a" * 20, "b" * 60)
    assert far is not None
    assert far > 3.5
    spoilt = lengths.learn_lengths([*pairs, ("text", "a" * 20, "b" * 2000)])
    again = spoilt.score("text", "a" * 20, "b" * 60)
    assert again is not None
    assert again > 3.5
    assert lengths.learn_lengths(pairs[:29]).score("text", "a" * 20, "b" * 60) is None
    assert LengthStatistics().score("text", "a", "b") is None
    assert usual.score("text", "a" * 20, " ") is None


def test_a_role_has_its_own_usual_length_once_it_is_known() -> None:
    short = [("choice", "ab", "abcd")] * 30
    long = [("premise", "a" * 50, "b" * 50)] * 40
    usual = lengths.learn_lengths([*short, *long, ("rare", "ab", "ab")])
    assert usual.score("choice", "ab", "abcd") == pytest.approx(0)
    assert usual.score("premise", "a" * 50, "b" * 50) == pytest.approx(0)
    assert usual.score("rare", "ab", "ab") == usual.score("unheard-of", "ab", "ab")
    assert usual.roles["choice"].middle == pytest.approx(log(2))
    assert LengthStatistics.from_json(usual.to_json()) == usual
    assert LengthStatistics.from_json({}) == LengthStatistics()


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), WILD, WILD), max_size=40), WILD, WILD)
def test_lengths_never_raise(pairs: list[tuple[str, str, str]], source: str, text: str) -> None:
    usual = lengths.learn_lengths(pairs)
    assert LengthStatistics.from_json(usual.to_json()) == usual
    usual.score("a", source, text)


# --- letters ------------------------------------------------------------------------------


@given(st.lists(WILD, max_size=8), st.lists(WILD, max_size=8), WILD)
def test_letters_never_raise_and_do_not_depend_on_the_order(one: list[str], two: list[str], text: str) -> None:
    own, other = letters.learn_letters(one * 40), letters.learn_letters(two * 40)
    assert letters.learn_letters(reversed(one * 40)) == own
    assert LetterStatistics.from_json(own.to_json()) == own
    assert letters.likelier_language(text, own, {"other": other}) in ("", "other")
    assert letters.likelier_language(text, own, {"same": own}) == ""


def test_a_model_keeps_what_is_frequent() -> None:
    many = [
        f"{a}{b}{c}" for a in "abcdefghijklmnopqrst" for b in "abcdefghijklmnopqrst" for c in "abcdefghijklmnopqrst"
    ]
    learnt = letters.learn_letters([*many, "abc abc abc"])
    assert len(learnt.counts) == letters.MOST_KEPT
    assert learnt.counts["abc"] >= 4
    assert learnt.texts == 8001
    assert letters.learn_letters(["", "12 34", "..."]).texts == 0


# --- silence ------------------------------------------------------------------------------


def test_what_is_silent_is_said() -> None:
    enough = letters.learn_letters(["Sarmi adol bayem."] * letters.LEAST_TEXTS)
    usual = LengthStatistics(UsualRatio(30, 0.0, 0.1))
    words = (("kula", "saya"),)
    assert [(one.check, one.reason) for one in silent_checks(TargetResources("id", "xx", others={"krama": ()}))] == [
        ("length_unusual", "few_rows"),
        ("other_language", "few_texts"),
        ("other_register", "no_words"),
        ("numbers_differ", "numerals_only"),
    ]
    alone = TargetResources("id", "jv", "ngoko", (), {"krama": words}, usual, enough)
    assert [(one.check, one.reason) for one in silent_checks(alone)] == [("other_language", "nothing_else")]
    whole = TargetResources("id", "jv", "", (), {}, usual, enough, {"Indonesian": enough})
    assert silent_checks(whole) == []
    for one in silent_checks(TargetResources("id", "xx", others={"krama": ()})) + silent_checks(alone):
        assert one.message % one.params
        assert one.check in checks.all_checks()
    assert {
        one.reason for one in silent_checks(TargetResources("id", "xx", others={"k": ()})) + silent_checks(alone)
    } == set(SILENCE_REASONS)


# --- all of them --------------------------------------------------------------------------

LORE = st.builds(
    TargetResources,
    st.just("id"),
    st.sampled_from(["jv", "xx", ""]),
    st.just("ngoko"),
    st.lists(st.tuples(WILD, WILD), max_size=3).map(tuple),
    st.dictionaries(WILD, st.lists(st.tuples(WILD, WILD), max_size=3).map(tuple), max_size=2),
    st.just(LengthStatistics(UsualRatio(40, 0.0, 0.1))),
    st.just(letters.learn_letters(["Sarmi adol bayem ing pasar esuk."] * letters.LEAST_TEXTS)),
    st.just({"id": letters.learn_letters(["Sarmi menjual bayam di pasar pagi."] * letters.LEAST_TEXTS)}),
)
PAIRS = st.lists(
    st.builds(FieldPair, st.sampled_from(["field-a", "field-b"]), st.just("text"), WILD, WILD, st.none() | WILD),
    max_size=3,
)


@given(PAIRS, st.none() | LORE, st.booleans(), st.sampled_from(["jv", "id", "xx", ""]))
def test_checks_of_translations_never_raise(
    pairs: list[FieldPair], resources: TargetResources | None, stay: bool, language: str
) -> None:
    slots = (SlotText("t", "", ""),)
    context = SetContext(
        "", slots, language, {"numerals_stay": stay}, 1, (), {}, field_pairs=tuple(pairs), resources=resources
    )
    keys = {pair.key for pair in pairs}
    for finding in checks.run_checks(TRANSLATION, context):
        assert finding.message % finding.params
        assert finding.params["field"] in keys
        assert finding.slot == "t"


@given(st.lists(st.sampled_from(["", " ", "\n", "\u200b", "\u00a0"]), max_size=3), LORE)
def test_only_emptiness_is_found_in_empty_texts(texts: list[str], resources: TargetResources) -> None:
    context = translation_example(*(("Sarmi menjual 3 bayam.", text) for text in texts), resources=resources)
    found = {finding.check for finding in checks.run_checks(TRANSLATION, context)}
    assert found == ({"translation_empty"} if texts else set())


def test_checks_of_translations_say_nothing_of_other_kinds() -> None:
    context = SetContext("Sumber.", (SlotText("e1", "e", "Teks  /teks 5"),), "id", {}, 1, ("e",), {})
    assert checks.run_checks(TRANSLATION, context) == []


def test_long_translations_cost_no_more_than_their_length() -> None:
    hostile = ["1." * 50_000, "a/" * 50_000, "a@" * 50_000, "{" * 100_000, "<a" * 50_000, "lima " * 20_000]
    hostile += ["a." * 50_000 + "@", "%(" * 50_000, "9" * 100_000, "juta " * 20_000, "(" * 100_000]
    context = translation_example(*((text, text[::-1]) for text in hostile), *(("Satu.", text) for text in hostile))
    assert checks.run_checks(TRANSLATION, context)
