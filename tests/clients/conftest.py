"""Clients of the running server."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from mufakat_client import Client

from annotation.api.tokens import token_create
from annotation.core.models.user import User
from annotation.jobs import queue as jobs
from tests import factory
from validation.voting.actions.decide import decide_due


def finish_background_work(seconds: float) -> None:
    """What decider and worker do while the client waits."""
    while decide_due():
        pass
    for job_id in jobs.waiting_job_ids():
        jobs.run(job_id)


@pytest.fixture
def boss() -> User:
    return factory.user("boss@example.org", administrator=True)


@pytest.fixture
def asking(
    boss: User, live_server: Any, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Client]]:
    """Clients of this server; the environment names it, with a token of the administrator."""
    cache.clear()
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    scopes = ("read", "annotate", "manage", "release")
    token = token_create(user=boss, name="client", scopes=scopes).text
    monkeypatch.setenv("MUFAKAT_URL", live_server.url)
    monkeypatch.setenv("MUFAKAT_TOKEN", token)
    monkeypatch.setenv("MUFAKAT_TOKENS", str(tmp_path / "tokens.toml"))
    monkeypatch.setattr("mufakat_client.client.POLL_SECONDS", 0.0)
    made: list[Client] = []

    def client(**options: Any) -> Client:
        made.append(Client(**{"sleep": finish_background_work, **options}))
        return made[-1]

    yield client
    for each in made:
        each.close()
