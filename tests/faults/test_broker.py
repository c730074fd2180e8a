"""Redis away, silent or full: votes go on, nobody waits for it twice, and what was not rung for is decided anyway."""

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.test import Client

from annotation.content.models.item import Item
from annotation.core.models.member import Annotator
from annotation.jobs import queue as jobs
from tests import factory, services
from tests.faults import site
from validation.consensus.protocol import Protocol
from validation.voting import tasks, wake
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
ONE_VOTE = Protocol(name="one", rounds=(1,), quorum=1, author="none", plurality=True, tie="lowest-pseudonym")
PEOPLE, SETS = 4, 2
TOO_MANY = "Too many failed login attempts"


def small_world(protocol: Protocol = ONE_VOTE) -> tuple[str, list[str]]:
    """A project in which every vote decides, and the session cookies of its validators."""
    project = factory.project(protocol=protocol)
    factory.written_pairs(project, factory.member(project, "writer"), SETS)
    while decide_due():
        pass
    return project.slug, [session(factory.member(project, "validator")) for _ in range(PEOPLE)]


def session(person: Annotator) -> str:
    assert person.user is not None
    client = Client()
    client.force_login(person.user)
    return client.cookies["sessionid"].value


class Silent:
    """Accepts connections and never answers; counts them."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port: int = self.listener.getsockname()[1]
        self.taken: list[socket.socket] = []
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        while True:
            try:
                self.taken.append(self.listener.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for taken in self.taken:
            taken.close()


@contextmanager
def serving(process_env: dict[str, str], broker: str, folder: Path) -> Iterator[site.Web]:
    """A production web server with one process and four threads, with this Redis."""
    env = site.environment(process_env["DATABASE_URL"], broker, folder, "production")
    web = site.Web({**env, "SECRET_KEY": settings.SECRET_KEY}, folder, workers=1).start()
    try:
        yield web
    finally:
        web.stop()


def all_vote(web: site.Web, slug: str, sessions: list[str]) -> site.Crowd:
    count = SETS * 6
    with site.Crowd([site.Voter(web.port, slug, cookie) for cookie in sessions]) as crowd:
        crowd.more(count)
    assert set(crowd.statuses()) == {200}
    assert (crowd.acked, Vote.objects.count()) == (count, count)
    return crowd


def all_are_decided() -> None:
    """The rings were lost; the sweep of the next moment decides all the same."""
    assert Item.objects.filter(due_at__isnull=False).count() == SETS * 6
    tasks.sweep()
    assert set(Item.objects.values_list("stage", flat=True)) == {"settled"}


def test_a_silent_broker_is_asked_once(process_env: dict[str, str], tmp_path: Path) -> None:
    """F09: every vote is a 2xx, and the broker that does not answer is tried by two threads at the most."""
    slug, sessions = small_world()
    silent = Silent()
    with serving(process_env, f"redis://127.0.0.1:{silent.port}/0", tmp_path) as web:
        all_vote(web, slug, sessions)
    silent.close()
    assert 1 <= len(silent.taken) <= wake.MOST_AT_ONCE
    all_are_decided()


def login(port: int, password: str) -> tuple[int, str]:
    """Status and page of an attempt to sign in."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {
        "Cookie": f"csrftoken={site.CSRF}",
        "X-CSRFToken": site.CSRF,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    connection.request("POST", "/accounts/login/", f"login=somebody@example.org&password={password}", headers)
    answer = connection.getresponse()
    page = answer.read().decode()
    connection.close()
    return answer.status, page


def people_sign_in(web: site.Web) -> None:
    """With the right password; with wrong ones so often as the limits say, which this process counts itself."""
    account = factory.user("somebody@example.org")
    account.password = PBKDF2PasswordHasher().encode(factory.PASSWORD, "some-salt-of-the-test", 1000)
    account.save(update_fields=["password"])
    assert login(web.port, factory.PASSWORD)[0] == 302
    assert [TOO_MANY in login(web.port, "not-the-right-one")[1] for _ in range(6)] == [False] * 5 + [True]
    assert TOO_MANY in login(web.port, factory.PASSWORD)[1]


def test_a_broker_that_refuses(process_env: dict[str, str], tmp_path: Path) -> None:
    """F08, F10: votes are 2xx, the site is ready, and people sign in, though it is Redis that counts who tries."""
    slug, sessions = small_world()
    with serving(process_env, f"redis://127.0.0.1:{services.free_port()}/0", tmp_path) as web:
        all_vote(web, slug, sessions)
        for part in (jobs.DECIDER, jobs.WORKER):
            jobs.record_heartbeat(part)
        assert web.get("/readyz") == 200
        people_sign_in(web)
    all_are_decided()


def test_a_broker_that_is_full(process_env: dict[str, str], tmp_path: Path) -> None:
    """F10: noeviction and no memory: `OOM command not allowed` is no fault of a vote."""
    slug, sessions = small_world()
    server = services.start_redis()
    with redis.Redis.from_url(server.url()) as client:
        client.config_set("maxmemory", "1")
        with pytest.raises(redis.RedisError, match="maxmemory"):
            client.set("one", "more")
    try:
        with serving(process_env, server.url(), tmp_path) as web:
            all_vote(web, slug, sessions)
            people_sign_in(web)
    finally:
        server.remove()
    all_are_decided()


def test_the_bell_rings_at_most_once_a_second_and_rests_when_broken() -> None:
    """The breaker by a clock of its own: one now, one put off, none beyond; after a break none for a while."""
    clock = [0.0]
    one = wake.WakeUpCall(lambda: clock[0])
    assert [one.delay(), one.delay(), one.delay()] == [0.0, wake.GAP_SECONDS, None]
    clock[0] = 10 * wake.GAP_SECONDS
    assert one.delay() is None, "two are still being sent"
    one.sent(broke=False)
    assert one.delay() == 0.0
    one.sent(broke=True)
    one.sent(broke=False)
    clock[0] += wake.BREAK_SECONDS - 1
    assert one.delay() is None
    clock[0] += 2
    assert one.delay() == 0.0
