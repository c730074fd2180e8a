"""Releases go to a folder of the test's own."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path) -> Path:
    settings.MUFAKAT_DATA_DIR = tmp_path / "data"
    return tmp_path / "data"
