"""What is sent to the real web server: a large body of somebody who is not signed in is refused before it is read."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import services

pytestmark = pytest.mark.django_db(transaction=True)
MIB = 1 << 20
SENT_MIB = 64


@pytest.fixture
def port(process_env: dict[str, str], tmp_path: Path) -> Iterator[int]:
    port = services.free_port()
    gunicorn = str(Path(sys.executable).parent / "gunicorn")
    line = [
        gunicorn,
        "config.wsgi",
        "--bind",
        f"127.0.0.1:{port}",
        "--worker-class",
        "gthread",
        "--threads",
        "2",
    ]
    web = services.Process(line, tmp_path / "web.log", env=process_env)
    try:
        web.wait_for(lambda: services.port_answers(port))
        yield port
    finally:
        web.stop()


def head(length: int, more: str = "") -> bytes:
    lines = (
        "POST /p/any/imports/ HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: multipart/form-data; boundary=x",
        f"Content-Length: {length}",
        *([more] if more else []),
    )
    return "\r\n".join([*lines, "", ""]).encode()


def answer(connection: socket.socket) -> bytes:
    """All that comes until the server closes."""
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionResetError:
        pass  # it closed while we were sending
    return found


def test_a_stranger_is_refused_before_the_body_is_read(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(head(512 * MIB))  # and not a byte of the body: whoever waits for it never answers
        assert answer(connection).startswith(b"HTTP/1.1 413 ")


def test_what_a_stranger_goes_on_sending_is_not_taken(port: int) -> None:
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(head(512 * MIB))
        try:
            while sent < SENT_MIB * MIB:
                sent += connection.send(b"x" * 65536)
        except OSError:
            pass
    assert sent < SENT_MIB * MIB
