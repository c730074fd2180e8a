"""Warnings at the start about unsuitable software versions."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

# Several writers and a checkpoint at an unlucky instant could damage a file in WAL mode (3.7.0 to 3.51.2).
SQLITE_FIXED = (3, 51, 3)


@register(Tags.database)
def sqlite_is_fixed(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn where the database is SQLite and its library still has the WAL-reset bug. A warning, not a failure:
    the systems of today carry it, and a backup is one command. Said by `migrate` and `check --database default`,
    not by every command."""
    engine = settings.DATABASES["default"]["ENGINE"]
    if not engine.endswith("sqlite3") or sqlite3.sqlite_version_info >= SQLITE_FIXED:
        return []
    fixed = ".".join(map(str, SQLITE_FIXED))
    return [
        Warning(
            f"SQLite {sqlite3.sqlite_version} can damage the database when several write at once; {fixed} does not.",
            hint="Good for trying things out. Make backups (manage.py backup), or use PostgreSQL for a team.",
            id="mufakat.W001",
        )
    ]
