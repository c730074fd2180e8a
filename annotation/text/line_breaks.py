"""Line breaks of texts that stand in a form: browsers send each as CRLF, whatever the stored text has.

A field that nobody touched keeps the stored text byte for byte. One that was changed gets the line breaks that the
stored text has throughout, else LF.
"""

import re

_BREAK = re.compile("\r\n|\r|\n")


def plain_breaks(text: str) -> str:
    """The text as a page shows it: every line ends with LF."""
    return _BREAK.sub("\n", text) if "\r" in text else text


def typed_text(sent: str, stored: str = "") -> str:
    """What a form's field says in place of a stored text: that text itself where the field shows it unchanged."""
    plain = plain_breaks(sent)
    if plain == plain_breaks(stored):
        return stored
    only_crlf = "\r\n" in stored and not re.search("(?<!\r)\n|\r(?!\n)", stored)
    return plain.replace("\n", "\r\n") if only_crlf else plain
