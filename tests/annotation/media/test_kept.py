"""Images and sounds that are there: removed where nothing shows them, compared with their rows, previewed."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from annotation.api.tokens import token_create
from annotation.content.models.item import Item
from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.files import storage
from annotation.media.actions import media_keep, media_remove
from annotation.media.models import MediaFile
from annotation.media.queries import media_unused, stored_name
from tests import factory
from tests.annotation.media.files import PHOTO, SOUND, browser_of, image, reference
from validation import integrity
from validation.imports.pipeline import Intake
from validation.review.actions.corrections import correct


def show(project: Project, folder: Path, **row: str) -> None:
    """One item that shows these files."""
    path = folder / "one.jsonl"
    path.write_text(json.dumps({"id": "one", **row}))
    call_command("import_items", project.slug, str(path))


def test_a_file_that_nothing_shows_is_removed(project: Project, tmp_path: Path) -> None:
    shown, unused = (media_keep(project=project, by=None, name=f"{n}.png", data=image(size=(n, 2))) for n in (1, 2))
    again = media_keep(project=project, by=None, name="copy.png", data=image(size=(2, 2)))
    show(project, tmp_path, photo="1.png", photo_alt="Perahu")
    lead, boss = (
        browser_of(factory.member(project, "lead").user),
        browser_of(factory.user(administrator=True)),
    )
    address = f"/p/{project.slug}/media/"
    page = lead.get(address).content.decode()
    assert ("copy.png" in page, "Remove" in page) == (True, False)
    assert lead.post(address, {"unused": "1"}).status_code == 403
    name = shown.reference.removeprefix("media/")
    assert boss.post(address, {"name": name}).status_code == 409
    assert boss.post(address, {"name": unused.reference.removeprefix("media/")}, follow=True).status_code == 200
    assert [each.name for each in project.media.all()] == ["1.png"]
    assert not storage().exists(stored_name(project.pk, again.reference))
    media_keep(project=project, by=None, name="3.png", data=image(size=(3, 2)))
    assert "3.png" in boss.get(address + "?unused=1").content.decode()
    assert "1 file was removed." in boss.post(address, {"unused": "1"}, follow=True).content.decode()
    assert storage().exists(stored_name(project.pk, shown.reference))
    call_command("check_integrity", project.slug)


def test_a_file_is_removed_over_the_api(project: Project) -> None:
    kept = media_keep(project=project, by=None, name="1.png", data=image())
    _, secret = token_create(user=factory.user(administrator=True), name="t", scopes=["manage", "read"])
    web = Client(headers={"authorization": f"Bearer {secret}"})
    address = f"/api/v1/projects/{project.slug}/{kept.reference}/remove"
    assert web.post(address).json() == {"removed": 1}
    assert web.post(address).status_code == 404


def test_a_row_whose_file_was_removed_meanwhile_is_refused(project: Project, tmp_path: Path) -> None:
    kept = media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "a", "photo": "1.jpg", "photo_alt": "Perahu"}))
    intake = Intake.open(project, path, "rows.jsonl")
    (batch,) = intake.batches()
    media_remove(project=project, by=None)
    with transaction.atomic():
        outcome = intake.batch_handler(store=True)(batch)
    assert ([each.code for each in outcome.refused], Item.objects.count()) == (["media_removed"], 0)
    assert media_unused(project) == []
    assert not storage().exists(stored_name(project.pk, kept.reference))


def breaches(project: Project, *, repair: bool = False) -> list[tuple[str, str, str, bool]]:
    found = integrity.run(project=project, repair=repair)
    return [(each.invariant, each.subject, each.what, each.repaired) for each in found]


def test_check_integrity_compares_rows_files_and_hashes(project: Project, tmp_path: Path) -> None:
    gone, torn, shown = (
        media_keep(project=project, by=None, name=f"{n}.png", data=image(size=(n, 2))) for n in (1, 2, 3)
    )
    show(project, tmp_path, photo="3.png", photo_alt="Perahu")
    assert breaches(project) == []
    storage().delete(stored_name(project.pk, gone.reference))
    path = Path(storage().path(stored_name(project.pk, torn.reference)))
    path.write_bytes(b"x" * path.stat().st_size)
    MediaFile.objects.filter(pk=shown.pk).delete()
    stray = reference(PHOTO, "jpg")
    storage().save(stored_name(project.pk, stray), io.BytesIO(PHOTO))
    found = [
        ("M1", "1.png", "the file of a row"),
        ("M3", "2.png", "the hash of its file"),
        *sorted(("M1", each, "the row of a file") for each in (stray, shown.reference)),
    ]
    assert sorted(breaches(project)) == sorted((*each, False) for each in found)
    assert {each[1]: each[3] for each in breaches(project, repair=True)} == {
        "1.png": False,
        "2.png": False,
        stray: True,
        shown.reference: True,
    }
    # The rest is sent again.
    for n in (1, 2):
        media_keep(project=project, by=None, name=f"{n}.png", data=image(size=(n, 2)))
    assert breaches(project) == []
    assert not storage().exists(stored_name(project.pk, stray))
    MediaFile.objects.all().delete()
    storage().delete(stored_name(project.pk, shown.reference))
    assert ("M2", shown.reference, "a file that an item shows", False) in breaches(project)


def test_what_an_image_shows_is_corrected_and_the_image_is_not(project: Project, tmp_path: Path) -> None:
    media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    show(project, tmp_path, photo="1.jpg", photo_alt="Perahu")
    item, lead = Item.objects.get(), factory.member(project, "lead")
    change: Any = {"lead": lead, "item_id": item.pk, "version": item.version, "meaning": "same"}
    with pytest.raises(Invalid):
        correct(field="photo", text="other", **change)
    html = browser_of(lead.user).get(f"/p/{project.slug}/items/{item.pk}/").content.decode()
    assert f'src="/p/{project.slug}/{reference(PHOTO, "jpg")}"' in html
    assert ("Correct: What the image shows" in html, "Correct: Photo" in html) == (True, False)
    correct(field="photo_alt", text="Perahu kecil", **change)
    present = Item.objects.get().hypothesis
    assert present is not None
    assert (present.more or {})["photo_alt"] == "Perahu kecil"


def test_the_preview_of_a_project_shows_its_own_files(project: Project, tmp_path: Path) -> None:
    boss, address = browser_of(factory.user(administrator=True)), f"/p/{project.slug}/task/"
    empty = boss.get(address).content.decode()
    assert ("img/mark" in empty, "audio/example" in empty) == (True, True)
    media_keep(project=project, by=None, name="s.wav", data=SOUND)
    media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    show(project, tmp_path, photo="1.jpg", photo_alt="Perahu merah")
    html = boss.get(address).content.decode()
    assert f"/p/{project.slug}/{reference(PHOTO, 'jpg')}" in html
    assert f"/p/{project.slug}/{reference(SOUND, 'wav')}" in html
    assert "Perahu merah" in html
    typed = boss.get(address + "?as=yaml").context["editor"].text
    sent = boss.post("/projects/new/task/preview/", {"task": typed, "project": project.slug})
    assert reference(PHOTO, "jpg") in sent.content.decode()
