"""Runs several programs as one: if one of them ends, or on Ctrl-C, all end."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

GRACE_SECONDS = 15
POLL_SECONDS = 0.1


def port_is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket() as probe:
        # As servers do: a connection that has just ended does not hold the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def accepts_connections(host: str, port: int) -> bool:
    """Whether something accepts connections there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


class Supervisor:
    """Starts programs, waits for the first to end or for SIGINT, SIGTERM or SIGHUP, and then ends all."""

    def __init__(self, commands: Sequence[Sequence[str]]) -> None:
        self.commands = commands
        self.children: list[subprocess.Popen[bytes]] = []
        self.stopping = False

    def run(self, ready: Callable[[], bool], announce: Callable[[], None]) -> int:
        """Call `announce` once `ready`. Returns 0 after a signal, otherwise the exit code (at least 1) of the
        program that ended by itself."""
        signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._stop) for number in signals}
        try:
            for command in self.commands:
                self.children.append(_start(command))
            return self._watch(ready, announce)
        finally:
            self._end()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, *_: object) -> None:
        # Only a mark: an exception from here could lose a child between its start and its place in the list.
        self.stopping = True

    def _watch(self, ready: Callable[[], bool], announce: Callable[[], None]) -> int:
        announced = False
        while not self.stopping:
            for child in self.children:
                code = child.poll()
                if code is not None:
                    return code if code > 0 else 1
            if not announced and ready():
                announced = True
                announce()
            time.sleep(POLL_SECONDS)
        return 0

    def _end(self) -> None:
        """SIGTERM to each, time to finish, then SIGKILL to what is left of its session."""
        for child in self.children:
            child.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for child in self.children:
            with suppress(subprocess.TimeoutExpired):
                child.wait(max(0.0, deadline - time.monotonic()))
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    # In a session of its own a child hears Ctrl-C only through us, and can be ended with all that it started.
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=end_with_parent,
    )


def end_with_parent() -> None:
    """In the child, on Linux: a parent that was killed outright leaves nothing behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def name_process(name: str) -> None:
    """What `ps` shows for this process, on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(15, name.encode())  # PR_SET_NAME
