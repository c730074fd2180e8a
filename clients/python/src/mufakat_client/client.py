"""The API as objects: a client, its projects, and in each its items, votes, members, imports, releases and work."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from mufakat_client.errors import JobFailed
from mufakat_client.tokens import address_and_token
from mufakat_client.transport import Row, Transport

BATCH = 1000
POLL_SECONDS = 1.0
Progress = Callable[[int], None]


class Client:
    """One server, one token. Without arguments both come from the environment or from what `mufakat login` kept."""

    def __init__(self, url: str | None = None, token: str | None = None, **options: Any) -> None:
        """`options`: `timeout` in seconds, `retries`. Raises UnsafeAddress."""
        self.transport = Transport(*address_and_token(url, token), **options)
        self.projects = Projects(self.transport)
        self.tokens = Tokens(self.transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self.transport.close()

    def me(self) -> Row:
        """Who the token belongs to, what it may do, and their projects."""
        return dict(self.transport.get("me"))

    def project(self, slug: str) -> "Project":
        """One project; nothing is asked of the server yet."""
        return Project(self.transport, slug)


class Resource:
    """A part of the API, by its path."""

    def __init__(self, transport: Transport, path: str) -> None:
        self.transport, self.path = transport, path

    def list(self, **filters: Any) -> Iterator[Row]:
        """Every row, fetched page by page while one reads. `fields="a,b"` leaves out the others."""
        return self.transport.pages(self.path, **filters)

    def _at(self, *parts: object) -> str:
        return "/".join([self.path, *(quote(str(part), safe="") for part in parts)])


class Tokens(Resource):
    """One's own tokens. New ones are made in a browser."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "tokens")

    def revoke(self, token_id: int) -> Row:
        """Have one stop working, at once."""
        return dict(self.transport.post(f"tokens/{token_id}:revoke"))


class Projects(Resource):
    """The projects that one belongs to."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "projects")

    def create(self, **settings: Any) -> "Project":
        """A new project (administrators): `slug`, `name`, `preset`, `language`, …"""
        made = self.transport.post("projects", settings)
        return Project(self.transport, made["slug"])


class Project:
    """One project."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self.transport, self.slug = transport, slug
        path = f"projects/{quote(slug, safe='')}"
        self.path = path
        self.items = Items(transport, f"{path}/items")
        self.sources = Upserted(transport, f"{path}/sources")
        self.members = Resource(transport, f"{path}/members")
        self.invitations = Invitations(transport, f"{path}/invitations")
        self.targets = Resource(transport, f"{path}/targets")
        self.jobs = Jobs(transport, f"{path}/jobs")
        self.imports = Imports(transport, f"{path}/imports", self.jobs)
        self.releases = Releases(transport, f"{path}/releases", self.jobs)
        self.work = Work(transport, f"{path}/work")

    def read(self) -> Row:
        """Its name, kind, protocol and state."""
        return dict(self.transport.get(self.path))


class Upserted(Resource):
    """Rows that have keys of one's own: the same key again changes the row, or leaves it as it is."""

    def upsert(
        self,
        rows: Iterable[Mapping[str, Any]],
        *,
        batch: int = BATCH,
        progress: Progress | None = None,
        **options: Any,
    ) -> Iterator[Row]:
        """Send rows in batches; yields one result a row. Nothing is sent before one reads.

        A row that is refused has `code`, `field` and `detail`; the others are stored all the same. `progress` is
        called with the number of rows that have been answered.
        """
        n = 0
        for result in self.transport.batches(f"{self.path}:batch", rows, batch, **options):
            n += 1
            yield result
            if progress is not None and n % batch == 0:
                progress(n)
        if progress is not None and n % batch:
            progress(n)


class Items(Upserted):
    """Items with their votes, revisions and reviews."""

    def read(self, key: str) -> Row:
        """One item."""
        return dict(self.transport.get(self._at(key)))

    def export(self, **filters: Any) -> Iterator[Row]:
        """All items as one stream."""
        return self.transport.lines(f"{self.path}:export", **filters)

    def votes(self, key: str) -> Iterator[Row]:
        """Its votes (leads)."""
        return self.transport.pages(self._at(key, "votes"))

    def part(self, key: str, name: str) -> Iterator[Row]:
        """`revisions`, `verdicts`, `flags`, `reviews` or `comments` of one item (leads)."""
        return self.transport.pages(self._at(key, name))

    def review(self, key: str, action: str, *, version: int, **given: Any) -> Row:
        """`approve`, `return`, `correct`, `adjudicate`, `exclude` or `reopen`; raises Stale where `version` is behind."""
        return dict(self.transport.post(f"{self._at(key)}:{action}", {"version": version, **given}))


class Invitations(Resource):
    """Who is invited."""

    def create(self, email: str, roles: Iterable[str], **more: Any) -> Row:
        """Invite somebody; the answer has the link, this once."""
        return dict(self.transport.post(self.path, {"email": email, "roles": list(roles), **more}))


class Jobs(Resource):
    """Long work on the server."""

    def read(self, job_id: int) -> Row:
        """State, progress and result."""
        return dict(self.transport.get(self._at(job_id)))

    def cancel(self, job_id: int) -> Row:
        """Stop it where it can be stopped."""
        return dict(self.transport.post(f"{self._at(job_id)}:cancel"))

    def wait(
        self, job_id: int, *, seconds: float = 3600.0, progress: Callable[[Row], None] | None = None
    ) -> Row:
        """The job once it is done. Raises JobFailed where it failed, or is not done in time."""
        until = time.monotonic() + seconds
        while True:
            job = self.read(job_id)
            if progress is not None:
                progress(job)
            if job["state"] == "done":
                return job
            if job["state"] in ("failed", "cancelled"):
                raise JobFailed(f"Job {job_id} {job['state']}: {job.get('error') or 'no reason given'}")
            if time.monotonic() > until:
                raise JobFailed(
                    f"Job {job_id} is not done after {seconds:.0f} seconds; it goes on on the server."
                )
            self.transport.sleep(POLL_SECONDS)


class Imports(Resource):
    """Files in."""

    def __init__(self, transport: Transport, path: str, jobs: Jobs) -> None:
        super().__init__(transport, path)
        self.jobs = jobs


class Releases(Resource):
    """Frozen data sets."""

    def __init__(self, transport: Transport, path: str, jobs: Jobs) -> None:
        super().__init__(transport, path)
        self.jobs = jobs

    def read(self, n: int) -> Row:
        """One release with its files."""
        return dict(self.transport.get(self._at(n)))

    def download(
        self, n: int, folder: Path | str, *, progress: Callable[[str], None] | None = None
    ) -> list[Path]:
        """Every file of a release into a folder; goes on where an earlier attempt ended, and compares SHA-256.

        Raises DamagedFile, and ValueError for a path that would leave the folder.
        """
        folder = Path(folder)
        stored = []
        for file in self.read(n)["files"]:
            path = PurePosixPath(file["path"])
            if path.is_absolute() or ".." in path.parts:
                raise ValueError(f"The server names a file outside of the folder: {path}")
            target = folder.joinpath(*path.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            address = f"{self._at(n)}/files/{quote(str(path), safe='/')}"
            stored.append(self.transport.download(address, target, file.get("sha256", "")))
            if progress is not None:
                progress(str(path))
        return stored


class Work(Resource):
    """The work of an annotator, for front ends of one's own."""
