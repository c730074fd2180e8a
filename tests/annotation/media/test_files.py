"""What a file is told by its bytes to be; what is refused, and why; ZIP files that mean no good."""

import io
import zipfile

import pytest

from annotation.media.rules import zip_files as packing
from annotation.media.rules.files import MOST_BYTES, MediaRefused, check_name, inspect_bytes
from tests.annotation.media.files import image, mac_zip_file, sound, zip_file

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (image("JPEG"), "jpg"),
        (image("PNG"), "png"),
        (image("WEBP"), "webp"),
        (image("GIF"), "gif"),
        (sound(), "wav"),
        (b"OggS\0" + bytes(60), "ogg"),
        (b"ID3\x04" + bytes(60), "mp3"),
        (b"\xff\xfb\x90\x00" + bytes(60), "mp3"),
        (b"\0\0\0\x20ftypM4A " + bytes(60), "m4a"),
    ],
)
def test_the_bytes_say_what_a_file_is(data: bytes, ending: str) -> None:
    assert inspect_bytes(data).type == ending


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "media_type"),
        (SVG, "media_type"),
        (b"<!doctype html><script>alert(1)</script>", "media_type"),
        (b"GIF89a<script>alert(1)</script>", "media_type"),
        (image("BMP"), "media_type"),
        (image("TIFF"), "media_type"),
        (image("PNG")[:60], "media_type"),
        (b"RIFF\0\0\0\0AVI " + bytes(60), "media_type"),
        (b"\xff\xfe" + "UTF-16".encode("utf-16-le"), "media_type"),
        (image("PNG", (8000, 5001), mode="1"), "media_pixels"),
        (image("PNG", (20000, 20000), mode="1"), "media_pixels"),
        (image("PNG") + bytes(MOST_BYTES["image"]), "media_too_large"),
        (sound() + bytes(MOST_BYTES["audio"]), "media_too_large"),
    ],
)
def test_what_cannot_be_shown_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(MediaRefused) as refused:
        inspect_bytes(data)
    assert refused.value.code == code


def test_an_image_has_its_pixels() -> None:
    assert inspect_bytes(image(size=(40, 30)))[1:] == (40, 30)


@pytest.mark.parametrize("name", ["a.png", "img/b 1.png", "gambar/é.jpg"])
def test_plain_paths_are_names(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "/etc/passwd", "../a.png", "a/../b.png", "a//b.png", "a\\b.png", "C:a.png", "a\n.png", "x" * 201],
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(MediaRefused):
        check_name(name)


def _members(data: bytes) -> dict[str, str]:
    found = packing.members(io.BytesIO(data))
    return {name: each.code if isinstance(each, MediaRefused) else f"{len(each)}" for name, each in found}


def test_each_member_is_read_by_itself() -> None:
    data = zip_file([("a.png", b"12345"), ("../b.png", b"1"), ("__MACOSX/._a.png", b"1"), ("d/.DS_Store", b"1")])
    assert _members(data) == {"a.png": "5", "../b.png": "media_name"}


def test_names_of_macos_are_those_of_rows() -> None:
    assert check_name("./gambar/./e\u0301.jpg") == "gambar/\u00e9.jpg"
    files = [("./gambar/\u00e9 \u2013 1.jpg", b"12345"), ("\u00fc.png", b"1"), ("polos.png", b"12")]
    assert _members(mac_zip_file(files)) == {"gambar/\u00e9 \u2013 1.jpg": "5", "\u00fc.png": "1", "polos.png": "2"}
    assert _members(zip_file(files)) == _members(mac_zip_file(files))


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    large = zip_file([("zeros.wav", bytes(MOST_BYTES["audio"] + 1)), ("a.png", b"1")])
    assert _members(large) == {"zeros.wav": "media_too_large", "a.png": "1"}
    monkeypatch.setattr(packing, "MOST_UNPACKED", MOST_BYTES["audio"])
    with pytest.raises(MediaRefused, match="in parts"):
        _members(large)
    monkeypatch.undo()
    monkeypatch.setattr(packing, "MOST_FILES", 1)
    with pytest.raises(MediaRefused, match="in parts"):
        _members(large)


def test_a_size_that_lies_is_a_damaged_file() -> None:
    data = bytearray(zip_file([("a.png", bytes(5000))]))
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = (100).to_bytes(4, "little")
    assert _members(bytes(data)) == {"a.png": "zip_damaged"}


def test_what_is_no_zip_file_or_is_torn_is_refused() -> None:
    with pytest.raises(MediaRefused, match="no ZIP file"):
        _members(b"PK\x03\x04 and more")
    torn = bytearray(zip_file([("a.png", image())]))
    torn[45] ^= 0xFF
    assert list(_members(bytes(torn)).values()) == ["zip_damaged"]


def test_a_locked_file_is_refused() -> None:
    data = bytearray(zip_file([("a.png", b"1")]))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    assert zipfile.is_zipfile(io.BytesIO(bytes(data)))
    assert _members(bytes(data)) == {"a.png": "zip_locked"}
