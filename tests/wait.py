"""Waiting for something to become true: polled with a deadline, never slept for."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from playwright.sync_api import Page

T = TypeVar("T")


def wait_until(predicate: Callable[[], T], deadline: float = 60, what: str = "", page: "Page | None" = None) -> T:
    """Call `predicate` until it returns something true, and return that.

    `page`: what it waits for comes of this page's requests; what they are watched by goes on meanwhile.
    Raises AssertionError, with `what` and the last value, when `deadline` seconds have passed.
    """
    end = time.monotonic() + deadline
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline} s: {what or predicate} (last value {value!r})")
        if page is None:
            time.sleep(0.02)
        else:
            page.wait_for_timeout(20)
