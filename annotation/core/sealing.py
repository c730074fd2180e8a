"""Secrets in the database: sealed under a key derived from SECRET_KEY, each for one use, and opened only for that.

The key of an endpoint is bound to the origin that it is sent to, what makes the codes of a second factor to its name.

Fernet and HKDF of `cryptography`. What is sealed holds the origin beside the key, so that a sealed key that is moved
to another endpoint's row opens nothing (reliability.md A45).
"""

import base64
import json
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.encoding import force_bytes

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

LONGEST_KEY = 2000


class KeyLost(Exception):
    """A sealed key cannot be opened: SECRET_KEY is another one, or it was sealed for another origin."""


def _fernet() -> "MultiFernet":
    """Imported when a key is sealed or opened: 9 MiB that no other request or job needs."""
    from cryptography.fernet import Fernet, MultiFernet
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    def derived(secret: str | bytes) -> bytes:
        return HKDF(SHA256(), 32, salt=None, info=b"mufakat: keys of endpoints").derive(force_bytes(secret))

    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(derived(secret))) for secret in secrets])


def seal(key: str, origin: str) -> str:
    """A key as it is stored, for this origin alone."""
    return _fernet().encrypt(json.dumps([origin, key]).encode()).decode()


def unseal(sealed: str, origin: str) -> str:
    """The key, to be sent to this origin. Raises KeyLost."""
    from cryptography.fernet import InvalidToken

    try:
        bound, key = json.loads(_fernet().decrypt(sealed.encode()))
    except (InvalidToken, ValueError):
        raise KeyLost from None
    if bound != origin:
        raise KeyLost
    return str(key)


def is_readable(sealed: str, origin: str) -> bool:
    """Whether the key can still be opened."""
    try:
        unseal(sealed, origin)
    except KeyLost:
        return False
    return True
