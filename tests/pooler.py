"""A PgBouncer of our own before a PostgreSQL: lends its connections for one transaction at a time."""

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests import binaries, services

# What web processes ask for themselves where they connect directly (STATEMENT_SECONDS, LOCK_SECONDS).
LIMITS = "SET statement_timeout = '30s'; SET lock_timeout = '5s'"


class Pooler:
    """`start`, `stop`, `kill`, and `start` again on the same port, as `services.Postgres`."""

    def __init__(self, binary: Path, database: str, size: int) -> None:
        self.binary, self.port = binary, services.free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="mufakat-pgbouncer-"))
        # PgBouncer refuses to run as root.
        self.user = binaries.plain_user() if os.geteuid() == 0 else None
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        (self.folder / "pgbouncer.ini").write_text(self._settings(database, size))
        self.process: services.Process | None = None

    def _settings(self, database: str, size: int) -> str:
        at = urlsplit(database)
        to = {
            "host": at.hostname,
            "port": at.port or 5432,
            "dbname": at.path.removeprefix("/"),
            "user": at.username,
            "password": unquote(at.password) if at.password else None,
        }
        named = " ".join(f"{name}={value}" for name, value in to.items() if value)
        limits = LIMITS.replace("'", "''")
        return f"""[databases]
mufakat = {named} connect_query='{limits}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = any
admin_users = admin
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
query_timeout = 35
query_wait_timeout = 10
server_login_retry = 1
ignore_startup_parameters = extra_float_digits
"""

    def url(self, database: str = "mufakat", user: str = "mufakat") -> str:
        return f"postgres://{user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> "Pooler":
        """Start it and wait until it accepts connections, whether the database is there or not."""
        command = [str(self.binary), str(self.folder / "pgbouncer.ini")]
        log = self.folder / "pgbouncer.log"
        self.process = services.Process(command, log, user=self.user, stop_signal=signal.SIGINT)
        self.process.wait_for(lambda: services.port_answers(self.port))
        return self

    def stop(self) -> None:
        if self.process is not None:
            self.process.stop()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def start_pooler(database: str, *, size: int) -> Pooler:
    """A PgBouncer before the database at this address, with at most `size` connections to it."""
    pooler = Pooler(binaries.pgbouncer(), database, size)
    atexit.register(pooler.remove)
    return pooler.start()
