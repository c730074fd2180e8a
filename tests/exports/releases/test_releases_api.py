"""Releases over the API: previewed, frozen once, their files with tag, checksum and parts."""

import hashlib
from typing import Any

import pytest
from django.core.cache import cache

from annotation.core.models.member import Event
from exports.releases.models import Release
from tests import factory
from tests.api import Script, assert_refused, script
from tests.exports.world import Staged, build, staged
from tests.shared_worlds import SharedWorlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(standing: SharedWorlds) -> Staged:
    cache.clear()
    return standing(staged)


@pytest.fixture
def boss(made: Staged) -> Script:
    return script(factory.user(administrator=True))


def body_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_from_preview_to_files(made: Staged, boss: Script) -> None:
    path = f"projects/{made.project.slug}/releases"
    looked = boss.post(f"{path}:preview", {"rules": {"dev_percent": 40}}).json()
    assert looked["rules"]["dev_percent"] == 40
    assert looked["asks"] == ["confirm_shared", "confirm_licence"]
    assert looked["counts"]["released"]
    sent: dict[str, Any] = {"rules": {"dev_percent": 40, "forms": "none"}}
    assert_refused(boss.post(path, sent), 400, "release_unconfirmed")
    sent |= {"confirm_shared": True, "confirm_licence": True}
    answer = boss.post(path, sent, Idempotency_Key="r1")
    assert (answer.status_code, answer.json()["state"], answer.json()["files"]) == (202, "frozen", [])
    assert boss.post(path, sent, Idempotency_Key="r1").json() == answer.json()
    build(Release.objects.get())
    ready = boss.get(f"{path}/1").json()
    assert (ready["state"], ready["rules"]["dev_percent"]) == ("ready", 40)
    for file in ready["files"]:
        got = boss.get(f"{path}/1/files/{file['path']}")
        body = body_of(got)
        assert (hashlib.sha256(body).hexdigest(), len(body)) == (file["sha256"], file["bytes"]), file["path"]
        assert got["ETag"] == f'"{file["sha256"]}"'
    assert Event.objects.filter(verb="release_downloaded").count() == len(ready["files"])
    assert [one["n"] for one in boss.pages(path)] == [1]
    assert_refused(boss.get(f"{path}/1/files/../1/manifest.json"), 404, "not_found")
    assert_refused(boss.get(f"{path}/2"), 404, "not_found")
    _parts(boss, f"{path}/1/files/manifest.json")


def _parts(boss: Script, path: str) -> None:
    whole = boss.get(path)
    body, tag = body_of(whole), whole["ETag"]
    assert boss.get(path, If_None_Match=tag).status_code == 304
    size = len(body)
    for asked, part in (
        ("0-9", body[:10]),
        ("10-", body[10:]),
        ("-7", body[-7:]),
        (f"5-{size * 2}", body[5:]),
    ):
        got = boss.get(path, Range=f"bytes={asked}")
        assert (got.status_code, body_of(got)) == (206, part), asked
        assert got["Content-Range"].endswith(f"/{size}")
        assert int(got["Content-Length"]) == len(part)
    assert boss.get(path, Range=f"bytes={size}-").status_code == 416
    for ignored in ("bytes=-", "lines=1-2", "bytes=1-2,4-5"):
        assert body_of(boss.get(path, Range=ignored)) == body
    assert body_of(boss.get(path, Range="bytes=3-", If_Range='"another"')) == body
    assert body_of(boss.get(path, Range="bytes=3-", If_Range=tag)) == body[3:]


def test_who_may(made: Staged, boss: Script) -> None:
    path = f"projects/{made.project.slug}/releases"
    lead = made.at.lead.user
    assert script(lead, "release").post(f"{path}:preview").status_code == 200
    assert_refused(script(lead, "release").post(path, {}), 403, "forbidden")
    assert_refused(script(lead, "manage").get(path), 403, "scope_missing")
    assert_refused(script(made.at.writer.user).get(path), 403, "forbidden")
    assert_refused(boss.post(f"{path}:preview", {"rules": {"dev_percent": 400}}), 400, "release_rule_wrong")
    assert_refused(boss.post(f"{path}:preview", {"rules": {"no_such": 1}}), 400, "release_rule_wrong")
    assert not Release.objects.exists()
