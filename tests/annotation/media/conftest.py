"""A project whose items show images and sounds."""

from pathlib import Path
from typing import Any

import pytest

from annotation.core.models.project import Project
from annotation.tasks.rules.reading import task_from_plain
from tests.annotation.media.files import TASK
from tests.annotation.tasks.items import make_task_project


@pytest.fixture
def project(tmp_path: Path, settings: Any, transactional_db: None) -> Project:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    return make_task_project("", task=task_from_plain(TASK), name="foto")
