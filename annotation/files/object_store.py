"""Files in an object store that speaks S3, by django-storages: private, with addresses that are signed and end."""

import mimetypes
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.http import content_disposition_header

from annotation.files.rules import StoreAddress, StoreAddressRefused, store_at
from annotation.files.store import CHUNK, FileStore, StoreUnavailable, scratch

try:
    from boto3.exceptions import Boto3Error
    from boto3.s3.transfer import TransferConfig
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
    from storages.backends.s3 import S3Storage
except ImportError as missing:
    raise ImproperlyConfigured(
        "STORAGE_URL needs packages that are not installed: run `scripts/prepare run s3`."
    ) from missing

MISSING_CODES = {"404", "NoSuchKey", "NotFound"}
CONNECT_SECONDS, READ_SECONDS, TRIES = 5, 30, 4
TICK_SECONDS = 1.0
# From this size on a file goes in parts, each with a checksum, each tried again by itself.
PART_BYTES = 16 * 1024 * 1024


@contextmanager
def _as_os_errors(name: str) -> Iterator[None]:
    """What the store answers, as a file system would say it: the address and the keys are in no message."""
    try:
        yield
    except ClientError as error:
        if str(error.response.get("Error", {}).get("Code")) in MISSING_CODES:
            raise FileNotFoundError(name) from None
        code = error.response.get("Error", {}).get("Code", "no code")
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        if status >= 500 or code == "SlowDown":
            raise StoreUnavailable(f"the object store does not answer: {code}") from None
        raise OSError(f"the object store refuses {name}: {code}") from None
    except (BotoCoreError, Boto3Error) as error:
        raise StoreUnavailable(f"the object store does not answer: {type(error).__name__}") from None


class ObjectStore(FileStore, S3Storage):  # type: ignore[misc] # django-storages has no types
    """A bucket, or what is below a prefix of it."""

    address: StoreAddress

    def put(self, name: str, path: Path) -> None:
        """Upload, in parts where it is large; the store compares a SHA-256 of each part. The file stays where it is."""
        with _as_os_errors(name):
            self.bucket.upload_file(
                str(path),
                self._normalize_name(name),
                ExtraArgs=self.get_object_parameters(name) | {"ContentType": _content_type(name)},
                Config=self.transfer_config,
            )

    def put_folder(self, name: str, path: Path, tick: Callable[[], None]) -> None:
        """Upload each file, then remove what was below `name` before and is not in the folder.

        `tick` is called while a file is on its way too: one can take longer than a job's lease.
        """
        there, uploaded = set(self.list_names(name)), set()
        with ThreadPoolExecutor(max_workers=1) as beside:
            for file in sorted(each for each in path.rglob("*") if each.is_file()):
                target = f"{name}/{file.relative_to(path).as_posix()}"
                upload = beside.submit(self.put, target, file)
                while wait([upload], TICK_SECONDS).not_done:
                    tick()
                upload.result()
                uploaded.add(target)
                tick()
        for left in sorted(there - uploaded):
            self.delete(left)

    def read(self, name: str, first: int = 0, count: int | None = None) -> Iterator[bytes]:
        """As the store sends it: nothing is kept on the way."""
        if count == 0:
            return iter(())
        last = "" if count is None else str(first + count - 1)
        ranged = {} if not first and count is None else {"Range": f"bytes={first}-{last}"}
        with _as_os_errors(name):
            answer = self.bucket.Object(self._normalize_name(name)).get(**ranged)
        return self._pieces(name, answer["Body"])

    def _pieces(self, name: str, body: object) -> Iterator[bytes]:
        with closing(body) as open_body, _as_os_errors(name):  # type: ignore[type-var]
            yield from open_body.iter_chunks(CHUNK)  # type: ignore[attr-defined]

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        """A copy in `scratch`, which goes with the context."""
        with tempfile.TemporaryDirectory(dir=scratch()) as folder:
            path = Path(folder) / Path(name).name
            with _as_os_errors(name):
                self.bucket.download_file(self._normalize_name(name), str(path), Config=self.transfer_config)
            yield path

    def list_names(self, folder: str) -> Iterator[str]:
        """All objects below the folder, page by page."""
        start = len(self.address.prefix) + 1 if self.address.prefix else 0
        with _as_os_errors(folder):
            for each in self.bucket.objects.filter(Prefix=f"{self._normalize_name(folder)}/"):
                yield each.key[start:]

    def exists(self, name: str) -> bool:
        """Whether the object is there."""
        with _as_os_errors(name):
            try:
                self.bucket.Object(self._normalize_name(name)).load()
            except ClientError as error:
                if str(error.response.get("Error", {}).get("Code")) in MISSING_CODES:
                    return False
                raise
        return True

    def delete(self, name: str) -> None:
        """Delete the object; one that is not there is no error."""
        with _as_os_errors(name):
            self.bucket.Object(self._normalize_name(name)).delete()

    def download_url(self, name: str, *, kept_as: str, content_type: str) -> str | None:
        """A signed address; None where browsers cannot reach the store (`links=no`)."""
        if not self.address.links:
            return None
        named = content_disposition_header(True, kept_as) or "attachment"
        parameters = {"ResponseContentDisposition": named, "ResponseContentType": content_type}
        of_django_storages: Any = self
        return str(of_django_storages.url(name, parameters=parameters, expire=self.address.link_seconds))


def _content_type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def object_store(url: str) -> ObjectStore:
    """The store at `s3://BUCKET/PREFIX?endpoint=…`. Raises ImproperlyConfigured, which says what is wrong with it."""
    try:
        address = store_at(url)
    except StoreAddressRefused as refused:
        raise ImproperlyConfigured(f"STORAGE_URL: {refused}") from None
    store = ObjectStore(
        bucket_name=address.bucket,
        location=address.prefix,
        endpoint_url=address.endpoint,
        region_name=address.region,
        default_acl=None,
        querystring_auth=True,
        file_overwrite=True,
        object_parameters={"ChecksumAlgorithm": "SHA256"},
        client_config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"max_attempts": TRIES, "mode": "standard"},
            signature_version="s3v4",
            s3={"addressing_style": "path" if address.endpoint else "auto"},
        ),
        transfer_config=TransferConfig(
            multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES, max_concurrency=2
        ),
    )
    store.address = address
    return store
