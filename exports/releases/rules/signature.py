"""The signature of a release: a site signs the SHA-256 of the manifest, which names every other file by its hash.

Pure. Ed25519 of `cryptography`, which is imported where something is signed or checked.
"""

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson

FILE, ALGORITHM = "manifest.json.sig", "Ed25519"
# Where a site lists its keys; what a manifest says of the key of its release.
ADDRESS = "/.well-known/mufakat-release-keys.json"
FIELD = "signed_with"
NOT_SIGNED = "not signed"
PUBLIC_KEY_OPTION = "--public-key"
PUBLIC_KEY_HELP = f"a key of the site that made it, or a file: PEM, or what the site has at {ADDRESS}"
_KEY_BYTES, _ID_DIGITS = 32, 16
_PEM = re.compile(r"-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----")
# What stands before the key in a PEM file of an Ed25519 key.
_PEM_HEAD = bytes.fromhex("302a300506032b6570032100")


class PublicKey(NamedTuple):
    """A public key in Base64; of a site's list also when it ended, and since when no signature with it counts."""

    text: str
    ended: datetime | None = None
    revoked: datetime | None = None


class KeyUnreadable(ValueError):
    """What was given is no public key; the message says why."""


def statement(manifest_sha256: str) -> bytes:
    """The bytes that are signed: nothing else that a site may ever sign is the same."""
    return f"mufakat release manifest sha256 {manifest_sha256}".encode()


def key_id(public_key: str) -> str:
    """How a key is called: the beginning of its SHA-256."""
    return sha256(base64.b64decode(public_key)).hexdigest()[:_ID_DIGITS]


def new_key() -> tuple[str, str]:
    """A new private key and its public key, both in Base64."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    both = key.private_bytes_raw(), key.public_key().public_bytes_raw()
    private, public = (base64.b64encode(part).decode() for part in both)
    return private, public


def as_pem(public_key: str) -> str:
    """A public key as openssl reads it."""
    data = base64.b64encode(_PEM_HEAD + base64.b64decode(public_key)).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{data}\n-----END PUBLIC KEY-----\n"


def signature_file(private_key: str, public_key: str, manifest_sha256: str) -> bytes:
    """The file that lies beside the manifest; the same key and manifest give the same bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(private_key))
    signature = base64.b64encode(key.sign(statement(manifest_sha256))).decode()
    return signature_bytes(public_key, signature, manifest_sha256)


def signature_bytes(public_key: str, signature: str, manifest_sha256: str) -> bytes:
    """The file with a signature in Base64: no other bytes are one."""
    told = {
        "algorithm": ALGORITHM,
        "key": key_id(public_key),
        "public_key": public_key,
        "signed": statement(manifest_sha256).decode(),
        "signature": base64.b64encode(base64.b64decode(signature)).decode(),
    }
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def is_signed(public_key: str, signature: str, manifest_sha256: str) -> bool:
    """Whether this key signed this manifest."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        key.verify(base64.b64decode(signature, validate=True), statement(manifest_sha256))
    except (InvalidSignature, ValueError):
        return False
    return True


def read_public_keys(given: str) -> list[PublicKey]:
    """The keys that somebody names: in Base64 or hexadecimal, or in a file: PEM, or a site's list of its keys.

    Raises KeyUnreadable.
    """
    text, path = given.strip(), Path(given)
    try:
        if not _is_key(text) and path.is_file():
            text = path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise KeyUnreadable(f"{given}: cannot be read") from None
    if _is_key(text):
        return [PublicKey(_as_base64(text))]
    if match := _PEM.search(text):
        data = base64.b64decode(match[1])
        if data.startswith(_PEM_HEAD) and len(data) == len(_PEM_HEAD) + _KEY_BYTES:
            return [PublicKey(base64.b64encode(data[len(_PEM_HEAD) :]).decode())]
    try:
        keys = [_listed_key(key) for key in json.loads(text)["keys"]]
    except (ValueError, TypeError, LookupError):
        keys = []
    if not keys or not all(_is_key(key.text) for key in keys):
        raise KeyUnreadable(
            f"{given}: is no public key: give it in Base64 or hexadecimal, or a file with it in PEM, or the list that "
            f"the site has at {ADDRESS}"
        )
    return keys


def _listed_key(listed: Mapping[str, Any]) -> PublicKey:
    """A key of a site's list. Raises ValueError, TypeError or LookupError where it is none."""
    ended, revoked = (
        datetime.fromisoformat(listed[name]) if listed.get(name) is not None else None for name in ("to", "revoked")
    )
    return PublicKey(str(listed["public_key"]), ended, revoked)


def _is_key(text: str) -> bool:
    if re.fullmatch(r"[0-9a-fA-F]{64}", text):
        return True
    try:
        return len(base64.b64decode(text, validate=True)) == _KEY_BYTES
    except ValueError:
        return False


def _as_base64(text: str) -> str:
    return base64.b64encode(bytes.fromhex(text)).decode() if len(text) == 2 * _KEY_BYTES else text
