"""Starts and stops what the suite, the fault tests and the bench stand on: PostgreSQL, Redis, a worker.

Everything listens on 127.0.0.1 on a free port, keeps its files in a temporary folder, and ends with whoever
started it: by `stop()`, by `stop_all()` at exit, and on Linux by the kernel when the starter is killed.
"""

import atexit
import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

import psutil

from tests import binaries
from tests.wait import wait_until

ROOT = Path(__file__).resolve().parent.parent


class Stoppable(Protocol):
    def stop(self) -> None: ...


_running: list[Stoppable] = []


@atexit.register
def stop_all() -> None:
    """Stop whatever is still running, the youngest first."""
    while _running:
        _running[-1].stop()


def free_port() -> int:
    """A port on 127.0.0.1 that nobody listens on, and that nobody is given by chance.

    Not one that the system gives (those begin at 32768): between now and its use, or while its server is down, that may
    become the port of any connection on this machine. Drawn by the system's chance: seeds of tests are the same.
    """
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(15_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def port_answers(port: int) -> bool:
    """Whether something accepts connections on 127.0.0.1:port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def external_service_url(variable: str) -> str | None:
    """The address of a service that somebody else runs; one that does not answer is missing, not skipped."""
    url = os.environ.get(variable)
    if not url:
        return None
    parts = urlsplit(url)
    port = parts.port or {"redis": 6379}.get(parts.scheme, 5432)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", port), timeout=5).close()
    except OSError as error:
        raise binaries.ServiceMissingError(f"{variable}: nothing answers there ({error}).") from error
    return url


class Process:
    """A child in a session of its own, so that Ctrl-C reaches it only through its starter."""

    def __init__(
        self,
        command: list[str],
        log: Path,
        *,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
        root: Path = ROOT,
    ) -> None:
        self.command, self.log, self.stop_signal = command, log, stop_signal
        launcher = shutil.which("setpriv")
        # The kernel then ends the child even when its starter is killed by SIGKILL.
        prefix = [launcher, "--pdeathsig", stop_signal.name.removeprefix("SIG"), "--"] if launcher else []
        with log.open("ab") as output:
            self.child = subprocess.Popen(
                [*prefix, *command],
                cwd=root if user is None else log.parent,
                env=None if env is None else dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=user,
                group=None if user is None else pwd.getpwnam(user).pw_gid,
                extra_groups=None if user is None else [],
            )
        _running.append(self)

    @property
    def pid(self) -> int:
        return self.child.pid

    def alive(self) -> bool:
        return self.child.poll() is None

    def wait_for(self, ready: Callable[[], object], deadline: float = 120) -> None:
        """Wait until `ready`; a child that ended first is reported with the end of its log, one that is late is killed
        too: nobody would end it, and a worker would do what is the next test's."""

        def ready_or_dead() -> bool:
            return not self.alive() or bool(ready())

        try:
            wait_until(ready_or_dead, deadline, f"{self.command[0]} to be ready")
        except AssertionError as late:
            told = self.tail()
            self.kill()
            raise AssertionError(f"{late}\n{told}") from late
        if not self.alive():
            raise RuntimeError(f"{self.command[0]} ended with {self.child.returncode}:\n{self.tail()}")

    def tail(self) -> str:
        """The last lines that the child wrote."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])

    def stop(self, timeout: float = 60) -> None:
        """Ask it to end, wait, and kill its whole session when it does not."""
        if self in _running:
            _running.remove(self)
        if self.alive():
            self.child.send_signal(self.stop_signal)
            try:
                self.child.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """SIGKILL to it and to all that it started: the crash of the fault tests. All are gone afterwards."""
        if self in _running:
            _running.remove(self)
        # Those of PostgreSQL are in sessions of their own, and hold its shared memory until each has seen that the
        # first is gone: before that it does not start again.
        started = _descendants(self.child.pid)
        with _gone_is_fine():
            os.killpg(self.child.pid, signal.SIGKILL)
        for each in started:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        self.child.wait()
        wait_until(lambda: all(has_ended(each) for each in started), what="what it started to end")


def has_ended(process: psutil.Process) -> bool:
    """Whether it ended, or waits only to be counted by the system."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _descendants(pid: int) -> list[psutil.Process]:
    """All that a process started, and what these did."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


@contextlib.contextmanager
def _gone_is_fine() -> Iterator[None]:
    try:
        yield
    except ProcessLookupError:
        return


class Server:
    """A server of our own, in a folder of its own."""

    folder: Path
    process: Process | None = None

    def stop(self) -> None:
        if self.process is not None:
            self.process.stop()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres(Server):
    """A PostgreSQL: `start`, `stop` (fast), `kill` (as after a crash: no checkpoint), and `start` again on the same
    files."""

    def __init__(self, bindir: Path, *, fsync: bool) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mufakat-pg-"))
        self.port, self.fsync = free_port(), fsync
        # PostgreSQL refuses to run as root.
        self.user = binaries.plain_user() if os.geteuid() == 0 else None
        if self.user is not None:
            shutil.chown(self.folder, self.user)
            bindir = binaries.reachable_by_others(bindir, self.folder)
        self.bindir = bindir
        self._initdb()

    def _initdb(self) -> None:
        base = [str(self.bindir / "initdb"), "-D", str(self.folder / "data"), "-U", "mufakat", "-A", "trust"]
        for locale in ("C.UTF-8", "C"):  # the first is missing on some systems
            done = subprocess.run(
                [*base, "-N", "-E", "UTF8", f"--locale={locale}"],
                cwd=self.folder,
                user=self.user,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode == 0:
                return
        raise RuntimeError(f"initdb failed:\n{done.stdout}{done.stderr}")

    def url(self, database: str = "mufakat") -> str:
        return f"postgres://mufakat@127.0.0.1:{self.port}/{database}"

    def start(self) -> "Postgres":
        """Start the server and wait until it takes queries; the database `mufakat` is there afterwards."""
        options = {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "on" if self.fsync else "off",
            # Tables that were analysed while another test had filled or emptied them mislead the planner of this one.
            "autovacuum": "on" if self.fsync else "off",
            "synchronous_commit": "on",
            "full_page_writes": "on" if self.fsync else "off",
            "max_connections": "200",
            # Plans of tables that nobody analysed look dear: compiling them cost more than it gave.
            "jit": "on" if self.fsync else "off",
        }
        flags = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        command = [str(self.bindir / "postgres"), "-D", str(self.folder / "data"), *flags]
        log = self.folder / "postgres.log"
        self.process = Process(command, log, user=self.user, stop_signal=signal.SIGINT)
        self.process.wait_for(self._ready)
        return self

    def _ready(self) -> bool:
        import psycopg

        try:
            with psycopg.connect(self.url("postgres"), autocommit=True, connect_timeout=2) as connection:
                known = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'mufakat'").fetchone()
                if known is None:
                    connection.execute("CREATE DATABASE mufakat")
                return True
        except psycopg.OperationalError:
            return False


class Replica(Postgres):
    """A streaming replica of a server that lets us: a hot standby, made by pg_basebackup."""

    def __init__(self, bindir: Path, *, of: str) -> None:
        self.of = of
        super().__init__(bindir, fsync=False)

    def _initdb(self) -> None:
        parts = urlsplit(self.of)
        whose = f"host={parts.hostname} port={parts.port or 5432} user={parts.username}"
        if parts.password:
            whose += f" password={unquote(parts.password)}"
        command = [str(self.bindir / "pg_basebackup"), "-D", str(self.folder / "data"), "-R", "-c", "fast"]
        done = subprocess.run(
            [*command, "-d", whose],
            cwd=self.folder,
            user=self.user,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"pg_basebackup failed:\n{done.stdout}{done.stderr}")


class Redis(Server):
    """A Redis of our own, in memory only; `kill` and `start` again gives an empty one on the same port."""

    def __init__(self, binary: Path, *, port: int | None = None) -> None:
        self.binary, self.port = binary, port or free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="mufakat-redis-"))

    def url(self, number: int = 0) -> str:
        return f"redis://127.0.0.1:{self.port}/{number}"

    def start(self) -> "Redis":
        settings = {
            "--port": str(self.port),
            "--bind": "127.0.0.1",
            "--save": "",
            "--appendonly": "no",
            "--maxmemory-policy": "noeviction",
            "--dir": str(self.folder),
        }
        command = [str(self.binary), *(part for pair in settings.items() for part in pair)]
        self.process = Process(command, self.folder / "redis.log")
        self.process.wait_for(self._ready)
        return self

    def _ready(self) -> bool:
        import redis

        with redis.Redis(port=self.port, socket_timeout=1, socket_connect_timeout=1) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False


def start_postgres(*, fsync: bool = False) -> Postgres:
    """A new, empty PostgreSQL; `fsync=True` where a crash or a speed is what is looked at."""
    cluster = Postgres(binaries.postgres_bindir(), fsync=fsync)
    atexit.register(cluster.remove)
    return cluster.start()


def start_replica(url: str) -> Replica:
    """A replica of the server at this address, which streams from it."""
    cluster = Replica(binaries.postgres_bindir(), of=url)
    atexit.register(cluster.remove)
    cluster.start()
    return cluster


def start_redis(*, port: int | None = None) -> Redis:
    """A new, empty Redis."""
    server = Redis(binaries.redis_server(), port=port)
    atexit.register(server.remove)
    return server.start()


def celery_command(role: str, *args: str) -> list[str]:
    """`celery -A config <role> …` with this Python."""
    return [sys.executable, "-m", "celery", "-A", "config", role, *args]


def start_worker(
    log: Path,
    *,
    env: Mapping[str, str],
    queues: str = "due,jobs,sends",
    concurrency: int = 2,
    extra: Sequence[str] = (),
) -> Process:
    """A real Celery worker, when it answers a ping. `env`: DATABASE_URL, REDIS_URL, DJANGO_SETTINGS_MODULE."""
    name = f"worker{free_port()}@127.0.0.1"
    flags = f"-Q {queues} -c {concurrency} -n {name} -l INFO --without-gossip --without-mingle".split()
    process = Process(celery_command("worker", *flags, *extra), log, env={**os.environ, **env})
    process.wait_for(lambda: _answers_ping(env["REDIS_URL"], name))
    return process


def _answers_ping(broker: str, name: str) -> bool:
    from celery import Celery

    with Celery(broker=broker, set_as_current=False) as app, app.connection_for_write() as connection:
        return bool(app.control.ping(destination=[name], timeout=0.5, limit=1, connection=connection))
