"""What differs between two texts, in words, for people to read."""

import re
from difflib import SequenceMatcher

Part = tuple[str, str]
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
# Above this a line is shown as replaced whole: comparing words costs the product of both lengths.
MOST_WORDS = 2000


def _pieces(old: list[str], new: list[str]) -> list[Part]:
    parts: list[Part] = []
    for op, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op == "equal":
            parts.append(("equal", "".join(old[a:b])))
            continue
        if b > a:
            parts.append(("delete", "".join(old[a:b])))
        if d > c:
            parts.append(("insert", "".join(new[c:d])))
    return parts


def text_parts(old: str, new: str) -> list[Part]:
    """Parts (op, text), op one of equal, insert, delete; inserted and equal parts joined give `new`.

    Lines first, then the words of lines that changed.
    """
    parts: list[Part] = []
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    for op, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        left, right = "".join(before[a:b]), "".join(after[c:d])
        if op == "equal":
            parts.append(("equal", left))
            continue
        words = _WORDS.findall(left), _WORDS.findall(right)
        if op == "replace" and len(words[0]) <= MOST_WORDS and len(words[1]) <= MOST_WORDS:
            parts += _pieces(*words)
        else:
            parts += [(kind, text) for kind, text in (("delete", left), ("insert", right)) if text]
    return parts
