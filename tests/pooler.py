"""A PgBouncer of our own before a PostgreSQL: lends its connections for one transaction at a time."""

import atexit
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests import binaries, services

PASSWORD = "only-for-the-tests-pooler"
DOCUMENT = services.ROOT / "docs" / "operating.md"


def documented_settings() -> str:
    """The settings that docs/operating.md tells people to use."""
    return DOCUMENT.read_text().split("```ini\n")[1].split("```")[0]


class Pooler(services.Server):
    """`start`, `stop`, `kill`, and `start` again on the same port, as `services.Postgres`."""

    def __init__(self, binary: Path, database: str, size: int) -> None:
        self.binary, self.port = binary, services.free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="mufakat-pgbouncer-"))
        # PgBouncer refuses to run as root.
        self.user = binaries.plain_user() if os.geteuid() == 0 else None
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        (self.folder / "userlist.txt").write_text(f'"mufakat" "{PASSWORD}"\n')
        (self.folder / "pgbouncer.ini").write_text(self._settings(database, size))

    def _settings(self, database: str, size: int) -> str:
        """As documented, but for where things are, whose they are, and how many connections there are."""
        at = urlsplit(database)
        to = f"host={at.hostname} port={at.port or 5432} dbname={at.path.removeprefix('/')} user={at.username}"
        if at.password:
            to += f" password={unquote(at.password)}"
        changed = {
            r"host=.* dbname=\w+": to,
            r"listen_port = .*": f"listen_port = {self.port}\nadmin_users = mufakat",
            r"auth_file = .*": f"auth_file = {self.folder}/userlist.txt",
            r"default_pool_size = .*": f"default_pool_size = {size}",
        }
        settings = documented_settings()
        for old, new in changed.items():
            settings, times = re.subn(old, new, settings)
            assert times == 1, old
        return settings

    def url(self, database: str = "mufakat") -> str:
        return f"postgres://mufakat:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def start(self) -> "Pooler":
        """Start it and wait until it accepts connections, whether the database is there or not."""
        command = [str(self.binary), str(self.folder / "pgbouncer.ini")]
        log = self.folder / "pgbouncer.log"
        self.process = services.Process(command, log, user=self.user, stop_signal=signal.SIGINT)
        self.process.wait_for(lambda: services.port_answers(self.port))
        return self


def start_pooler(database: str, *, size: int) -> Pooler:
    """A PgBouncer before the database at this address, with at most `size` connections to it."""
    pooler = Pooler(binaries.pgbouncer(), database, size)
    atexit.register(pooler.remove)
    return pooler.start()
