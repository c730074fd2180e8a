"""The tests' hub speaks the protocol: huggingface_hub's own client makes a repository there and commits to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub_server import TOKEN, hub_server

pytestmark = pytest.mark.interop

CLIENT = """
import sys
from huggingface_hub import HfApi
api = HfApi(endpoint=sys.argv[1], token=sys.argv[2])
api.create_repo("team/set", repo_type="dataset", exist_ok=True)
api.upload_folder(repo_id="team/set", repo_type="dataset", folder_path=sys.argv[3], commit_message="m")
"""


def test_the_hub_of_the_tests_takes_what_huggingface_s_own_client_sends(tmp_path: Path) -> None:
    """In a process of its own, as its settings are read when it is imported."""
    files = {"README.md": b"# Set\n", "data/a.parquet": bytes(range(200)), "b.bin": b"short"}
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    with hub_server() as hub:
        quiet = {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_ENDPOINT": hub.url}
        quiet |= {"HF_HUB_OFFLINE": "0"}  # the hub is of this machine
        command = [sys.executable, "-c", CLIENT, hub.url, TOKEN, str(tmp_path)]
        subprocess.run(command, check=True, env={**os.environ, **quiet}, timeout=120)
        assert hub.repositories["team/set"] == files
