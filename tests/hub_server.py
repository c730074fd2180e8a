"""A hub of data sets that speaks Hugging Face's protocol, on a free port: repositories, preupload, Git LFS, commits.

It keeps what was committed, refuses what the protocol forbids, and remembers the headers of each request.
"""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

TOKEN = "hf_secret_canary"
LFS_ENDINGS, PART = (".parquet", ".bin"), 64


class HubServer(ThreadingHTTPServer):
    """`repositories` by name: their files by path. `stored` are LFS objects by SHA-256."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.private: dict[str, bool] = {}
        self.stored: dict[str, bytes] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.seen: list[tuple[str, str, str]] = []
        self.commits: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def hub_server() -> Iterator[HubServer]:
    """A hub that runs as long as it is needed."""
    server = HubServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            found = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                found += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return found
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(self, status: int, told: Any = None, **headers: str) -> None:
        data = b"" if told is None else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", headers.pop("media", "application/json"))
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _begun(self) -> tuple[str, bytes]:
        path = unquote(self.path.split("?")[0])
        self.server.seen.append((self.command, path, self.headers.get("Authorization", "")))
        return path, self._body()

    def do_GET(self) -> None:
        path, _ = self._begun()
        if path == "/api/whoami-v2":
            return self._answer(200, {"name": "team", "type": "user", "orgs": []})
        if path.startswith("/api/datasets/"):
            name = "/".join(path.split("/")[3:5])
            if name in self.server.repositories:
                return self._answer(
                    200, {"id": name, "sha": "0" * 40, "siblings": [], "private": self.server.private[name]}
                )
        return self._answer(404, {"error": "Repository not found"})

    do_HEAD = do_GET  # noqa: N815 - the server looks for this name

    def do_PUT(self) -> None:
        path, data = self._begun()
        # Where files lie is another service: it gets no token.
        if "Authorization" in self.headers:
            return self._answer(400, {"error": "token sent to the store"})
        _, kind, oid, *number = path.split("/")
        if kind == "store" and sha256(data).hexdigest() == oid:
            self.server.stored[oid] = data
            return self._answer(200)
        if kind == "part" and len(data) <= PART:
            self.server.parts.setdefault(oid, {})[int(number[0])] = data
            return self._answer(200, ETag=f'"{sha256(data).hexdigest()[:8]}"')
        return self._answer(400, {"error": "not what was promised"})

    def do_POST(self) -> None:
        path, data = self._begun()
        parts = path.strip("/").split("/")
        # The address that ends an upload in parts is signed.
        if parts[0] != "complete" and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._answer(401, {"error": "Invalid credentials"})
        if path == "/api/repos/create":
            return self._create(json.loads(data))
        if path == "/api/validate-yaml":
            return self._answer(200, {"errors": [], "warnings": []})
        if path.endswith(".git/info/lfs/objects/batch"):
            return self._batch(json.loads(data))
        if parts[0] == "complete":
            return self._complete(parts[1], json.loads(data))
        if parts[0] == "verify":
            told = json.loads(data)
            there = self.server.stored.get(told["oid"])
            return self._answer(200 if there is not None and len(there) == told["size"] else 404, {})
        name = "/".join(parts[2:4])
        if name not in self.server.repositories:
            return self._answer(404, {"error": "Repository not found"})
        if parts[4] == "preupload":
            return self._preupload(json.loads(data))
        if parts[4] == "commit":
            return self._commit(name, data)
        return self._answer(404, {"error": "nothing there"})

    def _create(self, told: dict[str, Any]) -> None:
        name = f"{told.get('organization') or 'team'}/{told['name']}"
        url = f"{self.server.url}/datasets/{name}"
        if told.get("type") != "dataset":
            return self._answer(400, {"error": "not a data set"})
        if name in self.server.repositories:
            return self._answer(409, {"error": "You already created this dataset repo", "url": url})
        self.server.repositories[name], self.server.private[name] = {}, bool(told.get("private"))
        return self._answer(200, {"url": url, "name": name, "id": "1"})

    def _preupload(self, told: dict[str, Any]) -> None:
        files = [
            {
                "path": each["path"],
                "uploadMode": "lfs" if each["path"].endswith(LFS_ENDINGS) else "regular",
                "shouldIgnore": False,
            }
            for each in told["files"]
            if len(base64.b64decode(each["sample"])) == min(512, each["size"])
        ]
        self._answer(200, {"files": files})

    def _batch(self, told: dict[str, Any]) -> None:
        if told["operation"] != "upload" or told["hash_algo"] != "sha256":
            return self._answer(422, {"message": "what?"})
        found = []
        for each in told["objects"]:
            oid, size = each["oid"], each["size"]
            if oid in self.server.stored:
                found.append({"oid": oid, "size": size})
                continue
            verify = {"href": f"{self.server.url}/verify", "header": {}}
            upload: dict[str, Any] = {
                "href": f"{_with_other_host(self.server.url)}/store/{oid}",
                "header": {},
            }
            if size > PART and "multipart" in told["transfers"]:
                numbers = range(1, -(-size // PART) + 1)
                header = {str(n): f"{_with_other_host(self.server.url)}/part/{oid}/{n}" for n in numbers}
                upload = {
                    "href": f"{self.server.url}/complete/{oid}",
                    "header": {"chunk_size": str(PART), **header},
                }
            found.append({"oid": oid, "size": size, "actions": {"upload": upload, "verify": verify}})
        self._answer(200, {"transfer": "basic", "objects": found}, media="application/vnd.git-lfs+json")
        return None

    def _complete(self, oid: str, told: dict[str, Any]) -> None:
        parts = self.server.parts.get(oid, {})
        data = b"".join(parts[n] for n in sorted(parts))
        etags = {each["partNumber"]: each["etag"].strip('"') for each in told["parts"]}
        right = etags == {n: sha256(part).hexdigest()[:8] for n, part in parts.items()}
        if not right or sha256(data).hexdigest() != oid:
            return self._answer(400, {"error": "parts do not make the file"})
        self.server.stored[oid] = data
        return self._answer(200, {})

    def _commit(self, name: str, data: bytes) -> None:
        lines = [json.loads(line) for line in data.split(b"\n") if line]
        if self.headers.get("Content-Type") != "application/x-ndjson" or lines[0]["key"] != "header":
            return self._answer(400, {"error": "no header"})
        files = dict(self.server.repositories[name])
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile" and len(self.server.stored.get(value["oid"], b"")) == value["size"]:
                files[value["path"]] = self.server.stored[value["oid"]]
            else:
                return self._answer(400, {"error": f"cannot commit {value['path']}"})
        self.server.repositories[name] = files
        self.server.commits.append(lines[0]["value"])
        oid = sha256(data).hexdigest()[:40]
        url = f"{self.server.url}/datasets/{name}/commit/{oid}"
        return self._answer(200, {"success": True, "commitOid": oid, "commitUrl": url, "hookOutput": ""})


def _with_other_host(url: str) -> str:
    """The same machine by another name, as a store of files is another service."""
    return url.replace("127.0.0.1", "localhost")
