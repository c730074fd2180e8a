"""The wake-up call: informs the worker of due items. Nothing depends on it, the database knows what is due.

One message a second and process at the most, never one a vote: a wake_worker inside that second is put off to its end.
A broker that does not answer is left alone for a while, so that no vote waits for it twice.
"""

import threading
import time
from collections.abc import Callable

import structlog
from django.conf import settings

from annotation.jobs.queue import send_wake_up

log = structlog.get_logger("bell")
TASK, QUEUE = "validation.decide_due", "due"
GAP_SECONDS = 1.0
BREAK_SECONDS = 30.0
MOST_AT_ONCE = 2  # one that rings now, one that is put off


class WakeUpCall:
    """One bell of one process; thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._next, self._broken_until, self._sending = 0.0, 0.0, 0

    def delay(self) -> float | None:
        """Seconds until the wake_worker that may be sent now, or None where one is on its way or the broker is down.

        Whoever gets a number sends, and then calls `sent`. A broker that has not answered yet holds two at the
        most: threads do not pile up in front of it.
        """
        with self._lock:
            now = self._clock()
            if now < self._broken_until or now < self._next - GAP_SECONDS or self._sending >= MOST_AT_ONCE:
                return None
            self._sending += 1
            wait = max(0.0, self._next - now)
            self._next = max(now, self._next) + GAP_SECONDS
            return wait

    def sent(self, *, broke: bool) -> None:
        """The sending ended; where it broke, nobody tries for a while."""
        with self._lock:
            self._sending -= 1
            if broke:
                self._broken_until = self._clock() + BREAK_SECONDS


_wake_up_call = WakeUpCall()


def wake_worker() -> None:
    """Ask for a decision of what is due. Never raises and never blocks for more than the broker's time-outs."""
    if not settings.REDIS_URL:
        return
    wait = _wake_up_call.delay()
    if wait is None:
        return
    try:
        send_wake_up(TASK, QUEUE, countdown=wait, expires=wait + 30)
    except Exception as error:
        _wake_up_call.sent(broke=True)
        log.warning("bell_broken", error=type(error).__name__)
    else:
        _wake_up_call.sent(broke=False)
