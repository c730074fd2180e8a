"""Long work under kills, repeats and lost rings: every job ends, every effect happens once (I6)."""

import os
import random
import signal
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest
import redis
from django.core.management import call_command
from django.db import connection, transaction

from annotation.content.models.item import Item
from annotation.jobs import queue as jobs
from annotation.jobs.ending import EndedBySignal
from annotation.jobs.models import Heartbeat, Job
from annotation.jobs.tasks import run_job
from tests import factory, services
from tests.faults import handlers
from tests.faults.conftest import StartWorker, expire_lease
from tests.race import run_at_once
from tests.wait import wait_until
from validation.voting import sweeping, tasks

pytestmark = pytest.mark.django_db(transaction=True)
STEPS = 12


def enqueue(kind: str = "fault-steps", **args: object) -> Job:
    with transaction.atomic():
        return jobs.enqueue(kind=kind, project=None, by=None, args=args)


def standing(tmp_path: Path, *, stop_at: int) -> tuple[Job, Path]:
    """A job that stands still before one step until its gate is opened."""
    gate = tmp_path / f"gate{stop_at}"
    return enqueue(steps=STEPS, stop_at=stop_at, gate=str(gate)), gate


def reached(gate: Path) -> bool:
    return Path(f"{gate}.reached").exists()


def state(job: Job) -> str:
    job.refresh_from_db()
    return job.state


def ended(job: Job) -> bool:
    return state(job) not in jobs.UNFINISHED


def swept(job: Job) -> bool:
    """Sweep, and say whether the job has ended."""
    jobs.sweep_jobs()
    return ended(job)


def test_a_killed_worker_is_made_good_by_the_next(start_worker: StartWorker, tmp_path: Path) -> None:
    """F01: kill -9 of the whole worker in the middle; the sweep gives the job to the next one, which goes on."""
    stop_at = random.Random("F01").randrange(2, STEPS - 1)
    job, gate = standing(tmp_path, stop_at=stop_at)
    first = start_worker()
    wait_until(lambda: reached(gate), what="the job to be in the middle")
    first.kill()
    assert state(job) == "running"
    assert handlers.effects(job.pk) == list(range(stop_at))
    gate.touch()
    start_worker()
    jobs.sweep_jobs()
    assert state(job) == "running", "the lease of the dead worker still holds"
    expire_lease(job)
    jobs.sweep_jobs()
    wait_until(lambda: ended(job), what="the job to be done")
    assert (job.state, job.attempts) == ("done", 2)
    assert handlers.effects(job.pk) == list(range(STEPS))


def test_a_killed_child_and_a_poison_job(start_worker: StartWorker, tmp_path: Path) -> None:
    """F02, F03: a child killed for its memory, and a job that kills every child: the first is done once, the
    second is dead after three tries, and others flow meanwhile."""
    worker = start_worker(concurrency=2)
    job, gate = standing(tmp_path, stop_at=5)
    wait_until(lambda: reached(gate), what="the job to be in the middle")
    children = psutil.Process(worker.pid).children()
    assert len(children) == 2
    for child in children:
        child.send_signal(signal.SIGKILL)
    wait_until(lambda: not any(child.is_running() for child in children), what="the children to die")
    gate.touch()
    expire_lease(job)
    poison = enqueue("fault-poison")
    for attempt in range(1, jobs.MOST_ATTEMPTS + 1):

        def killed(attempt: int = attempt) -> bool:
            Job.objects.filter(pk=poison.pk).update(not_before=None)
            jobs.sweep_jobs()
            poison.refresh_from_db()
            return poison.attempts >= attempt

        wait_until(killed, what=f"attempt {attempt}")
        expire_lease(poison)
    wait_until(lambda: swept(poison), what="the poison to be given up")
    assert poison.state == "failed"
    assert poison.error
    other = enqueue(steps=2)
    wait_until(lambda: swept(other) and ended(job), what="the others to be done")
    assert (job.state, other.state) == ("done", "done")
    assert handlers.effects(job.pk) == list(range(STEPS))
    assert worker.alive()


def test_a_hostile_page_of_a_dump_costs_its_limit_and_the_next_job_runs(start_worker: StartWorker) -> None:
    start_worker()
    hostile, page = ("<b a=" * 100_000, "Budi pulang ke rumah di desa itu.")
    job, other = enqueue("fault-wikitext", pages=[["Pasar", hostile], ["Pekan", page]]), enqueue(steps=2)
    wait_until(lambda: swept(job) and ended(other), what="both to be done")
    assert (job.state, job.result) == ("done", {"skipped": {"too_slow": ["Pasar"]}, "sentences": 1})
    assert other.state == "done"


def test_a_job_longer_than_its_lease_is_fenced_off(tmp_path: Path) -> None:
    """F04: somebody slow loses the job while he is at it; what he does afterwards has no effect."""
    job, gate = standing(tmp_path, stop_at=4)

    def faster() -> None:
        wait_until(lambda: reached(gate), what="the slow one")
        expire_lease(job)
        Job.objects.filter(pk=job.pk).update(args={"steps": STEPS})
        jobs.run(job.pk)
        gate.touch()

    assert run_at_once([partial(jobs.run, job.pk), faster]) == [None, None]
    assert (state(job), job.attempts) == ("done", 2)
    assert handlers.effects(job.pk) == list(range(STEPS))


def test_the_fence_locks_the_job() -> None:
    """F04: between the fence and the commit nobody can take the job over."""
    job = enqueue(steps=1)
    claimed = jobs.claim(job.pk)
    assert claimed is not None
    expire_lease(job)
    with transaction.atomic():
        jobs.Handle(claimed).lock_claim()

        def taken() -> int:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '300ms'")
            return int(jobs.claim(job.pk) is not None)

        (result,) = run_at_once([taken])
        assert type(result).__name__ == "OperationalError", "the claim waits for the fence"
    assert jobs.claim(job.pk) is not None
    with transaction.atomic(), pytest.raises(jobs.JobLost):
        jobs.Handle(claimed).lock_claim()


def messages_to_read(client: redis.Redis) -> int:
    return client.llen("jobs") + client.hlen("unacked")


def test_many_messages_and_one_job(start_worker: StartWorker) -> None:
    """F05: more messages than jobs, to two processes: one run."""
    start_worker(concurrency=2)
    job = enqueue(steps=STEPS)
    for _ in range(6):
        run_job.apply_async(ignore_result=True)
    wait_until(lambda: ended(job), what="the job to be done")
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        wait_until(lambda: messages_to_read(client) == 0, what="the messages to be read")
    assert (state(job), job.attempts) == ("done", 1)
    assert handlers.effects(job.pk) == list(range(STEPS))


def sent_messages(client: redis.Redis) -> int:
    """How often anything was put into a list of this broker, since its figures were last set to zero."""
    return int(client.info("commandstats").get("cmdstat_lpush", {"calls": 0})["calls"])


def test_jobs_behind_a_stopped_worker_send_few_messages(start_worker: StartWorker) -> None:
    """Twenty jobs wait for a worker, swept a hundred times: two messages wait with them, at most two a job are sent
    in all, and what a lead asks for last is done first."""
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()
        client.config_resetstat()
        waiting = [enqueue(steps=1) for _ in range(20)]
        for _ in range(100):
            jobs.sweep_jobs()
        with transaction.atomic():
            urgent = jobs.enqueue(kind="fault-steps", project=None, by=None, args={"steps": 1}, urgent=True)
        assert client.llen("jobs") <= jobs.MOST_MESSAGES
        assert jobs.waiting_job_ids() == [urgent.pk, *(job.pk for job in waiting)]
        start_worker(concurrency=2)
        wait_until(lambda: all(ended(job) for job in [urgent, *waiting]), what="the jobs to be done")
        wait_until(lambda: messages_to_read(client) == 0, what="the messages to be read")
        assert sent_messages(client) <= 2 * 21
        started = Job.objects.filter(pk__in=[job.pk for job in waiting]).order_by("started_at")
        urgent.refresh_from_db()
        assert urgent.started_at is not None
        print("from the lead's act to its job, s:", (urgent.started_at - urgent.at).total_seconds())
        assert started.filter(started_at__lt=urgent.started_at).count() < jobs.MOST_MESSAGES


def test_a_worker_says_that_it_is_alive_while_its_queue_is_full(start_worker: StartWorker, tmp_path: Path) -> None:
    """The heartbeat is no message: it does not wait behind jobs."""
    job, gate = standing(tmp_path, stop_at=1)
    start_worker(concurrency=1)
    wait_until(lambda: reached(gate), what="the job to be in the middle")
    wait_until(Heartbeat.objects.filter(name=jobs.WORKER).exists, what="the heartbeat")
    gate.touch()
    wait_until(lambda: ended(job), what="the job to be done")


def test_two_workers_never_claim_the_same_job() -> None:
    """Eight look at once for three jobs: each job is run once, and nobody waits for another."""
    waiting = [enqueue(steps=STEPS) for _ in range(3)]
    assert sorted(run_at_once([jobs.run_next] * 8)) == [False] * 5 + [True] * 3
    for job in waiting:
        assert (state(job), job.attempts) == ("done", 1)
        assert handlers.effects(job.pk) == list(range(STEPS))


def test_the_same_job_claimed_at_once() -> None:
    job = enqueue(steps=STEPS)
    assert run_at_once([partial(jobs.run, job.pk)] * 8) == [None] * 8
    assert (state(job), job.attempts) == ("done", 1)
    assert handlers.effects(job.pk) == list(range(STEPS))


def test_a_flushed_broker_loses_no_job() -> None:
    """F10: a flush takes the message away; the next look of the decider sends another, once."""
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        client.flushdb()
        job = enqueue(steps=1)
        assert client.llen("jobs") == 1
        client.flushdb()
        tasks.decide_due()
        assert client.llen("jobs") == 1
        jobs.run(job.pk)
        tasks.decide_due()
        assert client.llen("jobs") == 1
        client.flushdb()


def test_what_fails_in_one_part_of_the_sweep_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """F10: a fault in what is looked at first: the lost job is rung for, what is due is decided, the fault is told."""
    project = factory.project()
    factory.written_pairs(project, factory.member(project, "writer"), 1)
    due = Item.objects.filter(project=project, due_at__isnull=False)
    assert due.exists()

    def wrong() -> int:
        raise LookupError("an assignment that nobody knows")

    monkeypatch.setattr(sweeping, "assignments_expire", wrong)
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        enqueue(steps=1)
        client.flushdb()
        with pytest.raises(LookupError):
            tasks.sweep()
        assert 0 < client.llen("jobs") <= jobs.MOST_MESSAGES
        client.flushdb()
    assert not due.exists()


def test_a_cancelled_job_stops_at_its_next_step(tmp_path: Path) -> None:
    job, gate = standing(tmp_path, stop_at=3)

    def canceller() -> bool:
        wait_until(lambda: reached(gate), what="the job to be in the middle")
        done = jobs.cancel(job_id=job.pk)
        gate.touch()
        return done

    assert run_at_once([partial(jobs.run, job.pk), canceller]) == [None, True]
    assert (state(job), handlers.effects(job.pk)) == ("cancelled", [0, 1, 2])


def test_the_runner_outlives_a_task_that_fails(process_env: dict[str, str], tmp_path: Path) -> None:
    """Without a broker one process does everything: what one task raises must not end it, and with it the site."""
    job = enqueue(steps=2)
    program = (
        "import django; django.setup()\n"
        "import tests.faults.handlers\n"
        "from annotation.management.commands import runjobs\n"
        "from annotation.jobs import queue as jobs\n"
        "seen, right = [], jobs.run_next\n"
        "def wrong(*a):\n"
        "    if len(seen) < 3: seen.append(1); raise LookupError('a task of ours')\n"
        "    return right(*a)\n"
        "jobs.run_next = wrong\n"
        "runjobs.Command().run_from_argv(['manage.py', 'runjobs', '--interval', '0.05'])\n"
    )
    env = {**process_env, "REDIS_URL": ""}
    runner = services.Process([sys.executable, "-c", program], tmp_path / "runner.log", env=env)
    try:
        wait_until(lambda: ended(job) or not runner.alive(), what="the job to be done")
        assert runner.alive(), runner.tail()
        assert job.state == "done"
        # Timers and jobs are done in threads of their own: whichever failed last may still be saying so.
        wait_until(lambda: runner.log.read_text().count("runner_tick") >= 3, what="all failures to be told")
        assert runner.log.read_text().count("runner_tick") == 3
    finally:
        runner.kill()


def test_a_long_job_holds_up_no_timer(process_env: dict[str, str], tmp_path: Path) -> None:
    """Without a broker too: while a job stands still, decisions and sweeps go on; then it is finished and all end."""
    job, gate = standing(tmp_path, stop_at=1)
    program = (
        "import django; django.setup()\n"
        "import tests.faults.handlers\n"
        "from annotation.management.commands import runjobs\n"
        "runjobs.Command().run_from_argv(['manage.py', 'runjobs', '--interval', '0.05'])\n"
    )
    env = {**process_env, "REDIS_URL": ""}
    runner = services.Process([sys.executable, "-c", program], tmp_path / "runner.log", env=env)
    try:
        runner.wait_for(lambda: reached(gate), 60)
        runner.wait_for(Heartbeat.objects.filter(name="worker").exists, 60)
        assert state(job) == "running"
        gate.touch()
        runner.wait_for(lambda: ended(job), 60)
        assert (job.state, handlers.effects(job.pk)) == ("done", list(range(STEPS)))
        runner.child.terminate()
        assert runner.child.wait(60) == 0, runner.tail()
    finally:
        runner.kill()


def test_a_job_whose_process_is_told_to_end_waits_and_says_so() -> None:
    job, before = enqueue("fault-ended"), signal.getsignal(signal.SIGTERM)
    with pytest.raises(EndedBySignal, match="SIGTERM"):
        jobs.run_here(job)
    assert (state(job), job.error) == ("queued", "It was ended by SIGTERM. Background work goes on with it.")
    assert signal.getsignal(signal.SIGTERM) == before


def test_once_does_whatever_can_be_done_now() -> None:
    """Also what a job leaves for later without a wait, and what jobs queue."""
    job = enqueue("fault-turns", turns=3)
    call_command("runjobs", "--once")
    assert (state(job), job.attempts) == ("done", 4)


def test_a_runner_beside_workers_takes_nothing_away() -> None:
    """`runjobs --once` on a server with workers leaves alone what a worker is doing."""

    job = enqueue("fault-steps", steps=1)
    assert jobs.claim(job.pk) is not None
    call_command("runjobs", "--once")
    assert (state(job), job.attempts) == ("running", 1)
