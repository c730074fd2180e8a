"""Images and sounds from a ZIP file beside the rows to cards, a release and back; who is shown them."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotation.api.tokens import token_create
from annotation.content.models.item import Hypothesis, Item
from annotation.core.models.project import Project
from annotation.files import storage
from annotation.jobs import queue
from annotation.jobs.models import Job
from annotation.kinds import get
from annotation.media.actions import media_copy, media_keep
from annotation.media.models import MediaFile
from annotation.media.queries import media_read, media_unused, stored_name
from annotation.tasks.rules.reading import read, task_from_plain
from exports.releases.media import MediaPack
from exports.releases.rules.media import check_media
from tests import factory
from tests.annotation.media.files import PHOTO, SOUND, TASK, browser_of, image, mac_zip_file, reference, zip_file
from tests.annotation.tasks.items import make_task_project
from tests.data import CASES, needs_cases
from validation.voting.actions.decide import decide_due

ROWS = (
    "id,photo,photo_alt,sound,sound_alt\n"
    "x1,img/1.jpg,Sebuah perahu,sound.wav,Suara ombak\n"
    "x2,img/none.jpg,Tidak ada,,\n"
    "x3,sound.wav,Suara,,\n"
    "x4,https://media.example.org/1.jpg,Di tempat lain,,\n"
    "x5,img/1.jpg,,,\n"
)


def media() -> bytes:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
    return zip_file([("img/1.jpg", PHOTO), ("sound.wav", SOUND), ("img/2.png", image()), ("img/bad.jpg", svg)])


def test_from_a_zip_file_to_a_release(project: Project, tmp_path: Path) -> None:
    web = browser_of(factory.user(administrator=True))
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
        voter = browser_of(person.user)
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


@pytest.mark.parametrize("case", [False, pytest.param(True, marks=needs_cases)])
def test_rows_find_files_that_macos_packed(project: Project, tmp_path: Path, case: bool) -> None:
    task = read((CASES / "img.yaml").read_text()) if case else task_from_plain(TASK)
    column, project = task.columns[0], make_task_project("", task=task, name="mac")
    (tmp_path / "media.zip").write_bytes(mac_zip_file([("./d\u00e9s/1.jpg", PHOTO), ("2.jpg", image("JPEG"))]))
    names = ["de\u0301s/1.jpg", "./d\u00e9s/1.jpg", "./2.jpg"]
    rows = [{"id": f"x{n}", column: name, f"{column}_alt": "Sebuah perahu"} for n, name in enumerate(names)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    call_command("import_items", project.slug, str(tmp_path / "rows.jsonl"), media=tmp_path / "media.zip")
    found = Hypothesis.objects.order_by("item__key").values_list(f"more__{column}", flat=True)
    assert list(found) == [reference(PHOTO, "jpg")] * 2 + [reference(image("JPEG"), "jpg")]


def test_verify_release_finds_an_image_that_is_another(project: Project, tmp_path: Path) -> None:
    media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    kind, row = get(project.kind), {"photo": reference(PHOTO, "jpg")}
    pack = MediaPack(kind)
    pack.add(row)
    pack.write(project.pk, tmp_path, "")
    check = check_media(tmp_path, kind, "", iter([row]))
    assert check is not None
    assert (check.done, check.wrong) == (1, 0)
    other = reference(b"other", "jpg")
    with zipfile.ZipFile(tmp_path / "media.zip", "w") as file:
        file.writestr(row["photo"], b"another")
    found = check_media(tmp_path, kind, "", iter([row, {"photo": other}]))
    assert found is not None
    assert found.wrong == 2
    (tmp_path / "media.zip").write_bytes(b"torn")
    torn = check_media(tmp_path, kind, "", iter([row]))
    assert torn is not None
    assert torn.wrong == 1


def test_files_are_for_members_alone_and_run_nothing(project: Project) -> None:
    kept = media_keep(project=project, by=None, name="1.jpg", data=PHOTO)
    address = f"/p/{project.slug}/{kept.reference}"
    member, stranger = factory.member(project, "validator"), factory.member(factory.project(), "validator")
    answer = browser_of(member.user).get(address)
    assert b"".join(answer) == PHOTO
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "private" in answer["Cache-Control"]
    assert "max-age=31536000" in answer["Cache-Control"]
    assert browser_of(stranger.user).get(address).status_code == 404
    assert Client().get(address).status_code == 302
    assert browser_of(member.user).get(f"/p/{project.slug}/{reference(b'', 'jpg')}").status_code == 404
    assert browser_of(member.user).get(f"/p/{project.slug}/media/1.jpg").status_code == 404


@pytest.mark.parametrize(
    ("asked", "status", "first", "last"),
    [
        ("bytes=0-9", 206, 0, 9),
        ("bytes=10-", 206, 10, None),
        ("bytes=99999999-", 416, 0, 0),
        ("lines=1", 200, 0, None),
    ],
)
def test_a_player_asks_for_a_part(project: Project, asked: str, status: int, first: int, last: int | None) -> None:
    kept = media_keep(project=project, by=None, name="s.wav", data=SOUND)
    web = browser_of(factory.member(project, "validator").user)
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
    assert len(list(storage().list_names(f"media/{project.pk}"))) == 1


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
    other = make_task_project("", task=task_from_plain(TASK), name="lain")
    media_copy(of=project, to=other, contents=[{"photo": kept.reference, "n": 1}])
    assert [each.name for each in other.media.all()] == ["1.jpg"]
    assert b"".join(media_read(other.pk, kept.reference)) == PHOTO
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
    web = browser_of(user)
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
    answer = web.post(f"/api/v1/projects/{project.slug}/items:batch", body.read(), content_type="application/x-ndjson")
    told = [json.loads(line) for line in b"".join(answer).splitlines()]
    assert [each.get("status") for each in told[:3]] == ["stored", "stored", "refused"]
    assert told[2]["problems"][0]["field"] == "photo"
