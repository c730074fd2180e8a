"""What changed between two texts, word by word, for a person who reads revisions side by side."""

import re

from annotation.text.differences import Part, piece_parts

__all__ = ["Part", "differences"]

# A word or a mark with the blanks before it: what is marked reads as it was written.
_PIECE = re.compile(r"\s*\w+|\s*[^\w\s]|\s+")


def differences(before: str, after: str) -> list[Part]:
    """Give (operation, text) parts; equal and inserted ones join to `after`, equal and deleted ones to `before`."""
    return piece_parts(_PIECE.findall(before), _PIECE.findall(after))
