"""How texts are compared, refused and suspected. A text itself is stored as given, never altered."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping

# Default_Ignorable_Code_Point of the Unicode Character Database (DerivedCoreProperties.txt).
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]+"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
# The two joiners belong to the spelling of scripts from Arabic to the Indic ones, but to no Latin word.
_ZERO_WIDTH = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\ufeff]|(?<![\u0600-\u1cff\ua800-\uabff])[\u200c\u200d]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Every sign at which a line ends or a tab stops, and the marks that turn the direction without being letters.
_BREAK = re.compile("[\t\n\r\u2028\u2029\u061c\u200e\u200f]")
_REPLACEMENT = re.compile("\ufffd")
_LATIN = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_LOOKALIKE = "\u0370-\u03ff\u0400-\u052f"
_MIXED_SCRIPT = re.compile(f"[{_LATIN}][{_LOOKALIKE}]|[{_LOOKALIKE}][{_LATIN}]")
_COMBINING = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")

# How pandas and numpy write a whole number in a column where some are missing.
_WHOLE_NUMBER = re.compile(r"(-?(?:0|[1-9]\d*))\.0*", re.ASCII)
MOST_COMBINING_MARKS = 4

_PATTERNS = (
    ("bidi_control", _BIDI),
    ("zero_width", _ZERO_WIDTH),
    ("control", _CONTROL),
    ("replacement", _REPLACEMENT),
    ("mixed_script", _MIXED_SCRIPT),
)
SUSPICIONS = (*(code for code, _ in _PATTERNS), "combining_marks", "mixed_forms", "mojibake")
# What a text must hold to have been read in a wrong encoding, which is quickly found: a lead byte's letter before a
# continuation byte's sign, as Latin-1, Windows, MacRoman or DOS code pages show them, or a control of Latin-1.
_CONTINUATION = (
    "\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022"
    "\u2026\u2030\u2039\u203a\u20ac\u2122"
)
# A single class is found fastest: without one of these a text cannot be meant.
MOJIBAKE_LEAD = re.compile("[\u0080-\u009f\u00c2-\u00f4\u0393\u0420\u0421\u201a\u221a\u251c]")
_MAYBE_MOJIBAKE = re.compile(
    f"[\u0080-\u009f]|[\u00c2-\u00f4\u0420\u0421][{_CONTINUATION}]|\u221a\\S|\u201a\u00c4|[\u0393\u251c]\\S"
)


def key_form(text: str, casefold: bool = False) -> str:
    """Give the form under which two texts are the same: NFC, no default-ignorables, no outer whitespace."""
    if not text.isascii():
        # Removing may bring a letter and its mark together, hence NFC afterwards.
        text = unicodedata.normalize("NFC", _IGNORABLE.sub("", text))
    text = text.strip()
    return _fold_case(text) if casefold else text


def _fold_case(text: str) -> str:
    """Fold case without leaving NFC (Unicode, canonical caseless matching, D145)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def label_form(text: str) -> str:
    """Give the form under which a label of a file is recognised: no case, single blanks, `3` for `3.0`."""
    return shorten_number(" ".join(key_form(text, casefold=True).split()))


def shorten_number(text: str) -> str:
    """Give a whole number as it is usually written, `3` for `3.0` and `3.`; any other text as it is."""
    number = _WHOLE_NUMBER.fullmatch(text)
    return number[1] if number else text


def whole_number(value: object) -> int | None:
    """The whole number that a value is: also 3 for 3.0, as pandas writes integers where some are missing."""
    if type(value) is int:
        return value
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53 else None


class LabelWords(dict[str, str]):
    """The key of the label that a word means: by the exact word behind a blank, and by its form (`label_form`).

    `shared`: the forms that fit several labels, with their keys.
    """

    def __init__(self, words_by_key: Mapping[str, Iterable[str]]) -> None:
        fits: dict[str, dict[str, None]] = {}
        for key, words in words_by_key.items():
            for word in (key, *words):
                fits.setdefault(f" {word}", {})[key] = None
                fits.setdefault(label_form(word), {})[key] = None
        super().__init__({form: next(iter(keys)) for form, keys in fits.items() if len(keys) == 1})
        self.update((f" {key}", key) for key in words_by_key)
        self.shared = {form: tuple(keys) for form, keys in fits.items() if len(keys) > 1}


def match_label(text: str, by_form: Mapping[str, str]) -> str | None:
    """Give the key of the one label that a file means, written exactly or in a form of it; None where there is none."""
    if text in by_form.values():
        return text
    return by_form.get(f" {text}") or by_form.get(text) or by_form.get(label_form(text))


def labels_shared_by(text: str, by_form: Mapping[str, str]) -> tuple[str, ...]:
    """The keys of the labels that a word fits where `match_label` gives none because these are several."""
    return by_form.shared.get(label_form(text), ()) if isinstance(by_form, LabelWords) else ()


def storage_problem(text: str) -> str | None:
    """Name what keeps a text out of the database: `nul`, `surrogate`, or None when it can be stored."""
    if "\x00" in text:
        return "nul"
    if not text.isascii() and _SURROGATE.search(text):
        return "surrogate"
    return None


def one_line(text: str) -> bool:
    """Say whether a name is one line of what people see: no line breaks, tabs or other controls, no bidi controls."""
    return not (_CONTROL.search(text) or _BIDI.search(text) or _BREAK.search(text) or _SURROGATE.search(text))


def suspicious(text: str, most_marks: int = MOST_COMBINING_MARKS) -> tuple[str, ...]:
    """Name what a person should look at in a text, by the codes of `SUSPICIONS`; nothing is altered."""
    if text.isascii() and text.isprintable():
        return ()
    codes = [code for code, pattern in _PATTERNS if pattern.search(text)]
    if any(len(run) > most_marks for run in _COMBINING.findall(text)):
        codes.append("combining_marks")
    if _mixes_forms(text):
        codes.append("mixed_forms")
    if meant_text(text):
        codes.append("mojibake")
    return tuple(codes)


def _mixes_forms(text: str) -> bool:
    """Say whether some letters are composed (NFC) and others decomposed (NFD) in one text."""
    return not unicodedata.is_normalized("NFC", text) and not unicodedata.is_normalized("NFD", text)


def meant_text(text: str) -> str:
    """Give what a text probably was before it was read in a wrong encoding (`kafÃ©`); empty where it looks right."""
    if not MOJIBAKE_LEAD.search(text) or not _MAYBE_MOJIBAKE.search(text):
        return ""
    # Loaded for the few texts that need it.
    from ftfy import fix_encoding
    from ftfy.badness import is_bad

    meant = fix_encoding(text) if is_bad(text) else text
    return "" if meant == text else meant


def text_hash(text: str) -> str:
    """What makes two texts the same: NFC without default-ignorables (reliability F34); never stored as text."""
    return hashlib.sha256(key_form(text).encode("utf-8", "surrogatepass")).hexdigest()
