"""A release checked by its files, and where this database made it every byte built again from the frozen rows."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from exports.releases import build as building
from exports.releases import previous_release as before
from exports.releases.models import Release
from exports.releases.picture import draw_picture
from exports.releases.rules import hidden
from exports.releases.rules.signature import PublicKey
from exports.releases.rules.verify import Check
from exports.releases.signing import public_keys as site_keys
from exports.releases.verify_files import MANIFEST, VerificationReport, file_sha256, verify_files


class NoDatabase(Exception):
    """No database answers here, or it has no tables for releases."""


def verify(
    folder: Path, *, files_only: bool = False, manifest_sha256: str = "", public_keys: Sequence[PublicKey] = ()
) -> VerificationReport:
    """Check the release that lies in a folder, by its files and against this database, which knows the site's keys.

    Raises UnreadableRelease.
    """
    release, no_database = None, False
    if not files_only and (folder / MANIFEST).is_file():
        try:
            release = _release_of_manifest(folder)
        except NoDatabase:
            no_database = True
    if release and release.signing_key and not public_keys:
        public_keys = site_keys()
    report = verify_files(
        folder,
        manifest_sha256=manifest_sha256,
        public_keys=public_keys,
        software=settings.MUFAKAT_RELEASE,
        draw=None if files_only else draw_picture,
    )
    rebuilt = _rebuild_and_compare(folder, release, report.published) if release else None
    return replace(report, rebuilt=rebuilt, no_database=no_database)


def _release_of_manifest(folder: Path) -> Release | None:
    """The release of this database whose manifest this is. Raises NoDatabase."""
    # A look at an SQLite file that is not there would make it.
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        raise NoDatabase
    mine = file_sha256(folder / MANIFEST)
    found = Release.objects.filter(state=Release.State.READY, whole=None, manifest__manifest__sha256=mine)
    try:
        return found.select_related("project").order_by("pk").first()
    except DatabaseError as error:
        raise NoDatabase from error


def _rebuild_and_compare(folder: Path, release: Release, published: Mapping[str, Any]) -> Check:
    """Build it again from its frozen rows, and compare every byte; nothing in the database changes.

    Another version may write other bytes of the same rows: what it made is not built again, and that is said.
    """
    check = Check(f"files of release {release.n} of {release.project.slug}, built again")
    version = published["software"]["version"]
    if version != settings.MUFAKAT_RELEASE:
        check.note = f"made by Mufakat {version}, this is {settings.MUFAKAT_RELEASE}: nothing was built again"
        return check
    with tempfile.TemporaryDirectory(prefix="mufakat-verify-") as room:
        parts = before.parts_of(release)
        building.write_release(
            parts,
            Path(room),
            lambda n: None,
            before=before.find_previous_release(release, parts),
            record_outcomes=False,
        )
        for path in sorted(Path(room).rglob("*")):
            name = path.relative_to(room).as_posix()
            if path.is_file() and not (hidden.is_hidden(name) and not (folder / name).exists()):
                same = (folder / name).is_file() and file_sha256(path) == file_sha256(folder / name)
                check.count(same, f"{name}: built again it is another file")
    return check
