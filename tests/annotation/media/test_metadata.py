"""What a camera writes into an image reaches nobody who annotates: the original is kept for administrators."""

import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from PIL import ExifTags, Image, ImageSequence, PngImagePlugin

from annotation.core.models.project import Project
from annotation.media.actions import media_keep, media_remove
from annotation.media.models import MediaFile
from annotation.media.rules.files import inspect_bytes, without_metadata
from tests import factory
from tests.annotation.media.files import image

PLACE = "Jalan Melati 7, Garut"


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_metadata_go_and_the_picture_stays(form: str) -> None:
    before = image(form, place=PLACE)
    after = without_metadata(before)
    assert PLACE.encode() in before
    assert PLACE.encode() not in after
    assert not opened(after).getexif()
    assert (opened(after).format, opened(after).size) == (form, (40, 30))
    assert without_metadata(after) == after


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF"])
def test_without_metadata_every_byte_stays(form: str) -> None:
    assert without_metadata(image(form)) == image(form)


def test_the_orientation_is_applied() -> None:
    assert opened(without_metadata(image("JPEG", size=(40, 30), place=PLACE, orientation=6))).size == (30, 40)


def test_texts_of_png_and_comments_of_gif_go() -> None:
    texts, kept = PngImagePlugin.PngInfo(), io.BytesIO()
    texts.add_itxt("Author", PLACE)
    Image.new("RGB", (4, 3)).save(kept, "PNG", pnginfo=texts)
    moving = io.BytesIO()
    frames = [Image.new("RGB", (4, 3), colour) for colour in ("red", "green", "blue")]
    frames[0].save(
        moving, "GIF", save_all=True, append_images=frames[1:], duration=[10, 20, 30], comment=PLACE.encode()
    )
    for data in (kept.getvalue(), moving.getvalue()):
        assert PLACE.encode() in data
        assert PLACE.encode() not in without_metadata(data)
    drawn = ImageSequence.Iterator(opened(without_metadata(moving.getvalue())))
    assert [frame.info["duration"] for frame in drawn] == [10, 20, 30]


def test_what_phones_add_goes() -> None:
    """A second picture behind the first (MPF), an author in a segment of its own (C2PA), a film behind the end."""
    exif, several = Image.Exif(), io.BytesIO()
    exif[ExifTags.Base.Orientation] = 6
    pictures = [Image.new("RGB", (40, 30), colour) for colour in ("red", "blue")]
    Image.init()
    pictures[0].save(several, "MPO", save_all=True, append_images=pictures[1:], exif=exif)
    plain = image("JPEG")
    author = plain[:2] + b"\xff\xeb" + (len(PLACE) + 2).to_bytes(2, "big") + PLACE.encode() + plain[2:]
    for data, size in ((several.getvalue(), (30, 40)), (author, (40, 30)), (plain + PLACE.encode(), (40, 30))):
        found = inspect_bytes(without_metadata(data))
        assert (found.type, (found.width, found.height)) == ("jpg", size)
        assert PLACE.encode() not in without_metadata(data)
        assert without_metadata(without_metadata(data)) == without_metadata(data)
    assert inspect_bytes(several.getvalue()).type == "jpg"
    for form in ("PNG", "WEBP"):
        assert PLACE.encode() not in without_metadata(image(form) + PLACE.encode())


def test_what_was_lossless_and_how_often_it_plays_stay() -> None:
    exif, still, moving = Image.Exif(), io.BytesIO(), io.BytesIO()
    exif[ExifTags.Base.ImageDescription] = PLACE
    noise = Image.effect_noise((16, 16), 80).convert("RGB")
    noise.save(still, "WEBP", lossless=True, exif=exif)
    assert opened(without_metadata(still.getvalue())).convert("RGB").tobytes() == noise.tobytes()
    noise.save(moving, "WEBP", save_all=True, append_images=[Image.new("RGB", (16, 16))], loop=3, exif=exif)
    assert opened(without_metadata(moving.getvalue())).info["loop"] == 3


def test_colours_stay() -> None:
    profile, kept = b"a profile of colours", io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = PLACE
    Image.new("RGB", (4, 3)).save(kept, "JPEG", exif=exif, icc_profile=profile)
    assert opened(without_metadata(kept.getvalue())).info["icc_profile"] == profile


def content(client: Client, address: str) -> bytes:
    answer: Any = client.get(address)
    assert answer.status_code == 200, address
    return answer.content if not answer.streaming else b"".join(answer.streaming_content)


def test_members_see_the_picture_and_administrators_may_take_the_original(project: Project) -> None:
    data = image("JPEG", place=PLACE)
    file = media_keep(project=project, by=None, name="a.jpg", data=data)
    assert media_keep(project=project, by=None, name="a.jpg", data=data) == file
    shown = reverse("media", args=[project.slug, file.reference.removeprefix("media/")])
    original = reverse("media_original", args=[project.slug, file.pk])
    for role in ("validator", "lead", "administrator"):
        client, user = Client(), factory.user(administrator=role == "administrator")
        if role != "administrator":
            factory.member(project, role, account=user)
        client.force_login(user)
        assert PLACE.encode() not in content(client, shown)
        if role == "administrator":
            assert content(client, original) == data
            assert original in client.get(reverse("media_files", args=[project.slug])).content.decode()
        else:
            assert client.get(original).status_code == 403
    media_remove(project=project, by=None)
    assert not MediaFile.objects.exists()
    assert [path for path in (project_folder(project)).rglob("*") if path.is_file()] == []


def project_folder(project: Project) -> Any:
    from pathlib import Path

    from django.conf import settings

    return Path(settings.MUFAKAT_DATA_DIR) / "media"


def test_a_file_without_metadata_has_no_original(project: Project) -> None:
    file = media_keep(project=project, by=None, name="a.png", data=image())
    client = Client()
    client.force_login(factory.user(administrator=True))
    assert file.original_sha256 == ""
    assert client.get(reverse("media_original", args=[project.slug, file.pk])).status_code == 404
