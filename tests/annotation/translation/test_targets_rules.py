"""Languages by their codes, targets by their lines, and the word lists of registers."""

import pytest

from annotation.presets import loraxbench
from annotation.text import word_list
from annotation.text.language_codes import Language, language_of
from annotation.text.word_list import WordListError
from annotation.translation.rules import target_lines
from annotation.translation.rules.target_lines import TargetLine, target_key

# LoraxBench, Table 1: code, and what ISO 639-3 calls the language.
TABLE_1 = {
    "ace": "Achinese",
    "abs": "Ambonese Malay",
    "ban": "Balinese",
    "bjn": "Banjar",
    "bbc": "Batak Toba",
    "bew": "Betawi",
    "bug": "Buginese",
    "gor": "Gorontalo",
    "iba": "Iban",
    "jax": "Jambi Malay",
    "jv": "Javanese",
    "abl": "Lampung Nyo",
    "mad": "Madurese",
    "mak": "Makasar",
    "min": "Minangkabau",
    "mui": "Musi",
    "nij": "Ngaju",
    "sas": "Sasak",
    "su": "Sundanese",
}


@pytest.mark.parametrize(("code", "name"), TABLE_1.items())
def test_the_languages_of_the_paper(code, name):
    assert language_of(code) == Language(code, name)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("jav", "jv"),
        ("JV", "jv"),
        (" jv ", "jv"),
        ("Javanese", "jv"),
        ("sundanese", "su"),
        ("may", "ms"),
        ("jv-java", "jv-Java"),
        ("JAV-JAVA-id", "jv-Java-ID"),
        ("es-419", "es-419"),
        ("sl-Rozaj-1994", "sl-rozaj-1994"),
        ("jv-x-Solo", "jv-x-solo"),
        ("qaa", "qaa"),
    ],
)
def test_a_language_has_one_spelling(typed, code):
    found = language_of(typed)
    assert found is not None
    assert found.code == code


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "xx",
        "und",
        "mul",
        "qz9",
        "indonesia!",
        "jv-Qqqx",
        "jv-ZZ",
        "jv--x",
        "a",
        "jv_ID",
        "jv-x-" + "a1-" * 12 + "b",
        "xzx-ID",
    ],
)
def test_what_is_no_language(typed):
    assert language_of(typed) is None


@pytest.mark.parametrize(
    ("language", "register", "key"),
    [
        ("jv", "ngoko", "jv-ngoko"),
        ("mad", "enja'iya", "mad-enja-iya"),
        ("mad", "Engghi-ethen", "mad-engghi-ethen"),
        ("su", "", "su"),
        ("su", "badé", "su-bade"),
        ("jv-Java", "", "jv-java"),
        ("jv", "x" * 80, "jv-" + "x" * 37),
        ("jv", "x" * 36 + " y", "jv-" + "x" * 36),
    ],
)
def test_what_files_call_a_target(language, register, key):
    assert target_key(language, register) == key


def test_registers_in_other_letters_are_told_apart():
    keys = {target_key("jv", register) for register in ("", "ꦔꦺꦴꦏꦺꦴ", "ꦏꦿꦩ")}
    assert len(keys) == 3
    assert all(key.isascii() for key in keys)


def test_many_lines_at_once():
    text = "jv, ngoko\n\n  jav ,Krama\r\nSundanese\nqaa, , Basa kula, of here\n"
    found, faults = target_lines.parse(text)
    assert faults == []
    assert found == [
        TargetLine("jv", "Javanese", "ngoko", "jv-ngoko"),
        TargetLine("jv", "Javanese", "Krama", "jv-krama"),
        TargetLine("su", "Sundanese", "", "su"),
        TargetLine("qaa", "Basa kula, of here", "", "qaa"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("jv\nelvish", 2, "no language code"),
        ("jv\njav", 2, "already"),
        ("su, loma", 1, "already"),
        ("id", 1, "translated from"),
        ("qab", 1, "needs its name"),
        ("jv, " + "x" * 81, 1, "at most 80"),
        ("jv, a\x00", 1, "at most 80"),
        ("\x00", 1, "no language code"),
        ("\n".join(f"jv, r{n}" for n in range(201)), 201, "more than 200"),
    ],
)
def test_a_line_that_names_no_target_is_named(text, line, reason):
    _, faults = target_lines.parse(text, {"su-loma"}, "id")
    assert [(fault.line, reason in fault.reason) for fault in faults] == [(line, True)]


def test_a_register_of_the_source_is_a_target():
    found, faults = target_lines.parse("id, informal", (), "id")
    assert ([each.key for each in found], faults) == (["id-informal"], [])


def test_the_preset_names_the_targets_of_the_paper():
    """19 languages, three of them in two registers: 22 targets (§3.1)."""
    found, faults = target_lines.parse(loraxbench.PRESET.targets)
    assert faults == []
    assert len(found) == 22
    assert {each.language for each in found} == set(TABLE_1)
    registers = {each.key for each in found if each.register}
    assert registers == {
        "jv-ngoko",
        "jv-krama",
        "su-loma",
        "su-lemes",
        "mad-enja-iya",
        "mad-engghi-ethen",
    }


# --- word lists -------------------------------------------------------------------------


def test_a_word_list():
    text = "kula = aku\r\n\n  badhé=arep = will \n"
    found = (("kula", "aku"), ("badhé", "arep = will"))
    assert word_list.parse(text) == found
    assert word_list.parse(word_list.text_of(found)) == found
    assert word_list.parse(" \n") == ()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("kula = aku\nbadhé", 2, "no equals sign"),
        (" = aku", 1, "must be a word"),
        ("k" * 81 + " = aku", 1, "must be a word"),
        ("k\x00 = aku", 1, "must be a word"),
        ("kula =", 1, "must be words"),
        ("kula = " + "a" * 201, 1, "must be words"),
        ("kula = \x00", 1, "must be words"),
        ("kula = aku\n\nKULA = ingsun", 3, "twice"),
        ("\n".join(f"w{n} = x" for n in range(501)), 501, "more than 500"),
    ],
)
def test_a_line_of_a_word_list_that_cannot_be_is_named(text, line, reason):
    with pytest.raises(WordListError) as caught:
        word_list.parse(text)
    assert (caught.value.line, reason in caught.value.reason) == (line, True)
