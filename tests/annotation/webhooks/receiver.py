"""A system that takes webhooks: keeps what came, and answers as it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.llm_server import Listener


@dataclass
class Message:
    """What came: the body as bytes, and the headers in lower case."""

    body: bytes
    headers: dict[str, str]


@dataclass
class Receiver:
    """`answers` are given one after the other, the last one from then on; `hold` keeps requests until it is set."""

    url: str = ""
    seen: list[Message] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=lambda: [(204, {}, b"")])
    hold: threading.Event | None = None

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """From now on only this."""
        self.answers = [(status, {name.replace("_", "-"): text for name, text in headers.items()}, body)]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """On a free port of this machine until the block ends."""
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.seen.append(Message(body, {name.lower(): text for name, text in self.headers.items()}))
            if state.hold is not None:
                state.hold.wait(60)
            status, headers, sent = state.answers.pop(0) if len(state.answers) > 1 else state.answers[0]
            self.send_response(status)
            for name, text in {"Content-Length": str(len(sent)), **headers}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    listener = Listener(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{listener.server_address[1]}/hook"
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        if state.hold is not None:
            state.hold.set()
        listener.shutdown()
        listener.server_close()
        thread.join()
