"""Accepted files of images and sounds: recognised by their bytes, never by name, and limited in size.

Nothing that a browser would run is among them: no SVG, no HTML.
"""

import io
import re
import unicodedata
import warnings
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from annotation.text.gettext import gettext_noop

# A JPEG with further pictures behind the first is an MPO to the library, which reads it as a JPEG.
IMAGES = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "GIF": "gif", "MPO": "jpg"}
READ_AS = ("JPEG", "PNG", "WEBP", "GIF")
AUDIO = ("mp3", "ogg", "wav", "m4a")
TYPES = {
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "gif": "image/gif",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "m4a": "audio/mp4",
}
MOST_BYTES = {"image": 10 * 1024 * 1024, "audio": 30 * 1024 * 1024}
MOST_PIXELS = 40_000_000
LONGEST_NAME = 200
FOLDER = "media"
# What stands in an item in place of an address: the folder, the SHA-256 of the bytes, their type.
REFERENCE = re.compile(rf"{FOLDER}/([0-9a-f]{{64}})\.({'|'.join(TYPES)})")


class MediaRefused(Exception):
    """A file that cannot be kept: a code, and a sentence with its parameters."""

    def __init__(self, code: str, message: str, **params: Any) -> None:
        super().__init__(message % params)
        self.code, self.message, self.params = code, message, params


class MediaProperties(NamedTuple):
    """What the bytes are: the ending for their type, and of an image its pixels."""

    type: str
    width: int | None = None
    height: int | None = None


def use_of(ending: str) -> str:
    """`image` or `audio`."""
    return TYPES[ending].partition("/")[0]


def reference(sha256: str, ending: str) -> str:
    """How items, pages and releases name a file."""
    return f"{FOLDER}/{sha256}.{ending}"


def original_reference(sha256: str, ending: str) -> str:
    """How what was uploaded is stored beside the file that is shown. No item and no page names it so."""
    return f"{FOLDER}/original-{sha256}.{ending}"


def references(texts: Mapping[str, Any]) -> set[str]:
    """The references among the texts of an item."""
    return {text for text in texts.values() if isinstance(text, str) and REFERENCE.fullmatch(text)}


def name_form(name: str) -> str:
    """A file's name in the form in which names are compared: NFC, without the “./” that some archivers write."""
    parts = unicodedata.normalize("NFC", name).split("/")
    return "/".join(part for part in parts if part != ".")


def check_name(name: str) -> str:
    """The name by which rows call a file: a relative path as ZIP files have it. Raises MediaRefused."""
    name = name_form(name)
    parts = name.split("/")
    if (
        not name
        or len(name) > LONGEST_NAME
        or not name.isprintable()
        or "\\" in name
        or ":" in name
        or any(part in ("", "..") for part in parts)
    ):
        message = gettext_noop("The name is no plain path of at most %(most)s characters: give the file another name.")
        raise MediaRefused("media_name", message, most=LONGEST_NAME)
    return name


def inspect_bytes(data: bytes) -> MediaProperties:
    """Find out what a file is, and refuse what is too large, damaged or of another type. Raises MediaRefused."""
    sound = _audio_ending(data)
    if sound:
        _check_size(data, "audio")
        return MediaProperties(sound)
    return _inspect_image(data)


# What an image is drawn with; everything else that it carries is about its making: places, people, devices.
DRAWING_PROPERTIES = {"icc_profile", "transparency", "background", "gamma", "duration", "loop", "disposal"}
JPEG_SEGMENTS = {0xE0, 0xE2, 0xEE}  # JFIF, colour profile, Adobe's transform
PNG_CHUNKS = {"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "bKGD", "pHYs", "cICP"}
PNG_CHUNKS |= {"acTL", "fcTL", "fdAT"}
WEBP_CHUNKS = {"VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"}


def without_metadata(data: bytes) -> bytes:
    """Returns an image without EXIF, XMP, IPTC, texts, comments and what follows its end, turned as its EXIF says.

    The same bytes where it has none of them. Raises MediaRefused where it cannot be written again.
    """
    from PIL import Image, ImageOps, ImageSequence

    output = io.BytesIO()
    with Image.open(io.BytesIO(data), formats=READ_AS) as image:
        if not (_carries_more(data, str(image.format)) or "comment" in image.info):
            return data
        form = "JPEG" if image.format == "MPO" else str(image.format)
        # A phone's JPEG may have further pictures behind the first: a preview, or one for other screens.
        animated = form != "JPEG" and getattr(image, "n_frames", 1) > 1
        frames = [frame.copy() for frame in ImageSequence.Iterator(image)] if animated else []
        options: dict[str, Any] = {name: image.info[name] for name in ("icc_profile", "loop") if image.info.get(name)}
        if animated:
            options |= {"save_all": True, "append_images": frames[1:]}
            options["duration"] = [frame.info.get("duration", 0) for frame in frames]
        drawn = frames[0] if animated else ImageOps.exif_transpose(image)
        for part in (drawn, *frames):
            part.info = {name: value for name, value in part.info.items() if name in DRAWING_PROPERTIES}
        options |= {"JPEG": {"quality": 95}, "WEBP": {"quality": 95, "lossless": b"VP8L" in data}}.get(form, {})
        try:
            drawn.save(output, form, **options)
        except (OSError, ValueError) as error:
            message = gettext_noop("The image cannot be stored without its metadata: remove them and upload it again.")
            raise MediaRefused("media_metadata", message) from error
    return output.getvalue()


def _carries_more(data: bytes, form: str) -> bool:
    """Whether an image that can be read has parts that nothing is drawn with, or bytes behind its end."""
    if form == "PNG":
        names, end = _chunks(data, 8, "big", name_first=False)
        return bool(names - PNG_CHUNKS) or end < len(data)
    if form == "WEBP":
        names, end = _chunks(data, 12, "little", name_first=True)
        return bool(names - WEBP_CHUNKS) or end < len(data)
    if form == "GIF":
        return not data.rstrip(b"\0").endswith(b";")
    segments, end = _jpeg_segments(data)
    return bool(segments - JPEG_SEGMENTS) or end < len(data)


def _chunks(data: bytes, start: int, order: Literal["big", "little"], *, name_first: bool) -> tuple[set[str], int]:
    """The names of a file's chunks, and where the last one ends. PNG: length, name, content, checksum; WebP (RIFF):
    name, length, content of an even length."""
    names: set[str] = set()
    while start + 8 <= len(data) and "IEND" not in names:
        first, second = data[start : start + 4], data[start + 4 : start + 8]
        name, length = (first, second) if name_first else (second, first)
        names.add(name.decode("latin-1"))
        size = int.from_bytes(length, order)
        start += 8 + size + (size % 2 if name_first else 4)
    return names, start


def _jpeg_segments(data: bytes) -> tuple[set[int], int]:
    """The application and comment segments of a JPEG, and where it ends (ISO 10918-1, annex B)."""
    seen, place = set[int](), 2
    while place + 4 <= len(data):
        if data[place] != 0xFF or data[place + 1] in (0x00, 0xFF, *range(0xD0, 0xD8)):
            place += 1  # coded picture, or filling
        elif data[place + 1] == 0xD9:
            return seen, place + 2
        else:
            kind = data[place + 1]
            if 0xE0 <= kind <= 0xEF or kind == 0xFE:
                seen.add(kind)
            place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return seen, len(data)


def _check_size(data: bytes, use: str) -> None:
    if len(data) > MOST_BYTES[use]:
        message = gettext_noop("The file has more than %(most)s MB: make it smaller.")
        raise MediaRefused("media_too_large", message, most=MOST_BYTES[use] // 1024**2)


def _audio_ending(data: bytes) -> str:
    """The ending for a sound, by the marks that its format begins with; empty where it is none."""
    if data[:4] == b"OggS":
        return "ogg"
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return "wav"
    if data[4:8] == b"ftyp" and data[8:12] in (b"M4A ", b"M4B ", b"mp42", b"isom", b"iso2"):
        return "m4a"
    if data[:3] == b"ID3":
        return "mp3"
    # A frame of MPEG audio, layer III: eleven ones, a version, the layer, a bit rate that there is.
    frame = len(data) > 3 and data[0] == 0xFF and data[1] & 0xE6 == 0xE2 and data[1] & 0x18 != 0x08
    return "mp3" if frame and data[2] & 0xF0 not in (0xF0, 0x00) and data[2] & 0x0C != 0x0C else ""


def _inspect_image(data: bytes) -> MediaProperties:
    # Loaded here alone: few processes ever look at an image.
    from PIL import Image, UnidentifiedImageError

    foreign = gettext_noop(
        "The file is none of JPEG, PNG, WebP, GIF, MP3, OGG, WAV, M4A, or it is damaged: convert it."
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=READ_AS) as image:
                ending, width, height = IMAGES[str(image.format)], image.width, image.height
                _check_size(data, "image")
                if width * height <= MOST_PIXELS:
                    image.load()
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        width = height = MOST_PIXELS
        ending = ""
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError):
        raise MediaRefused("media_type", foreign) from None
    if width * height > MOST_PIXELS:
        message = gettext_noop("The image has more than %(most)s million pixels: make it smaller.")
        raise MediaRefused("media_pixels", message, most=MOST_PIXELS // 1_000_000)
    return MediaProperties(ending, width, height)
