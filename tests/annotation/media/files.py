"""Images and sounds that are made here, small and real."""

import io
import unicodedata
import wave
import zipfile
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from django.test import Client
from PIL import ExifTags, Image


def image(
    form: str = "PNG",
    size: tuple[int, int] = (40, 30),
    colour: str = "teal",
    mode: str = "RGB",
    place: str = "",
    orientation: int = 1,
) -> bytes:
    """An image of one colour; a huge one in mode "1" (a bit a pixel) is made in no time. `place`: in its EXIF."""
    kept, exif = io.BytesIO(), Image.Exif()
    if place:
        exif[ExifTags.Base.ImageDescription], exif[ExifTags.Base.Orientation] = place, orientation
    Image.new(mode, size, colour).save(kept, form, **({"exif": exif} if place else {}))
    return kept.getvalue()


def sound(seconds: int = 1) -> bytes:
    """Silence."""
    kept = io.BytesIO()
    with wave.open(kept, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 8000 * seconds)
    return kept.getvalue()


def zip_file(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A ZIP file."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files:
            file.writestr(name, data)
    return kept.getvalue()


def mac_zip_file(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A ZIP file as macOS packs it: names decomposed, in UTF-8 without the mark that says so, and doubles beside."""
    named = [(unicodedata.normalize("NFD", name), data) for name, data in files]
    doubles = [(f"__MACOSX/._{name}", b"Mac OS X") for name, _ in named]
    packed = bytearray(zip_file([*named, *doubles, ("._.DS_Store", b"1"), (".DS_Store", b"1")]))
    # The second byte of the flags, in each header of a file and in the directory at the end.
    for signature, place in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        at = -1
        while (at := packed.find(signature, at + 1)) >= 0:
            packed[at + place] &= 0xF7
    return bytes(packed)


TASK: dict[str, Any] = {
    "name": "Photos",
    "source": [
        {"key": "photo", "type": "image", "name": "Photo"},
        {"key": "sound", "type": "audio", "name": "Sound", "required": False},
    ],
    "questions": [
        {
            "key": "fits",
            "type": "single",
            "text": "Does it fit?",
            "labels": [{"key": "yes", "name": "Yes"}, {"key": "no", "name": "No"}],
        }
    ],
}
PHOTO, SOUND = image("JPEG"), sound()


def reference(data: bytes, ending: str) -> str:
    return f"media/{sha256(data).hexdigest()}.{ending}"


def browser_of(user: Any) -> Client:
    web = Client()
    web.force_login(user)
    return web
