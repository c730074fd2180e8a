"""Images and sounds from a ZIP file beside the rows to cards, a release and back; who is shown them."""

import io
import json
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotation.api.tokens import token_create
from annotation.content.models.item import Item
from annotation.core.errors import Invalid
from annotation.core.models.project import Project
from annotation.jobs import queue
from annotation.jobs.models import Job
from annotation.kinds import get
from annotation.media.actions import media_copy, media_keep, media_remove
from annotation.media.models import MediaFile
from annotation.media.queries import media_open, media_unused, storage, stored_name
from annotation.tasks.rules.reading import of_plain
from exports.releases.media import MediaPack, media_check
from tests import factory
from tests.annotation.media.files import image, packed, sound
from tests.annotation.tasks.items import project_of
from validation import integrity
from validation.imports.pipeline import Intake
from validation.review.actions.corrections import correct
from validation.voting.actions.decide import decide_due

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
ROWS = (
    "id,photo,photo_alt,sound,sound_alt\n"
    "x1,img/1.jpg,Sebuah perahu,sound.wav,Suara ombak\n"
    "x2,img/none.jpg,Tidak ada,,\n"
    "x3,sound.wav,Suara,,\n"
    "x4,https://media.example.org/1.jpg,Di tempat lain,,\n"
    "x5,img/1.jpg,,,\n"
)


@pytest.fixture
def project(tmp_path: Path, settings: Any, transactional_db: None) -> Project:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    return project_of("", task=of_plain(TASK), name="foto")


def reference(data: bytes, ending: str) -> str:
    return f"media/{sha256(data).hexdigest()}.{ending}"


def web_of(user: Any) -> Client:
    web = Client()
    web.force_login(user)
    return web


def media() -> bytes:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
    return packed([("img/1.jpg", PHOTO), ("sound.wav", SOUND), ("img/2.png", image()), ("img/bad.jpg", svg)])


def test_from_a_zip_file_to_a_release(project: Project, tmp_path: Path) -> None:
    web = web_of(factory.user(administrator=True))
    sent = {
        "file": SimpleUploadedFile("rows.csv", ROWS.encode()),
        "media": SimpleUploadedFile("media.zip", media()),
    }
    page = web.post(f"/p/{project.slug}/import/", sent, follow=True)
    html = page.content.decode()
    assert "3 new, 0 there already, 1 refused" in html
    assert "img/bad.jpg" in html
    assert web.post(page.request["PATH_INFO"] + "start/", {"wish": "take"}).status_code == 302
    queue.run_here(Job.objects.get(kind="import"))
    report = web.get(page.request["PATH_INFO"]).content.decode()
    assert "img/2.png" in report
    refused = web.get(page.request["PATH_INFO"] + "refused.csv")
    told = b"".join(refused).decode().splitlines()[1:]
    assert [line.split(",")[:2] for line in told] == [
        ["3", "photo"],
        ["4", "photo"],
        ["5", "photo"],
        ["6", "photo_alt"],
    ]
    content = Item.objects.get().hypothesis.more
    assert content is not None
    assert (content["photo"], content["sound"]) == (reference(PHOTO, "jpg"), reference(SOUND, "wav"))
    decide_due()
    for person in [factory.member(project, "validator") for _ in range(3)]:
        voter = web_of(person.user)
        html = (page := voter.get(f"/p/{project.slug}/vote/")).content.decode()
        assert 'alt="Sebuah perahu"' in html
        assert "Suara ombak" in html
        assert f'src="/p/{project.slug}/{content["photo"]}"' in html
        assert "1.jpg" not in html
        token = page.context["card"].token
        assert voter.post(f"/p/{project.slug}/vote/{token}/", {"label": "yes"}).status_code == 302
    decide_due()
    out = tmp_path / "out"
    call_command("build_release", project.slug, out=str(out), no_licence=True)
    (row,) = map(json.loads, (out / "test.jsonl").read_text().splitlines())
    with zipfile.ZipFile(out / "media.zip") as file:
        assert file.namelist() == sorted((row["photo"], row["sound"]))
        assert file.read(row["photo"]) == PHOTO
    assert "media.zip" in json.loads((out / "manifest.json").read_text())["files"]
    call_command("verify_release", str(out))
    call_command("check_integrity", project.slug)


def test_verify_release_finds_an_image_that_is_another(project: Project, tmp_path: Path) -> None:
    media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    kind, row = get(project.kind), {"photo": reference(PHOTO, "jpg")}
    pack = MediaPack(kind)
    pack.add(row)
    pack.write(project.pk, tmp_path, "")
    check = media_check(tmp_path, kind, "", iter([row]))
    assert check is not None
    assert (check.done, check.wrong) == (1, 0)
    other = reference(b"other", "jpg")
    with zipfile.ZipFile(tmp_path / "media.zip", "w") as file:
        file.writestr(row["photo"], b"another")
    found = media_check(tmp_path, kind, "", iter([row, {"photo": other}]))
    assert found is not None
    assert found.wrong == 2
    (tmp_path / "media.zip").write_bytes(b"torn")
    torn = media_check(tmp_path, kind, "", iter([row]))
    assert torn is not None
    assert torn.wrong == 1


def test_files_are_for_members_alone_and_run_nothing(project: Project) -> None:
    kept = media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    address = f"/p/{project.slug}/{kept.reference}"
    member, stranger = factory.member(project, "validator"), factory.member(factory.project(), "validator")
    answer = web_of(member.user).get(address)
    assert b"".join(answer) == PHOTO
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "private" in answer["Cache-Control"]
    assert "max-age=31536000" in answer["Cache-Control"]
    assert web_of(stranger.user).get(address).status_code == 404
    assert Client().get(address).status_code == 302
    assert web_of(member.user).get(f"/p/{project.slug}/{reference(b'', 'jpg')}").status_code == 404
    assert web_of(member.user).get(f"/p/{project.slug}/media/1.jpg").status_code == 404


@pytest.mark.parametrize(
    ("asked", "status", "first", "last"),
    [
        ("bytes=0-9", 206, 0, 9),
        ("bytes=10-", 206, 10, None),
        ("bytes=99999999-", 416, 0, 0),
        ("lines=1", 200, 0, None),
    ],
)
def test_a_player_asks_for_a_part(
    project: Project, asked: str, status: int, first: int, last: int | None
) -> None:
    kept = media_keep(project=project, by=None, name="s.wav", data=SOUND)
    web = web_of(factory.member(project, "validator").user)
    answer = web.get(f"/p/{project.slug}/{kept.reference}", headers={"range": asked})
    assert answer.status_code == status
    if status != 416:
        data = b"".join(answer) if answer.streaming else answer.content
        assert data == SOUND[first : None if last is None else last + 1]


def test_a_name_stands_for_one_file(project: Project) -> None:
    first = media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    assert media_keep(project=project, by=None, name="1.jpg", data=PHOTO).pk == first.pk
    with pytest.raises(Exception, match="another name"):
        media_keep(project=project, by=None, name="1.jpg", data=image())
    again = media_keep(project=project, by=None, name="copy.jpg", data=PHOTO)
    assert again.reference == first.reference
    assert len(storage().listdir(str(project.pk))[1]) == 1


def test_what_a_killed_process_left_is_written_again(project: Project) -> None:
    kept = media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    path = Path(storage().path(stored_name(project.pk, kept.reference)))
    path.write_bytes(PHOTO[:5])
    media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    assert path.read_bytes() == PHOTO
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"name": "1.jpg"}, "media_name_once"),
        ({"type": "svg"}, "media_of_a_known_type"),
        ({"size": 0}, "media_size_fits"),
        ({"sha256": "short"}, "media_hash_is_whole"),
        ({"width": 3}, "media_width_with_height"),
    ],
)
def test_the_database_holds_to_it(project: Project, change: dict[str, Any], constraint: str) -> None:
    media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    facts = {"name": "2.jpg", "sha256": "0" * 64, "type": "jpg", "size": 1, **change}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        MediaFile.objects.create(project=project, **facts)


def test_another_project_has_files_of_its_own(project: Project) -> None:
    kept = media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    media_keep(project=project, by=None, name="2.png", data=image())
    other = project_of("", task=of_plain(TASK), name="lain")
    media_copy(of=project, to=other, contents=[{"photo": kept.reference, "n": 1}])
    assert [each.name for each in other.media.all()] == ["1.jpg"]
    with media_open(other.pk, kept.reference) as file:
        assert file.read() == PHOTO
    assert media_unused(other) == ["1.jpg"]
    assert media_unused(other, [kept.reference]) == []


def test_the_command_takes_both(project: Project, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "media.zip").write_bytes(media())
    for dry_run in (True, False):
        with pytest.raises(CommandError, match="rows refused: 4"):
            call_command(
                "import_items",
                project.slug,
                str(tmp_path / "rows.csv"),
                media=tmp_path / "media.zip",
                dry_run=dry_run,
            )
        told = capsys.readouterr()
        assert "img/bad.jpg" in told.err
        assert "that no item shows: img/2.png" in told.out
    assert Item.objects.count() == 1


def test_over_the_api(project: Project) -> None:
    user = factory.user(administrator=True)
    web = web_of(user)
    _, secret = token_create(user=user, name="t", scopes=["manage", "read"])
    web = Client(headers={"authorization": f"Bearer {secret}"})
    address = f"/api/v1/projects/{project.slug}/media"
    made = web.post(address, {"file": SimpleUploadedFile("1.jpg", PHOTO)})
    assert made.status_code == 201
    assert made.json()["reference"] == reference(PHOTO, "jpg")
    assert web.post(address, {"file": SimpleUploadedFile("1.jpg", image())}).status_code == 400
    assert web.get(address).json()["results"][0]["name"] == "1.jpg"
    lines = [
        {"id": "a", "photo": "1.jpg", "photo_alt": "Perahu"},
        {"id": "b", "photo": reference(PHOTO, "jpg"), "photo_alt": "Perahu lain"},
        {"id": "c", "photo": reference(b"", "jpg"), "photo_alt": "Tidak ada"},
    ]
    body = io.BytesIO("\n".join(map(json.dumps, lines)).encode())
    answer = web.post(
        f"/api/v1/projects/{project.slug}/items:batch", body.read(), content_type="application/x-ndjson"
    )
    told = [json.loads(line) for line in b"".join(answer).splitlines()]
    assert [each.get("status") for each in told[:3]] == ["stored", "stored", "refused"]
    assert told[2]["problems"][0]["field"] == "photo"


def show(project: Project, folder: Path, **row: str) -> None:
    """One item that shows these files."""
    path = folder / "one.jsonl"
    path.write_text(json.dumps({"id": "one", **row}))
    call_command("import_items", project.slug, str(path))


def test_a_file_that_nothing_shows_is_removed(project: Project, tmp_path: Path) -> None:
    shown, unused = (
        media_keep(project=project, by=None, name=f"{n}.png", data=image(size=(n, 2))) for n in (1, 2)
    )
    again = media_keep(project=project, by=None, name="copy.png", data=image(size=(2, 2)))
    show(project, tmp_path, photo="1.png", photo_alt="Perahu")
    lead, boss = web_of(factory.member(project, "lead").user), web_of(factory.user(administrator=True))
    address = f"/p/{project.slug}/media/"
    page = lead.get(address).content.decode()
    assert ("copy.png" in page, "Remove" in page) == (True, False)
    assert lead.post(address, {"unused": "1"}).status_code == 403
    name = shown.reference.removeprefix("media/")
    assert boss.post(address, {"name": name}).status_code == 409
    assert (
        boss.post(address, {"name": unused.reference.removeprefix("media/")}, follow=True).status_code == 200
    )
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
        outcome = intake.taker(store=True)(batch)
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
    html = web_of(lead.user).get(f"/p/{project.slug}/items/{item.pk}/").content.decode()
    assert f'src="/p/{project.slug}/{reference(PHOTO, "jpg")}"' in html
    assert ("Correct: What the image shows" in html, "Correct: Photo" in html) == (True, False)
    correct(field="photo_alt", text="Perahu kecil", **change)
    present = Item.objects.get().hypothesis
    assert present is not None
    assert (present.more or {})["photo_alt"] == "Perahu kecil"


def test_the_preview_of_a_project_shows_its_own_files(project: Project, tmp_path: Path) -> None:
    boss, address = web_of(factory.user(administrator=True)), f"/p/{project.slug}/task/"
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
