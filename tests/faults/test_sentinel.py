"""Redis servers that a sentinel watches: where the first one goes, another takes its place, and work goes on."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings
from redis.sentinel import MasterNotFoundError, Sentinel

from annotation.jobs import queue as jobs
from annotation.jobs.models import Heartbeat
from tests import binaries, factory, services
from tests.faults import site
from tests.faults.several import sign_in
from tests.wait import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]
NAME = "the-set"
WATCH = """port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor {name} 127.0.0.1 {first} 1
sentinel down-after-milliseconds {name} 500
sentinel failover-timeout {name} 3000
"""


class Watched:
    """A first Redis, a second that follows it, and the sentinel that watches both."""

    def __init__(self, folder: Path) -> None:
        self.first, self.second = services.start_redis(), services.start_redis()
        with redis.Redis(port=self.second.port) as client:
            client.replicaof("127.0.0.1", str(self.first.port))
        self.port = services.free_port()
        path = folder / "sentinel.conf"
        path.write_text(WATCH.format(port=self.port, folder=folder, name=NAME, first=self.first.port))
        command = [str(binaries.redis_server()), str(path), "--sentinel"]
        self.sentinel = services.Process(command, folder / "sentinel.log")
        self.sentinel.wait_for(self._sees_both)

    def _sees_both(self) -> bool:
        try:
            with self._asked() as client:
                return len(client.sentinel_slaves(NAME)) == 1
        except redis.RedisError:
            return False

    def _asked(self) -> redis.Redis:
        return redis.Redis(port=self.port, socket_timeout=2, socket_connect_timeout=2)

    def chosen(self) -> int:
        """The port of the one that is written to; 0 while there is none."""
        try:
            return int(Sentinel([("127.0.0.1", self.port)], socket_timeout=2).discover_master(NAME)[1])
        except MasterNotFoundError:
            return 0

    def url(self, number: int) -> str:
        return f"sentinel://127.0.0.1:{self.port}/{number}"

    def close(self) -> None:
        self.sentinel.kill()
        self.second.remove()
        self.first.remove()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path)
    yield made
    made.close()


@pytest.mark.timeout(300)
def test_another_redis_takes_the_place_of_the_first(
    watched: Watched, process_env: dict[str, str], tmp_path: Path
) -> None:
    """Messages reach decider and worker before and after; log-ins are counted in whichever is the first."""
    env = site.environment(process_env["DATABASE_URL"], watched.url(0), tmp_path, "production")
    env |= {"CACHE_URL": watched.url(1), "REDIS_SENTINEL_SET": NAME, "SECRET_KEY": settings.SECRET_KEY}
    command = [sys.executable, "-m", "config.background"]
    background = services.Process(command, tmp_path / "background.log", env={**os.environ, **env})
    web = site.Web(env, tmp_path, workers=1).start()
    seen = Heartbeat.objects.filter(name__in=[jobs.DECIDER, jobs.WORKER])
    try:
        background.wait_for(lambda: seen.count() == 2)
        sign_in(web.port, "somebody@example.org")
        assert counted(watched.first) > 0

        watched.first.kill()
        wait_until(lambda: watched.chosen() == watched.second.port, 60, "the sentinel to choose the other one")
        seen.delete()
        background.wait_for(lambda: seen.count() == 2)
        before = counted(watched.second)
        sign_in(web.port, "somebody-else@example.org")
        wait_until(lambda: sign_in(web.port, factory.user().email) and counted(watched.second) > before, 60)
    finally:
        web.kill()
        background.kill()


def counted(server: services.Redis) -> int:
    """How many counters there are in the number of the cache."""
    with redis.Redis(port=server.port, db=1) as client:
        return len(client.keys("*"))
