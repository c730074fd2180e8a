"""How choices are shown to a model, and how its letter is read."""

import re
from collections.abc import Sequence

from annotation.generation.rules.recipes.wording import same
from annotation.kinds.mcq import KEYS

_OUTER = " \t\"'`*([{<>}]).,:;!-–—"
# "B", "(B)", "B. becak", "b) becak": a letter alone, or with a mark behind it; "A rickshaw" names no letter.
_LETTERED = re.compile(r"^[\s\"'`*(\[{<]*([A-Za-z])\s*(?:[.):\]}>*,]|[\"'`]|\s[-–—]\s|$)")


def as_lines(texts: Sequence[str], keys: Sequence[str] = ()) -> str:
    """Texts in lines, behind letters where there are any."""
    if not keys:
        return "\n".join(f"- {text}" for text in texts)
    return "\n".join(f"{key}. {text}" for key, text in zip(keys, texts, strict=False))


def read_letter(answer: str, texts: Sequence[str]) -> int | None:
    """Which of some choices, shown as A, B, …, an answer names: by its letter, else by its whole text; or None."""
    wanted = same(answer)
    by_text = [place for place, text in enumerate(texts) if wanted and same(text) == wanted]
    lettered = _LETTERED.match(answer)
    letter = lettered.group(1).upper() if lettered else answer.strip(_OUTER).upper()
    if letter in KEYS[: len(texts)]:
        return KEYS.index(letter)
    return by_text[0] if by_text else None
