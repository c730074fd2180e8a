"""The database's clock on SQLite, whose moments come without a zone."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.utils import timezone

from annotation.core import database


@pytest.mark.django_db
def test_now_is_the_same_moment_whatever_the_zone_of_the_reader(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    sqlite = DatabaseWrapper({**settings.DATABASES["default"], "ENGINE": "", "NAME": ":memory:", "OPTIONS": {}})
    monkeypatch.setattr(database, "connection", sqlite)
    try:
        with timezone.override("Asia/Makassar"):
            assert abs(database.now() - datetime.now(UTC)) < timedelta(hours=1)
    finally:
        sqlite.close()
