"""Somebody who is told, and who has them told."""

from collections.abc import Iterator

import pytest

from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.annotation.webhooks.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


@pytest.fixture
def project(boss: User) -> Project:
    return factory.project("berita")
