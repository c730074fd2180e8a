"""The server is killed while a browser sends: each answer is one vote in the end, or the page says why it is none."""

import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import PATIENCE_MS, database_url
from tests.faults.site import CSRF, RunQuery, Web, check_ledger, environment, fill, manage
from tests.flows.steps import token, wait_for_another_card
from tests.flows.test_offline_browser import KEPT
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
DATABASES = ("postgresql", "sqlite")


@pytest.fixture(params=DATABASES)
def site(
    request: pytest.FixtureRequest, process_env: dict[str, str], migrated_sqlite: Path, tmp_path: Path
) -> Iterator[tuple[Web, RunQuery]]:
    """The production server, with its static files, on either database; and a way to read its tables."""
    database, mode, redis = database_url(), "production", process_env["REDIS_URL"]
    file = tmp_path / "site.sqlite3"
    if request.param == "sqlite":
        shutil.copy(migrated_sqlite, file)
        database, mode, redis = f"sqlite:///{file}", "embedded", ""

    def rows(statement: str) -> list[tuple[object, ...]]:
        if request.param == "sqlite":
            with sqlite3.connect(file) as connection:
                return connection.execute(statement).fetchall()
        with psycopg.connect(database, autocommit=True) as there:
            return there.execute(statement.encode()).fetchall()

    (tmp_path / "static").mkdir()
    env = environment(database, redis, tmp_path, mode) | {"STATIC_ROOT": str(tmp_path / "static")}
    if mode == "production":
        manage(env, "collectstatic", "--no-input", "--verbosity", "0")
    web = Web(env, tmp_path, workers=1).start()
    yield web, rows
    web.stop()


def opened(browser: Browser, web: Web, session: str) -> Page:
    context = browser.new_context(base_url=f"http://127.0.0.1:{web.port}", service_workers="block")
    context.set_default_timeout(PATIENCE_MS)
    origin = f"http://127.0.0.1:{web.port}"
    context.add_cookies(
        [
            {"name": "sessionid", "value": session, "url": origin},
            {"name": "csrftoken", "value": CSRF, "url": origin},
        ]
    )
    return context.new_page()


def restarted(web: Web) -> None:
    web.start()
    wait_until(lambda: web.get("/healthz") == 200, what="the server to answer")


def answered(page: Page) -> str:
    """Answer the card that stands there; its token."""
    which = token(page)
    page.locator("#label-1").check()
    page.locator(".vote__send .btn--primary").click(no_wait_after=True)
    return which


def arrived(page: Page, rows: RunQuery, which: str) -> None:
    """Connected again, the answer of this assignment becomes a vote, and nothing stays on the device."""
    page.evaluate("dispatchEvent(new Event('online'))")
    done = f"SELECT 1 FROM validation_assignment WHERE token = '{which}' AND state = 'done'"  # noqa: S608
    wait_until(lambda: rows(done), what="the vote", page=page)
    wait_until(lambda: page.evaluate(KEPT) == 0, what="nothing to be kept", page=page)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rounds", [2, pytest.param(200, marks=pytest.mark.faults)])
def test_none_is_lost_when_the_server_is_killed(site: tuple[Web, RunQuery], browser: Browser, rounds: int) -> None:
    web, rows = site
    made = fill(web.env, people=1, pairs=rounds + 3)
    page, draw = opened(browser, web, made["sessions"][0]), random.Random(rounds)
    page.goto(f"/p/{made['slug']}/vote/")
    sent = []
    for n in range(rounds):
        ahead = draw.random() < 0.5 if n > 1 else bool(n)
        if ahead:
            page.goto(f"/p/{made['slug']}/vote/")  # a page that lost the server may have none ahead
            expect(page.locator("#card[data-ahead]")).to_be_visible()
        if n % 2:
            web.kill()
            sent.append(answered(page))
        else:
            sent.append(answered(page))
            web.kill()
        restarted(web)
        arrived(page, rows, sent[-1])
        page.goto(f"/p/{made['slug']}/vote/") if draw.random() < 0.3 else wait_for_another_card(
            page, sent[-1], script=False
        )
    assert check_ledger(rows, sent) == rounds
    page.context.close()


@pytest.mark.timeout(600)
def test_cards_taken_along_while_the_server_is_killed(site: tuple[Web, RunQuery], browser: Browser) -> None:
    web, rows = site
    made = fill(web.env, people=1, pairs=6)
    page = opened(browser, web, made["sessions"][0])
    page.goto(f"/p/{made['slug']}/ahead/")
    page.get_by_label("How many").fill("4")
    page.get_by_role("button", name="Take cards along").click()
    expect(page.locator("#card form.vote")).to_be_visible()
    sent = [answered(page)]
    web.kill()
    for _ in range(3):
        wait_for_another_card(page, sent[-1], script=False)
        sent.append(answered(page))
    expect(page.get_by_role("heading", name="All answered")).to_be_visible()
    restarted(web)
    for which in sent:
        arrived(page, rows, which)
    assert check_ledger(rows, sent) == len(set(sent)) == 4
    page.context.close()
