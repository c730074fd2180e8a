"""English forms of one word, and whether a concept is something that one does (id-csqa §4.1).

The questions that are adapted are English ones. Languages without tenses say “passed” and “passing” with one word, so
choices that differ in their tense only would be equal afterwards; and a concept that is a verb is asked about in other
words than a thing. Both are told by rules and short lists, without a tagger.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from annotation.text.languages import get
from annotation.text.languages.base import parse_words
from annotation.text.normalise import key_form

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_VOWEL = re.compile("[aeiouy]")
SHORTEST_STEM = 2
_LISTS = tomllib.loads(Path(__file__).with_name("english_verbs.toml").read_text(encoding="utf-8"))
_VERBS, _THINGS = parse_words(_LISTS["verbs"]), parse_words(_LISTS["things"])
_ALONE_THINGS, _IN_THINGS = parse_words(_LISTS["alone_things"]), parse_words(_LISTS["in_things"])
_BASES = {form: verb[0] for verb in map(str.split, _LISTS["irregular"].split("/")) for form in verb}


def is_verb(concept: str) -> bool:
    """Whether a concept is something that one does: it begins with a verb, with `to`, or with a word in -ing.

    A word in -ing that is a thing (string, wedding) is none, nor is a verb that alone is a thing (a drink), or stands
    in the name of one (fish tank, but: fish for trout).
    """
    words = _WORD.findall(key_form(concept, casefold=True))
    if words[:1] == ["to"] and len(words) > 1:
        return True
    first = words[0] if words else ""
    if first.endswith("ing") and len(first) > len("king"):
        return first not in _THINGS
    if first not in _VERBS:
        return False
    if len(words) == 1:
        return first not in _ALONE_THINGS
    return first not in _IN_THINGS or words[1] in get("en").stopwords


@lru_cache(maxsize=16_384)
def bases(word: str) -> frozenset[str]:
    """Everything that an English word (in lower case) may be a form of, itself included."""
    known = _BASES.get(word)
    return frozenset({word, known} if known else {word, *_without_ending(word)})


def _without_ending(word: str) -> Iterator[str]:
    """What is left without an ending: passed and passing, stopped, cried, makes, making."""
    for ending, instead in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ing", "")):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < SHORTEST_STEM or not _VOWEL.search(stem + instead):
            continue
        if ending == "s" and stem.endswith("s"):
            continue
        yield stem + instead
        if ending in ("ed", "ing"):
            yield stem + "e"
            if len(stem) > SHORTEST_STEM and stem[-1] == stem[-2]:
                yield stem[:-1]


def same_but_for_tense(left: str, right: str) -> bool:
    """Whether two English texts are, word for word, forms of the same words."""
    one, other = (_WORD.findall(key_form(text, casefold=True)) for text in (left, right))
    return (
        bool(one)
        and len(one) == len(other)
        and all(bases(mine) & bases(theirs) for mine, theirs in zip(one, other, strict=True))
    )
