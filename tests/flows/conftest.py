"""Somebody who is signed in, in a browser or over HTTP."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page

from annotation.core.models.user import User
from tests import services
from tests.conftest import Pages


def sign_in(context: BrowserContext, user: User, origin: str) -> None:
    """Give the browser context the session of somebody who signed in."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": origin}])


@pytest.fixture
def page_of(open_page: Pages) -> Callable[..., Page]:
    """`page_of(user, width=360, javascript=False, …)`: a page of somebody who is signed in; see Pages."""

    def opened(user: User, *args: Any, **options: Any) -> Page:
        page = open_page(*args, **options)
        sign_in(page.context, user, open_page.origin)
        return page

    return opened


@pytest.fixture
def beat(worker: services.Process, process_env: dict[str, str], tmp_path: Path) -> Iterator[services.Process]:
    """The clock beside the worker: what writers submit is found by it."""
    command = services.celery_command("beat", "-s", str(tmp_path / "schedule"), "--pidfile=")
    process = services.Process(command, tmp_path / "beat.log", env=process_env)
    yield process
    process.kill()
