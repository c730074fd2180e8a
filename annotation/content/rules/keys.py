"""Ids that files give: each is a part of addresses, so what no address can carry is refused where it comes in."""

import re

from annotation.text.gettext import gettext_noop as _
from annotation.text.normalise import one_line

# What addresses of the API have after an item's id; a test compares it with the routes.
_ENDING = re.compile(
    r"/(?:comments|flags|proposals|reviews|revisions|verdicts|votes)\Z"
    r"|:(?:accept|adjudicate|approve|close|comment|correct|decline|dispute|exclude|reopen|resubmit|return|revise|save"
    r"|vary|void)\Z"
)
_EMPTY_PART = re.compile(r"(?:\A|/)\.{0,2}(?:/|\Z)")


def id_problem(key: str) -> tuple[str, dict[str, str]] | None:
    """Why an id can stand in no address, in English and translatable, with its parameters; None where it can."""
    if not (key.isascii() and key.isprintable()) and not one_line(key):
        return _("The id has a line break or another control character in it: give it another one."), {}
    if found := _ENDING.search(key):
        message = _("The id ends with “%(ending)s”, as addresses of the API do: give it another one.")
        return message, {"ending": found[0]}
    if _EMPTY_PART.search(key):
        return _("The id is “.” or “..”, or has such a part or none beside a slash: give it another one."), {}
    return None
