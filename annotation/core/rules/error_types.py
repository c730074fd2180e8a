"""The error types that a project returns items for: a text that leads can edit, one a line (domain.md §5).

A line is `code: words`. The code is kept with every return, so that counts go on when the words are changed; the
words are the team's own and are shown as they are. Blank lines mean nothing; an empty text means the kind's list.
"""

import re
from functools import lru_cache

from annotation.core.rules.fields import FieldError
from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import storage_problem

CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_CODE = 40
LONGEST_WORDS = 120
MOST_TYPES = 40


@lru_cache(maxsize=64)
def parse(text: str) -> tuple[tuple[str, str], ...]:
    """Read the list: code and words, in its order. Raises `FieldError` for the first line that is wrong."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        code, colon, words = (part.strip() for part in line.partition(":"))
        reason = _line_problem(code, colon, words) or (
            _("line %(line)d: this code is used twice") if code in found else ""
        )
        if not reason and len(found) == MOST_TYPES:
            reason = _("line %(line)d: there are more than 40 error types")
        if reason:
            raise FieldError("", reason, line=number)
        found[code] = words
    return tuple(found.items())


def _line_problem(code: str, colon: str, words: str) -> str:
    """Say what is wrong with one line; empty where nothing is."""
    if not colon:
        return _("line %(line)d: has no colon: write a code, a colon, and what it is called")
    if not CODE.fullmatch(code) or len(code) > LONGEST_CODE:
        return _("line %(line)d: the code must be small letters, digits and hyphens, at most 40")
    if not words or len(words) > LONGEST_WORDS or storage_problem(words):
        return _("line %(line)d: after the colon there must be words, at most 120 characters")
    return ""


def text_of(types: tuple[tuple[str, str], ...]) -> str:
    """Write a list as the text that `parse` reads."""
    return "\n".join(f"{code}: {words}" for code, words in types)
