"""Fixtures that all tests share: a browser, pages that may not leave the machine, a real worker."""

import gc
import math
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as properties
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests import services, speedups
from tests.shared_worlds import SharedWorlds
from tests.wait import wait_until as poll

# Properties are looked for in the same places on every run, however busy the machine is. Here, before any module of
# tests is read: `@given` keeps the profile that is in force where it stands.
properties.register_profile(
    "house", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
properties.load_profile("house")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """While thousands of tests are collected nothing becomes garbage that would be worth looking for."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """What was imported stays: looking through it for what is not used any more took a twentieth of all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


# Folders whose files take longest by the test: run first, so that all workers end together.
LONG = ("faults", "flows", "conventions", "clients", "exports")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first; within a file the tests of one standing world follow each other: a test without one would end
    it between them, and the next would make it anew."""
    place: dict[Path, tuple[int, int]] = {}
    for item in items:
        folder = "".join(item.nodeid.split("/")[1:2])
        place.setdefault(item.path, (LONG.index(folder) if folder in LONG else len(LONG), len(place)))
    items.sort(key=lambda item: (place[item.path], "standing" not in getattr(item, "fixturenames", ())))


@pytest.fixture
def wait_until() -> Callable[..., Any]:
    """`wait_until(predicate, deadline=60)`: polls until true, returns the value, fails at the deadline."""
    return poll


@pytest.fixture(scope="session", autouse=True)
def _speedups() -> Iterator[None]:
    with speedups.static_files_once(), speedups.empty_by_deleting():
        yield


@pytest.fixture(scope="session", autouse=True)
def _unhurried() -> Iterator[None]:
    """In this process nothing is done once a second or after so many: what a test counts is not the machine's speed.
    Tests of signs of life and of turns set their own; workers beside this process keep the real ones."""
    from annotation.jobs import queue as jobs
    from exports.releases import build as building
    from validation.insights.reports import reading

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "TURN_SECONDS", math.inf)
        patch.setattr(building, "TICK_SECONDS", math.inf)
        patch.setattr(reading, "TICK_SECONDS", math.inf)
        yield


@pytest.fixture(scope="session", autouse=True)
def _known_to_be_migrated() -> None:
    """The first page that is opened here does not look at the migrations, so that no test counts statements for it."""
    from config import migrated

    migrated._seen.append(True)


# --- worlds that stand -------------------------------------------------------------


@pytest.fixture(scope="session")
def _standing(django_db_setup: None, django_db_blocker: Any) -> Iterator[SharedWorlds]:
    worlds = SharedWorlds(django_db_blocker.unblock)
    yield worlds
    worlds.end()


@pytest.fixture
def standing(_standing: SharedWorlds, db: None) -> SharedWorlds:
    """`standing(maker, *args, **named)`: the world that the maker makes, made once for many tests; see Standing."""
    return _standing


@pytest.fixture
def _django_db_helper(request: pytest.FixtureRequest, _standing: SharedWorlds) -> Iterator[None]:
    """In place of pytest-django's: a test of a standing world runs in it, any other when none stands any more."""
    if "standing" in request.fixturenames:
        marker = request.node.get_closest_marker("django_db")
        kept = {"transactional_db", "live_server"} & {*request.fixturenames}
        assert not kept | {*(marker.kwargs if marker else ())}, "a standing world is never committed"
        with _standing.test():
            yield
    else:
        _standing.end()
        request.getfixturevalue("_django_db_helper")
        yield


# --- the browser -----------------------------------------------------------------

# Five seconds are too few where several browsers and a worker share two slow cores; what comes in time is not delayed.
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def driver(_standing: SharedWorlds) -> Iterator[Playwright]:
    """What starts browsers: one in a process."""
    from django.db import connections

    # Beside the driver's event loop Django finds another connection: this one's world would stand for ever.
    _standing.end()
    with sync_playwright() as driver:
        yield driver
        _standing.end()
        # The connection that goes with the driver's loop: left open, it would keep the database from being dropped.
        connections.close_all()


def launch(driver: Playwright, program: str, *flags: str) -> Browser:
    """A headless browser that resolves no name but this machine's."""
    sealed = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", *flags]
    if os.geteuid() == 0:
        sealed.append("--no-sandbox")
    return driver.chromium.launch(executable_path=program, args=sealed, timeout=4 * PATIENCE_MS)


@pytest.fixture(scope="session")
def browser(driver: Playwright, _standing: SharedWorlds) -> Iterator[Browser]:
    """One headless Chromium for the whole run."""
    opened = launch(driver, os.environ["CHROMIUM_PATH"])
    yield opened
    _standing.end()
    opened.close()


class Pages:
    """Opens pages on the live server and keeps what went wrong on any of them.

    `open_page(width=360, dark=True, javascript=False, allow=("status of 409",))`: `phone` is a screen of 360×740
    that is touched and has no keyboard beside it. `allow` names parts of console messages that the test provokes on
    purpose. `page.goto("/path")` is relative to the live server.
    Only who asks has the service worker: pages work without.
    """

    def __init__(self, browser: Browser, origin: str) -> None:
        self.browser, self.origin = browser, origin
        self.contexts: list[BrowserContext] = []
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self.allowed: list[str] = []

    def __call__(
        self,
        width: int = 1280,
        dark: bool = False,
        *,
        javascript: bool = True,
        locale: str = "en",
        phone: bool = False,
        allow: tuple[str, ...] = (),
        service_worker: bool = False,
    ) -> Page:
        context = self.browser.new_context(
            base_url=self.origin,
            viewport={"width": 360, "height": 740} if phone else {"width": width, "height": 800},
            has_touch=phone,
            is_mobile=phone,
            color_scheme="dark" if dark else "light",
            java_script_enabled=javascript,
            locale=locale,
            service_workers="allow" if service_worker else "block",
        )
        self.contexts.append(context)
        self.allowed.extend(allow)
        context.set_default_timeout(PATIENCE_MS)
        # Noted, not held up: behind a route every request waits for this process, and no page finds a file again.
        context.on("request", lambda request: self._note(request.url))
        page = context.new_page()
        page.on("console", lambda message: self._complain(message.type, message.text))
        page.on("pageerror", lambda error: self._complain("error", str(error)))
        return page

    def _note(self, url: str) -> None:
        if not url.startswith(self.origin + "/"):
            self.foreign.append(url)

    def _complain(self, kind: str, text: str) -> None:
        # A broken Content-Security-Policy shows here too: Chromium reports it as a console error.
        if kind == "error":
            self.complaints.append(text)

    def close(self) -> None:
        for context in self.contexts:
            context.close()

    def check(self) -> None:
        """Nobody but this server was asked, and no page complained of anything that the test did not name."""
        unexpected = [text for text in self.complaints if not any(part in text for part in self.allowed)]
        assert self.foreign == []
        assert unexpected == []


@pytest.fixture
def open_page(browser: Browser, live_server: Any) -> Iterator[Pages]:
    """Opens pages in contexts of their own (cookies are not shared); see Pages."""
    pages = Pages(browser, live_server.url)
    yield pages
    pages.close()
    pages.check()


# --- the worker --------------------------------------------------------------------


def database_url() -> str:
    """The address of the database that the tests write to (`test_…`), for processes beside this one."""
    from django.db import connection

    made = connection.settings_dict
    login = made["USER"] + (f":{made['PASSWORD']}" if made["PASSWORD"] else "")
    return f"postgres://{login}@{made['HOST']}:{made['PORT']}/{made['NAME']}"


@pytest.fixture(scope="session")
def process_env(django_db_setup: None) -> dict[str, str]:
    """The environment for a process that works on the tests' database and broker."""
    return {
        **os.environ,
        "DATABASE_URL": database_url(),
        "REDIS_URL": os.environ["REDIS_URL"],
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }


@pytest.fixture(scope="session")
def migrated_sqlite(process_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with all tables and no rows, to be copied: making one takes some seconds.

    Made once for the whole run: by the first worker of pytest-xdist that asks, the others wait for it.
    """
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    base = tmp_path_factory.getbasetemp()
    folder = (base if alone else base.parent) / "migrated-sqlite"
    done = folder / "done.sqlite3"
    try:
        folder.mkdir()
    except FileExistsError:
        poll(done.exists, 300, "another worker to migrate")
        return done
    making = folder / "making.sqlite3"
    env = {
        **process_env,
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "DATABASE_URL": f"sqlite:///{making}",
        "DATA_DIR": str(folder / "data"),
        "SECRET_KEY": "only-for-this-file",
        "REDIS_URL": "",
    }
    command = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"]
    subprocess.run(command, cwd=services.ROOT, env=env, check=True, stderr=subprocess.DEVNULL)
    making.rename(done)
    return done


# One test long: a worker that stayed would decide items, and take messages, of the tests after it.
@pytest.fixture
def worker_process(process_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[services.Process]:
    import redis

    # What a worker held that was killed under an earlier test stands in the broker for an hour.
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()
    log = Path(tmp_path_factory.mktemp("worker")) / "worker.log"
    process = services.start_worker(log, env=process_env)
    yield process
    # It has nothing in hand any more (see worker): to be asked to end, it takes some three seconds.
    process.kill()


@pytest.fixture
def worker(transactional_db: None, worker_process: services.Process) -> Iterator[services.Process]:
    """The real Celery worker on all queues (no beat), on this test's database.

    Queues are empty and nothing is being run when the test begins, and again before its tables are emptied.
    """
    _settle()
    yield worker_process
    alive = worker_process.alive()
    _settle()
    assert alive, f"the worker died:\n{worker_process.tail()}"


def _settle(deadline: float = 60) -> None:
    """Drop what waits and let what runs end: with late acknowledgement it stands in `unacked` until then."""
    import redis

    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:

        def quiet() -> bool:
            client.delete("due", "jobs", "sends")
            return int(client.hlen("unacked")) == 0

        poll(quiet, deadline, "the worker to finish what it runs")


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of a server that speaks S3 and keeps its objects in memory."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3_url(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """STORAGE_URL of a new bucket, with its keys in the environment."""
    import boto3

    from annotation.files import storage_at

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test")
    bucket = f"sets-{secrets.token_hex(4)}"
    boto3.client("s3", endpoint_url=s3_server, region_name="us-east-1").create_bucket(Bucket=bucket)
    yield f"s3://{bucket}/site?endpoint={s3_server}&region=us-east-1"
    storage_at.cache_clear()
