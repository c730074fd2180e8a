"""docs/examples/vote.html: a front end of another site, in one file, with which somebody votes over the API."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect

from annotation.api.tokens import token_create
from tests import factory
from tests.conftest import PATIENCE_MS
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
pytestmark = pytest.mark.django_db(transaction=True)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def other_site() -> Iterator[str]:
    """The origin of another site, which serves the examples."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(EXAMPLES)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("named", [True, False])
def test_somebody_votes(other_site: str, page: Page, live_server: Any, settings: Any, named: bool) -> None:
    cache.clear()
    settings.CORS_ALLOWED_ORIGINS = [other_site] if named else []
    project = factory.project("one")
    factory.written_pairs(project, factory.member(project, "writer"))
    while decide_due():
        pass
    voter = factory.member(project, "validator")
    assert voter.user is not None
    token = token_create(user=voter.user, name="front end", scopes=["annotate"]).text
    page.goto(f"{other_site}/vote.html")
    page.get_by_label("Server").fill(live_server.url)
    page.get_by_label("Project").fill("one")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Begin").click()
    if not named:
        expect(page.get_by_role("status")).to_contain_text("Not sent")
        assert not Vote.objects.exists()
        return
    for count in (1, 2):
        first = page.locator("#card p").nth(1).inner_text()
        page.get_by_role("button", name="Entailment").click()
        expect(page.locator("#card p").nth(1)).not_to_have_text(first)
        assert Vote.objects.filter(annotator=voter, label="e").count() == count
