"""The Python client against the running server: its README is run, and what it promises is held."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from email import message_from_bytes
from importlib.metadata import distribution, requires
from pathlib import Path

import httpx
import pytest
from django.core.management import call_command
from mufakat_client import (
    ApiError,
    Client,
    DamagedFile,
    NotAllowed,
    NotConnected,
    NotFound,
    Rows,
    Stale,
    UnsafeAddress,
)
from mufakat_client.command import main
from mufakat_client.tokens import keep_token, kept_tokens
from mufakat_client.transport import Transport, checked_address
from packaging.requirements import Requirement

from annotation.api.tokens import token_create
from annotation.content.models.item import Item
from annotation.tasks.rules.templates import templates
from tests import factory
from tests.clients.conftest import finish_background_work

CLIENT = Path(__file__).parents[2] / "clients" / "python"
SOURCES = CLIENT / "src"
pytestmark = pytest.mark.django_db(transaction=True)


def pairs(count: int) -> list[dict[str, str]]:
    """Rows of pairs with the writer's label."""
    return [
        {"pair_id": f"k{n}", "premise": f"Toko {n} buka.", "hypothesis": f"Toko {n} tutup.", "label": "c"}
        for n in range(count)
    ]


def committed(folder: Path) -> Path | None:
    """The client as the commit before the last one has it; None where git has no such commit."""
    git = ["git", "-C", str(CLIENT.parents[1]), "archive", "HEAD~1", "clients/python"]
    packed = subprocess.run(git, capture_output=True, check=False)
    if packed.returncode:
        return None
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder / "clients" / "python"


@pytest.mark.parametrize("which", ["present", "committed"])
def test_the_readme_leads_from_an_empty_server_to_a_verified_release(
    asking: Callable[..., Client], tmp_path: Path, which: str
) -> None:
    """With the client as it is, and as scripts have it that were written for an earlier commit."""
    client = CLIENT if which == "present" else committed(tmp_path)
    if client is None:
        pytest.skip("skipped for want of git, or of a commit before the last: the earlier client cannot be read")
    (script,) = re.findall(r"```python\n(.*?)```", (client / "README.md").read_text("utf-8"), re.S)
    assert len(script.strip().splitlines()) <= 35
    program = [sys.executable, "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(client / "src")}
    with subprocess.Popen(program, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as running:
        until = time.monotonic() + 120
        while running.poll() is None:
            assert time.monotonic() < until
            finish_background_work(0)
        assert running.stdout is not None
        words = running.stdout.read()
    assert running.returncode == 0, words
    assert "settled: True votes: 120" in words
    assert Item.objects.filter(stage="settled", gold="c").count() == 40
    call_command("verify_release", str(tmp_path / "pasar-release"))


def test_pages_errors_and_rows(asking: Callable[..., Client]) -> None:
    client = asking()
    project = factory.project("one")
    factory.premises(project, 250)
    one = client.project("one")
    assert len(list(one.sources.list(limit=100))) == 250
    wrong_pair = {"pair_id": "w", "premise": "", "hypothesis": "Basah.", "label": "e"}
    answers = list(one.items.upsert([*pairs(2), wrong_pair, *pairs(2)], batch=3))
    statuses = ["stored", "stored", "refused", "unchanged", "unchanged"]
    assert [(answer["n"], answer["status"]) for answer in answers] == list(enumerate(statuses, 1))
    assert answers[2]["problems"][0]["field"] == "premise"
    with pytest.raises(NotFound):
        client.project("nowhere").read()
    writer = factory.member(project, "writer").user
    assert writer is not None
    reader = asking(token=token_create(user=writer, name="w", scopes=("read",)).text)
    with pytest.raises(NotAllowed) as refusal:
        list(reader.project("one").items.list())
    assert refusal.value.request_id
    with pytest.raises(ApiError) as wrong:
        client.projects.create(slug="x", name="", preset="none")
    assert wrong.value.field


def test_rows_become_tables(asking: Callable[..., Client], monkeypatch: pytest.MonkeyPatch) -> None:
    factory.project("one")
    one = asking().project("one")
    assert {answer["status"] for answer in one.items.upsert(pairs(130))} == {"stored"}
    told = one.items.list(fields="key,author_label").to_pandas()
    assert told.shape == (130, 2)
    assert list(told["key"])[:2] == ["k0", "k1"]
    exported = one.items.export()
    assert next(exported)["key"] == "k0"
    assert len(exported.to_pandas()) == 129
    assert len(one.votes().to_pandas()) == 0
    for name, make in (("pandas", Rows.to_pandas), ("datasets", Rows.to_datasets)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=rf"mufakat-client\[{name}\]"):
            make(Rows([]))


def test_the_extras_are_imported_when_they_are_asked_for() -> None:
    code = "import sys, mufakat_client.command; print({'pandas', 'datasets'} & sys.modules.keys())"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert told.stdout.strip() == "set()"


def test_insights_are_computed_and_read(asking: Callable[..., Client]) -> None:
    factory.project("one")
    one = asking().project("one")
    list(one.items.upsert(pairs(3)))
    assert one.insights.compute("balance")["state"] == "done"
    read = one.insights.read("balance")
    assert read["up_to_date"]
    assert "balance" in {row["name"] for row in one.insights.list()}
    assert list(one.insights.table("balance")) == read["tables"][0]["rows"]
    assert len(one.insights.table("balance", read["tables"][0]["key"]).to_pandas()) == len(read["tables"][0]["rows"])
    with pytest.raises(KeyError):
        one.insights.table("balance", "none")


def test_a_task_of_ones_own_is_read_and_changed(asking: Callable[..., Client]) -> None:
    project = asking().projects.create(slug="rasa", task=templates()["emotions"])
    read = project.task.read()
    changed = {**read["task"], "name": "Rasa"}
    published = project.task.publish(changed, version=read["version"])
    assert (published["task"]["name"], [each["path"] for each in published["changes"]]) == ("Rasa", ["name"])
    assert [row["n"] for row in project.task.versions()] == [1, 2]
    with pytest.raises(Stale):
        project.task.publish(read["yaml"], version=read["version"])


class Scripted(httpx.BaseTransport):
    """Gives these answers (or failures) first, then the server's own; keeps what was sent."""

    def __init__(self, first: list[int | Exception], real: httpx.Client) -> None:
        self.first, self.real = first, real
        self.seen: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        if not self.first:
            content = request.read()
            build = self.real.build_request
            return self.real.send(build(request.method, request.url, headers=request.headers, content=content))
        answer = self.first.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer, headers={"Retry-After": "7"})

    def close(self) -> None:
        self.real.close()


def scripted(asking: Callable[..., Client], *first: int | Exception) -> tuple[Transport, Scripted]:
    """A transport to the server that is answered like this first."""
    transport = asking().transport
    script = Scripted(list(first), transport.http)
    transport.http = httpx.Client(base_url=transport.url, headers=transport.http.headers, transport=script)
    return transport, script


def test_what_passes_is_tried_again_under_the_same_key(asking: Callable[..., Client]) -> None:
    waits: list[float] = []
    transport, script = scripted(asking, httpx.ConnectError("away"), 503, 429)
    transport.sleep = waits.append
    body = {"slug": "once", "name": "Once", "preset": "indonli-lay"}
    assert transport.post("projects", body)["slug"] == "once"
    assert len({request.headers["Idempotency-Key"] for request in script.seen}) == 1
    assert len(script.seen) == 4
    assert 0 < waits[0] <= 1
    assert waits[1:] == [7.0, 7.0]


def test_it_gives_up_and_says_so(asking: Callable[..., Client]) -> None:
    transport, script = scripted(asking, *[httpx.ConnectError("away")] * 9)
    transport.sleep = lambda seconds: None
    with pytest.raises(NotConnected):
        transport.get("me")
    assert len(script.seen) == 1 + transport.retries


def test_a_download_goes_on_and_a_damaged_file_is_removed(asking: Callable[..., Client], tmp_path: Path) -> None:
    client = asking()
    project = client.projects.create(slug="files", name="Files", preset="indonli-lay", language="id")
    rows = [
        {"pair_id": f"k{n}", "premise": f"Toko {n} buka.", "hypothesis": f"Toko {n} tutup.", "label": "c"}
        for n in range(20)
    ]
    assert {answer["status"] for answer in project.items.upsert(rows)} == {"stored"}
    release = project.releases.freeze(confirm=project.releases.preview()["asks"], preset="indonli-lay")
    (file,) = [each for each in release["files"] if each["path"] == "manifest.json"]
    whole = project.releases.download(release["n"], tmp_path / "whole")
    content = (tmp_path / "whole" / "manifest.json").read_bytes()
    half = tmp_path / "half"
    half.mkdir()
    (half / "manifest.json.part").write_bytes(content[: len(content) // 2])
    again = project.releases.download(release["n"], half)
    assert [path.name for path in again] == [path.name for path in whole]
    assert (half / "manifest.json").read_bytes() == content
    (half / "manifest.json").unlink()
    (half / "manifest.json.part").write_bytes(b"x" * (len(content) // 2))
    with pytest.raises(DamagedFile):
        project.releases.download(release["n"], half)
    assert not (half / "manifest.json").exists()
    assert len(file["sha256"]) == 64


def test_the_command_pushes_and_pulls(
    asking: Callable[..., Client], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    factory.project("one")
    rows = [
        {"pair_id": f"k{n}", "premise": f"Toko {n} buka.", "hypothesis": f"Toko {n} tutup.", "label": "c"}
        for n in range(3)
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["items", "push", "one", str(file)]) == 0
    file.write_text(json.dumps({"pair_id": "k9"}) + "\n")
    assert main(["items", "push", "one", str(file)]) == 1
    file.write_text("nonsense\n")
    assert main(["items", "push", "one", str(file)]) == 1
    capsys.readouterr()
    assert main(["items", "list", "one", "--filter", "fields=key"]) == 0
    assert [json.loads(line)["key"] for line in capsys.readouterr().out.splitlines()] == ["k0", "k1", "k2"]
    assert main(["releases", "pull", "one", "1", str(tmp_path)]) == 1
    assert main(["me"]) == 0


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org", True),
        ("http://127.0.0.1:8000", True),
        ("http://localhost", True),
        ("http://[::1]:1", True),
        ("http://example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("https://me:secret@example.org", False),
        ("example.org", False),
    ],
)
def test_where_a_token_may_go(url: str, safe: bool) -> None:
    if safe:
        assert checked_address(url + "/") == url
    else:
        with pytest.raises(UnsafeAddress):
            checked_address(url)


def test_a_kept_token_is_for_its_address_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own" / "tokens.toml"
    monkeypatch.setenv("MUFAKAT_TOKENS", str(path))
    monkeypatch.delenv("MUFAKAT_URL", raising=False)
    monkeypatch.delenv("MUFAKAT_TOKEN", raising=False)
    keep_token("https://one.example", 'muf_1_a"b\\')
    keep_token("https://two.example/", "muf_2_c")
    assert path.stat().st_mode & 0o777 == 0o600
    assert kept_tokens() == {"https://one.example": 'muf_1_a"b\\', "https://two.example": "muf_2_c"}
    assert Client("https://two.example").transport.http.headers["Authorization"] == "Bearer muf_2_c"
    with pytest.raises(UnsafeAddress):
        Client("https://three.example")
    monkeypatch.setenv("MUFAKAT_URL", "https://one.example")
    monkeypatch.setenv("MUFAKAT_TOKEN", "muf_1_env")
    with pytest.raises(UnsafeAddress):
        Client("https://three.example")


def test_nothing_is_shared_between_threads_but_connections(asking: Callable[..., Client]) -> None:
    client = asking()
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(client.me()["email"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["boss@example.org"] * 8


def needed(wheel: Path) -> set[str]:
    """The distributions that a wheel declares to need, and those that these need; without extras."""
    with zipfile.ZipFile(wheel) as files:
        name = next(each for each in files.namelist() if each.endswith(".dist-info/METADATA"))
        told = message_from_bytes(files.read(name)).get_all("Requires-Dist") or []
    open_, found = list(told), set[str]()
    while open_:
        requirement = Requirement(open_.pop())
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name not in found:
            found.add(requirement.name)
            open_ += requires(requirement.name) or []
    return found


def linked(names: set[str], folder: Path) -> None:
    """These distributions of this environment, and nothing else of it, in a folder."""
    for name in names:
        one = distribution(name)
        for top in {file.parts[0] for file in one.files or () if file.parts[0] not in ("..", "__pycache__")}:
            (folder / top).symlink_to(Path(str(one.locate_file(top))))


def test_the_wheel_is_installed_into_an_empty_environment_and_runs(tmp_path: Path) -> None:
    """Offline: what it declares to need is linked from this environment, and nothing else is there."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=CLIENT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("mufakat_client-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "empty")], check=True, capture_output=True)
    programs = tmp_path / "empty" / "bin"
    quiet = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP"))}
    install = [str(programs / "python"), "-m", "pip", "install", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, env=quiet)
    (packages,) = (tmp_path / "empty" / "lib").glob("python*/site-packages")
    assert (packages / "mufakat_client" / "py.typed").exists()
    linked(needed(wheel), packages)
    shown = subprocess.run([programs / "mufakat", "--help"], check=True, capture_output=True, env=quiet)
    assert b"releases" in shown.stdout
    ask = "import mufakat_client; mufakat_client.Client('http://example.org', 'muf_1_x')"
    refused = subprocess.run([programs / "python", "-c", ask], capture_output=True, env=quiet, check=False)
    assert b"UnsafeAddress" in refused.stderr
