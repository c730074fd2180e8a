"""One machine, one SQLite file under var/, the built-in job runner, no broker: the mode of `make run`."""

import os
import secrets
from typing import Any

from config.variables import env

from .base import *  # noqa: F403
from .base import MUFAKAT_PORT, MUFAKAT_SITE_URL, VAR_DIR
from .databases import databases

MUFAKAT_MODE = "embedded"
VAR_DIR.mkdir(exist_ok=True)


def _secret_key() -> str:
    """Made once, kept in var/ (mode 600), so that sessions survive a restart and no key is shipped."""
    path = VAR_DIR / "secret_key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(50))
    return path.read_text().strip()


SECRET_KEY = env("SECRET_KEY") or _secret_key()
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
DATABASES: dict[str, Any] = databases(env("DATABASE_URL") or f"sqlite:///{VAR_DIR / 'mufakat.sqlite3'}")
MUFAKAT_SITE_URL = MUFAKAT_SITE_URL or f"http://127.0.0.1:{MUFAKAT_PORT}"
