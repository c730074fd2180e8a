"""The doorbell: tells the worker that something is due. Nothing depends on it, the database knows what is due.

One message a second and process at the most, never one a vote: a ring inside that second is put off to its end.
A broker that does not answer is left alone for a while, so that no vote waits for it twice.
"""

import threading
import time
from collections.abc import Callable

import structlog
from django.conf import settings

log = structlog.get_logger("bell")
GAP_SECONDS = 1.0
BREAK_SECONDS = 30.0


class Bell:
    """One bell of one process; thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._next, self._broken_until = 0.0, 0.0

    def delay(self) -> float | None:
        """Seconds until the ring that may be sent now, or None where one is on its way or the broker is down."""
        with self._lock:
            now = self._clock()
            if now < self._broken_until or now < self._next - GAP_SECONDS:
                return None
            wait = max(0.0, self._next - now)
            self._next = max(now, self._next) + GAP_SECONDS
            return wait

    def broke(self) -> None:
        with self._lock:
            self._broken_until = self._clock() + BREAK_SECONDS


_bell = Bell()


def ring() -> None:
    """Ask for a decision of what is due. Never raises and never blocks for more than the broker's time-outs."""
    if not settings.REDIS_URL:
        return
    wait = _bell.delay()
    if wait is None:
        return
    from validation.tasks import decide_due

    try:
        decide_due.apply_async(countdown=wait, expires=wait + 30, ignore_result=True)
    except Exception as error:
        _bell.broke()
        log.warning("bell_broken", error=type(error).__name__)
