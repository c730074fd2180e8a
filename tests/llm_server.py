"""A language model's server on 127.0.0.1 that speaks the protocols of endpoints, and misbehaves as it is told.

    with llm_server.serving(answer=lambda seen: '{"verdict": "yes"}') as server:
        server.url                      # http://127.0.0.1:PORT/v1, the address of an Endpoint
        server.misdeeds = ["429", "", "torn"]   # one for each request that comes, in order; "" and beyond: behaves
        server.misdeed_of = lambda seen: "500" if "Ada" in seen.text else ""
        server.seen, server.paid        # every request; how often each Idempotency-Key was worked on and paid

What carries a key that was paid before gets the same answer again, and is not paid again; with `honours_keys = False`
everything that comes is worked on and paid.
"""

import json
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HUGE = 100 * 1024 * 1024
DEEP = 100_000


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def key(self) -> str:
        return self.headers.get("idempotency-key", "")

    @property
    def text(self) -> str:
        """All that was said to the model, or the text to embed or translate."""
        if "messages" in self.body:
            return "\n".join(message["content"] for message in self.body["messages"])
        asked = self.body.get("input", self.body.get("q", ""))
        return asked[0] if isinstance(asked, list) else str(asked)


def vector_of(text: str) -> list[float]:
    """A small vector in which texts with the same words lie close to one another."""
    found = [0.0] * 16
    for word in text.casefold().split():
        found[sum(word.encode()) % 16] += 1.0
    return found


@dataclass
class Answers:
    """What the model says."""

    chat: Callable[[ReceivedRequest], str] = lambda seen: '{"text": "Yes."}'
    embed: Callable[[str], list[float]] = vector_of
    translate: Callable[[str, str, str], str] = lambda text, source, target: f"{target}: {text}"


@dataclass
class Server:
    """The server's state: what it is told to do, and what came."""

    answers: Answers
    misdeeds: list[str] = field(default_factory=list)
    misdeed_of: Callable[[ReceivedRequest], str] = lambda seen: ""
    seen: list[ReceivedRequest] = field(default_factory=list)
    paid: Counter[str] = field(default_factory=Counter)
    redirect_to: str = "http://127.0.0.1:9/"
    retry_after: str = "7"
    pace: float = 1.0
    port: int = 0
    usage: bool = True
    honours_keys: bool = True
    # The bytes that somebody took of an answer without an end.
    taken: int = 0
    # Set to let go of everybody who is kept waiting.
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def host(self) -> str:
        """As it is written among the allowed hosts."""
        return f"127.0.0.1:{self.port}"

    def take(self, seen: ReceivedRequest) -> str:
        """Note a request and say what is to be done about it."""
        with self.lock:
            self.seen.append(seen)
            told = self.misdeeds.pop(0) if self.misdeeds else ""
        return told or self.misdeed_of(seen)

    def work(self, seen: ReceivedRequest) -> dict[str, Any]:
        """The completion: made and paid once for each key."""
        with self.lock:
            if self.honours_keys and seen.key and seen.key in self.made:
                return self.made[seen.key]
            said = _answer_to(self, seen)
            self.paid[seen.key] += 1
            if seen.key:
                self.made[seen.key] = said
            return said


def _answer_to(server: Server, seen: ReceivedRequest) -> dict[str, Any]:
    if seen.path.endswith("/embeddings"):
        vector = server.answers.embed(seen.text)
        used = {"prompt_tokens": len(seen.text.split()), "total_tokens": len(seen.text.split())}
        return {"object": "list", "data": [{"index": 0, "embedding": vector}], "usage": used}
    if seen.path.endswith("/translate"):
        body = seen.body
        return {"translatedText": server.answers.translate(body["q"], body["source"], body["target"])}
    text = server.answers.chat(seen)
    message = {"role": "assistant", "content": text}
    said: dict[str, Any] = {
        "object": "chat.completion",
        "model": seen.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    if server.usage:
        asked, answered = len(seen.text.split()), len(text.split())
        said["usage"] = {"prompt_tokens": asked, "completion_tokens": answered}
    return said


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on the console."""

    def do_GET(self) -> None:
        self.state.take(ReceivedRequest("GET", self.path, {}, {}))
        self.say(404, b"{}")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = ReceivedRequest("POST", self.path, headers, json.loads(raw or b"{}"))
        told = self.state.take(seen)
        try:
            if told:
                MISDEEDS[told](self, seen)
            else:
                self.say(200, json.dumps(self.state.work(seen)).encode())
        except OSError:
            """The client went away, which is what it should do."""
        self.close_connection = True

    def say(
        self,
        status: int,
        body: bytes,
        kind: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def content(self, seen: ReceivedRequest, text: str) -> None:
        """A well-formed completion that says this; it is paid like any other."""
        said = json.loads(json.dumps(self.state.work(seen)))
        if "choices" in said:
            said["choices"][0]["message"]["content"] = text
        self.say(200, json.dumps(said).encode())


Misdeed = Callable[[Handler, ReceivedRequest], None]
ECHO = b'{"error": {"message": "upstream words that nobody may see: %s"}}'


def _status(status: int, headers: Mapping[str, str] | None = None) -> Misdeed:
    def do(handler: Handler, seen: ReceivedRequest) -> None:
        said = ECHO % seen.headers.get("authorization", "").encode()
        handler.say(status, said, headers=headers)

    return do


def _too_many(handler: Handler, seen: ReceivedRequest) -> None:
    _status(429, {"Retry-After": handler.state.retry_after})(handler, seen)


def _redirect(status: int) -> Misdeed:
    def do(handler: Handler, seen: ReceivedRequest) -> None:
        handler.say(status, b"", headers={"Location": handler.state.redirect_to})

    return do


def _words(text: str) -> Misdeed:
    return lambda handler, seen: handler.content(seen, text)


def _raw(body: Callable[[], bytes], kind: str = "application/json") -> Misdeed:
    def do(handler: Handler, seen: ReceivedRequest) -> None:
        handler.state.work(seen)
        handler.say(200, body(), kind)

    return do


def _hangs(handler: Handler, seen: ReceivedRequest) -> None:
    """Works, is paid, and never says what it made."""
    handler.state.work(seen)
    handler.state.released.wait(120)


def _drips(handler: Handler, seen: ReceivedRequest) -> None:
    """A byte now and then, so that no single wait is long."""
    body = json.dumps(handler.state.work(seen)).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    _slowly(handler, body)


def _drips_headers(handler: Handler, seen: ReceivedRequest) -> None:
    handler.state.work(seen)
    _slowly(handler, b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 10_000)


def _slowly(handler: Handler, body: bytes) -> None:
    for place in range(len(body)):
        if handler.state.released.wait(handler.state.pace):
            return
        handler.wfile.write(body[place : place + 1])
        handler.wfile.flush()


def _huge(handler: Handler, seen: ReceivedRequest) -> None:
    handler.state.work(seen)
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(HUGE))
    handler.end_headers()
    block = b" " * 65536
    for _ in range(HUGE // len(block)):
        handler.wfile.write(block)


def _chunk(size: bytes) -> Misdeed:
    """One chunk that says it has this size, and goes on for long."""

    def do(handler: Handler, seen: ReceivedRequest) -> None:
        handler.state.work(seen)
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(size + b"\r\n")
        block = b" " * 65536
        for _ in range(HUGE // len(block)):
            handler.wfile.write(block)
            handler.state.taken += len(block)

    return do


def _cut(handler: Handler, seen: ReceivedRequest) -> None:
    """Works, is paid, and closes in the middle of what it says."""
    body = json.dumps(handler.state.work(seen)).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])


def _closes(handler: Handler, seen: ReceivedRequest) -> None:
    """Closes without a word."""


MISDEEDS: dict[str, Misdeed] = {
    **{str(status): _status(status) for status in (400, 401, 403, 404, 408, 422, 429, 500, 502, 503, 504)},
    "429 after": _too_many,
    "301": _redirect(301),
    "307": _redirect(307),
    "hangs": _hangs,
    "drips": _drips,
    "drips headers": _drips_headers,
    "huge": _huge,
    "cut": _cut,
    "closes": _closes,
    "negative chunk": _chunk(b"-1"),
    "endless chunk": _chunk(b"f" * 40),
    "html": _raw(lambda: b"<html><script>alert(1)</script></html>", "text/html"),
    "html as json": _raw(lambda: b"<html></html>"),
    "nothing": _raw(lambda: b""),
    "list": _raw(lambda: b"[1, 2]"),
    "no choices": _raw(lambda: b'{"choices": []}'),
    "envelope torn": _raw(lambda: b'{"choices": [{"message": {"cont'),
    "envelope deep": _raw(lambda: b"[" * DEEP + b"]" * DEEP),
    "envelope NaN": _raw(lambda: b'{"choices": NaN}'),
    "gzip": _raw(lambda: b"\x1f\x8b" + b"\x00" * 20),
    "torn": _words('{"text": "Ye'),
    "NaN": _words('{"text": NaN}'),
    "huge number": _words('{"text": "Yes.", "label": ' + "9" * 6000 + "}"),
    "deep": _words('{"text": ' + "[" * DEEP + "]" * DEEP + "}"),
    "words": _words("I would rather not say."),
    "wrong label": _words('{"text": "Z", "label": "Z", "verdict": "perhaps"}'),
    "script": _words('{"text": "</script><script>alert(1)</script>"}'),
    "NUL": _words('{"text": "a\\u0000b"}'),
    "surrogate": _words('{"text": "a\\ud800b"}'),
    "silence": _words(""),
}


class Listener(ThreadingHTTPServer):
    """Takes as many connections at once as come: of the usual five the sixth may be let wait for a second or three."""

    daemon_threads = True
    request_queue_size = 128


@contextmanager
def serving(
    answer: Callable[[ReceivedRequest], str] | None = None,
    answers: Answers | None = None,
    port: int = 0,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Server]:
    """A server on a free port (or this one) until the block ends; with `tls` by https alone."""
    state = Server(answers or (Answers(chat=answer) if answer else Answers()))
    handler = type("BoundHandler", (Handler,), {"state": state})
    listener = Listener(("127.0.0.1", port), handler)
    if tls is not None:
        listener.socket = tls.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
    state.port = listener.server_address[1]
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        listener.shutdown()
        listener.server_close()
        thread.join()
