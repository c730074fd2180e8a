"""One request to an endpoint: to an address that was looked at, within a time and a size, redirects not followed.

The socket is our own, so urllib3 resolves nothing, knows no proxy, and asks the certificate for the name. A watchdog
closes it when the time is up, however slowly bytes come. Nothing of an answer that is no success is read or kept.
"""

import contextlib
import http.client
import io
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.ssl_match_hostname import CertificateError

from annotation.generation.llm import guard

MOST_BYTES = 4 * 1024 * 1024
CONNECT_SECONDS = 10.0
_BLOCK = 65536


@dataclass(frozen=True)
class Reply:
    """What came back: the body of a success, else only the status and how long the endpoint wants to be left alone.

    `fault` is empty for a success, else a code: `status`, `unreachable`, `refused`, `certificate`, `timeout`, `cut`,
    `too_large`, `not_json`. Only of `timeout` and `cut` the request may have been read without an answer.
    """

    status: int = 0
    body: bytes = b""
    fault: str = ""
    retry_after: float | None = None
    seconds: float = 0.0


class _Fault(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class _Watchdog:
    """Closes a connection when its time is up; holds its own hold on it, which TLS does not take away."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.barked = False
        self._held: socket.socket | None = None
        self._timer: threading.Timer | None = None

    def watch(self, sock: socket.socket) -> None:
        self._held = socket.socket(fileno=os.dup(sock.fileno()))
        self._timer = threading.Timer(max(self.left(), 0.0), self._bark)
        self._timer.daemon = True
        self._timer.start()

    def left(self) -> float:
        return self.deadline - time.monotonic()

    def _bark(self) -> None:
        self.barked = True
        if self._held is not None:
            with contextlib.suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._held is not None:
            self._held.close()


def post(target: guard.Destination, path: str, body: bytes, headers: Mapping[str, str], *, seconds: float) -> Reply:
    """Send JSON to an endpoint and read what it answers; never raises for what the endpoint or the network does."""
    begun = time.monotonic()
    dog = _Watchdog(begun + seconds)
    try:
        reply = _post(target, path, body, headers, dog)
        if dog.barked:  # what was cut off can look like an answer without headers, or without a body
            reply = Reply(fault="timeout")
    except _Fault as fault:
        reply = Reply(fault=fault.code)
    except guard.AddressRefused:
        reply = Reply(fault="refused")
    except (urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError):
        # What http.client and urllib3 raise has addresses and headers in its words: only the code goes on.
        reply = Reply(fault="timeout" if dog.barked or dog.left() <= 0 else "cut")
    finally:
        dog.stop()
    return Reply(reply.status, reply.body, reply.fault, reply.retry_after, time.monotonic() - begun)


def _post(target: guard.Destination, path: str, body: bytes, headers: Mapping[str, str], dog: _Watchdog) -> Reply:
    sock = _connect(target, dog)
    timeout = max(dog.left(), 0.01)
    connection: _Plain | _Secure
    if target.scheme == "https":
        context = ssl.create_default_context()
        connection = _Secure(target.host, target.port, timeout=timeout, ssl_context=context)
    else:
        connection = _Plain(target.host, target.port, timeout=timeout)
    connection.ours = sock
    sent = {
        "Host": target.authority,
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "User-Agent": "Mufakat",
        **headers,
    }
    try:
        try:
            connection.connect()
        except (ssl.SSLCertVerificationError, CertificateError) as error:
            raise _Fault("certificate") from error
        except (urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError) as error:
            # Nothing was asked yet.
            raise _Fault("unreachable") from error
        connection.request("POST", target.path + path, body=body, headers=sent, preload_content=False)
        response = connection.getresponse()
        try:
            return _read(response)
        finally:
            response.close()
    finally:
        connection.close()


def _connect(target: guard.Destination, dog: _Watchdog) -> socket.socket:
    """A connection to the first address that takes one, of those that were looked at just now."""
    try:
        addresses = guard.resolve(target, min(dog.left(), CONNECT_SECONDS))
    except OSError as error:
        raise _Fault("unreachable") from error
    for address in addresses:
        left = min(dog.left(), CONNECT_SECONDS)
        if left <= 0:
            break
        try:
            sock = socket.create_connection((address, target.port), timeout=left)
        except OSError:
            continue
        sock.settimeout(max(dog.left(), 0.01))
        dog.watch(sock)
        return sock
    raise _Fault("unreachable")


class _Bounded(io.BufferedReader):
    """What is read from the socket: http.client and urllib3 read without end where a chunk has a size below zero."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            raise _Fault("cut")
        return super().read(size)


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **more: Any) -> None:
        super().__init__(sock, *args, **more)
        self.fp = _Bounded(self.fp.detach())


class _Connected:
    """A connection on a socket that is connected already."""

    ours: socket.socket

    def _new_conn(self) -> socket.socket:
        return self.ours


class _Plain(_Connected, HTTPConnection):
    response_class = _Response


class _Secure(_Connected, HTTPSConnection):
    response_class = _Response


def _read(response: urllib3.BaseHTTPResponse) -> Reply:
    """The body of a success, up to a size."""
    status = int(response.status)
    if not 200 <= status < 300:
        return Reply(status, fault="status", retry_after=retry_after(response.headers.get("Retry-After", "")))
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not (kind == "application/json" or kind.endswith("+json")):
        return Reply(status, fault="not_json")
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        return Reply(status, fault="not_json")
    body = bytearray()
    for block in response.stream(_BLOCK, decode_content=False):
        body += block
        if len(body) > MOST_BYTES:
            return Reply(status, fault="too_large")
    return Reply(status, bytes(body))


def retry_after(header: str) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or as a date; None where it says nothing."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", header.strip()):
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except (TypeError, ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
