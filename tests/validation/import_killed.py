"""A process that takes a file in and is killed by itself: `python -m tests.validation.import_killed JOB ROW LEFT`, so
many statements after it has come to a row.

Whoever killed it from outside would find it ended, if the machine gave them no time for the second that its last rows
take.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any


def main(job: int, row: int, left: int) -> None:
    """Run the job and die in it."""
    import django

    django.setup()
    from django.db import connection

    from annotation.jobs import queue as jobs

    progress = jobs.Handle.progress

    def and_watch(self: jobs.Handle, done: int, total: int | None = None) -> None:
        progress(self, done, total)
        if total is None and done >= row and not connection.execute_wrappers:
            connection.execute_wrappers.append(and_die)

    def and_die(execute: Callable[..., Any], *of: Any) -> Any:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(*of)

    jobs.Handle.progress = and_watch  # type: ignore[method-assign]
    jobs.run(job)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
