"""Waiting for something to become true: polled with a deadline, never slept for."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(predicate: Callable[[], T], deadline: float = 20, what: str = "") -> T:
    """Call `predicate` until it returns something true, and return that.

    Raises AssertionError, with `what` and the last value, when `deadline` seconds have passed.
    """
    end = time.monotonic() + deadline
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline} s: {what or predicate} (last value {value!r})")
        time.sleep(0.02)
