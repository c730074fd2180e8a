"""The fixtures that guard other tests do refuse: pages that call out or complain, a worker that is not there."""

import os
from typing import Any

import pytest
import redis
from playwright.sync_api import Browser

from tests import services
from tests.conftest import Pages


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<img src='https://example.org/x.png' alt=''>", "example.org"),
        ("<script>throw new Error('broken')</script>", "broken"),
        ("<script>console.error('bad news')</script>", "bad news"),
        (
            "<meta http-equiv='Content-Security-Policy' content=\"script-src 'none'\"><script>1</script>",
            "Content Security Policy",
        ),
    ],
)
def test_pages_notice(browser: Browser, live_server: Any, html: str, reason: str) -> None:
    pages = Pages(browser, live_server.url)
    pages().set_content(html, wait_until="networkidle")
    pages.close()
    with pytest.raises(AssertionError, match=reason):
        pages.check()


def test_pages_let_pass_what_was_named(browser: Browser, live_server: Any) -> None:
    pages = Pages(browser, live_server.url)
    pages(allow=("bad news",)).set_content("<script>console.error('bad news')</script>")
    pages.close()
    pages.check()


def test_worker_works_on_the_tests_database(worker: services.Process, process_env: dict[str, str]) -> None:
    from django.db import connection

    assert worker.alive()
    assert process_env["DATABASE_URL"].endswith("/" + connection.settings_dict["NAME"])
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        assert {b"due", b"jobs"} <= {
            member.split(b"\x06\x16")[-1] for key in client.keys("_kombu.binding.*") for member in client.smembers(key)
        }
