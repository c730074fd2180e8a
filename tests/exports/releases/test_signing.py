"""A site signs the manifests of its releases with a key of its own; what is forged, foreign or missing is noticed."""

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.core.errors import Conflict
from annotation.core.models.member import Event
from annotation.jobs import queue as jobs
from exports.releases.models import Release, SigningKey
from exports.releases.queries import files as listed_files
from exports.releases.rules.signature import ADDRESS, FIELD, FILE, PublicKey, new_key, signature_file
from exports.releases.signing import key_in_use, release_sign, signing_key_make
from exports.releases.verify import verify
from exports.releases.verify_files import MANIFEST, file_sha256
from exports.verify.__main__ import main
from tests import factory
from tests.exports.releases.forger import Forged
from tests.exports.world import Staged, build, contents, folder, freeze, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    return standing(staged, slug="own")


@pytest.fixture
def key() -> SigningKey:
    return signing_key_make()


@pytest.fixture
def signed(made: Staged, key: SigningKey, tmp_path: Path) -> Forged:
    """A copy of a signed release in a forger's hands."""
    return Forged(shutil.copytree(folder(build(freeze(made, no_gold="test"))), tmp_path / "copy"))


def told(command: str, *options: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command(command, *options, stdout=out)
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(Conflict) as conflict:
        act()
    return conflict.value.code


def faults(at: Path, *keys: str) -> list[str]:
    checks = verify(at, files_only=True, public_keys=[PublicKey(key) for key in keys]).checks
    return [fault for check in checks for fault in check.faults]


def test_a_release_is_signed_where_the_site_has_a_key(signed: Forged, key: SigningKey) -> None:
    report = verify(signed.at, public_keys=[PublicKey(key.public_key)])
    assert (report.right, report.signature) == (True, f"signed with the key {key.key}")
    assert report.rebuilt is not None
    assert report.rebuilt.done
    assert signed.manifest[FIELD] == {
        "key": key.key,
        "public_key": key.public_key,
        "keys_at": f"http://testserver{ADDRESS}",
    }
    assert FILE not in signed.manifest["files"]
    card = (signed.at / "README.md").read_text()
    assert key.public_key in card
    assert f"http://testserver{ADDRESS}" in card
    assert not any("whose key" in words for words in report.unchecked)
    assert any("whose key" in words for words in verify(signed.at, files_only=True).unchecked)


def test_without_a_key_nothing_is_signed_and_that_is_said(made: Staged) -> None:
    release = build(freeze(made))
    assert FILE not in contents(folder(release))
    report = verify(folder(release))
    assert (report.right, report.signature) == (True, "not signed")
    code, words = told("verify_release", str(folder(release)))
    assert (code, "Signature: not signed" in words) == (0, True)
    assert faults(folder(release), new_key()[1]) == [f"{FILE}: is missing"]


def _other_manifest(of: Forged, key: SigningKey) -> None:
    of.tell(lambda manifest: manifest["left_out"]["voting"].__setitem__(0, "0" * 20))


def _other_signature(of: Forged, key: SigningKey) -> None:
    """Somebody with another key signs, and leaves the name of the site's key there."""
    private, _ = new_key()
    data = json.loads(signature_file(private, key.public_key, file_sha256(of.at / MANIFEST)))
    (of.at / FILE).write_text(json.dumps(data))


def _foreign_key(of: Forged, key: SigningKey) -> None:
    (of.at / FILE).write_bytes(signature_file(*new_key(), file_sha256(of.at / MANIFEST)))


def _of_another_release(of: Forged, key: SigningKey) -> None:
    told = json.loads((of.at / FILE).read_text())
    (of.at / FILE).write_text(json.dumps({**told, "signature": told["signature"][::-1]}))


def _more_words(of: Forged, key: SigningKey) -> None:
    told = json.loads((of.at / FILE).read_text())
    data = orjson.dumps({**told, "site": "https://example.org"}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    (of.at / FILE).write_bytes(data)


def _other_words(of: Forged, key: SigningKey) -> None:
    of.replace(FILE, "mufakat release manifest", "another release manifest")


@pytest.mark.parametrize(
    ("forge", "noticed"),
    [
        (_more_words, "it tells more, or other things"),
        (_other_words, "it tells more, or other things"),
        (_other_manifest, "it is no signature of this manifest"),
        (_other_signature, "it is no signature of this manifest"),
        (_foreign_key, "the manifest names"),
        (_of_another_release, "it is no signature of this manifest"),
        (lambda of, key: (of.at / FILE).unlink(), "is missing; the key"),
        (lambda of, key: (of.at / FILE).write_text("[]"), "is no signature"),
        (lambda of, key: (of.at / FILE).write_text("{"), "is no signature"),
    ],
    ids=["more", "words", "manifest", "signature", "foreign", "spoilt", "missing", "list", "broken"],
)
def test_what_is_not_signed_by_the_key_is_noticed(signed: Forged, key: SigningKey, forge: Any, noticed: str) -> None:
    """By the files alone, without that anybody names a key."""
    forge(signed, key)
    found = faults(signed.at)
    assert any(fault.startswith(FILE) and noticed in fault for fault in found), found
    assert main([str(signed.at)]) == 1


def test_who_signs_everything_anew_has_another_key(signed: Forged, key: SigningKey, tmp_path: Path) -> None:
    """A forger with our own writers and a key of their own: the site's key tells, in each form in which it is named."""
    private, public = new_key()
    mine = signed.manifest[FIELD] | {"key": "0" * 16, "public_key": public}
    signed.tell(lambda manifest: manifest.update({FIELD: mine}))
    (signed.at / FILE).unlink()
    signed.write_again()
    data = signature_file(private, public, file_sha256(signed.at / MANIFEST))
    mine["key"] = json.loads(data)["key"]
    signed.tell(lambda manifest: manifest.update({FIELD: mine}))
    signed.write_again()
    (signed.at / FILE).write_bytes(signature_file(private, public, file_sha256(signed.at / MANIFEST)))
    assert faults(signed.at) == []
    listed, pem = tmp_path / "keys.json", tmp_path / "key.pem"
    listed.write_bytes(Client().get(ADDRESS).content)
    pem.write_text(told("signing_key", "--pem")[1])
    for given in (key.public_key, str(listed), str(pem)):
        code, words = told("verify_release", str(signed.at), "--files-only", "--public-key", given)
        assert (code, "which is none of those that were given" in words) == (1, True), words
    assert main([str(signed.at), "--public-key", str(listed)]) == 1
    assert main([str(signed.at), "--public-key", "no key"]) == 2


def test_openssl_reads_the_signature(signed: Forged, tmp_path: Path) -> None:
    """What is signed and how is documented: other programs check it."""
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("openssl is not installed")
    data = json.loads((signed.at / FILE).read_text())
    assert data["signed"] == f"mufakat release manifest sha256 {file_sha256(signed.at / MANIFEST)}"
    (tmp_path / "key.pem").write_text(told("signing_key", "--pem")[1])
    (tmp_path / "sig").write_bytes(base64.b64decode(data["signature"]))
    (tmp_path / "text").write_text(data["signed"])
    command = [openssl, "pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "text", "-sigfile", "sig"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_another_key_leaves_the_old_one_listed(made: Staged, key: SigningKey, client: Client) -> None:
    old = build(freeze(made))
    waiting = freeze(made)
    assert refused(lambda: signing_key_make()) == "signing_key_there"
    assert refused(lambda: signing_key_make(rotate=True)) == "signing_key_needed"
    build(waiting)
    code, words = told("signing_key", "--rotate")
    assert (code, key.key in words) == (0, True)
    newer = key_in_use()
    assert newer is not None
    assert newer.key != key.key
    key.refresh_from_db()
    assert key.private_sealed == ""
    keys = client.get(ADDRESS).json()["keys"]
    assert [(each["key"], each["to"] is None) for each in keys] == [(newer.key, True), (key.key, False)]
    assert keys[1]["to"] >= keys[1]["from"]
    assert "private" not in client.get(ADDRESS).content.decode()
    assert verify(folder(old), public_keys=[PublicKey(each["public_key"]) for each in keys]).right
    assert build(freeze(made)).signing_key == newer.key
    assert Event.objects.filter(verb="signing_key_made").count() == 2


def test_what_a_revoked_key_signed_counts_no_more(signed: Forged, key: SigningKey, tmp_path: Path) -> None:
    """Whoever took the private half can sign after the rotation what looks older: the site's own list says no."""
    listed = tmp_path / "keys.json"
    assert told("signing_key", "--revoke")[0] == 1
    assert told("signing_key", "--rotate")[0] == 0
    listed.write_bytes(Client().get(ADDRESS).content)
    code, words = told("verify_release", str(signed.at), "--files-only", "--public-key", str(listed))
    assert (code, "a key that ended on 20" in words) == (0, True), words
    SigningKey.objects.exclude(pk=key.pk).delete()
    SigningKey.objects.filter(pk=key.pk).update(ended_at=None, private_sealed="x")
    code, words = told("signing_key", "--rotate", "--revoke")
    assert (code, ", revoked 20" in words) == (0, True)
    listed.write_bytes(Client().get(ADDRESS).content)
    newer, old = json.loads(listed.read_bytes())["keys"]
    assert ("revoked" in newer, old["revoked"]) == (False, old["to"])
    for options in (["--public-key", str(listed), "--files-only"], []):
        code, words = told("verify_release", str(signed.at), *options)
        assert (code, "which its site revoked on 20" in words) == (1, True), words
    assert main([str(signed.at), "--public-key", str(listed)]) == 1


def test_a_release_of_before_is_signed_when_somebody_asks(made: Staged, client: Client) -> None:
    release = build(freeze(made))
    before = contents(folder(release))
    assert told("sign_release", "own", "1") == (1, told("signing_key")[1].strip())
    key = signing_key_make()
    assert contents(folder(release)) == before
    assert told("sign_release", "own", "1")[0] == 0
    release.refresh_from_db()
    after = contents(folder(release))
    assert {name: data for name, data in after.items() if name != FILE} == before
    report = verify(folder(release), public_keys=[PublicKey(key.public_key)])
    assert (report.right, report.signature) == (True, f"signed with the key {key.key}")
    assert report.rebuilt is not None
    assert [file.sha256 for file in listed_files(release) if file.name == FILE] == [file_sha256(folder(release) / FILE)]
    assert refused(lambda: release_sign(release)) == "release_not_to_sign"
    assert told("sign_release", "own", "9")[0] == 2
    assert not any("whose key" in words for words in verify(folder(release)).unchecked)
    shutil.move(folder(release) / FILE, folder(release).parent / "signature")
    assert (verify(folder(release), files_only=True).right, verify(folder(release)).right) == (True, False)
    shutil.move(folder(release).parent / "signature", folder(release) / FILE)
    assert Event.objects.get(verb="release_signed").data == {"release": 1, "key": key.key}


def test_a_key_that_cannot_be_opened_signs_nothing(made: Staged, key: SigningKey, settings: Any) -> None:
    waiting = freeze(made)
    settings.SECRET_KEY = "another-secret-of-fifty-signs-0123456789abcdefghijk"
    assert FIELD not in freeze(made).context
    assert waiting.job is not None
    assert "SECRET_KEY_FALLBACKS" in jobs.run_here(waiting.job).error
    waiting.refresh_from_db()
    assert waiting.state == Release.State.FAILED
    assert "cannot be opened" in told("signing_key")[1]


def test_page_and_api_tell_the_key(made: Staged, key: SigningKey, client: Client) -> None:
    admin = factory.user("boss@example.org", administrator=True)
    client.force_login(admin)
    release = build(freeze(made))
    page = reverse("release", args=["own", release.n])
    assert key.key in client.get(page).content.decode()
    api = reverse("api_release", args=["own", release.n])
    assert client.get(api).json()["signed_by"] == key.key
    assert FILE in [file["path"] for file in client.get(api).json()["files"]]
    Release.objects.filter(pk=release.pk).update(
        manifest={name: value for name, value in release.manifest.items() if name != FILE}
    )
    assert "Not signed." in client.get(page).content.decode()
    assert client.get(api).json()["signed_by"] == ""
