"""The world of the convention tests, built once a module; what a test writes is taken back after it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import override_settings

from tests.conventions import world as worlds


@pytest.fixture(scope="module")
def standing_world(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[worlds.World]:
    """In one transaction that is never committed."""
    folder = tmp_path_factory.mktemp("data")
    with django_db_blocker.unblock(), override_settings(MUFAKAT_DATA_DIR=folder), transaction.atomic():
        built = worlds.build()
        # What is checked at a transaction's end is checked here: else after every test anew, for all that was built.
        connection.check_constraints()
        yield built
        transaction.set_rollback(True)


@pytest.fixture
def world(standing_world: worlds.World, db: None) -> worlds.World:
    """The world as it was built, whatever other tests did to it. Tests that use it carry `django_db`: without the
    mark no database is made."""
    cache.clear()
    return standing_world
