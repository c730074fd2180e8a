"""The content of a backup, and the checks of a backup from outside: nothing in it is trusted without a check."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

FORMAT = 1
DATABASE = "database"
MANIFEST = "manifest.json"
DATA = "data"
MOST_MEMBERS = 1_000_000
MOST_MANIFEST_BYTES = 64 * 1024 * 1024
LONGEST_NAME = 1000
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ArchiveRefused(Exception):
    """The file is no whole backup of ours, or holds what a backup must not hold."""


class Member(NamedTuple):
    """One entry of the archive as its header tells it. `plain`: an ordinary file, neither link, device nor sparse."""

    name: str
    size: int
    plain: bool


def name_is_safe(name: str, folders: tuple[str, ...]) -> bool:
    """Whether a name may be unpacked: ours, relative, without a way out."""
    if name in (DATABASE, MANIFEST):
        return True
    parts = name.split("/")
    return (
        len(name) <= LONGEST_NAME
        and len(parts) >= 3
        and parts[0] == DATA
        and parts[1] in folders
        and not any(part in ("", ".", "..") for part in parts)
        and not any(sign in name for sign in ("\0", "\\", "\n"))
    )


def check_members(members: list[Member], folders: tuple[str, ...]) -> None:
    """Raise ArchiveRefused on the first entry that is not plain, not ours, or there twice."""
    seen: set[str] = set()
    for member in members:
        if not member.plain:
            raise ArchiveRefused(f"{member.name!r} is not an ordinary file.")
        if not name_is_safe(member.name, folders):
            raise ArchiveRefused(f"{member.name!r} is no name of a backup.")
        if member.name in seen:
            raise ArchiveRefused(f"{member.name!r} is there twice.")
        seen.add(member.name)
        if member.name == MANIFEST and member.size > MOST_MANIFEST_BYTES:
            raise ArchiveRefused("The manifest is too large.")
    if MANIFEST not in seen:
        raise ArchiveRefused("There is no manifest: this is no backup, or it broke off.")


def check_manifest(manifest: Any, members: list[Member]) -> None:
    """Raise ArchiveRefused unless the manifest is ours and names just these files, at these sizes."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ArchiveRefused("The manifest is of another format.")
    files, tables, migrations = (manifest.get(key) for key in ("files", "tables", "migrations"))
    if not all(isinstance(part, dict) for part in (files, tables, migrations)):
        raise ArchiveRefused("The manifest is not whole.")
    assert isinstance(files, dict)  # noqa: S101 - checked in the line above
    sizes = {member.name: member.size for member in members if member.name != MANIFEST}
    if not all(
        (
            isinstance(facts, dict)
            and type(facts.get("bytes")) is int
            and isinstance(facts.get("sha256"), str)
            and bool(_SHA256.fullmatch(facts["sha256"]))
        )
        for facts in files.values()
    ):
        raise ArchiveRefused("The manifest does not describe its files.")
    if DATABASE not in files or {name: facts["bytes"] for name, facts in files.items()} != sizes:
        raise ArchiveRefused("The files are not those of the manifest.")


def unknown_migrations(applied: Mapping[str, list[str]], known: Mapping[str, set[str]]) -> list[str]:
    """Migrations of the backup that this software does not have: it is older than the backup."""
    return sorted(f"{app}.{name}" for app, names in applied.items() for name in names if name not in known.get(app, ()))


def differing_tables(was: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Tables whose rows are not those of the manifest, in words with numbers only."""
    result = []
    for table in sorted({*was, *now}):
        before, after = was.get(table), now.get(table)
        if before is None or after is None:
            result.append(f"{table}: {'missing' if after is None else 'not in the backup'}")
        elif before["rows"] != after["rows"]:
            result.append(f"{table}: {before['rows']} rows in the backup, {after['rows']} now")
        elif before["sha256"] != after["sha256"]:
            result.append(f"{table}: {before['rows']} rows, but not the same ones")
    return result
