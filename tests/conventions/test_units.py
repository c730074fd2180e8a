"""The systemd units in deploy/systemd: they start what deploy/start knows, and give a process no more than it needs."""

import re
from configparser import ConfigParser

from tests.conventions.sources import ROOT

FOLDER = ROOT / "deploy" / "systemd"
HARDENED = {
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectControlGroups": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "RestrictNamespaces": "yes",
    "RestrictSUIDSGID": "yes",
    "SystemCallFilter": "@system-service",
}


def unit(name: str) -> ConfigParser:
    read = ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment, method-assign]
    read.read_string((FOLDER / name).read_text())
    return read


def test_a_process_may_write_its_data_and_nothing_else() -> None:
    service = unit("mufakat@.service")["Service"]
    assert {name: service.get(name) for name in HARDENED} == HARDENED
    environment = (ROOT / "docs" / "operating.md").read_text()
    data = re.search(r"^ *DATA_DIR=(.*)$", environment, re.M)
    assert data is not None
    assert service["ReadWritePaths"] == data[1]
    assert service["ExecStart"] == "/srv/mufakat/app/deploy/start %i"
    assert (ROOT / "deploy" / "start").stat().st_mode & 0o111


def test_the_target_stops_and_starts_them_all() -> None:
    assert unit("mufakat@.service")["Unit"]["PartOf"] == "mufakat.target"
    assert unit("mufakat@.service")["Install"]["WantedBy"] == "mufakat.target"
    assert unit("mufakat.target")["Install"]["WantedBy"] == "multi-user.target"


def test_the_document_runs_nothing_that_a_bare_system_lacks() -> None:
    text = (ROOT / "docs" / "operating.md").read_text()
    assert "sudo" not in text
    # git refuses root a folder that is somebody else's: the code is fetched by the user that it belongs to.
    assert re.findall(r"^git pull", text, re.M) == []
    lines = [line for line in text.splitlines() if re.match(r"\d+ \d+ \* \* \* ", line)]
    assert [line.count("/var/backups/mufakat") for line in lines] == [2]
    assert "install -d -o mufakat -m 700 /var/backups/mufakat" in text
