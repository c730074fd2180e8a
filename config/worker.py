"""`python -m config.worker decider --queues due`: a Celery worker without Celery's command line.

That loads a shell, colours and every command that there is, 10 MiB a process. `celery -A config worker` works as well.
"""

import argparse
import sys

from celery.utils.nodenames import gethostname, nodename

from config.celery import app


def main(arguments: list[str]) -> int:
    """Work until a signal ends it; the exit code."""
    parser = argparse.ArgumentParser(prog="config.worker", description="Do what stands in queues.")
    parser.add_argument("name", help="what the worker is called: decider or worker")
    parser.add_argument("--queues", required=True, help="which queues it serves, with commas between them")
    parser.add_argument("--most-processes", type=int, default=2, help="so many at work at once")
    parser.add_argument("--max-tasks-per-child", type=int, help="a process ends after so many tasks")
    given = parser.parse_args(arguments)
    worker = app.Worker(
        hostname=nodename(given.name, gethostname()),
        queues=given.queues,
        # One process waits; another one is begun where there is more to do, and ends when it was idle for long.
        autoscale=(given.most_processes, 1),
        max_tasks_per_child=given.max_tasks_per_child,
        loglevel="INFO",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
