"""One request to an endpoint that misbehaves: within a time and a size, and nothing of a failure is read (A44-A46)."""

import datetime
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from annotation.generation.llm import guard, wire
from tests import llm_server
from tests.llm_server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server.serving() as started:
        started.pace = 0.02
        yield started


def post(server: Server, misdeed: str = "", seconds: float = 20) -> wire.Reply:
    if misdeed:
        server.misdeeds = [misdeed]
    body = b'{"messages": [{"role": "user", "content": "Hello"}]}'
    return wire.post(guard.parse(server.url), "/chat/completions", body, {}, seconds=seconds)


def test_an_answer(server: Server) -> None:
    reply = post(server)
    assert (reply.status, reply.fault) == (200, "")
    assert b"Yes." in reply.body
    assert server.seen[0].path == "/v1/chat/completions"
    assert server.seen[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("misdeed", "status", "fault"),
    [
        *((str(status), status, "status") for status in (400, 401, 404, 429, 500, 503)),
        ("301", 301, "status"),
        ("307", 307, "status"),
        ("cut", 0, "cut"),
        ("closes", 0, "cut"),
        ("huge", 200, "too_large"),
        ("html", 200, "not_json"),
    ],
)
def test_faults_are_codes_and_nothing_more(server: Server, misdeed: str, status: int, fault: str) -> None:
    reply = post(server, misdeed)
    assert (reply.status, reply.fault, reply.body) == (status, fault, b"")


@pytest.mark.parametrize(("misdeed", "fault"), [("negative chunk", "cut"), ("endless chunk", "too_large")])
def test_a_chunk_of_no_size_is_not_read_to_its_end(server: Server, misdeed: str, fault: str) -> None:
    assert post(server, misdeed).fault == fault
    assert server.taken < llm_server.HUGE // 2


@pytest.mark.parametrize("misdeed", ["hangs", "drips", "drips headers"])
def test_time_is_up_however_slowly_bytes_come(server: Server, misdeed: str) -> None:
    """Each single wait is short: only a bound on the whole ends it (a byte every 20 ms would take minutes)."""
    server.answers.chat = lambda seen: "long " * 10_000
    assert post(server, misdeed, seconds=0.5).fault == "timeout"


@pytest.mark.parametrize("status", ["301", "307"])
def test_redirects_are_not_followed(server: Server, status: str) -> None:
    with llm_server.serving() as other:
        server.redirect_to = other.url
        assert post(server, status).fault == "status"
        assert other.seen == []


def test_proxies_of_the_environment_are_ignored(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with llm_server.serving() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://{proxy.host}")
        assert post(server).fault == ""
        assert proxy.seen == []


def test_nobody_listens(server: Server) -> None:
    target = guard.Destination("http", "127.0.0.1", 1, "/v1", allowed=True)
    assert wire.post(target, "/x", b"{}", {}, seconds=5).fault == "unreachable"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0", 0.0), ("1.5", 1.5), ("", None), ("soon", None), ("-3", None), ("9" * 20, None)],
)
def test_retry_after_in_seconds(header: str, seconds: float | None) -> None:
    assert wire.retry_after(header) == seconds


def test_retry_after_as_a_date() -> None:
    assert wire.retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    far = wire.retry_after("Fri, 31 Dec 2100 23:59:59 GMT")
    assert far is not None
    assert far > 86_400


def test_retry_after_is_read_from_the_answer(server: Server) -> None:
    assert post(server, "429 after").retry_after == 7.0
    assert post(server, "429").retry_after is None


# --- TLS ----------------------------------------------------------------------------------


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A certificate for model.example, of an authority that this process trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "model.example")])
    today = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("model.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    written = tmp_path / "certificate.pem"
    written.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private = tmp_path / "key.pem"
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    monkeypatch.setenv("SSL_CERT_FILE", str(written))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(written, private)
    return context


def _here(monkeypatch: pytest.MonkeyPatch, settings: Any, server: Server, host: str) -> guard.Destination:
    """That name, standing for this machine."""
    settings.ENDPOINT_HOSTS_ALLOWED = [f"{host}:{server.port}"]
    here = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: here)
    return guard.parse(f"https://{host}:{server.port}/v1")


def test_the_certificate_is_asked_for_the_name(
    tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """Connected to an address that was looked at, the name is still what TLS and the server are told."""
    with llm_server.serving(tls=tls) as server:
        target = _here(monkeypatch, settings, server, "model.example")
        assert wire.post(target, "/x", b'{"messages": []}', {}, seconds=10).fault == ""
        assert server.seen[0].headers["host"] == f"model.example:{server.port}"


def test_another_name_is_refused(tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    with llm_server.serving(tls=tls) as server:
        target = _here(monkeypatch, settings, server, "other.example")
        assert wire.post(target, "/x", b'{"messages": []}', {}, seconds=10).fault == "certificate"
        assert server.seen == []


def test_an_unknown_authority_is_refused(tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    with llm_server.serving(tls=tls) as server:
        monkeypatch.delenv("SSL_CERT_FILE")
        target = _here(monkeypatch, settings, server, "model.example")
        assert wire.post(target, "/x", b'{"messages": []}', {}, seconds=10).fault == "certificate"
        assert server.seen == []


def test_what_breaks_off_before_anything_was_asked_is_no_matter_of_the_certificate(
    server: Server, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """A host that speaks no TLS at this moment was asked nothing: it is tried again, and nobody has to look."""
    target = _here(monkeypatch, settings, server, "model.example")
    assert wire.post(target, "/x", b"{}", {}, seconds=10).fault == "unreachable"
    assert server.seen == []


class _Torn(wire._Secure):
    """TLS that breaks while the answer is read."""

    def getresponse(self) -> Any:
        raise ssl.SSLError(1, "decryption failed or bad record mac")


def test_what_breaks_off_after_it_was_asked_may_have_been_paid(
    tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(wire, "_Secure", _Torn)
    with llm_server.serving(tls=tls) as server:
        target = _here(monkeypatch, settings, server, "model.example")
        assert wire.post(target, "/x", b'{"messages": []}', {}, seconds=10).fault == "cut"


# --- names --------------------------------------------------------------------------------


def test_a_resolver_that_never_answers_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch, server: Server, settings: Any
) -> None:
    released = threading.Event()

    def never(*asked: Any, **more: Any) -> Any:
        assert released.wait(60), "the caller waited for the resolver"
        raise socket.gaierror(socket.EAI_AGAIN, "nobody knows")

    monkeypatch.setattr(socket, "getaddrinfo", never)
    target = guard.parse("https://model.example/v1")
    assert wire.post(target, "/x", b"{}", {}, seconds=0.2).fault == "unreachable"
    assert not released.is_set()
    released.set()
