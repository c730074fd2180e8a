"""Loaded by pytest before the settings are read: starts PostgreSQL and Redis, finds Chromium.

Once in the controlling process; workers of pytest-xdist inherit the environment and take a Redis number each.
"""

import os
import signal
import sys
from collections.abc import Generator
from typing import Any

import pytest

from annotation.catalogues.compiling import compile_stale
from tests import services
from tests.binaries import ServiceMissingError, chromium

HANDED_OVER = "MUFAKAT_TEST_SERVICES"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, Any, Any]:
    """Before pytest-django's own hook, which sets Django up and so needs the addresses."""
    # Compiled modules are kept: some hundred processes, and each run, would compile and rewrite all that they import.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's synchronous interface runs an event loop
    os.environ["DJANGO_LIVE_TEST_SERVER_ADDRESS"] = "127.0.0.1"
    if HANDED_OVER not in os.environ:
        # A closed terminal or a cancelled job ends what was started, as Ctrl-C does.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        compile_stale()  # as scripts/prepare does, for who runs pytest itself
        _start()
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        number = int(worker.removeprefix("gw")) + 1
        os.environ["REDIS_URL"] = os.environ["REDIS_URL"].rsplit("/", 1)[0] + f"/{number}"
    return (yield)


def _start() -> None:
    """Set DATABASE_URL, REDIS_URL and CHROMIUM_PATH; what is missing ends the run with one message."""
    try:
        database = services.external_service_url("TEST_DATABASE_URL") or services.start_postgres().url()
        redis = services.external_service_url("TEST_REDIS_URL") or services.start_redis().url()
        browser = str(chromium())
    except (ServiceMissingError, RuntimeError) as error:
        raise pytest.UsageError(str(error)) from error
    os.environ |= {"DATABASE_URL": database, "REDIS_URL": redis, "CHROMIUM_PATH": browser, HANDED_OVER: "1"}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """A page that a test opened leaves its language and time zone in the thread: the next begins without them."""
    from django.utils import timezone, translation

    translation.deactivate()
    timezone.deactivate()


def pytest_report_header() -> str:
    names = ("DATABASE_URL", "REDIS_URL", "CHROMIUM_PATH")
    return "services: " + ", ".join(os.environ[name].rsplit("@")[-1] for name in names)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        services.stop_all()
