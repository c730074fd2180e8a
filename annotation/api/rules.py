"""What tokens, cursors and keys look like as text: plain values, no database."""

import base64
import binascii
import hashlib
import secrets
from typing import NamedTuple

PREFIX = "muf"
SECRET_BYTES = 32
SCOPES = ("read", "annotate", "manage", "release")
DEFAULT_DAYS, MOST_DAYS = 90, 365
MOST_TOKENS = 10
# Tokens of people whom an institution signs in work so long after they last signed in there.
MOST_DAYS_SINCE_SIGN_IN = 30
LONGEST_NAME = 80
LONGEST_KEY = 200
# The largest key that any table can have (bigint).
MOST_ID = 2**63 - 1


class TokenText(NamedTuple):
    """A token as its owner has it: `muf_<id>_<secret>`."""

    id: int
    secret: str

    def __str__(self) -> str:
        return f"{PREFIX}_{self.id}_{self.secret}"


def new_secret() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(SECRET_BYTES)


def secret_digest(secret: str) -> str:
    """What is stored of a secret. It is random and long, so that one round of SHA-256 cannot be searched."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def read_token(text: str) -> TokenText | None:
    """The parts of a token; None for a text that is none."""
    prefix, _, rest = text.partition("_")
    number, _, secret = rest.partition("_")
    if prefix != PREFIX or not secret or not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    return TokenText(int(number), secret)


def cursor_of(key: int) -> str:
    """Where a list goes on: behind the row with this key."""
    return base64.urlsafe_b64encode(b"%d" % key).decode().rstrip("=")


def read_cursor(text: str) -> int | None:
    """The key behind which a list goes on; None for a text that is no cursor."""
    try:
        found = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return int(found) if found.isdigit() and int(found) <= MOST_ID else None
