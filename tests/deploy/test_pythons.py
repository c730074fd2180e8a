"""A clean checkout is prepared by another Python than this one, the newest that the machine has, and serves its demo as
`make run` does. Run by `make test-deploy`; skipped where there is only one."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests import services

pytestmark = pytest.mark.deploy
NEWEST_FIRST = (14, 13, 12, 11)


def other_python() -> str:
    """The newest Python that may run the site, besides this one: on the PATH, or one of pyenv's."""
    for minor in NEWEST_FIRST:
        name = f"python3.{minor}"
        pyenv = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}"), reverse=True)
        for program in filter(None, (shutil.which(name), *map(str, pyenv))):
            # What stands on the PATH may only say that it does not know which one is meant.
            done = subprocess.run([program, "-c", "import ensurepip, venv"], capture_output=True, check=False)
            if done.returncode == 0 and minor != sys.version_info.minor:
                return program
    pytest.skip("no other Python from 3.11 to 3.14 on this machine")


def checkout(folder: Path) -> Path:
    """The files of the project and nothing that was made of them."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=services.ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (services.ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(services.ROOT / name, folder / name)
    return folder


@pytest.mark.timeout(900)  # it installs all packages
def test_another_python_prepares_a_checkout_and_serves_the_demo(tmp_path: Path) -> None:
    program, root, port = other_python(), checkout(tmp_path / "checkout"), services.free_port()
    ours = ("VIRTUAL_ENV", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PYTHONPATH")
    env = {name: value for name, value in os.environ.items() if name not in ours} | {"PYTHON": program}
    # The fallbacks of scripts/prepare come behind what is named.
    done = subprocess.run(["scripts/prepare"], cwd=root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    inside = str(root / ".venv" / "bin" / "python")
    version = subprocess.run([inside, "-V"], capture_output=True, text=True, check=True).stdout
    assert version.split()[1].split(".")[:2] == re.findall(r"\d+", Path(program).name)[:2]
    env |= {"PORT": str(port), "PYTHONWARNINGS": "default"}
    site = services.Process([inside, "manage.py", "serve", "--demo"], tmp_path / "demo.log", env=env, root=root)
    try:
        site.wait_for(lambda: services.port_answers(port), deadline=600)
        with urlopen(f"http://127.0.0.1:{port}/accounts/login/", timeout=60) as answer:
            assert answer.status == 200
    finally:
        site.stop()
    told = site.log.read_text()
    assert "Traceback" not in told
    assert "DeprecationWarning" not in told, told


def test_what_is_said_of_pythons_is_one_thing() -> None:
    project = tomllib.loads((services.ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f">=3.{NEWEST_FIRST[-1]},<3.{NEWEST_FIRST[0] + 1}"
    prepare = (services.ROOT / "scripts" / "prepare").read_text()
    assert f"(3, {NEWEST_FIRST[-1]}) <= sys.version_info < (3, {NEWEST_FIRST[0] + 1})" in prepare
    assert all(re.search(rf"\bpython3\.{minor}\b", prepare) for minor in NEWEST_FIRST)
    for document in ("README.md", "docs/operating.md"):
        assert f"3.{NEWEST_FIRST[-1]} to 3.{NEWEST_FIRST[0]}" in (services.ROOT / document).read_text(), document
