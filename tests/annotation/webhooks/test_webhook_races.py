"""Several workers and several writers at once: every event is numbered once, and sent once and in order."""

import json
from collections.abc import Callable
from functools import partial

import pytest

from annotation.core.models.feed import FeedEvent
from annotation.core.rules import feed
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.webhooks import actions
from annotation.webhooks.models import Delivery
from tests import factory
from tests.annotation.webhooks.receiver import receiving
from tests.race import run_at_once

pytestmark = pytest.mark.django_db(transaction=True)
SUBJECTS, EACH, WORKERS = 4, 6, 4


def test_workers_and_writers_at_once() -> None:
    boss, project = factory.user(administrator=True), factory.project()

    def write() -> None:
        for turn in range(EACH):
            for subject in range(SUBJECTS):
                FeedEvent.record(project.pk, feed.SETTLED, f"item-{subject}", turn=turn)
            actions.feed_number(project.pk)

    with receiving() as receiver:
        actions.webhook_create(project=project, url=receiver.url, types=[feed.SETTLED], by=boss)
        work = [jobs.enqueue(kind=actions.KIND, project=project, by=None, args={}) for _ in range(WORKERS)]
        raced: list[Callable[[], object]] = [partial(jobs.run_here, job) for job in work]
        assert not [result for result in run_at_once([*raced, write, write]) if isinstance(result, Exception)]
        actions.continue_due_webhooks()
        for job in Job.objects.filter(kind=actions.KIND, state=Job.State.QUEUED):
            jobs.run_here(job)
        total = 2 * SUBJECTS * EACH
        numbers = FeedEvent.objects.order_by("n").values_list("n", flat=True)
        assert list(numbers) == list(range(1, total + 1))
        assert set(Delivery.objects.values_list("state", flat=True)) == {Delivery.State.TAKEN}
        ids = [message.headers["webhook-id"] for message in receiver.seen]
        assert len(ids) == len(set(ids)) == total
        for subject in range(SUBJECTS):
            sent = [message for message in receiver.seen if f'"item-{subject}"' in message.body.decode()]
            at = [int(message.headers["webhook-id"].rsplit("_", 1)[1]) for message in sent]
            assert at == sorted(at)
            assert json.loads(sent[0].body)["data"].keys() == {"project", "item", "turn", "url"}
