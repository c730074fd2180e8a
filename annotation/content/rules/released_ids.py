"""The ids in releases for items whose keys reveal their label (domain.md §10, ruling 24).

A pair's key names its slot, and so its label (`p7-e1`, `10196-c2`), and published files number pairs in the order of
their labels. The key stays in the project; a release gives an id drawn with a secret of the project, which no file
holds: always the same for an item, another one in another project. An id of this form that a file brought was drawn
so before, and stays.
"""

import hmac
import re

DIGITS = 20
_ID_PATTERN = re.compile(rf"[0-9a-f]{{{DIGITS}}}\Z")


def is_released(key: str) -> bool:
    """Whether an id has the form of those that releases give."""
    return _ID_PATTERN.match(key) is not None


def released_id(secret: str, key: str) -> str:
    """The id under which a release gives the item of this key."""
    if is_released(key):
        return key
    message = b"released:" + key.encode("utf-8", "surrogatepass")
    return hmac.digest(secret.encode(), message, "sha256").hex()[:DIGITS]
