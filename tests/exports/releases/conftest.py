"""Releases of several presets, built once for everybody who forges copies of them."""

from pathlib import Path
from typing import Any

import pytest

from tests.exports.releases.forger import build_releases
from tests.shared_worlds import SharedWorlds


@pytest.fixture(scope="session")
def releases(
    _standing: SharedWorlds, django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Where each release lies, by its name in `forger.WORLDS`; nobody changes one."""
    _standing.end()
    with django_db_blocker.unblock():
        return build_releases(tmp_path_factory.mktemp("releases"))
