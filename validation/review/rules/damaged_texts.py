"""Texts that a form damaged when it was sent: found in the revisions of an item.

Until 0.2.0 the form that checks a machine-written item put four blanks before each of its texts, again with each
check, and forms sent a line break as LF that was stored as CRLF.
"""

from collections.abc import Iterable

from annotation.text.line_breaks import plain_breaks

INDENT = "    "


def undamaged(texts: Iterable[str]) -> str:
    """What a text would be without that damage: `texts` is what each revision says, the first one undamaged.

    What was typed beside the blanks stays, and so do the blanks that a text had of its own.
    """
    history = iter(texts)
    last = right = next(history)
    own, added = _blanks(right), 0
    for text in history:
        if text == last:
            continue
        if plain_breaks(text) != plain_breaks(last):
            grown = _blanks(text) - _blanks(last)
            added = added + len(INDENT) if grown == len(INDENT) else min(added, max(0, _blanks(text) - own))
            own = _blanks(text) - added
            if plain_breaks(text) != plain_breaks(INDENT + last):
                right = text[added:]
        last = text
    return right


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip(" "))
