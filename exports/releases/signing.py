"""The keys of this site that sign releases, and what they signed.

A private key lies in the database, sealed under SECRET_KEY as other secrets are. It signs the SHA-256 of a release's
manifest while the release is built. One that was frozen before there was a key is signed when somebody asks for it.
"""

from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.core import sealing
from annotation.core.errors import Conflict
from annotation.core.links import site_link
from annotation.core.models.member import Event
from annotation.files import scratch, storage
from exports.releases.models import Release, SigningKey
from exports.releases.rules.signature import ADDRESS, FIELD, FILE, PublicKey, key_id, new_key, signature_file

USE = "signing releases"


def signing_keys() -> list[SigningKey]:
    """Every key that this site ever had, the newest first."""
    return list(SigningKey.objects.order_by("-pk"))


def key_in_use() -> SigningKey | None:
    """The key that signs now; None where none was made, or SECRET_KEY is another one since."""
    key = SigningKey.objects.filter(ended_at=None).first()
    return key if key is not None and sealing.is_readable(key.private_sealed, USE) else None


def public_keys() -> list[PublicKey]:
    """Every key of this site as verifiers know it."""
    return [PublicKey(key.public_key, key.ended_at, key.revoked_at) for key in signing_keys()]


def signing_key_make(*, rotate: bool = False, revoke: bool = False) -> SigningKey:
    """Make the site's key; with `rotate` in place of the one that it has, whose public half stays listed, with `revoke`
    as one whose signatures count no more.

    Raises Conflict where there is one already, or a release that names it is being built.
    """
    private, public = new_key()
    with transaction.atomic():
        old = SigningKey.objects.select_for_update().filter(ended_at=None).first()
        if old is not None and not rotate:
            raise Conflict(code="signing_key_there")
        if old is not None:
            if Release.objects.filter(state=Release.State.FROZEN, **{f"context__{FIELD}__key": old.key}).exists():
                raise Conflict(code="signing_key_needed")
            SigningKey.objects.filter(pk=old.pk).update(
                private_sealed="", ended_at=Now(), revoked_at=Now() if revoke else None
            )
        made = SigningKey.objects.create(
            key=key_id(public), public_key=public, private_sealed=sealing.seal(private, USE)
        )
        data = {"key": made.key, "ended": old.key if old else ""}
        Event.objects.create(verb="signing_key_made", data=data | ({"revoked": True} if old and revoke else {}))
    return made


def signing_context() -> dict[str, Any]:
    """What a release that is frozen now says of its signature: nothing where there is no key."""
    key = key_in_use()
    if key is None:
        return {}
    return {FIELD: {"key": key.key, "public_key": key.public_key, "keys_at": site_link(ADDRESS)}}


def _signature(key: SigningKey, manifest_sha256: str) -> tuple[bytes, dict[str, Any]]:
    """The file beside the manifest, and what the database keeps of it. Raises KeyLost."""
    data = signature_file(sealing.unseal(key.private_sealed, USE), key.public_key, manifest_sha256)
    return data, {"key": key.key, "rows": 0, "bytes": len(data), "sha256": sha256(data).hexdigest()}


def sign_build(release: Release, manifest_sha256: str) -> tuple[bytes, dict[str, Any]] | None:
    """The signature of a release by the key that it was frozen with; None where that was none.

    Raises Conflict where the key cannot be read.
    """
    named = release.context.get(FIELD)
    if named is None:
        return None
    key = SigningKey.objects.filter(key=named["key"]).exclude(private_sealed="").first()
    if key is None or not sealing.is_readable(key.private_sealed, USE):
        raise Conflict(code="signing_key_lost")
    return _signature(key, manifest_sha256)


def release_sign(release: Release) -> SigningKey:
    """Sign a ready release that has no signature, with the key that the site has now.

    Raises Conflict for one that is not ready, a part of another, signed, or where there is no key.
    """
    key = key_in_use()
    if key is None:
        raise Conflict(code="signing_key_none")
    with transaction.atomic():
        fresh = Release.objects.select_for_update().get(pk=release.pk)
        if fresh.state != Release.State.READY or fresh.whole_id is not None or FILE in fresh.manifest:
            raise Conflict(code="release_not_to_sign")
        data, facts = _signature(key, fresh.manifest["manifest"]["sha256"])
        place = scratch() / f"signature-{release.pk}"
        place.write_bytes(data)
        storage().put(f"{fresh.path}/{FILE}", place)
        Release.objects.filter(pk=fresh.pk).update(manifest={**fresh.manifest, FILE: facts})
        Event.record(fresh.project_id, None, "release_signed", release=fresh.n, key=key.key)
    return key
