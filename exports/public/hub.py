"""A release's public files to a hub as Hugging Face's is: its HTTP API, without its library.

The hub says of each file whether it goes into the commit itself or is stored beside it by Git LFS, by its SHA-256; what
it has already is not sent again. Files and commit are one step there: either all of them are in it, or nothing is. The
token is sent to the hub's own address alone, and stands in no message.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import httpx
import orjson

SAMPLE, CHUNK, AT_ONCE = 512, 1 << 20, 256
TIMEOUT_SECONDS = 120.0
LFS = "application/vnd.git-lfs+json"
LONGEST_WORDS = 300


class HubRefused(Exception):
    """What the hub did not do, in words that hold nothing secret."""


class HubFile(NamedTuple):
    """A file on its way: its path in the repository, its size and SHA-256, and where it lies or what it is."""

    name: str
    size: int
    sha256: str
    path: Path | None = None
    data: bytes = b""

    def read(self, most: int = -1) -> bytes:
        """Its bytes, the first `most` of them."""
        if self.path is None:
            return self.data if most < 0 else self.data[:most]
        with self.path.open("rb") as file:
            return file.read(most)

    def chunks(self, start: int = 0, most: int | None = None) -> Iterator[bytes]:
        """Its bytes from a place on, piece by piece."""
        left = self.size - start if most is None else min(most, self.size - start)
        if self.path is None:
            yield self.data[start : start + left]
            return
        with self.path.open("rb") as file:
            file.seek(start)
            while left > 0 and (chunk := file.read(min(CHUNK, left))):
                left -= len(chunk)
                yield chunk


class Hub:
    """One hub and the token of whoever pushes there. Raises HubRefused for whatever it does not do."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address.rstrip("/"), token
        self._client = httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False)

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def push(
        self,
        repository: str,
        files: Sequence[HubFile],
        *,
        summary: str,
        private: bool = False,
        revision: str = "main",
    ) -> str:
        """Make the repository where there is none, and commit the files to it; the commit's address.

        `private`: what everybody can read already gets nothing.
        """
        self._make(repository, private)
        in_commit, beside = self._sorted(repository, files, revision)
        self._store(repository, beside, revision)
        return self._commit(repository, in_commit, beside, summary, revision)

    def _make(self, repository: str, private: bool) -> None:
        owner, _, name = repository.rpartition("/")
        told = {"type": "dataset", "name": name, "private": private} | ({"organization": owner} if owner else {})
        made = self._asked("POST", "/api/repos/create", told, known=(409,))
        if private and not made and not self._asked("GET", f"/api/datasets/{quote(repository)}").get("private"):
            raise HubRefused("The repository is there already, and everybody can read it: push without --private.")

    def _sorted(self, repository: str, files: Sequence[HubFile], revision: str) -> tuple[list[HubFile], list[HubFile]]:
        """The files that the commit holds itself, and those that are stored beside it; ignored ones in neither."""
        modes: dict[str, tuple[str, bool]] = {}
        for at in range(0, len(files), AT_ONCE):
            asked = [
                {"path": each.name, "size": each.size, "sample": base64.b64encode(each.read(SAMPLE)).decode()}
                for each in files[at : at + AT_ONCE]
            ]
            path = f"/api/datasets/{quote(repository)}/preupload/{quote(revision, safe='')}"
            for told in self._asked("POST", path, {"files": asked}).get("files", ()):
                modes[told["path"]] = told["uploadMode"], bool(told.get("shouldIgnore"))
        kept = [each for each in files if each.name in modes and not modes[each.name][1]]
        if missing := [each.name for each in files if each.name not in modes]:
            raise HubRefused(f"The hub says nothing of {missing[0]}.")
        in_commit = [each for each in kept if modes[each.name][0] == "regular"]
        return in_commit, [each for each in kept if modes[each.name][0] == "lfs"]

    def _store(self, repository: str, files: Sequence[HubFile], revision: str) -> None:
        by_digest = {each.sha256: each for each in files}
        for at in range(0, len(files), AT_ONCE):
            objects = [{"oid": each.sha256, "size": each.size} for each in files[at : at + AT_ONCE]]
            told = {
                "operation": "upload",
                "transfers": ["basic", "multipart"],
                "hash_algo": "sha256",
                "ref": {"name": revision},
                "objects": objects,
            }
            path = f"/datasets/{quote(repository)}.git/info/lfs/objects/batch"
            for each in self._asked("POST", path, told, media=LFS).get("objects", ()):
                if each.get("error"):
                    raise HubRefused(f"The hub does not take {by_digest[each['oid']].name}.")
                if actions := each.get("actions"):
                    self._upload(by_digest[each["oid"]], actions)

    def _upload(self, file: HubFile, actions: Mapping[str, Any]) -> None:
        upload = actions["upload"]
        header = {str(name): str(value) for name, value in upload.get("header", {}).items()}
        if size := header.pop("chunk_size", ""):
            self._upload_parts(file, upload["href"], int(size), header)
        else:
            headers = {**header, "Content-Length": str(file.size)}
            self._done(self._send("PUT", upload["href"], content=file.chunks(), headers=headers), file.name)
        if verify := actions.get("verify"):
            body = orjson.dumps({"oid": file.sha256, "size": file.size})
            headers = {"Content-Type": LFS, **verify.get("header", {}), **self._authorization(verify["href"])}
            self._done(self._send("POST", verify["href"], content=body, headers=headers), file.name)

    def _upload_parts(self, file: HubFile, href: str, size: int, parts: Mapping[str, str]) -> None:
        """A large file in parts, each to an address of its own (`header` has them by number)."""
        done = []
        for number in sorted((name for name in parts if name.isdecimal()), key=int):
            start = (int(number) - 1) * size
            length = {"Content-Length": str(min(size, file.size - start))}
            answer = self._send("PUT", parts[number], content=file.chunks(start, size), headers=length)
            done.append({"partNumber": int(number), "etag": self._done(answer, file.name).headers.get("etag", "")})
        body = orjson.dumps({"oid": file.sha256, "parts": done})
        # The address is signed: as the hub's own library does, no token goes with it.
        headers = {"Content-Type": LFS, "Accept": LFS}
        self._done(self._send("POST", href, content=body, headers=headers), file.name)

    def _commit(
        self,
        repository: str,
        in_commit: Sequence[HubFile],
        beside: Sequence[HubFile],
        summary: str,
        revision: str,
    ) -> str:
        def lines() -> Iterator[bytes]:
            yield _json_line("header", {"summary": summary, "description": ""})
            for each in in_commit:
                content = base64.b64encode(each.read()).decode()
                yield _json_line("file", {"path": each.name, "content": content, "encoding": "base64"})
            for each in beside:
                stored = {"path": each.name, "algo": "sha256", "oid": each.sha256, "size": each.size}
                yield _json_line("lfsFile", stored)

        path = f"/api/datasets/{quote(repository)}/commit/{quote(revision, safe='')}"
        headers = {"Content-Type": "application/x-ndjson", **self._authorization(self._address + path)}
        answer = self._send("POST", self._address + path, content=b"".join(lines()), headers=headers)
        return str(self._read(self._done(answer, "the commit")).get("commitUrl", ""))

    def _asked(
        self,
        method: str,
        path: str,
        told: Mapping[str, Any] | None = None,
        media: str = "application/json",
        known: Sequence[int] = (),
    ) -> dict[str, Any]:
        address = self._address + path
        headers = {"Content-Type": media, "Accept": media, **self._authorization(address)}
        answer = self._send(method, address, content=None if told is None else orjson.dumps(told), headers=headers)
        return {} if answer.status_code in known else self._read(self._done(answer, path.split("/")[-1]))

    def _authorization(self, address: str) -> dict[str, str]:
        """The token, for the hub's own address alone: files can be stored elsewhere."""
        own = urlsplit(address)[:2] == urlsplit(self._address)[:2]
        return {"Authorization": f"Bearer {self._token}"} if own else {}

    def _send(self, method: str, address: str, **more: Any) -> httpx.Response:
        try:
            return self._client.request(method, address, **more)
        except httpx.HTTPError as error:
            # Its words can hold an address that is signed.
            raise HubRefused(f"The hub cannot be reached ({type(error).__name__}).") from None

    def _done(self, answer: httpx.Response, what: str) -> httpx.Response:
        if answer.is_success:
            return answer
        if answer.status_code in (401, 403):
            raise HubRefused(f"The hub does not let this token do that ({answer.status_code}): {what}.")
        words = " ".join(answer.text.split())[:LONGEST_WORDS] if answer.status_code < 500 else ""
        said = f": {words}" if words and self._token not in words else ""
        raise HubRefused(f"The hub answers {answer.status_code} for {what}{said}")

    def _read(self, answer: httpx.Response) -> dict[str, Any]:
        try:
            found = orjson.loads(answer.content)
        except orjson.JSONDecodeError:
            raise HubRefused("The hub answers something that is no JSON.") from None
        if not isinstance(found, dict):
            raise HubRefused("The hub answers something else than an object.")
        return found


def _json_line(key: str, value: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"key": key, "value": value}) + b"\n"
