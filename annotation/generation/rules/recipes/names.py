"""Names of persons in a question: changed one for one, so that nothing else can change with them (id-csqa §4.1)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.generation.rules.recipes.answers import Rename
from annotation.generation.rules.recipes.base import Fault
from annotation.generation.rules.recipes.lists import get
from annotation.text import languages
from annotation.text.languages.base import parse_words
from annotation.text.normalise import key_form
from annotation.text.tokens import WORD_END, WORD_START

LONGEST_NAME = 60
# What stands small inside a name: Ludwig van Beethoven, Siti binti Ahmad.
_NAME_PARTICLES = parse_words("al bin binti da de del della der den di do dos el ibn la le ten van von y zu")


def is_name_in(name: str, text: str) -> bool:
    """Whether a name stands in a text as a whole word, as it is written."""
    return bool(name) and re.search(f"{WORD_START}{re.escape(name)}{WORD_END}", text) is not None


def names_in_texts(names: Iterable[str], texts: Sequence[str]) -> list[str]:
    """Those of the names that stand in any of the texts: what a model adds to them is no name of theirs."""
    tidied = (name for name in dict.fromkeys(names) if any(letter.isalpha() for letter in name))
    return [name for name in tidied if any(is_name_in(name, text) for text in texts)]


def looks_like_name(name: str, language: str) -> bool:
    """Whether a word can be a name: it has a letter, and in scripts that have capitals each of its words has one.

    Small words may stand inside it (van, binti). Words that carry no content of their own (Apa, The) are no names,
    wherever they stand.
    """
    words = name.split() or [""]
    small = languages.get(language).stopwords | get(language).small | languages.get("en").stopwords
    return (
        0 < len(name) <= LONGEST_NAME
        and any(letter.isalpha() for letter in name)
        and not any(word[:1].islower() for word in (words[0], *(set(words[1:-1]) - _NAME_PARTICLES), words[-1]))
        and not all(key_form(word, casefold=True).strip(".") in small for word in words)
    )


def rename_fault(names: Sequence[Rename], texts: Sequence[str], language: str) -> Fault | None:
    """A change that is not of a name into a name; one that stands nowhere changes nothing and is passed over."""
    for each in names:
        if not any(is_name_in(each.name, text) for text in texts):
            continue
        if not (looks_like_name(each.name, language) and looks_like_name(each.becomes, language)):
            return Fault("names_only", {"name": each.name, "other": each.becomes})
    return None


def rename_in_text(text: str, names: Sequence[Rename]) -> str:
    """A text with every name changed at once, so that two may change places; longer names go first."""
    becomes = {each.name: each.becomes for each in reversed(names) if each.name}
    if not becomes:
        return text
    longest_first = sorted(becomes, key=lambda name: (-len(name), name))
    pattern = re.compile(f"{WORD_START}(?:{'|'.join(map(re.escape, longest_first))}){WORD_END}")
    return pattern.sub(lambda hit: becomes[hit.group()], text)


def rename_in_content(content: Mapping[str, Any], names: Sequence[Rename]) -> dict[str, Any]:
    """The question and its choices with their names changed; the concept stays."""
    options = [{**each, "text": rename_in_text(str(each["text"]), names)} for each in content["options"]]
    return {**content, "question": rename_in_text(str(content["question"]), names), "options": options}
