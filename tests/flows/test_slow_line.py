"""What a phone loads from the first page to the first vote, and with each further card: bytes and requests, as the
production server sends them, to the pages and to their service worker. SLOW_3G=1 adds a line of 400 ms and 400 kbit/s
to the pages, and prints how long one waits."""

import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from playwright.sync_api import Browser, Page, expect

from annotation.core.models.member import Annotator
from tests import factory
from tests.conftest import PATIENCE_MS
from tests.faults.site import Web, environment, manage
from tests.flows.steps import token, wait_for_another_card
from tests.wait import wait_until
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
FIRST_BYTES, FIRST_REQUESTS, CARD_BYTES = 120_000, 40, 8_000
REQUEST = re.compile(rb"(?:GET|POST) \S+(?= HTTP/1.1\r\n)")
HASHER = PBKDF2PasswordHasher()
WORD = "a-word-of-one's-own"
PAINTED = "performance.getEntriesByName('first-contentful-paint')"
ANSWERS = "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('answers'))"
QUESTION_FOLLOWS = """
const card = document.getElementById("card");
card.insertAdjacentHTML("beforeend", "<div data-question></div>");
card.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true, detail: { elt: card } }));
"""
SLOW_3G = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}


@pytest.fixture
def web(process_env: dict[str, str], tmp_path: Path) -> Iterator[Web]:
    """The production server, with its static files collected."""
    collected = tmp_path / "static"
    collected.mkdir()
    env = environment(process_env["DATABASE_URL"], process_env["REDIS_URL"], tmp_path, "production")
    env |= {"STATIC_ROOT": str(collected)}
    manage(env, "collectstatic", "--no-input", "--verbosity", "0")
    web = Web(env, tmp_path, workers=1).start()
    assert web.get("/accounts/login/") == 200
    yield web
    web.stop()


class Line:
    """The line between a phone and the server: all that comes in over it, headers and bodies, and what is asked for."""

    def __init__(self, port: int) -> None:
        self.bytes, self.asked, self.waited = 0, list[str](), list[float]()
        self._to = port
        self._open = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._open.getsockname()[1]
        threading.Thread(target=self._carry, daemon=True).start()

    def slow(self, page: Page) -> None:
        """Make the page wait as on a slow line, where that is asked for."""
        if os.environ.get("SLOW_3G"):
            protocol = page.context.new_cdp_session(page)
            protocol.send("Network.enable")
            protocol.send("Network.emulateNetworkConditions", SLOW_3G)

    def _carry(self) -> None:
        with suppress(OSError):  # closed
            while True:
                phone = self._open.accept()[0]
                server = socket.create_connection(("127.0.0.1", self._to))
                threading.Thread(target=self._up, args=(phone, server), daemon=True).start()
                threading.Thread(target=self._down, args=(server, phone), daemon=True).start()

    def _up(self, phone: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := phone.recv(65536):
                self.asked += [line.decode() for line in REQUEST.findall(data)]
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)

    def _down(self, server: socket.socket, phone: socket.socket) -> None:
        with suppress(OSError), server, phone:
            while data := server.recv(65536):
                self.bytes += len(data)
                phone.sendall(data)
            # Closing alone would not tell it while the other thread waits for what it says.
            phone.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more connections."""
        self._open.close()

    def __enter__(self) -> "Line":
        self._began = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.waited.append(time.monotonic() - self._began)


@pytest.fixture
def line(web: Web) -> Iterator[Line]:
    line = Line(web.port)
    yield line
    line.close()


@pytest.fixture
def validator() -> Annotator:
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 2)
    while decide_due():
        pass
    validator = factory.member(project, "validator")
    assert validator.user is not None
    # As production stores it: the tests' own way is not known there.
    validator.user.password = HASHER.encode(WORD, HASHER.salt())
    validator.user.save()
    return validator


def test_from_the_first_page_to_the_first_vote(line: Line, browser: Browser, validator: Annotator) -> None:
    assert validator.user is not None
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{line.port}",
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    line.slow(page)
    page.goto("/")
    # What comes while somebody types is not waited for.
    # Asked from here: within the page a condition in words is evaluated, which its policy forbids.
    wait_until(lambda: page.evaluate(f"{PAINTED}.length") == 1, what="the first paint", page=page)
    line.waited.append(page.evaluate(f"{PAINTED}[0].startTime") / 1000)
    page.locator("[name=login]").fill(validator.user.email)
    page.locator("[name=password]").fill(WORD)
    with line:
        page.locator("main form [type=submit]").first.tap(no_wait_after=True)
        page.locator("main a[href$='/vote/']").first.wait_for()
    with line:
        page.locator("main a[href$='/vote/']").first.tap(no_wait_after=True)
        page.locator("#label-1").wait_for()
        page.wait_for_load_state("domcontentloaded")
    # What follows is fetched while one reads.
    expect(page.locator("#card[data-ahead]")).to_be_visible()
    first = token(page)
    page.locator("#label-2").tap()
    with line:
        page.locator(".vote__send .btn--primary").tap(no_wait_after=True)
        wait_for_another_card(page, first)
    expect(page.locator("#card[data-ahead]")).to_be_visible()
    # With all that the service worker keeps for later.
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    print(
        f"first vote: {line.bytes} bytes, {len(line.asked)} requests, waited {line.waited} s",
    )
    assert line.bytes <= FIRST_BYTES, line.asked
    assert len(line.asked) <= FIRST_REQUESTS, line.asked
    before, asked, card = line.bytes, len(line.asked), token(page)
    address = urlsplit(page.url).path
    page.locator("#label-1").tap()
    page.locator(".vote__send .btn--primary").tap()
    wait_for_another_card(page, card)
    expect(page.locator(".vote__state")).to_contain_text("Sent.")
    print(f"next card: {line.bytes - before} bytes, {line.asked[asked:]}")
    assert 0 < line.bytes - before <= CARD_BYTES
    # A browser looks for itself whether there is another service worker.
    assert [each for each in line.asked[asked:] if each != "GET /sw.js"] == [f"POST {address}{card}/"]
    assert Vote.objects.count() == 2
    # What asks more than a label brings a script of its own, also where it follows one that does not.
    assert page.evaluate(ANSWERS) == []
    page.evaluate(QUESTION_FOLLOWS)
    (script,) = wait_until(lambda: page.evaluate(ANSWERS), what="the script", page=page)
    assert re.search(r"/js/answers\.[0-9a-f]{12}\.js$", script)
    context.close()
