"""A whole site for fault tests: its own environment, gunicorn, validators over HTTP, and a ledger of what was
acknowledged. The ledger is compared with the tables afterwards (I1): every 2xx is one stored vote."""

import http.client
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import services
from tests.wait import wait_until

TOKEN = re.compile(rb'action="/p/[^/"]+/vote/([\w-]{16,})/"')
SESSION = re.compile(r"sessionid=(\w+)")
CSRF = "c" * 32
KEY = "only-for-fault-tests-0123456789-abcdefghijklmnopqrs"


def environment(database: str, redis: str, folder: Path, mode: str) -> dict[str, str]:
    """What a site of this mode (`production`, `embedded`) needs, on this database."""
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": f"config.settings.{mode}",
        "DATABASE_URL": database,
        "REDIS_URL": redis,
        "SECRET_KEY": KEY,
        "ALLOWED_HOSTS": "127.0.0.1",
        "HTTPS": "0",
        "DATA_DIR": str(folder),
        "LOG_LEVEL": "WARNING",
    }


def manage(
    env: Mapping[str, str], *args: str, check: bool = True, root: Path = services.ROOT
) -> subprocess.CompletedProcess[str]:
    """`manage.py …` of this code, or of that below `root`, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "manage.py", *args],
        cwd=root,
        env=dict(env),
        capture_output=True,
        text=True,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"manage.py {args[0]} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done


def seed(env: Mapping[str, str], *, people: int, pairs: int, votes: int = 0, protocol: str = "") -> dict[str, Any]:
    """Migrate, and fill with tests.faults.seed: the slug, and a session cookie for each validator."""
    manage(env, "migrate", "-v", "0")
    return fill(env, people=people, pairs=pairs, votes=votes, protocol=protocol)


def fill(env: Mapping[str, str], *, people: int, pairs: int, votes: int = 0, protocol: str = "") -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.seed", str(people), str(pairs), str(votes or people), protocol],
        cwd=services.ROOT,
        env=dict(env),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


class Web:
    """gunicorn as `deploy/start web` starts it, on a free port; may be killed and started again."""

    def __init__(self, env: Mapping[str, str], folder: Path, *, workers: int = 2, root: Path = services.ROOT) -> None:
        self.env, self.log, self.workers, self.root = env, folder / "web.log", workers, root
        self.port = services.free_port()
        self.process: services.Process | None = None

    def start(self) -> "Web":
        gunicorn = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{self.port}"]
        flags = ["--worker-class", "gthread", "--workers", str(self.workers), "--threads", "4"]
        self.process = services.Process([*gunicorn, *flags], self.log, env=self.env, root=self.root)
        self.process.wait_for(lambda: services.port_answers(self.port))
        return self

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()

    def stop(self) -> None:
        if self.process is not None:
            self.process.stop()

    def get(self, path: str) -> int:
        """The status of one request without a log-in; 0 where nobody answers."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


@dataclass
class Voter:
    """One validator at one keep-alive connection. Keeps its card, sends again what got no answer."""

    port: int
    slug: str
    session: str
    acked: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    broken: int = 0
    token: str | None = None
    connection: http.client.HTTPConnection | None = None

    def _ask(self, method: str, path: str, body: str = "") -> tuple[int, bytes]:
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {
            "Cookie": f"sessionid={self.session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
            "HX-Request": "true",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        read = answer.read()
        self.statuses[answer.status] += 1
        return answer.status, read

    def step(self) -> bool:
        """Vote once, or look for a card; False where there was none to vote on."""
        try:
            return self._vote() if self.token else self._look()
        except (OSError, http.client.HTTPException):
            # No answer: stored or not, nobody knows. The token is kept and sent again.
            self.broken += 1
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return True

    def _look(self) -> bool:
        status, body = self._ask("GET", f"/p/{self.slug}/vote/")
        self.token = self._read(body) if status == 200 else None
        return self.token is not None or status != 200

    def _vote(self) -> bool:
        status, body = self._ask("POST", f"/p/{self.slug}/vote/{self.token}/", f"label={self.label()}")
        if status == 200:
            assert self.token is not None
            self.acked.append(self.token)
        if status < 500:
            self.token = self._read(body)
        return True

    def label(self) -> str:
        """What is answered on the card that is held, however often it is sent."""
        return "e"

    def _read(self, body: bytes) -> str | None:
        found = TOKEN.search(body)
        return found.group(1).decode() if found else None

    def work(self, stop: threading.Event, most: int = 1_000_000) -> None:
        """Vote until told to stop; where nothing is offered or the site is away, look again a little later."""
        while not stop.is_set() and len(self.acked) < most:
            voted = self.step()
            if not voted or self.broken or self.statuses[503]:
                stop.wait(0.02)
        if self.connection is not None:
            self.connection.close()


class Crowd:
    """Voters in threads of their own."""

    def __init__(self, voters: Sequence[Voter]) -> None:
        self.voters, self.stop_event = voters, threading.Event()
        self.threads = [threading.Thread(target=voter.work, args=(self.stop_event,), daemon=True) for voter in voters]

    def __enter__(self) -> "Crowd":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_event.set()
        for thread in self.threads:
            thread.join(90)
            assert not thread.is_alive(), "a voter did not come back"

    @property
    def acked(self) -> int:
        return sum(len(voter.acked) for voter in self.voters)

    def more(self, count: int, deadline: float = 60) -> None:
        """Wait until that many more votes were acknowledged."""
        goal = self.acked + count
        wait_until(lambda: self.acked >= goal, deadline, f"{count} more votes")

    def tokens(self) -> list[str]:
        return [token for voter in self.voters for token in voter.acked]

    def statuses(self) -> Counter[int]:
        return sum((voter.statuses for voter in self.voters), Counter())


RunQuery = Callable[[str], Sequence[Sequence[Any]]]
LEDGER = """SELECT s.token, s.state, COUNT(v.id) FROM validation_assignment s LEFT JOIN validation_vote v
  ON v.item_id = s.item_id AND v.annotator_id = s.annotator_id AND v.withdrawn_at IS NULL
  GROUP BY s.id, s.token, s.state"""
WRONG_COUNTERS = """SELECT i.id FROM annotation_item i WHERE i.slots_free < 0 OR i.votes_n <>
  (SELECT COUNT(*) FROM validation_vote v WHERE v.item_id = i.id)"""


def check_ledger(rows: RunQuery, acked: Sequence[str]) -> int:
    """I1, I2: every acknowledged vote is stored once; what got no answer at most once. How many are stored."""
    stored = {token: (state, count) for token, state, count in rows(LEDGER)}
    lost = [token for token in acked if stored.get(token) != ("done", 1)]
    assert lost == [], f"{len(lost)} of {len(acked)} acknowledged votes are not there"
    assert len(set(acked)) == len(acked)
    assert {count for state, count in stored.values() if state == "done"} <= {1}
    assert rows(WRONG_COUNTERS) == []
    total: int = rows("SELECT COUNT(*) FROM validation_vote")[0][0]
    assert total >= len(acked)
    return total
