"""Whether a database has the tables of this version.

Django compares the names of migrations. Beside them this keeps the digest of each migration's file from when it was
applied, in a table of its own that is made before the first migration, as Django's own list of migrations is.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection as default_connection
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

TABLE = "mufakat_migration"
OTHER_VERSION = (
    "This database was made by another version of Mufakat, whose tables differ ({migrations}). "
    "Start the version that made it, or use an empty database."
)
BEHIND = "This database lacks tables of this version. Run manage.py migrate, then try again."
Key = tuple[str, str]


@cache
def _digests() -> dict[Key, str]:
    """The digest of each migration of this version by app and name; of installed packages the name is enough."""
    digests: dict[Key, str] = {}
    for app in apps.get_app_configs():
        ours = Path(app.path).parent == Path(settings.BASE_DIR)
        for file in (Path(app.path) / "migrations").glob("[!_]*.py"):
            content = file.read_bytes().replace(b"\r\n", b"\n") if ours else b""
            digests[app.label, file.stem] = sha256(content).hexdigest() if ours else ""
    return digests


def _stored_digests(connection: BaseDatabaseWrapper) -> dict[Key, str]:
    with connection.cursor() as cursor:
        if TABLE not in connection.introspection.table_names(cursor):
            return {}
        cursor.execute(f"SELECT app, name, digest FROM {TABLE}")  # noqa: S608 - our own name
        return {(app, name): digest for app, name, digest in cursor.fetchall()}


def other_version(connection: BaseDatabaseWrapper) -> str:
    """A sentence where another version made the tables of this database, in whole or in part; otherwise empty."""
    applied = MigrationRecorder(connection).applied_migrations().keys()
    stored, digests = _stored_digests(connection), _digests()
    differing = {key for key, digest in digests.items() if digest and key in applied and stored.get(key) != digest}
    if any(digest and key not in applied for key, digest in digests.items()):
        # A version to come may have applied more; one that lacks some of ours and has others went another way.
        ours = {label for (label, _), digest in digests.items() if digest}
        differing |= {key for key in applied if key[0] in ours and key not in digests}
    names = ", ".join(sorted(f"{app}.{name}" for app, name in differing))
    return OTHER_VERSION.format(migrations=names) if names else ""


def has_schema_of_this_version(connection: BaseDatabaseWrapper) -> bool:
    """Whether every migration of this version was applied, each from the file that this version has."""
    if not _digests().keys() <= MigrationRecorder(connection).applied_migrations().keys():
        return False
    stored = _stored_digests(connection)
    return all(stored.get(key) == digest for key, digest in _digests().items() if digest)


def schema_fault() -> str:
    """What keeps this version from working with its database, in a sentence; empty where nothing does."""
    if has_schema_of_this_version(default_connection):
        return ""
    return other_version(default_connection) or BEHIND


def record_digests(connection: BaseDatabaseWrapper) -> None:
    """Store the digest of each migration that is not applied yet: what is applied from now on is applied from it."""
    applied = MigrationRecorder(connection).applied_migrations().keys()
    rows = [(app, name, digest) for (app, name), digest in _digests().items() if digest and (app, name) not in applied]
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE IF NOT EXISTS {TABLE} (app varchar(255) NOT NULL, name varchar(255) NOT NULL, "
            "digest varchar(64) NOT NULL, PRIMARY KEY (app, name))"
        )
        cursor.executemany(
            f"INSERT INTO {TABLE} (app, name, digest) VALUES (%s, %s, %s) "  # noqa: S608 - our own name
            "ON CONFLICT (app, name) DO UPDATE SET digest = excluded.digest",
            rows,
        )
