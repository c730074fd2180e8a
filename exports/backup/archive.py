"""The tar: written in a folder of its own and named when whole; read back as if an enemy had written it."""

import fcntl
import hashlib
import io
import os
import shutil
import stat
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import orjson

from annotation.files import storage
from exports.backup import rules
from exports.backup.rules import ArchiveRefused, Member

CHUNK = 1 << 20
SPARE_BYTES = 64 * 1024 * 1024
_FOLDER_PREFIX = ".backup-"


@contextmanager
def working_folder(place: Path) -> Iterator[Path]:
    """A folder beside the wanted file for all that a backup puts down before it is whole; nothing of it stays.

    Its maker holds a lock on it: what a killed backup left is what nobody holds, and the next backup removes it.
    """
    for left in place.glob(f"{_FOLDER_PREFIX}*"):
        with _folder_lock(left) as ours:
            if ours:
                shutil.rmtree(left, ignore_errors=True)
    made = tempfile.TemporaryDirectory(dir=place, prefix=_FOLDER_PREFIX, ignore_cleanup_errors=True)
    with made as folder, _folder_lock(Path(folder)):
        yield Path(folder)


@contextmanager
def _folder_lock(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock; False where somebody else does. The system gives it back when its holder is killed."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(handle)


class _Hashing:
    """Reads a file for the tar, and hashes what it read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.hash = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.hash.update(data)
        return data


class Writer:
    """Adds files and notes their hashes; `finish` adds the manifest and gives the archive its name."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.part = path, folder / "part"
        self.files: dict[str, dict[str, Any]] = {}
        # It holds password hashes and all texts: for its owner only.
        handle = os.open(self.part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self.raw = os.fdopen(handle, "wb")
        self.tar = tarfile.open(fileobj=self.raw, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115

    def add(self, name: str, path: Path) -> None:
        """One ordinary file, at the size that it has now; a link is not followed."""
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                return
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = facts.st_size, int(facts.st_mtime), 0o600
            reader = _Hashing(file)
            self.tar.addfile(entry, reader)
        self.files[name] = {"bytes": facts.st_size, "sha256": reader.hash.hexdigest()}

    def add_folder(self, name: str) -> None:
        """Every file of the store below a folder."""
        for stored in storage().list_names(name):
            try:
                with storage().local_copy(stored) as path:
                    self.add(f"{rules.DATA}/{stored}", path)
            except FileNotFoundError:
                continue  # an import that ended meanwhile took its file away

    def finish(self, manifest: dict[str, Any]) -> None:
        """The manifest last: an archive that broke off has none."""
        data = orjson.dumps({**manifest, "files": self.files}, option=orjson.OPT_INDENT_2)
        entry = tarfile.TarInfo(rules.MANIFEST)
        entry.size, entry.mtime, entry.mode = len(data), int(time.time()), 0o600
        self.tar.addfile(entry, io.BytesIO(data))
        self.files[rules.MANIFEST] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        self.tar.close()
        self.raw.flush()
        os.fsync(self.raw.fileno())
        self.raw.close()
        os.link(self.part, self.path)  # unlike a rename it never takes the name of another file
        self.part.unlink()

    def drop(self) -> None:
        """Leave nothing behind."""
        self.part.unlink(missing_ok=True)
        with suppress(OSError):  # what waits to be written finds no room either
            self.raw.close()


class Reader:
    """An archive of which only what was checked is unpacked. Raises ArchiveRefused."""

    def __init__(self, path: Path, folders: tuple[str, ...]) -> None:
        self.folders = folders
        self.raw = path.open("rb")
        try:
            # No packing: what it unpacks to is as large as the file, and no more.
            self.tar = tarfile.open(fileobj=self.raw, mode="r:")  # noqa: SIM115
            self.entries = self._entries()
            self.manifest = self._manifest()
        except ArchiveRefused:
            self.raw.close()
            raise
        except (tarfile.TarError, ValueError, EOFError, RecursionError):
            self.raw.close()
            raise ArchiveRefused(
                "It is no backup, or a damaged one: not a tar archive as `manage.py backup` writes it. Unpack it if "
                "it was compressed, copy it again, or take another one."
            ) from None

    def close(self) -> None:
        self.raw.close()

    def _entries(self) -> dict[str, tarfile.TarInfo]:
        result: list[tarfile.TarInfo] = []
        for entry in self.tar:
            result.append(entry)
            if len(result) > rules.MOST_MEMBERS:
                raise ArchiveRefused("It has too many entries.")
        self.members = [Member(e.name, e.size, e.isreg() and not e.issparse()) for e in result]
        rules.check_members(self.members, self.folders)
        return {entry.name: entry for entry in result}

    def _manifest(self) -> dict[str, Any]:
        file = self.tar.extractfile(self.entries[rules.MANIFEST])
        assert file is not None  # noqa: S101 - an ordinary file
        read = orjson.loads(file.read())
        rules.check_manifest(read, self.members)
        manifest: dict[str, Any] = read
        return manifest

    def unpack(self, into: Path) -> None:
        """Every file, with its hash compared; `into` is a new folder of ours."""
        size = sum(member.size for member in self.members)
        if size + SPARE_BYTES > shutil.disk_usage(into).free:
            raise ArchiveRefused(f"There is no room for its {size} bytes.")
        for name, facts in self.manifest["files"].items():
            target = into / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if self._copy(self.entries[name], target) != facts["sha256"]:
                raise ArchiveRefused(f"{name!r} is not what the manifest says.")

    def _copy(self, entry: tarfile.TarInfo, target: Path) -> str:
        source, result = self.tar.extractfile(entry), hashlib.sha256()
        assert source is not None  # noqa: S101 - an ordinary file
        try:
            with target.open("xb") as file:
                while chunk := source.read(CHUNK):
                    result.update(chunk)
                    file.write(chunk)
        except tarfile.TarError:
            raise ArchiveRefused(f"It broke off in {entry.name!r}: copy it again, or take another one.") from None
        return result.hexdigest()
