"""The folder of what is being written, and what is said where the system refuses to write."""

import os
from pathlib import Path
from typing import Any

import pytest

from annotation.core.rules.os_errors import os_reason
from annotation.files import StoreUnavailable, scratch, store, sweep_scratch
from tests.conventions.sources import python_files


def test_what_a_killed_process_left_in_scratch_goes_after_a_day(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    (scratch() / "releases" / "a-1.lease").mkdir(parents=True)
    left = scratch() / "releases" / "a-1.lease" / "test.jsonl"
    left.write_text("x")
    os.utime(left, (0, 0))  # as unpacked from an archive, this moment
    (tmp_path / "kept").write_text("x")
    (scratch() / "link").symlink_to(tmp_path)
    monkeypatch.setattr(store, "_swept_at", None)
    sweep_scratch()
    assert left.exists()
    monkeypatch.setattr(store, "KEPT_SECONDS", -60.0)
    sweep_scratch()
    assert left.exists()  # it looked less than an hour ago
    monkeypatch.setattr(store, "_swept_at", None)
    sweep_scratch()
    assert list(scratch().iterdir()) == []
    assert (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (FileNotFoundError("media/a.png"), "No such file or directory"),
        (StoreUnavailable("the object store does not answer: 503"), "the object store does not answer: 503"),
        (OSError(), "OSError"),
        (ValueError("words of somebody"), "ValueError"),
    ],
)
def test_a_reason_is_never_empty(error: Exception, reason: str) -> None:
    assert os_reason(error) == reason


def test_nobody_else_reads_the_reason_of_the_system() -> None:
    files = python_files("config", "annotation", "validation", "exports")
    assert [path.name for path in files if ".strerror" in path.read_text()] == ["os_errors.py"]
