"""The signature beside a manifest, looked at: whose it is, and whether it is one of this manifest.

Pure.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from exports.releases.rules.signature import FIELD, FILE, NOT_SIGNED, PublicKey, is_signed, key_id, signature_bytes
from exports.releases.rules.verify import Check


def check_signature(
    folder: Path, published: Mapping[str, Any], manifest_sha256: str, wanted: Sequence[PublicKey]
) -> tuple[Check, str]:
    """The signature beside a manifest, by the key that it names and, where some are given, by one of those; what is
    to be said of it."""
    check, named = Check("signatures of the manifest"), (published.get(FIELD) or {}).get("key")
    path = folder / FILE
    if not path.is_file():
        if named or wanted:
            check.count(False, f"{FILE}: is missing" + (f"; the key {named} signed this release" if named else ""))
        return check, NOT_SIGNED
    try:
        data = path.read_bytes()
        told = orjson.loads(data)
        key, signature, stated = str(told["public_key"]), str(told["signature"]), str(told["key"])
        right = is_signed(key, signature, manifest_sha256) and stated == key_id(key)
        as_signed = not right or data == signature_bytes(key, signature, manifest_sha256)
    except (ValueError, TypeError, LookupError):
        check.count(False, f"{FILE}: is no signature")
        return check, "a signature that cannot be read"
    check.count(right, f"{FILE}: it is no signature of this manifest by the key {stated}")
    if right:
        check.count(as_signed, f"{FILE}: it tells more, or other things, than a site that signs writes")
    if named:
        same = (stated, key) == (named, published[FIELD]["public_key"])
        check.count(same, f"{FILE}: is of the key {stated}, the manifest names {named}")
    listed = next((known for known in wanted if known.text == key), None)
    if wanted:
        check.count(listed is not None, f"{FILE}: is of the key {stated}, which is none of those that were given")
    if listed and listed.revoked:
        check.count(
            False,
            f"{FILE}: is of the key {stated}, which its site revoked on {listed.revoked:%Y-%m-%d}: somebody else may "
            "have signed with it, on whatever day the release names; take a release that is signed with a newer key",
        )
    if not (right and as_signed):
        return check, "a signature that is not valid"
    ended = f", a key that ended on {listed.ended:%Y-%m-%d}" if listed and listed.ended else ""
    return check, f"signed with the key {stated}{ended}"
