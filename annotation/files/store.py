"""The file store of the settings, as Django's storage with further methods."""

import hashlib
import os
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage
from django.utils._os import safe_join

CHUNK = 1 << 20
SCRATCH = "scratch"
# Nothing is written there for so long: a job has ten minutes for a step, a build says each second that it goes on.
KEPT_SECONDS, SWEEP_SECONDS = 24 * 3600.0, 3600.0
_swept_at: float | None = None


class StoreUnavailable(OSError):
    """The store does not answer now; what waits for it is done later."""


class FileStore(Storage, ABC):
    """Django's storage, where a name holds one file: whole or not there, and replaced by what is saved again.

    Methods raise FileNotFoundError for a name that is not there, StoreUnavailable where the store does not answer,
    another OSError where it refuses.
    """

    @abstractmethod
    def put(self, name: str, path: Path) -> None:
        """Store a file of this machine; it is gone from `path` afterwards, or may be removed."""

    @abstractmethod
    def put_folder(self, name: str, path: Path, tick: Callable[[], None]) -> None:
        """Store all files of a folder in place of what is below `name`; `tick` is called after each, or oftener."""

    @abstractmethod
    def read(self, name: str, first: int = 0, count: int | None = None) -> Iterator[bytes]:
        """Bytes from position `first` on, `count` of them or all, piece by piece. The file is opened at once."""

    def sha256(self, name: str) -> str:
        """The SHA-256 of the bytes that lie there, as 64 hexadecimal digits."""
        digest = hashlib.sha256()
        for chunk in self.read(name):
            digest.update(chunk)
        return digest.hexdigest()

    @abstractmethod
    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """The file on this machine, to be read while the context lasts."""

    @abstractmethod
    def list_names(self, folder: str) -> Iterator[str]:
        """Names of all files below a folder and its folders, in a fixed order; none where there is no folder."""

    @abstractmethod
    def download_url(self, name: str, *, kept_as: str, content_type: str) -> str | None:
        """An address that a browser downloads the file from for a few minutes, signed; None where there is none."""


class LocalFiles(FileStore, FileSystemStorage):
    """A folder of this machine: what is saved is written beside its name, reaches the disk, and is renamed."""

    def __init__(self, location: Path) -> None:
        super().__init__(location=location, file_permissions_mode=0o600, directory_permissions_mode=0o700)

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The name itself: what is saved replaces what was there."""
        return name

    def _save(self, name: str, content: "File[Any]") -> str:
        target = self._place(name)
        handle, part = tempfile.mkstemp(prefix=".", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
            self.put(name, Path(part))
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
        return name

    def put(self, name: str, path: Path) -> None:
        """Move the file: on one file system at once, else by a copy beside the name."""
        target = self._place(name)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        try:
            path.replace(target)
        except OSError:
            part = target.with_name(f".{target.name}.{os.getpid()}")
            shutil.copyfile(path, part)
            part.replace(target)
            path.unlink()

    def put_folder(self, name: str, path: Path, tick: Callable[[], None]) -> None:
        """Rename the folder, whole; one that is there under the name is moved away first."""
        target = self._place(name)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as beside:
            new = Path(beside) / "new"
            shutil.move(path, new)
            tick()
            if target.exists():
                target.rename(Path(beside) / "old")
            new.rename(target)

    def read(self, name: str, first: int = 0, count: int | None = None) -> Iterator[bytes]:
        """As said above; a file that is replaced meanwhile is read to its end."""
        file = Path(self.path(name)).open("rb")  # noqa: SIM115 - closed by the generator
        return _pieces(file, first, count)

    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """The file itself."""
        path = Path(self.path(name))
        if not path.is_file():
            raise FileNotFoundError(name)
        return nullcontext(path)

    def list_names(self, folder: str) -> Iterator[str]:
        """All but those that are being written, whose names begin with a dot, and links."""
        root = Path(self.path(folder))
        for base, folders, files in os.walk(root):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            paths = (Path(base) / each for each in sorted(files) if not each.startswith("."))
            for path in paths:
                if not path.is_symlink():
                    yield f"{folder}/{path.relative_to(root).as_posix()}"

    def download_url(self, name: str, *, kept_as: str, content_type: str) -> str | None:
        """None: the site serves the file itself."""
        return None

    def _place(self, name: str) -> Path:
        target = Path(safe_join(self.location, name))
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return target


def _pieces(file: Any, first: int, count: int | None) -> Iterator[bytes]:
    with file:
        file.seek(first)
        while count is None or count > 0:
            chunk = file.read(CHUNK if count is None else min(CHUNK, count))
            if not chunk:
                return
            if count is not None:
                count -= len(chunk)
            yield chunk


def storage() -> FileStore:
    """The store that the settings name."""
    return storage_at(settings.MUFAKAT_STORAGE_URL or str(settings.MUFAKAT_DATA_DIR))


@lru_cache(maxsize=8)
def storage_at(where: str) -> FileStore:
    """The store at an address `s3://…`, or in a folder. Raises ImproperlyConfigured for an address that is none."""
    if not where.startswith("s3:"):
        return LocalFiles(Path(where))
    from annotation.files.object_store import object_store  # boto3 is loaded where it is used

    return object_store(where)


def scratch() -> Path:
    """A folder of this machine for files that are being written, or looked at for a moment."""
    folder = Path(settings.MUFAKAT_DATA_DIR) / SCRATCH
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def sweep_scratch() -> None:
    """Remove what lies in `scratch` untouched for a day: whoever wrote it was killed. Looks once an hour."""
    global _swept_at
    if _swept_at is None or time.monotonic() - _swept_at > SWEEP_SECONDS:
        _swept_at = time.monotonic()
        _remove_untouched(Path(settings.MUFAKAT_DATA_DIR) / SCRATCH, time.time() - KEPT_SECONDS)


def _remove_untouched(folder: Path, before: float) -> None:
    """Files and empty folders below this one that nobody wrote since; links are removed, not followed."""
    with suppress(OSError):  # gone meanwhile, or somebody else's
        for path in list(folder.iterdir()):
            with suppress(OSError):
                untouched = path.lstat().st_ctime < before  # which nobody sets back, as unpacking does the other
                if path.is_dir() and not path.is_symlink():
                    _remove_untouched(path, before)
                    if untouched:
                        path.rmdir()
                elif untouched:
                    path.unlink()
