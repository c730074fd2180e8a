"""What is said at the start on a SQLite that is too old, and what is not."""

import sqlite3

import pytest
from django.core.checks import WARNING

from annotation.core import boot

SQLITE = {"default": {"ENGINE": "django.db.backends.sqlite3"}}
POSTGRES = {"default": {"ENGINE": "django.db.backends.postgresql"}}


@pytest.mark.parametrize(
    ("databases", "version", "said"),
    [
        (SQLITE, (3, 51, 2), ["mufakat.W001"]),
        (SQLITE, (3, 40, 1), ["mufakat.W001"]),
        (SQLITE, (3, 51, 3), []),
        (SQLITE, (4, 0, 0), []),
        (POSTGRES, (3, 40, 1), []),
    ],
)
def test_old_sqlite_is_warned_of(
    databases: object,
    version: tuple[int, int, int],
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F37: a warning, never a failure: the systems of today carry it."""
    monkeypatch.setattr("django.conf.settings.DATABASES", databases)
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    found = boot.sqlite_is_fixed(None)
    assert [message.id for message in found] == said
    assert {message.level for message in found} <= {WARNING}
