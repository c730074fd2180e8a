"""The languages that the text rules know: a file each in this folder, written by hand; see `base` for its entries."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from annotation.text.languages.base import (
    Affixes,
    Language,
    NumberWords,
    Prefix,
    parse_phrases,
    parse_word_values,
    parse_words,
)

__all__ = ["Language", "get", "languages_by_code"]
_WORDS, _PHRASES = ("abbreviations", "stopwords", "quantifiers", "negations"), ("everywhere", "harmless")


@cache
def languages_by_code() -> dict[str, Language]:
    """Give every language that has a file, by each of its codes."""
    languages = (_read(path) for path in sorted(Path(__file__).parent.glob("*.toml")))
    return {code: each for each in languages for code in (each.code, *each.aliases)}


@cache
def get(code: str) -> Language:
    """Find a language by its code; a region, script or register behind `-` or `_` is ignored."""
    main = code.replace("_", "-").partition("-")[0].casefold()
    return languages_by_code().get(main) or Language(main)


def _read(path: Path) -> Language:
    """A language from its file. Superlatives are words, phrases, and adjectives in each of some forms (`ter{}`)."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    adjectives = raw.get("superlative_adjectives", "").split()
    formed = (form.format(each) for form in parse_phrases(raw.get("superlative_forms", "")) for each in adjectives)
    superlatives = parse_words(raw.get("superlatives", "")) | parse_phrases(raw.get("superlative_phrases", ""))
    return Language(
        path.stem,
        tuple(raw.get("aliases", ())),
        tuple(raw["names"]),
        affixes=_affixes(raw["affixes"]) if "affixes" in raw else None,
        letter_folds=raw.get("folds", {}),
        superlatives=superlatives.union(formed),
        numbers=_numbers(raw["numbers"]) if "numbers" in raw else None,
        uses_2_for_reduplication=raw.get("doubling", False),
        **{name: parse_words(raw.get(name, "")) for name in _WORDS},
        **{name: parse_phrases(raw.get(name, "")) for name in _PHRASES},
    )


def _affixes(raw: Mapping[str, Any]) -> Affixes:
    """Affixes; a prefix is `spelled:before,before:restored`, a circumfix `head-tail`, suffixes stand by layer."""
    parts = [(*each.split(":"), "", "")[:3] for each in raw["prefixes"].split()]
    return Affixes(
        tuple(Prefix(head, tuple(filter(None, before.split(","))), lost) for head, before, lost in parts),
        tuple(tuple(layer.split()) for layer in raw["suffixes"]),
        tuple((head, tail) for head, _, tail in (each.partition("-") for each in raw["circumfixes"].split())),
        tuple(raw.get("infixes", "").split()),
        raw["doubled"],
    )


def _numbers(raw: Mapping[str, str]) -> NumberWords:
    words, sizes = parse_word_values(raw["words"]), parse_word_values(raw["sizes"])
    return NumberWords(words, sizes, parse_words(raw.get("teens", "")), parse_words(raw.get("joins", "")))
