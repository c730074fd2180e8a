"""The API as objects: a client, its projects, and in each its items, votes, members, imports, releases and work."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from mufakat_client.before import Concepts, GroupQuestions, Runs, Sessions, SourceSets
from mufakat_client.errors import JobFailed
from mufakat_client.resources import (
    About,
    Acts,
    Invitations,
    Media,
    Members,
    OwnItems,
    Pay,
    Questions,
    Resource,
    Studies,
    Targets,
    Task,
    Webhooks,
    Work,
)
from mufakat_client.rows import Row, Rows
from mufakat_client.tokens import address_and_token
from mufakat_client.transport import Transport

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

    def notices(self) -> Row:
        """What is new for oneself: `notices`, the latest first, and how many are `new`."""
        return dict(self.transport.get("notices"))

    def notices_seen(self, until: str) -> Row:
        """Mark as read what is not later than a moment: `at` of the latest that one has read."""
        return dict(self.transport.post("notices:seen", {"until": until}))

    def project(self, slug: str) -> "Project":
        """One project; nothing is asked of the server yet."""
        return Project(self.transport, slug)


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
        """A new project (administrators): `slug`, `name`, `preset` or `task`, `language`, …"""
        made = self.transport.post("projects", settings)
        return Project(self.transport, made["slug"])


class Project:
    """One project."""

    def __init__(self, transport: Transport, slug: str) -> None:
        self.transport, self.slug = transport, slug
        self.path = path = f"projects/{quote(slug, safe='')}"
        self.jobs = Jobs(transport, f"{path}/jobs")
        self.items = Items(transport, f"{path}/items")
        self.sources = Sources(transport, f"{path}/sources")
        self.my_items = OwnItems(transport, f"{path}/my-items")
        self.acts = Acts(transport, f"{path}/acts")
        self.questions = Questions(transport, f"{path}/questions")
        self.members = Members(transport, f"{path}/members")
        self.invitations = Invitations(transport, f"{path}/invitations")
        self.targets = Targets(transport, f"{path}/targets")
        self.concepts = Concepts(transport, f"{path}/concepts")
        self.group_questions = GroupQuestions(transport, f"{path}/group-questions")
        self.sessions = Sessions(transport, f"{path}/sessions")
        self.source_sets = SourceSets(transport, path)
        self.runs = Runs(transport, path)
        self.studies = Studies(transport, f"{path}/studies")
        self.pay = Pay(transport, path)
        self.media = Media(transport, f"{path}/media")
        self.about = About(transport, f"{path}/about")
        self.imports = Imports(transport, f"{path}/imports", self.jobs)
        self.releases = Releases(transport, f"{path}/releases", self.jobs)
        self.webhooks = Webhooks(transport, f"{path}/webhooks")
        self.insights = Insights(transport, f"{path}/insights", self.jobs)
        self.task = Task(transport, path)
        self.work = Work(transport, path)

    def read(self) -> Row:
        """Its name, kind, preset and language, and what one is in it."""
        return dict(self.transport.get(self.path))

    def wait_for(self, happened: Callable[[], bool], *, seconds: float = 600.0) -> bool:
        """Ask again and again until something has happened; False where it has not after so many seconds."""
        until = time.monotonic() + seconds
        while not happened():
            if time.monotonic() > until:
                return False
            self.transport.sleep(POLL_SECONDS)
        return True

    def votes(self, **filters: Any) -> Rows:
        """All votes as one stream (leads)."""
        return Rows(self.transport.lines(f"{self.path}/votes:export", **filters))

    def rows(self, name: str, /, **filters: Any) -> Rows:
        """Any other list of the project by its name in the API, such as `audits`, `pauses` or `disputes`."""
        return Rows(self.transport.pages(f"{self.path}/{name}", **filters))

    def do(self, address: str, /, **given: Any) -> Row:
        """Any other act of the project, such as `members/7:pause` or `gold-questions:draw`."""
        return dict(self.transport.post(f"{self.path}/{address}", given))

    def events(self, after: int | None = None, **filters: Any) -> Rows:
        """What happened, in order; ask again with the `n` of the last one to be told what is new."""
        return Rows(self.transport.pages(f"{self.path}/events", after=after, **filters))


class Upserted(Resource):
    """Rows that have keys of one's own: what is there already is not stored twice."""

    def upsert(
        self, rows: Iterable[Mapping[str, Any]], *, batch: int = BATCH, progress: Progress | None = None
    ) -> Iterator[Row]:
        """Send rows in batches; yields one answer a row: `n` (from 1) and `status`.

        Nothing is sent before one reads. A `refused` row has its `problems` (code, field, detail); the others are
        stored all the same. `progress` is called with the number of rows that were answered for.
        """
        n = 0
        for answer in self.transport.batches(f"{self.path}:batch", rows, batch):
            n += 1
            yield answer
            if progress is not None and n % batch == 0:
                progress(n)
        if progress is not None and n % batch:
            progress(n)


class Sources(Upserted):
    """What writers start from."""

    def allocate(self, size: int, *, to: str = "", target: str = "") -> int:
        """Give sources that are free to one writer (by pseudonym) or to all; how many were given (leads)."""
        body = {"size": size, "to": to, "target": target}
        return int(self.transport.post(f"{self.path}:allocate", body)["given"])


class Items(Upserted):
    """Items with their votes, revisions and reviews."""

    def read(self, key: str) -> Row:
        """One item."""
        return dict(self.transport.get(self._at(key)))

    def export(self, **filters: Any) -> Rows:
        """All items as one stream."""
        return Rows(self.transport.lines(f"{self.path}:export", **filters))

    def votes(self, key: str) -> Rows:
        """Its votes (leads)."""
        return self.part(key, "votes")

    def part(self, key: str, name: str) -> Rows:
        """`votes`, `revisions`, `verdicts`, `flags`, `reviews`, `comments` or `proposals` of one item (leads)."""
        return Rows(self.transport.pages(self._at(key, name)))

    def review(self, key: str, action: str, *, version: int, **given: Any) -> Row:
        """`approve`, `return`, `correct`, `adjudicate`, `exclude`, `reopen`, …: raises Stale for a version that is
        behind."""
        return dict(self.transport.post(f"{self._at(key)}:{action}", {"version": version, **given}))


class Jobs(Resource):
    """Long work on the server."""

    def read(self, job_id: int) -> Row:
        """State, progress and result."""
        return dict(self.transport.get(f"jobs/{job_id}"))

    def wait(self, job_id: int, *, seconds: float = 3600.0, progress: Callable[[Row], None] | None = None) -> Row:
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
                raise JobFailed(f"Job {job_id} is not done after {seconds:.0f} s; it goes on on the server.")
            self.transport.sleep(POLL_SECONDS)


class Imports(Resource):
    """Files in."""

    def __init__(self, transport: Transport, path: str, jobs: Jobs) -> None:
        super().__init__(transport, path)
        self.jobs = jobs

    def read(self, import_id: int) -> Row:
        """One file: how its columns are read, and what came of it."""
        return dict(self.transport.get(self._at(import_id)))

    def send(self, file: Path | str) -> Row:
        """Send a file. It is looked through; nothing is stored before it is started."""
        file = Path(file)
        content = file.read_bytes()
        files = {"file": (file.name, content, "application/octet-stream")}
        return dict(self.transport.request("POST", self.path, files=files).json())

    def take_in(self, file: Path | str, *, dry_run: bool = False, **how: Any) -> Row:
        """Send a file, take it in (or try it out), and wait for the end."""
        sent = self.send(file)
        started = self.transport.post(f"{self._at(sent['id'])}:start", {"dry_run": dry_run, **how})
        self.jobs.wait(started["job"]["id"])
        return self.read(sent["id"])

    def refused(self, import_id: int) -> Rows:
        """The rows that were not taken in, and why."""
        return Rows(self.transport.pages(self._at(import_id, "refused")))


class Releases(Resource):
    """Frozen data sets."""

    def __init__(self, transport: Transport, path: str, jobs: Jobs) -> None:
        super().__init__(transport, path)
        self.jobs = jobs

    def preview(self, **rules: Any) -> Row:
        """What a release with these rules would hold, and what has to be confirmed; nothing is stored."""
        return dict(self.transport.post(f"{self.path}:preview", {"rules": rules}))

    def freeze(self, *, confirm: Iterable[str] = (), wait: bool = True, **rules: Any) -> Row:
        """Freeze a release and wait for its files. `confirm`: names of what the preview asks for."""
        body = {"rules": rules, **dict.fromkeys(confirm, True)}
        made = self.transport.post(self.path, body)
        if wait and made["job"] is not None:
            self.jobs.wait(made["job"]["id"])
            made = self.read(made["n"])
        return dict(made)

    def read(self, n: int) -> Row:
        """One release with its files."""
        return dict(self.transport.get(self._at(n)))

    def download(self, n: int, folder: Path | str, *, progress: Callable[[str], None] | None = None) -> list[Path]:
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
            stored.append(self.transport.download(address, target, file["sha256"]))
            if progress is not None:
                progress(str(path))
        return stored


class Insights(Resource):
    """Statistics of a project, as they were last computed (leads)."""

    def __init__(self, transport: Transport, path: str, jobs: Jobs) -> None:
        super().__init__(transport, path)
        self.jobs = jobs

    def read(self, name: str) -> Row:
        """One insight: when it was computed, and its tables."""
        return dict(self.transport.get(self._at(name)))

    def table(self, name: str, table: str = "") -> Rows:
        """The rows of one of its tables, the first where none is named. Raises KeyError where there is none."""
        tables = {each["key"]: each["rows"] for each in self.read(name)["tables"]}
        return Rows(tables[table or next(iter(tables), "")])

    def compute(self, only: str = "", *, wait: bool = True) -> Row:
        """Have those computed that something changed of, or one of them whatever its state; the job."""
        job = self.transport.post(f"{self.path}:compute", {"only": only})
        return self.jobs.wait(job["id"]) if wait else dict(job)
