"""Parts of a text that no translator changes: names of variables, tags, addresses."""

import re
from collections import Counter

# Each bounded, so that time grows with the text whatever it holds.
PLACEHOLDER = re.compile(
    r"""
    https?://[^\s<>"']+ | www\.[^\s<>"']+
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}
    | \{\{?[^{}\n]{0,40}\}\}?
    | %(?:\(\w{1,40}\)|[1-9]\$)?[sd](?!\w)
    | \[[A-Z][A-Z0-9_]{1,40}\]
    | </?[A-Za-z][^<>\n]{0,80}>
    """,
    re.VERBOSE,
)
_ENDS_A_SENTENCE = ".,;:!?)"


def placeholders(text: str) -> Counter[str]:
    """The placeholders of a text and how often each stands there; what ends the sentence is no part of an address."""
    return Counter(hit.rstrip(_ENDS_A_SENTENCE) for hit in PLACEHOLDER.findall(text))


def without_placeholders(text: str) -> str:
    """The text with a blank in the place of each."""
    return PLACEHOLDER.sub(" ", text)
