"""Make a backup of everything, and restore one into an empty place; the result is compared with the backup."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotation.core.database import now
from annotation.core.rules.os_errors import os_reason
from annotation.core.sealing import is_readable
from annotation.core.second_factor import remove_unreadable_factors
from annotation.files import scratch, storage
from annotation.generation.models import Endpoint
from exports.backup import FOLDERS, rules
from exports.backup.archive import Reader, Writer, working_folder
from exports.backup.engines import SESSION_TABLES, BackupFailed, engine

Say = Callable[[str], None]


def make_backup(path: Path) -> dict[str, Any]:
    """Write the backup and return its manifest. First the database, then the files: those that its rows name are
    there already. Raises BackupFailed."""
    if path.exists():
        raise BackupFailed(f"{path} is there already.")
    try:
        with working_folder(path.parent) as folder:
            return _write_backup(path, folder)
    except OSError as error:
        raise BackupFailed(f"{path}: {os_reason(error)}.") from error
    except OperationalError as error:
        raise BackupFailed(f"The database says: {str(error).strip().splitlines()[0]}.") from error


def _write_backup(path: Path, folder: Path) -> dict[str, Any]:
    database, dump, writer = engine(), folder / rules.DATABASE, Writer(path, folder)
    try:
        manifest = {
            "format": rules.FORMAT,
            "software": settings.MUFAKAT_RELEASE,
            "made_at": now().isoformat(),
            "engine": database.name,
            "server": database.server(),
            "migrations": _applied_migrations(),
            "tables": database.dump(dump),
        }
        writer.add(rules.DATABASE, dump)
        dump.unlink()
        for name in FOLDERS:
            writer.add_folder(name)
        writer.finish(manifest)
    finally:
        writer.drop()
    return {**manifest, "files": writer.files}


def _applied_migrations() -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        result.setdefault(app, []).append(name)
    return result


def restore_backup(path: Path, say: Say) -> list[str]:
    """Restore into the empty database and store of the settings; what differs from the manifest afterwards.

    Raises ArchiveRefused or BackupFailed before anything was changed; pg_restore works in one transaction, and the
    files are stored last.
    """
    database = engine()
    reader = Reader(path, FOLDERS)
    try:
        manifest = reader.manifest
        _check_place(database.name, manifest)
        if not database.is_empty():
            raise BackupFailed("The database is not empty; a backup is put back into an empty one only.")
        with tempfile.TemporaryDirectory(dir=scratch()) as folder:
            reader.unpack(Path(folder))
            say(f"Read: {len(manifest['files'])} files, as the manifest says.")
            database.restore(Path(folder) / rules.DATABASE)
            _store_files(Path(folder) / rules.DATA)
    finally:
        reader.close()
    say(f"Put back: a backup of {manifest.get('made_at')}, version {manifest.get('software')}.")
    kept = {name: facts for name, facts in manifest["tables"].items() if name not in SESSION_TABLES}
    different = rules.differing_tables(kept, database.tables())
    end_restored_sign_ins(say)
    return different


def end_restored_sign_ins(say: Say) -> None:
    """End all sessions of a restored site, and say what must be set up again because another SECRET_KEY sealed it."""
    with connection.cursor() as cursor:
        for table in {*connection.introspection.table_names(cursor)}.intersection(SESSION_TABLES):
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    if people := remove_unreadable_factors():
        say(f"{people} people must set up two-step sign-in again: another SECRET_KEY sealed it; it is removed here.")
    keys = Endpoint.objects.exclude(key_sealed="").values_list("key_sealed", "key_host")
    if endpoints := sum(not is_readable(sealed, host) for sealed, host in keys):
        say(f"{endpoints} endpoints need their key again: it was sealed under another SECRET_KEY.")


def _check_place(name: str, manifest: dict[str, Any]) -> None:
    if manifest.get("engine") != name:
        raise BackupFailed(f"The backup is of {manifest.get('engine')}, the database here is {name}.")
    known: dict[str, set[str]] = {}
    for app, migration in MigrationLoader(None).disk_migrations:
        known.setdefault(app, set()).add(migration)
    newer = rules.unknown_migrations(manifest["migrations"], known)
    if newer:
        raise BackupFailed(f"The backup is of a newer version of Mufakat: it has {newer[0]}.")
    for folder in FOLDERS:
        if any(storage().list_names(folder)):
            raise BackupFailed(f"{folder} is not empty: a backup is put back where no file is.")


def _store_files(unpacked: Path) -> None:
    for name in FOLDERS:
        if (unpacked / name).is_dir():
            storage().put_folder(name, unpacked / name, lambda: None)


def count_pending_migrations() -> int:
    """How many migrations the restored database still lacks."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def is_sound(say: Say) -> bool:
    """Whether check_integrity finds nothing; what it finds it says itself."""
    try:
        call_command("check_integrity")
    except SystemExit as ended:
        return not ended.code
    say("check_integrity found nothing.")
    return True
