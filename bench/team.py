"""`python -m bench.team --minutes 10`: two hundred people at work, on a server as it is deployed.

A PostgreSQL of its own with a large project (bench/crowd.py), Redis, `deploy/start web` (two processes of four threads)
and `deploy/start background`. Each person signs in through the form, opens a card, thinks one to three seconds, votes
and gets the next card in the answer, for so many minutes. `--pooler N` puts a PgBouncer with N connections before the
database, for web alone (docs/operating.md).

Printed: votes, errors and the time of a vote with its next card, a minute at a time; connections to PostgreSQL; memory
(PSS) of all processes at the start and at the end. It ends with 1 where a request failed, or the votes that were
acknowledged are not those that are stored.
"""

import argparse
import gzip
import http.client
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import psycopg

from bench import crowd
from bench.release import memory_of
from tests import services

THINK_SECONDS = (1.0, 3.0)
CONNECTIONS = """SELECT count(*), count(*) FILTER (WHERE state = 'active') FROM pg_stat_activity
WHERE datname = 'mufakat'"""


@dataclass
class Log:
    """What came of requests, a minute at a time: seconds of votes, and errors by kind."""

    begun: float = field(default_factory=time.monotonic)
    seconds: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    dry: int = 0

    def minute(self) -> int:
        return int((time.monotonic() - self.begun) / 60)


class Person:
    """One of the people: a browser with its cookies, and the card on its screen."""

    def __init__(self, port: int, number: int) -> None:
        self.email, self.chance = f"a{number}@crowd.example", random.Random(number)
        self.port = port
        self.cookies: dict[str, str] = {}
        self.shown = b""

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, bytes]:
        """Status and content, at a connection for each request, as a proxy makes it. Raises what goes wrong there."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        headers |= {"Accept-Encoding": "gzip", "HX-Request": "true"} if "/vote/" in path and form else {}
        body = None
        if form is not None:
            body = urlencode(form | {"csrfmiddlewaretoken": self.cookies.get("csrftoken", "")})
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
        for each in answer.headers.get_all("Set-Cookie", []):
            name, _, value = each.split(";")[0].partition("=")
            self.cookies[name] = value
        if answer.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return answer.status, content

    def sign_in(self) -> None:
        """Through the form, as a browser does."""
        self.ask("GET", "/accounts/login/")
        status, _ = self.ask("POST", "/accounts/login/", {"login": self.email, "password": crowd.PASSWORD})
        if status != 302 or "sessionid" not in self.cookies:
            raise RuntimeError(f"{self.email} could not sign in: {status}")

    def work(self, log: Log, until: float) -> None:
        """Vote until the time is over."""
        time.sleep(self.chance.uniform(0, THINK_SECONDS[1]))
        while time.monotonic() < until:
            try:
                self._step(log)
            except (OSError, http.client.HTTPException) as error:
                log.errors[type(error).__name__] += 1
            time.sleep(self.chance.uniform(*THINK_SECONDS))

    def _step(self, log: Log) -> None:
        found = crowd.TOKEN.search(self.shown)
        if found is None:
            status, self.shown = self.ask("GET", f"/p/{crowd.SLUG}/vote/")
            log.dry += status == 200 and crowd.TOKEN.search(self.shown) is None
            if status != 200:
                log.errors[f"card {status}"] += 1
            return
        begun = time.perf_counter()
        address = f"/p/{crowd.SLUG}/vote/{found.group(1).decode()}/"
        status, self.shown = self.ask("POST", address, {"label": self.chance.choice("enc")})
        if status == 200:
            log.seconds[log.minute()].append(time.perf_counter() - begun)
        else:
            log.errors[f"vote {status}"] += 1


def environment(database: str, redis: str, folder: Path) -> dict[str, str]:
    """What a server needs; this machine's own settings of the database have no place in it."""
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "DATABASE_URL": database,
        "REDIS_URL": redis,
        "SECRET_KEY": "a-key-for-the-bench-only-0123456789-abcdefghijkl",
        "ALLOWED_HOSTS": "127.0.0.1",
        "HTTPS": "0",
        "LOGIN_RATE": "10000/m/ip",
        "LOG_LEVEL": "WARNING",
        "DATA_DIR": str(folder),
    }


def percentiles(seconds: list[float]) -> str:
    """Half, 95 and 99 of a hundred took no longer, in ms."""
    ordered = sorted(seconds)
    return " / ".join(f"{1000 * ordered[min(len(ordered) - 1, int(q * len(ordered)))]:.0f}" for q in (0.5, 0.95, 0.99))


def report_lines(log: Log, minutes: float) -> Iterator[str]:
    """A line a minute, and one for all."""
    for minute, seconds in sorted(log.seconds.items()):
        yield f"minute {minute + 1}: {len(seconds)} votes, next card {percentiles(seconds)} ms"
    every = [each for seconds in log.seconds.values() for each in seconds]
    if every:
        rate = len(every) / (60 * minutes)
        yield f"all: {len(every)} votes, {rate:.1f} votes/s, next card p50 / p95 / p99 {percentiles(every)} ms"
    yield f"errors: {dict(log.errors) or 'none'}; times that there was no card: {log.dry}"


def memory(processes: dict[str, services.Process]) -> str:
    """PSS of what each started, and of that too."""
    found = {name: memory_of(process.pid) / 1024 for name, process in processes.items()}
    parts = ", ".join(f"{name} {mib:.0f}" for name, mib in found.items())
    return f"{sum(found.values()):.0f} MiB PSS ({parts})"


class Connections(threading.Thread):
    """Asks now and then how many connections the server has; the most, and the most that were at work."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.url, self.most, self.active, self.over = url, 0, 0, threading.Event()

    def run(self) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            while not self.over.wait(1):
                ((there, active),) = connection.execute(CONNECTIONS).fetchall()
                self.most, self.active = max(self.most, there - 1), max(self.active, active - 1)


def count_stored_votes(url: str) -> int:
    with psycopg.connect(url) as connection:
        ((n,),) = connection.execute("SELECT count(*) FROM validation_vote").fetchall()
        return int(n)


def main() -> int:
    """Fill, start, work, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.team", description=__doc__)
    parser.add_argument("--items", type=int, help="default: as many as are wanted in so many minutes")
    parser.add_argument("--votes", type=int, default=5, help="of an item")
    parser.add_argument("--people", type=int, default=crowd.PEOPLE)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pooler", type=int, default=0, help="connections of a PgBouncer before the database")
    given = parser.parse_args()
    # A vote every two seconds; of four items about one vote is open.
    items = given.items or int(4 * given.people * given.minutes * 30)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mufakat-team-")))
        database = services.start_postgres(fsync=True)
        stack.callback(database.remove)
        redis = services.start_redis()
        stack.callback(redis.remove)
        os.environ |= {"DATABASE_URL": database.url(), "DJANGO_SETTINGS_MODULE": "config.settings.test"}
        import django

        django.setup()
        crowd.fill(database.url(), items, given.votes)
        env, port = environment(database.url(), redis.url(), folder), services.free_port()
        of_web = env | {"BIND": f"127.0.0.1:{port}"}
        processes: dict[str, services.Process] = {}
        if given.pooler:
            from tests import pooler

            between = pooler.start_pooler(database.url(), size=given.pooler)
            stack.callback(between.remove)
            of_web |= {"DATABASE_URL": between.url(), "DATABASE_POOLED": "true"}
            assert between.process is not None
            processes["pooler"] = between.process
        for name, its in (("web", of_web), ("background", env)):
            line = [str(crowd.ROOT / "deploy" / "start"), name]
            processes[name] = services.Process(line, folder / f"{name}.log", env=its)
            stack.callback(processes[name].stop)
        processes["web"].wait_for(lambda: services.port_answers(port))
        assert database.process is not None
        assert redis.process is not None
        processes |= {"postgresql": database.process, "redis": redis.process}
        return _run_team(given, database.url(), port, processes)


def _run_team(given: argparse.Namespace, url: str, port: int, processes: dict[str, services.Process]) -> int:
    people = [Person(port, number) for number in range(given.people)]
    begun = time.monotonic()
    with ThreadPoolExecutor(8) as together:
        for _ in together.map(Person.sign_in, people):
            pass
    print(f"{len(people)} people signed in, in {time.monotonic() - begun:.0f} s")
    print(f"at the start: {memory(processes)}", flush=True)
    before, connections = count_stored_votes(url), Connections(url)
    connections.start()
    log = Log()
    until = log.begun + 60 * given.minutes
    threads = [threading.Thread(target=each.work, args=(log, until), daemon=True) for each in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connections.over.set()
    print(f"at the end: {memory(processes)}")
    print(*report_lines(log, given.minutes), sep="\n")
    print(f"connections to PostgreSQL: {connections.most} at most, {connections.active} at work at once")
    acknowledged, kept = sum(map(len, log.seconds.values())), count_stored_votes(url) - before
    print(f"votes acknowledged {acknowledged}, stored {kept}")
    return int(bool(log.errors) or acknowledged != kept)


if __name__ == "__main__":
    sys.exit(main())
