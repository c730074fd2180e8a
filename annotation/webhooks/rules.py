"""How a message to a webhook looks, is signed and is tried again: plain values (standardwebhooks.com, version 1)."""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

PREFIX = "whsec_"
SECRET_BYTES = 32
# How long the secret before the present one still signs.
ROTATION_SECONDS = 24 * 3600
SEND_SECONDS = 10.0
# After a failure that took so long an address waits for the next pass.
SLOW_SECONDS = 2.0
# The pauses before the second, third … attempt; the last one again and again, for three days in all.
PAUSE_SECONDS = (5, 30, 120, 600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600)
MOST_SECONDS = 3 * 24 * 3600
# After so many failures in a row nothing is sent to the address for the first of these pauses, after each further one
# for the next.
MOST_FAILURES = 5
# After so long without a single success a webhook is stopped.
FAILING_SECONDS = 7 * 24 * 3600
STATUS_GONE, STATUS_TOO_MANY = 410, 429
MOST_WEBHOOKS = 10
# What stands in a path as it is (RFC 3986), as Django has it.
UNQUOTED = "/~:@!$&'()*+,;="


def is_about_message(status: int) -> bool:
    """Whether an answer refuses one message, and says nothing about others."""
    return 400 <= status < 500 and status not in (401, 403, 404, 408, STATUS_GONE, 425, STATUS_TOO_MANY)


def new_secret() -> str:
    """A secret as its receiver enters it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def message_id(project: int, n: int) -> str:
    """The id of an event's message, the same for every attempt, so that receivers recognise repeats."""
    return f"msg_{project}_{n}"


def item_path(project: str, key: str) -> str:
    """Where an item is read. Written out: to look it up a job would import every view of the site, for seconds."""
    return f"/api/v1/projects/{project}/items/{quote(key, safe=UNQUOTED)}"


def body(type: str, at: datetime, data: Mapping[str, Any]) -> bytes:
    """What is sent, as the very bytes that are signed."""
    plain = {"type": type, "timestamp": at.isoformat(), "data": dict(data)}
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def signature(secret: str, id: str, seconds: int, sent: bytes) -> str:
    """`v1,` and the HMAC of id, time and body. Raises ValueError for a secret that is none."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("no secret of a webhook") from error
    mac = hmac.digest(key, f"{id}.{seconds}.".encode() + sent, hashlib.sha256)
    return "v1," + base64.b64encode(mac).decode()


def headers(valid: Iterable[str], id: str, seconds: int, sent: bytes) -> dict[str, str]:
    """The headers of one attempt, signed with each secret that is valid."""
    return {
        "webhook-id": id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(signature(secret, id, seconds, sent) for secret in valid),
    }


def pause_before_retry(attempts: int, key: str) -> float:
    """Seconds until the next attempt after so many, spread by a fifth to either side, so that not all come at once."""
    drawn = hashlib.sha256(f"{key}:{attempts}".encode()).digest()[0] / 255
    return PAUSE_SECONDS[min(attempts, len(PAUSE_SECONDS)) - 1] * (0.8 + 0.4 * drawn)


def pause_of_address(failures: int, status: int, asked: float | None, key: str) -> float | None:
    """Seconds for which an address is sent nothing after so many failures in a row; None where others may be sent.

    One that asks for patience gets it at once, for some hours at most.
    """
    patience = 0.0 if asked is None else min(asked, PAUSE_SECONDS[-1])
    series = failures - MOST_FAILURES + 1
    if series < 1 and not patience and status != STATUS_TOO_MANY:
        return None
    return max(patience, pause_before_retry(max(series, 1), key))
