"""A project whose items show images and sounds."""

from pathlib import Path
from typing import Any

import pytest

from annotation.core.models.project import Project
from annotation.tasks.rules.reading import of_plain
from tests.annotation.media.files import TASK
from tests.annotation.tasks.items import project_of


@pytest.fixture
def project(tmp_path: Path, settings: Any, transactional_db: None) -> Project:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    return project_of("", task=of_plain(TASK), name="foto")
