"""A command that is told to end says so, and leaves nothing half done behind it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class EndedBySignal(BaseException):
    """This process is to end; no handler of errors takes it for one."""

    def __init__(self, number: int) -> None:
        super().__init__(f"It was ended by {signal.Signals(number).name}.")
        self.exit_code = 128 + number


def _raise(number: int, frame: FrameType | None) -> None:
    # A second one ends the process at once: whoever sends it does not want to wait.
    for each in SIGNALS:
        signal.signal(each, signal.SIG_DFL)
    raise EndedBySignal(number)


@contextmanager
def signals_raised() -> Iterator[None]:
    """Raise EndedBySignal where this process is told to end; nothing changes in a thread beside the main one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _raise) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: of no Python code
