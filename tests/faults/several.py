"""A site whose every process is there twice: what can happen to each part of it, and who uses it meanwhile."""

import http.client
import json
import logging
import random
import secrets
import signal
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zlib import crc32

import psutil

from tests import binaries, factory, pooler, services
from tests.faults import site
from tests.wait import wait_until

SERVER_CONNECTIONS = 6
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret-of-the-test"}
# What a fault does first, for how many seconds it lasts, and what ends it.
Fault = Callable[[], Iterator[float]]


class Store:
    """An object store on one port, which may go and come back with what it holds: that is kept by this process."""

    def __init__(self) -> None:
        import boto3

        logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it tells of every request
        self.port = services.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()
        boto3.client("s3", endpoint_url=self.url, region_name="us-east-1", **_boto_keys()).create_bucket(
            Bucket="several"
        )

    def address(self) -> str:
        return f"s3://several/site?endpoint={self.url}&region=us-east-1"

    def start(self) -> None:
        from moto.server import ThreadedMotoServer

        self.server = ThreadedMotoServer(ip_address="127.0.0.1", port=self.port, verbose=False)
        self.server.start()
        wait_until(lambda: services.port_answers(self.port), what="the object store")

    def stop(self) -> None:
        self.server.stop()


def _boto_keys() -> dict[str, str]:
    return {name.lower(): value for name, value in KEYS.items()}


class ReplicatedSite:
    """Two web processes behind a pooler, two of background work beside it, one of all that they share."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.postgres, self.redis = services.start_postgres(fsync=True), services.start_redis()
        self.pooler = pooler.start_pooler(self.postgres.url(), size=SERVER_CONNECTIONS)
        self.store = Store()
        self.env = site.environment(self.postgres.url(), self.redis.url(), folder / "data", "production")
        self.env |= KEYS | {
            "STORAGE_URL": self.store.address(),
            "PG_BINDIR": str(binaries.postgres_bindir()),
            "LOGIN_RATE": "100000/m/ip",
            "API_REQUESTS_A_MINUTE": "100000",
        }
        self.webs: list[site.Web] = []
        self.background: list[services.Process] = []
        self.held: set[int] = set()
        self.ended = 0

    def start(self) -> None:
        pooled = {"DATABASE_URL": self.pooler.url(), "DATABASE_POOLED": "1"}
        for n in (0, 1):
            own = self.folder / f"web-{n + 1}"
            own.mkdir()
            self.webs.append(site.Web(self.env | pooled, own, workers=1).start())
            self.background.append(self._background(n))

    def _background(self, n: int) -> services.Process:
        command = [sys.executable, "-m", "config.background"]
        return services.Process(command, self.folder / f"background-{n + 1}.log", env=self.env)

    def close(self) -> None:
        self.tell_database(signal.SIGCONT)
        for web in self.webs:
            web.kill()
        for process in self.background:
            process.kill()
        self.store.stop()
        for each in (self.pooler, self.redis, self.postgres):
            each.remove()

    def ports(self) -> list[int]:
        return [web.port for web in self.webs]

    # --- what can happen ---

    def faults(self) -> dict[str, Fault]:
        """By what is told of them in the end."""
        return {
            "web 1 killed": lambda: self._web(0),
            "web 2 killed": lambda: self._web(1),
            "background 1 killed": lambda: self._worker(0),
            "background 2 killed": lambda: self._worker(1),
            "redis killed": self._redis,
            "postgresql killed": lambda: self._database(self.postgres.kill),
            "postgresql stopped at once": lambda: self._database(self._stop_at_once),
            "postgresql silent": self._silent,
            "pooler killed": self._pooler,
            "object store gone": self._store,
        }

    def _web(self, n: int) -> Iterator[float]:
        self.webs[n].kill()
        yield self.chance.uniform(0, 2)
        self.webs[n].start()

    def _worker(self, n: int) -> Iterator[float]:
        self.held.add(n)
        self.background[n].kill()
        yield self.chance.uniform(0, 2)
        self.background[n] = self._background(n)
        self.held.discard(n)

    def wait_until(self, reached: Callable[[], bool], deadline: float, what: str) -> None:
        """Wait; what ends by itself meanwhile is started again, as by systemd, compose and Kubernetes."""

        def supervised() -> bool:
            for n, process in enumerate(self.background):
                if n not in self.held and not process.alive():
                    self.ended += 1
                    self.background[n] = self._background(n)
            return reached()

        wait_until(supervised, deadline, what)

    def _redis(self) -> Iterator[float]:
        self.redis.kill()
        yield self.chance.uniform(3, 6)
        self.redis.start()

    def _database(self, end: Callable[[], None]) -> Iterator[float]:
        end()
        yield self.chance.uniform(0, 3)
        self.postgres.start()

    def _stop_at_once(self) -> None:
        assert self.postgres.process is not None
        self.postgres.process.child.send_signal(signal.SIGQUIT)
        self.postgres.process.child.wait(60)

    def tell_database(self, what: signal.Signals) -> None:
        """All processes of the server: the first one, which takes connections, and those that serve them."""
        assert self.postgres.process is not None
        with suppress(psutil.NoSuchProcess):
            first = psutil.Process(self.postgres.process.pid)
            for each in (first, *first.children(recursive=True)):
                with suppress(psutil.NoSuchProcess):
                    each.send_signal(what)

    def _silent(self) -> Iterator[float]:
        self.tell_database(signal.SIGSTOP)
        yield self.chance.uniform(4, 12)
        self.tell_database(signal.SIGCONT)

    def _pooler(self) -> Iterator[float]:
        self.pooler.kill()
        yield self.chance.uniform(0, 2)
        self.pooler.start()

    def _store(self) -> Iterator[float]:
        self.store.stop()
        yield self.chance.uniform(3, 8)
        self.store.start()


class VotePace:
    """When votes were acknowledged: the longest time without one, by what had happened before it."""

    def __init__(self) -> None:
        self.lock, self.during, self.last = threading.Lock(), "nothing", time.monotonic()
        self.longest: dict[str, float] = defaultdict(float)

    def acknowledged(self) -> None:
        with self.lock:
            now = time.monotonic()
            self.longest[self.during] = max(self.longest[self.during], now - self.last)
            self.last = now


@dataclass
class SwitchingVoter(site.Voter):
    """Goes to the other web process where one does not answer, as through a balancer."""

    ports: list[int] = field(default_factory=list)
    pace: VotePace = field(default_factory=VotePace)

    def label(self) -> str:
        """Half of the labels are the author's, the others of two kinds; the same for the same card."""
        return "nnec"[crc32((self.token or "").encode()) % 4]

    def work(self, stop: threading.Event, most: int = 0) -> None:
        while not stop.is_set():
            acked, broken, failed = len(self.acked), self.broken, self.statuses[503]
            went_on = self.step()
            if len(self.acked) > acked:
                self.pace.acknowledged()
            if self.broken > broken:
                self.port = next(port for port in self.ports if port != self.port)
            if not went_on or (self.broken, self.statuses[503]) != (broken, failed):
                stop.wait(0.05)
        if self.connection is not None:
            self.connection.close()


class Importer(threading.Thread):
    """An administrator's script that sends files of pairs and has them taken in; repeats what got no answer."""

    ROWS, EVERY_SECONDS = 5, 2.0

    def __init__(self, ports: list[int], slug: str, token: str) -> None:
        super().__init__(daemon=True)
        self.ports, self.slug, self.token = ports, slug, token
        self.stop_event, self.statuses, self.broken = threading.Event(), Counter[int](), 0
        self.started: list[int] = []

    def __enter__(self) -> "Importer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_event.set()
        self.join(120)
        assert not self.is_alive(), "the importer did not come back"

    def run(self) -> None:
        n = 0
        while not self.stop_event.wait(self.EVERY_SECONDS):
            n += 1
            sent = self._until_done(f"projects/{self.slug}/imports", *_file(n, self.ROWS))
            begun = self._until_done(f"projects/{self.slug}/imports/{sent['id']}:start", b"{}", "application/json")
            self.started.append(begun["id"])

    def _until_done(self, path: str, body: bytes, kind: str) -> Any:
        """One effect, whatever happens to the answers. An answer other than done and later is a fault."""
        key = secrets.token_hex(16)
        while True:
            status, answer = self._send(path, body, kind, key)
            if status // 100 == 2:
                return json.loads(answer)
            if status not in (0, 503):
                raise AssertionError(f"{path}: {status} {answer[:500]!r}")
            time.sleep(0.2)

    def _send(self, path: str, body: bytes, kind: str, key: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[self.broken % 2], timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind, "Idempotency-Key": key}
        try:
            connection.request("POST", f"/api/v1/{path}", body, headers)
            answer = connection.getresponse()
            self.statuses[answer.status] += 1
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.broken += 1
            return 0, b""
        finally:
            connection.close()


def _file(n: int, rows: int) -> tuple[bytes, str]:
    """A form with one file of pairs, and its type."""
    pairs = (
        {
            "pair_id": f"imported-{n}-{row}",
            "premise_id": f"imported-{n}-{row}",
            "premise": f"Nelayan nomor {n} menjual ikan di dermaga {row}.",
            "hypothesis": f"Ada ikan di dermaga {row}.",
            "author_label": "n",
        }
        for row in range(rows)
    )
    content = "".join(json.dumps(pair) + "\n" for pair in pairs)
    head = f'Content-Disposition: form-data; name="file"; filename="pairs-{n}.jsonl"'
    body = f"--frontier\r\n{head}\r\nContent-Type: application/x-ndjson\r\n\r\n{content}\r\n--frontier--\r\n"
    return body.encode(), "multipart/form-data; boundary=frontier"


def sign_in(port: int, email: str) -> int:
    """The status of a sign-in by e-mail and password: 302 where it succeeded."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers: Mapping[str, str] = {
        "Cookie": f"csrftoken={site.CSRF}",
        "X-CSRFToken": site.CSRF,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    connection.request("POST", "/accounts/login/", urlencode({"login": email, "password": factory.PASSWORD}), headers)
    try:
        return connection.getresponse().status
    finally:
        connection.close()
