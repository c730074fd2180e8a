"""One contract for both stores: a folder, and an object store over HTTP."""

import hashlib
import threading
import urllib.request
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from annotation.files import FileStore, LocalFiles, storage_at
from annotation.files.object_store import PART_BYTES


@pytest.fixture(params=["folder", "objects"])
def store(request: pytest.FixtureRequest, tmp_path: Path, settings: object) -> FileStore:
    settings.MUFAKAT_DATA_DIR = tmp_path / "scratch"  # type: ignore[attr-defined]
    if request.param == "folder":
        return LocalFiles(tmp_path / "store")
    return storage_at(request.getfixturevalue("s3_url"))


def a_file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_file_is_stored_read_replaced_and_deleted(store: FileStore, tmp_path: Path) -> None:
    store.put("imports/a", a_file(tmp_path, "up", b"0123456789"))
    assert store.exists("imports/a")
    assert b"".join(store.read("imports/a")) == b"0123456789"
    assert b"".join(store.read("imports/a", 3, 4)) == b"3456"
    assert b"".join(store.read("imports/a", 8)) == b"89"
    assert b"".join(store.read("imports/a", 0, 0)) == b""
    assert store.sha256("imports/a") == hashlib.sha256(b"0123456789").hexdigest()
    with store.local_copy("imports/a") as path:
        assert path.read_bytes() == b"0123456789"
    assert store.save("imports/a", ContentFile(b"other")) == "imports/a"
    assert b"".join(store.read("imports/a")) == b"other"
    store.delete("imports/a")
    assert not store.exists("imports/a")
    assert list(store.list_names("imports")) == []


def test_what_is_not_there(store: FileStore) -> None:
    with pytest.raises(FileNotFoundError):
        store.read("imports/none")
    with pytest.raises(FileNotFoundError), store.local_copy("imports/none"):
        pass
    with pytest.raises(FileNotFoundError):
        store.sha256("imports/none")
    assert not store.exists("imports/none")
    assert list(store.list_names("none")) == []
    store.delete("imports/none")


def test_a_folder_is_stored_in_place_of_the_one_before(store: FileStore, tmp_path: Path) -> None:
    for n, names in enumerate((("card.md", "nli/train.jsonl", "old.csv"), ("card.md", "nli/train.jsonl"))):
        folder = tmp_path / f"built-{n}"
        for name in names:
            a_file(folder, name, f"{n}:{name}".encode())
        ticks: list[int] = []
        store.put_folder("releases/one-1", folder, lambda ticks=ticks: ticks.append(1))  # type: ignore[misc]
        assert ticks
        assert sorted(store.list_names("releases")) == [f"releases/one-1/{name}" for name in names]
    assert b"".join(store.read("releases/one-1/card.md")) == b"1:card.md"
    assert list(store.list_names("releases/one")) == []


def test_a_job_hears_of_an_upload_that_takes_long(s3_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lease ends otherwise while one large file is on its way."""
    store, heard = storage_at(s3_url), threading.Event()
    put = store.put

    def slow(name: str, path: Path) -> None:
        assert heard.wait(30)
        put(name, path)

    monkeypatch.setattr(store, "put", slow)
    a_file(tmp_path / "folder", "large", b"x")
    store.put_folder("releases/slow-1", tmp_path / "folder", heard.set)
    assert b"".join(store.read("releases/slow-1/large")) == b"x"


def test_no_name_leads_out_of_the_store(store: FileStore, tmp_path: Path) -> None:
    path = a_file(tmp_path, "up", b"x")
    with pytest.raises(Exception, match=r"denied|located outside"):
        store.put("../../etc/x", path)


def test_a_large_file_goes_in_parts(s3_url: str, tmp_path: Path) -> None:
    """Each part has a checksum that the store compares."""
    data = bytes(range(256)) * (PART_BYTES // 256) + b"the last part"
    store = storage_at(s3_url)
    store.put("releases/large", a_file(tmp_path, "up", data))
    assert store.sha256("releases/large") == hashlib.sha256(data).hexdigest()
    head = store.bucket.meta.client.head_object(  # type: ignore[attr-defined]
        Bucket=store.bucket_name,  # type: ignore[attr-defined]
        Key="site/releases/large",
        ChecksumMode="ENABLED",
    )
    assert head["ETag"].strip('"').endswith("-2")


def test_addresses_are_signed_end_and_name_the_file(s3_url: str, tmp_path: Path) -> None:
    store = storage_at(s3_url)
    store.put("releases/one-1/test.jsonl", a_file(tmp_path, "up", b"{}\n"))
    link = store.download_url(
        "releases/one-1/test.jsonl", kept_as="one-1-test.jsonl", content_type="application/x-ndjson"
    )
    assert link is not None
    assert "X-Amz-Expires=300" in link
    assert "secret-of-the-test" not in link
    with urllib.request.urlopen(link) as answer:  # noqa: S310 - the server of this test
        assert answer.read() == b"{}\n"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="one-1-test.jsonl"'
        assert answer.headers["Content-Type"] == "application/x-ndjson"
    inside = storage_at(f"{s3_url}&links=no")
    assert inside.download_url("releases/one-1/test.jsonl", kept_as="x", content_type="text/plain") is None


def test_a_store_that_does_not_answer_is_an_os_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In words without its address and keys."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
    monkeypatch.setattr("annotation.files.object_store.TRIES", 1)
    store = storage_at("s3://gone?endpoint=http://127.0.0.1:1&region=us-east-1")
    with pytest.raises(OSError, match=r"^the object store does not answer: \w+$"):
        store.put("imports/a", a_file(tmp_path, "up", b"x"))
    with pytest.raises(OSError, match="does not answer"):
        list(store.list_names("imports"))
    storage_at.cache_clear()


def test_a_bucket_that_is_not_there_is_an_os_error(s3_server: str, s3_url: str, tmp_path: Path) -> None:
    store = storage_at(f"s3://nobodys?endpoint={s3_server}&region=us-east-1")
    with pytest.raises(OSError, match=r"the object store refuses|NoSuchBucket|does not answer"):
        store.put("imports/a", a_file(tmp_path, "up", b"x"))
