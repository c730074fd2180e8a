"""`python -m config.metrics`: figures of the site for Prometheus, on METRICS_BIND; a process of its own.

They are read from the database when they are asked for, from what web processes count in METRICS_DIR, and from who
is asked then (config/probes.py). They name kinds of jobs and states, nobody and nothing that somebody wrote.
`--requests`: what is counted there and whether that web process answers, without a database, beside a web process that
shares the folder.
"""

import argparse
import os
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config import probes
from config.start import set_mode, settings_in_words
from config.variables import env

CONNECTIONS = """SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity
    WHERE datname = current_database() GROUP BY 1"""
set_mode("config.settings.production")
# Whoever asks has ten seconds as a rule: a database that needs longer is one that is away.
os.environ.setdefault("STATEMENT_SECONDS", "5")
os.environ.setdefault("SILENCE_SECONDS", "5")


class Figures(Collector):
    """What the database and the disk say now. Only `mufakat_database_up` where the database gives no answer."""

    def collect(self) -> Iterator[Metric]:
        from django.db import DatabaseError, InterfaceError, connection

        up = GaugeMetricFamily("mufakat_database_up", "1 while the database answers")
        try:
            found = [*_counters(), *_work_figures(), *_database_figures(), *_replica_figures()]
        except (DatabaseError, InterfaceError):
            found = []
        finally:
            connection.close()  # each request is a thread's
        up.add_metric([], float(bool(found)))
        yield from (up, *_disk_figures(), *found, *probes.redis_figures(), *probes.certificate_figures())


def _counters() -> Iterator[Metric]:
    """The last number given is how many there were: counting the rows of years would take as long as they are."""
    from annotation.content.models.item import Item
    from validation.voting.models.vote import Verdict, Vote

    for name, words, model in (
        ("mufakat_items", "Items made", Item),
        ("mufakat_votes", "Votes stored", Vote),
        ("mufakat_decisions", "Rounds decided", Verdict),
    ):
        last = model.objects.order_by("-pk").values_list("pk", flat=True).first()
        yield CounterMetricFamily(name, f"{words}, by the last number given", value=last or 0)


def _work_figures() -> Iterator[Metric]:
    from django.db.models import Count, Min

    from annotation.content.models.item import items_due
    from annotation.core.database import now
    from annotation.jobs.models import Job
    from annotation.jobs.queue import last_seen
    from annotation.webhooks.models import Delivery

    moment = now()
    due = items_due(moment).values_list("due_at", flat=True).first()
    lag = 0.0 if due is None else (moment - due).total_seconds()
    yield GaugeMetricFamily("mufakat_due_seconds", "Age of the oldest item that waits for a decision", value=lag)
    seen = GaugeMetricFamily("mufakat_part_seen_seconds", "Since when a part was not seen at work", labels=["part"])
    for part, at in last_seen().items():
        if at is not None:
            seen.add_metric([part], (moment - at).total_seconds())
    yield seen
    jobs = GaugeMetricFamily("mufakat_jobs", "Jobs that are not finished", labels=["kind", "state"])
    unfinished = Job.objects.filter(state__in=["queued", "running"])
    for kind, state, n in unfinished.values_list("kind", "state").annotate(n=Count("pk")).order_by("kind"):
        jobs.add_metric([kind, state], n)
    yield jobs
    waits = unfinished.filter(state="queued", not_before=None).aggregate(oldest=Min("at"))["oldest"]
    age = 0.0 if waits is None else (moment - waits).total_seconds()
    yield GaugeMetricFamily("mufakat_job_wait_seconds", "Age of the oldest job that nobody has begun", value=age)
    yield from _job_figures()
    messages = Delivery.objects.filter(state=Delivery.State.WAITING).count()
    yield GaugeMetricFamily("mufakat_webhook_messages", "Messages to webhooks that wait", value=messages)


def _job_figures() -> Iterator[Metric]:
    """What failed for reasons of ours, and when each command that is to be run every night last ended well."""
    from datetime import timedelta

    from django.db.models import Count

    from annotation.core.database import now
    from annotation.jobs.models import Heartbeat, Job
    from annotation.jobs.queue import NIGHTLY

    moment = now()
    failed = GaugeMetricFamily("mufakat_jobs_failed", "Jobs that failed in the last 24 hours", labels=["kind"])
    rows = Job.objects.filter(state=Job.State.FAILED, refused=False, finished_at__gte=moment - timedelta(hours=24))
    for kind, n in rows.values_list("kind").annotate(n=Count("pk")).order_by("kind"):
        failed.add_metric([kind], n)
    yield failed
    done = GaugeMetricFamily("mufakat_done_seconds", "Since when a command last ended well", labels=["command"])
    for name, at in Heartbeat.objects.filter(name__in=NIGHTLY).values_list("name", "at"):
        done.add_metric([name], (moment - at).total_seconds())
    yield done


def _database_figures() -> Iterator[Metric]:
    from django.db import connection

    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(CONNECTIONS)
        open_now = GaugeMetricFamily("mufakat_database_connections", "Connections to it", labels=["state"])
        for state, n in cursor.fetchall():
            open_now.add_metric([state], n)
        cursor.execute("SELECT current_setting('max_connections')::int, pg_database_size(current_database())")
        limit, size = cursor.fetchone()
    yield open_now
    yield GaugeMetricFamily("mufakat_database_connections_limit", "Connections that the server takes", value=limit)
    yield GaugeMetricFamily("mufakat_database_bytes", "Size of the database", value=size)


def _replica_figures() -> Iterator[Metric]:
    """Of the database's replica, where one is named."""
    from annotation.core.database import now
    from annotation.jobs import replica
    from annotation.jobs.models import Heartbeat

    if not replica.is_configured():
        return
    behind = replica.lag()
    yield GaugeMetricFamily(
        "mufakat_replica_up", "1 while the replica answers, and is one", value=float(behind is not None)
    )
    if behind is not None:
        yield GaugeMetricFamily("mufakat_replica_lag_bytes", "WAL that it has to replay yet", value=behind)
    for at in Heartbeat.objects.filter(name=replica.PASSED_OVER).values_list("at", flat=True):
        yield GaugeMetricFamily(
            "mufakat_replica_passed_over_seconds",
            "Since when the primary was not read in its place",
            value=(now() - at).total_seconds(),
        )


def _disk_figures() -> Iterator[Metric]:
    """The disks of DATA_DIR and, where one is named or the database is a file, of the database."""
    from django.conf import settings
    from django.db import connection

    folders = {"storage": Path(settings.MUFAKAT_DATA_DIR)}
    if of_database := env("METRICS_DATABASE_DIR"):
        folders["database_disk"] = Path(of_database)
    elif connection.vendor == "sqlite":
        folders["database_disk"] = Path(connection.settings_dict["NAME"]).parent
    for name, folder in folders.items():
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        usage = shutil.disk_usage(folder)
        yield GaugeMetricFamily(f"mufakat_{name}_bytes", "Size of that disk", value=usage.total)
        yield GaugeMetricFamily(f"mufakat_{name}_free_bytes", "What is free there", value=usage.free)


def registry(*, figures: bool) -> CollectorRegistry:
    """What is served: what web processes count, where they do, whether they answer, and the figures of the site."""
    made = CollectorRegistry()
    made.register(_Web())
    if folder := env("METRICS_DIR"):
        os.environ |= {"PROMETHEUS_MULTIPROC_DIR": folder}
        made.register(_Counts(folder))
    if figures:
        import django

        with settings_in_words():
            django.setup()
        made.register(Figures())
    return made


class _Web(Collector):
    """Whether a web process answers."""

    def collect(self) -> Iterable[Metric]:
        return probes.web_figures()

    def describe(self) -> Iterable[Metric]:
        return []


class _Counts(Collector):
    """The library's own collector, also while there is no folder yet."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def collect(self) -> Iterable[Metric]:
        if not os.path.isdir(self.folder):
            return []
        counts: Any = MultiProcessCollector
        found: Iterable[Metric] = counts(None, self.folder).collect()
        return found

    def describe(self) -> Iterable[Metric]:
        return []


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="config.metrics", description="Serve figures for Prometheus.")
    parser.add_argument("--requests", action="store_true", help="only what web processes count and answer, no database")
    given = parser.parse_args(arguments)
    with settings_in_words():
        host, port = env("METRICS_BIND")
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))
    server, _thread = start_http_server(port, host, registry(figures=not given.requests))
    signal.sigwait((signal.SIGTERM, signal.SIGINT))
    server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
