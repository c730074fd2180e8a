"""A server's background work: a decider that ends is started again, a signal ends all, nothing is left behind."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from celery import Celery
from django.db.models import QuerySet
from kombu.exceptions import KombuError
from redis import Redis, RedisError

from annotation.core.models.feed import FeedEvent
from annotation.core.rules import feed
from annotation.jobs import queue
from annotation.jobs.models import Heartbeat, Job
from annotation.jobs.tasks import MOST_SENDING
from annotation.webhooks.actions import webhook_create
from config import background
from tests import factory, services
from tests.annotation.webhooks.receiver import Receiver, receiving

TOLD = 8


@pytest.fixture
def started(
    transactional_db: None, process_env: dict[str, str], tmp_path: Path, wait_until: Callable[..., Any]
) -> Iterator[services.Process]:
    """Background work on the tests' database and broker, when its parts answer."""
    with Redis.from_url(process_env["REDIS_URL"]) as client:
        client.flushdb()
        command = [sys.executable, "-m", "config.background"]
        process = services.Process(command, tmp_path / "background.log", env=process_env)
        process.wait_for(lambda: background.parts_answer(list(background.PARTS), seconds=1))
        yield process
        process.kill()
        client.flushdb()


def are_two(beating: QuerySet[Heartbeat]) -> bool:
    return beating.count() == 2


def has_another(process: services.Process, before: psutil.Process) -> bool:
    return decider(process) not in (None, before)


def decider(process: services.Process) -> psutil.Process | None:
    """The process of that name beside the worker."""
    return next((child for child in psutil.Process(process.pid).children() if child.name() == "decider"), None)


def test_a_decider_that_was_killed_is_started_again(started: services.Process, wait_until: Callable[..., Any]) -> None:
    """Forked the first time, a program of its own the second and third; the worker goes on."""
    for _ in range(2):
        before = decider(started)
        assert before
        before.kill()
        wait_until(partial(has_another, started, before), what="another one")
        Heartbeat.objects.all().delete()
        beating = Heartbeat.objects.filter(name__in=[queue.DECIDER, queue.WORKER])
        started.wait_for(partial(are_two, beating))
    assert psutil.Process(started.pid).name() == "worker"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all(started: services.Process, number: signal.Signals, wait_until: Callable[..., Any]) -> None:
    tree = psutil.Process(started.pid).children(recursive=True)
    started.child.send_signal(number)
    assert started.child.wait(60) == 0, started.tail()
    wait_until(lambda: all(services.has_ended(each) for each in tree), what="all to end")


def test_killed_outright_it_leaves_nothing(started: services.Process, wait_until: Callable[..., Any]) -> None:
    tree = psutil.Process(started.pid).children(recursive=True)
    started.child.kill()
    wait_until(lambda: all(services.has_ended(each) for each in tree), what="all to end")


def test_a_worker_takes_two_jobs_at_once_after_its_broker_was_away(
    transactional_db: None, process_env: dict[str, str], tmp_path: Path
) -> None:
    """Not none, which is no limit, because no process for a job was there when it found the broker again."""
    broker = services.start_redis()
    env = process_env | {"REDIS_URL": broker.url()}
    process = services.Process([sys.executable, "-m", "config.background"], tmp_path / "background.log", env=env)

    def at_once() -> int | None:
        with Celery(broker=broker.url(), set_as_current=False) as asking:
            try:
                answers = asking.control.inspect(timeout=1).stats() or {}
            except (KombuError, RedisError):
                return None
        return next((each["prefetch_count"] for name, each in answers.items() if "worker@" in name), None)

    process.wait_for(lambda: at_once() == 2)
    broker.kill()
    broker.start()
    process.wait_for(lambda: at_once() is not None)
    assert at_once() == 2
    process.kill()
    broker.remove()


def took_in(receiver: Receiver, count: int) -> bool:
    return len(receiver.seen) == count


def test_a_webhook_is_told_of_what_happens(started: services.Process, wait_until: Callable[..., Any]) -> None:
    """Run with -s it says how long that takes: the decider numbers events each second and tells of them."""
    project, boss = factory.project(), factory.user(administrator=True)
    took: list[float] = []
    with receiving() as receiver:
        webhook_create(project=project, url=receiver.url, types=[feed.SETTLED], by=boss)
        for n in range(1, TOLD + 1):
            began = time.monotonic()
            FeedEvent.record(project.pk, feed.SETTLED, f"item-{n}")
            wait_until(partial(took_in, receiver, n), what=f"message {n}")
            took.append(time.monotonic() - began)
    print("from the commit to the receiver, s:", *(f"{each:.2f}" for each in sorted(took)))


def test_slow_receivers_hold_up_no_job_and_no_decision(
    started: services.Process, wait_until: Callable[..., Any]
) -> None:
    """As many as may be sent to at once keep their answers to themselves: another job ends, events are numbered."""
    boss = factory.user(administrator=True)
    with ExitStack() as stack:
        slow = [stack.enter_context(receiving()) for _ in range(MOST_SENDING)]
        for number, receiver in enumerate(slow):
            receiver.hold = threading.Event()
            project = factory.project(f"slow-{number}")
            webhook_create(project=project, url=receiver.url, types=[feed.SETTLED], by=boss)
            FeedEvent.record(project.pk, feed.SETTLED, "item")
        wait_until(lambda: all(receiver.seen for receiver in slow), what="both to be asked")
        job = queue.enqueue(kind="nobody-knows", project=None, by=None, args={})
        wait_until(Job.objects.filter(pk=job.pk, state=Job.State.FAILED).exists, what="another job to be done")
        other = factory.project("other")
        FeedEvent.record(other.pk, feed.SETTLED, "item")
        wait_until(FeedEvent.objects.filter(project=other, n=1).exists, what="the event to be numbered")


def test_a_job_whose_message_is_lost_is_found_by_the_sweep(
    started: services.Process, wait_until: Callable[..., Any]
) -> None:
    """F10: no message was sent for it; the decider sees that it waits."""
    job = Job.objects.create(kind="webhooks", project=factory.project())
    found = Job.objects.filter(pk=job.pk, state=Job.State.DONE)
    wait_until(found.exists, what="the sweep to find it")
    assert (found.get().attempts, found.get().error) == (1, "")


@pytest.mark.parametrize(
    ("seconds", "kib", "number"),
    [
        (-float("inf"), 90_000, None),
        (599, 399_000, None),
        (601, 90_000, signal.SIGKILL),
        (601, 401_000, signal.SIGKILL),
        (1, 401_000, signal.SIGTERM),
    ],
)
def test_a_decider_that_hangs_or_grows_ends(seconds: float, kib: int, number: signal.Signals | None) -> None:
    assert background.ending_signal(seconds, kib) == number


def test_a_part_that_stops_does_not_stop_the_jobs_of_another() -> None:
    shared = queue._stop_flag
    try:
        queue.stop_soon()
        queue.share_ending()
        assert (shared[0], queue._stop_flag[0]) == (1, 0)
    finally:
        queue._stop_flag = shared
        queue.stop_soon(stop=False)


def test_a_part_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        background.main(["clock"])
    assert "no part: clock" in capsys.readouterr().err
