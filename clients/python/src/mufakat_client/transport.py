"""Requests as the API wants them: safe addresses, retries under one key, pages by cursor, files that resume."""

import email.utils
import hashlib
import ipaddress
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from mufakat_client.errors import DamagedFile, NotConnected, UnsafeAddress, api_error
from mufakat_client.rows import Row

PATH = "/api/v1/"
NDJSON = "application/x-ndjson"
# What passes by itself: too many requests, and a server that is away or starting.
RETRIED_STATUSES = frozenset({429, 502, 503, 504})
LONGEST_PAUSE = 60.0
CHUNK_BYTES = 1 << 16


def _own_version() -> str:
    """What the server's log shows of who asked."""
    try:
        return version("mufakat-client")
    except PackageNotFoundError:  # used from a checkout
        return "0"


def is_loopback(host: str) -> bool:
    """Whether a host is this very machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_address(url: str) -> str:
    """The address without a slash at its end. Raises UnsafeAddress for plain HTTP to another machine."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UnsafeAddress(f"{url!r} is no address of a server: it begins with https://")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise UnsafeAddress(f"{url}: a token is not sent over plain HTTP. Use https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UnsafeAddress("An address holds neither a password nor a query. Give the token by itself.")
    return url.rstrip("/")


def pause_of(answer: httpx.Response | None, attempt: int) -> float:
    """Seconds to wait before the next attempt: as `Retry-After` says, else twice as long each time, with jitter."""
    said = answer.headers.get("Retry-After", "") if answer is not None else ""
    if said.isdigit():
        return min(float(said), LONGEST_PAUSE)
    if said and (when := email.utils.parsedate_to_datetime(said)):
        return min(max(0.0, when.timestamp() - time.time()), LONGEST_PAUSE)
    return min(0.5 * 2.0**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


class Transport:
    """One server and one token. Redirects are not followed: the token is for this address alone."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 60.0,
        retries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = checked_address(url)
        self.retries, self.sleep = retries, sleep
        headers = {
            "Authorization": f"Bearer {token}",
            "User-Agent": f"mufakat-client/{_own_version()}",
        }
        self.http = httpx.Client(base_url=self.url, headers=headers, timeout=timeout, follow_redirects=False)

    def close(self) -> None:
        """Give the connections back."""
        self.http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        media: str = "application/json",
        files: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> httpx.Response:
        """The answer. What changes something is sent with the same key at each attempt, so it is done once.

        Raises ApiError where the server refuses, NotConnected where it does not answer.
        """
        headers = {}
        if method != "GET":
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        if body is not None:
            content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        if content is not None:
            headers["Content-Type"] = media
        attempt = 0
        while True:
            answer, failure = None, None
            try:
                answer = self.http.request(
                    method,
                    PATH + path,
                    params=_without_none(params),
                    content=content,
                    files=files,
                    headers=headers,
                )
            except httpx.TransportError as error:
                failure = error
            if answer is not None and answer.status_code not in RETRIED_STATUSES:
                return _checked_answer(answer)
            if attempt >= self.retries:
                if answer is not None:
                    return _checked_answer(answer)
                raise NotConnected(f"{self.url} does not answer: {failure}") from failure
            self.sleep(pause_of(answer, attempt))
            attempt += 1

    def get(self, path: str, **params: Any) -> Any:
        """One thing."""
        return self.request("GET", path, params=params).json()

    def post(self, path: str, body: Any = None, *, key: str | None = None) -> Any:
        """Do something; what it answers, None where it answers nothing."""
        answer = self.request("POST", path, body={} if body is None else body, key=key)
        return answer.json() if answer.content else None

    def pages(self, path: str, **params: Any) -> Iterator[Row]:
        """Every row of a list, page after page."""
        cursor = ""
        while True:
            page = self.get(path, **{**params, "cursor": cursor})
            yield from page["results"]
            cursor = page["next"]
            if not cursor:
                return

    def lines(self, path: str, **params: Any) -> Iterator[Row]:
        """The rows of a streamed export, as they arrive. A broken one raises NotConnected: nothing is left out."""
        headers = {"Accept": NDJSON}
        try:
            with self.http.stream("GET", PATH + path, params=_without_none(params), headers=headers) as answer:
                if answer.status_code >= 300:
                    answer.read()
                    _checked_answer(answer)
                for line in answer.iter_lines():
                    if line:
                        yield json.loads(line)
        except httpx.TransportError as error:
            raise NotConnected(f"The export broke off: {error}. Start it again.") from error

    def batches(self, path: str, rows: Iterable[Mapping[str, Any]], size: int) -> Iterator[Row]:
        """Rows in, one answer a row out, `n` counted over all of them; a batch that breaks off is sent again."""
        batch: list[bytes] = []
        before = 0
        for row in rows:
            batch.append(json.dumps(row, ensure_ascii=False, allow_nan=False).encode())
            if len(batch) == size:
                yield from self._batch(path, batch, before)
                before, batch = before + size, []
        if batch:
            yield from self._batch(path, batch, before)

    def _batch(self, path: str, lines: list[bytes], before: int) -> Iterator[Row]:
        content = b"\n".join(lines) + b"\n"
        answer = self.request("POST", path, content=content, media=NDJSON)
        answers = [json.loads(line) for line in answer.text.splitlines() if line]
        if not answers or not answers[-1].get("done"):
            raise NotConnected("A batch was answered for in part. Send it again: nothing is stored twice.")
        for one in answers[:-1]:
            yield {**one, "n": one["n"] + before}

    def download(self, path: str, target: Path, sha256: str = "") -> Path:
        """A file into `target`: goes on where an earlier attempt ended, and is put in place when it is whole.

        Raises DamagedFile where the SHA-256 differs from `sha256`.
        """
        part = target.with_name(target.name + ".part")
        attempt = 0
        while True:
            try:
                self._fetch(path, part)
                break
            except httpx.TransportError as error:
                if attempt >= self.retries:
                    raise NotConnected(f"{path} broke off: {error}. Run it again to go on.") from error
                self.sleep(pause_of(None, attempt))
                attempt += 1
        if sha256 and _sha256(part) != sha256:
            part.unlink()
            raise DamagedFile(f"{target.name} is not what the server has: it was removed. Download it again.")
        os.replace(part, target)
        return target

    def _fetch(self, path: str, part: Path) -> None:
        there = part.stat().st_size if part.exists() else 0
        headers = (
            {"Range": f"bytes={there}-", "Accept-Encoding": "identity"} if there else {"Accept-Encoding": "identity"}
        )
        with self.http.stream("GET", PATH + path, headers=headers) as answer:
            if answer.status_code == 416:  # all of it is there
                return
            if answer.status_code >= 300:
                answer.read()
                _checked_answer(answer)
            with part.open("ab" if answer.status_code == 206 else "wb") as file:
                for piece in answer.iter_bytes(CHUNK_BYTES):
                    file.write(piece)


def _without_none(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters that were given."""
    return {name: value for name, value in (params or {}).items() if value not in (None, "")}


def _checked_answer(answer: httpx.Response) -> httpx.Response:
    """The answer, where it is no refusal."""
    if answer.status_code < 300:
        return answer
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    if 300 <= answer.status_code < 400:
        problem = {
            "code": "redirect",
            "detail": "The server answers elsewhere. Give the address where the API is.",
        }
    raise api_error(answer.status_code, problem, answer.headers.get("X-Request-ID", ""))


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()
