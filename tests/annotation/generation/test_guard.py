"""Where endpoints may be: every special range, however written, at save and before anything is sent (A43, A44)."""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.generation.llm import guard, wire
from tests import llm_server

GOOD = (
    ("https://api.example.com/v1", ("https", "api.example.com", 443, "/v1")),
    ("https://API.Example.com", ("https", "api.example.com", 443, "")),
    ("https://api.example.com:8443/v1/", ("https", "api.example.com", 8443, "/v1")),
    ("https://münchen.example/v1", ("https", "xn--mnchen-3ya.example", 443, "/v1")),
    ("https://8.8.8.8/v1", ("https", "8.8.8.8", 443, "/v1")),
    ("https://[2606:4700:4700::1111]/v1", ("https", "2606:4700:4700::1111", 443, "/v1")),
)
BAD = (
    # a host that is a private, special or reserved address
    *(
        (f"https://{host}/", "address_private")
        for host in (
            *("127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
            *("100.64.0.1", "100.127.255.255", "169.254.169.254", "0.0.0.0", "0.1.2.3", "192.0.0.1"),  # noqa: S104
            *("192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1"),
            *("239.255.255.255", "240.0.0.1", "255.255.255.255"),
            *("[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::8.8.8.8]", "[64:ff9b::7f00:1]"),
            *("[64:ff9b::8.8.8.8]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:808:808::]", "[2001::1]"),
            *(
                "[2001:0:7f00:1::]",
                "[2001:db8::1]",
                "[2001:2::1]",
                "[2001:10::1]",
                "[fc00::1]",
                "[fd00:ec2::254]",
            ),
            *("[fe80::1]", "[fec0::1]", "[ff02::1]", "[100::1]", "[3fff::1]", "[5f00::1]", "[4000::1]"),
        )
    ),
    # one that is written so that only some readers see it
    *(
        (f"https://{host}/", "address_host")
        for host in (
            *("2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "0"),
            *("1.2.3.256", "1.2.3.4.5", "0x7f.0.0.0x1", "127.0.0.1.", "api.example.com.", "api..example.com"),
            *(
                "-api.example.com",
                "api-.example.com",
                "api.example.com%00",
                "exa$mple.com",
                "a" * 64 + ".com",
            ),
            *("api.example.com%2f", "a." * 130 + "com"),
        )
    ),
    ("https://１２７.０.０.１/", "address_private"),
    ("https://127。0。0。1/", "address_private"),
    ("https://[::1%25eth0]/", "address_unlike"),
    ("https://[::1]x/", "address_unlike"),
    ("https://localhost/", "address_private"),
    ("https://redis/", "address_private"),
    # ports, schemes, and what hides in an address
    *((f"https://api.example.com:{port}/", "address_port") for port in (22, 25, 6379, 5432, 0, 65535)),
    *(
        (address, "address_not_https")
        for address in (
            *(
                "http://api.example.com/",
                "gopher://api.example.com/",
                "file:///etc/passwd",
                "ftp://a.example/",
            ),
            *(
                "javascript:alert(1)",
                "//api.example.com/",
                "api.example.com",
                "",
                "dict://api.example.com:6379/",
            ),
        )
    ),
    *(
        (address, "address_with_user")
        for address in (
            "https://me@api.example.com/",
            "https://api.example.com:x@127.0.0.1/",
            "https://@a.example/",
        )
    ),
    *(
        (address, "address_unlike")
        for address in (
            *("https://", "https:///v1", "https://api.example.com:/v1", "https://api.example.com:99999/"),
            *(
                "https://api.example.com:80:90/",
                "https://api.example.com/v1?key=1",
                "https://api.example.com/#x",
            ),
            *(
                "https://api.example.com/../admin",
                "https://api.example.com//evil",
                "https://api.example.com\\@evil/",
            ),
            *(
                "https://api.example.com/\r\nHost: evil",
                " https://api.example.com/",
                "https://api.exa\tmple.com/",
            ),
            *(
                "https://api.example.com:٤٤٣/",
                "https://api.example.com/" + "a" * 500,
                "https://[::1/",
                "https://a b/",
            ),
        )
    ),
)


@pytest.fixture(autouse=True)
def _nobody_is_allowed(settings: Any) -> None:
    settings.ENDPOINT_HOSTS_ALLOWED = []


@pytest.mark.parametrize(("address", "parts"), GOOD)
def test_public_hosts_by_https(address: str, parts: tuple[str, str, int, str]) -> None:
    target = guard.parse(address)
    assert (target.scheme, target.host, target.port, target.path) == parts


@pytest.mark.parametrize(("address", "code"), BAD)
def test_refused_when_it_is_saved(address: str, code: str) -> None:
    with pytest.raises(guard.AddressRefused) as refused:
        guard.parse(address)
    assert refused.value.code == code


@given(st.ip_addresses())
def test_no_address_that_python_calls_special_is_public(address: guard.Address) -> None:
    if guard.is_public(address):
        assert address.is_global
        special = (address.is_private, address.is_multicast, address.is_reserved, address.is_link_local)
        assert not any(special)
        assert address.version == 4 or address.ipv4_mapped is None


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_an_ipv6_one_is_never_public(address: ipaddress.IPv4Address) -> None:
    four = int(address)
    nat = int(ipaddress.IPv6Address("64:ff9b::"))
    for inside in ((0xFFFF << 32) | four, four, nat | four, (0x2002 << 112) | (four << 80)):
        assert not guard.is_public(ipaddress.IPv6Address(inside))


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for address in (text, f"https://{text}", f"https://{text}/v1", f"https://a.example{text}"):
        try:
            target = guard.parse(address)
        except guard.AddressRefused:
            continue
        assert target.host.isascii()
        assert target.scheme == "https"
        assert target.port in guard.PORTS
        # What was taken apart and put together is the same target.
        assert guard.parse(target.origin + target.path) == target


# --- names and what they stand for --------------------------------------------------------

Names = Callable[..., None]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """What names stand for: a list of answers each, the last one for good; numbers are what they are."""
    real, answers, asked = socket.getaddrinfo, {}, []  # type: ignore[var-annotated]

    def resolve(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        if host not in answers:
            try:
                ipaddress.ip_address(host)
            except ValueError:
                raise socket.gaierror(socket.EAI_NONAME, "not known") from None
            return real(host, port, *args, **more)
        asked.append(host)
        found = answers[host].pop(0) if len(answers[host]) > 1 else answers[host][0]
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in found
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)

    def stand_for(host: str, *found: Sequence[str]) -> None:
        answers[host] = list(found)

    stand_for.asked = asked  # type: ignore[attr-defined]
    return stand_for


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"],
        ["8.8.8.8", "10.0.0.1"],  # one bad record among good ones
        ["2606:4700:4700::1111", "::1"],
        ["fd00::1"],  # IPv6 alone
        ["::ffff:169.254.169.254"],
        ["fe80::1%eth0"],
    ],
)
def test_a_name_that_stands_for_what_is_private_is_refused(names: Names, found: list[str]) -> None:
    names("model.example", found)
    with pytest.raises(guard.AddressRefused):
        guard.check_address("https://model.example/v1")
    with pytest.raises(guard.AddressRefused):
        guard.resolve(guard.parse("https://model.example/v1"))


def test_a_name_that_nobody_knows_yet_may_be_saved_and_leads_nowhere(names: Names) -> None:
    target = guard.check_address("https://nowhere.example/v1")
    assert wire.post(target, "/x", b"{}", {}, seconds=5).fault == "unreachable"


def test_rebinding_leads_nowhere(names: Names, settings: Any) -> None:
    """Public when it is saved, private when it is sent to: no connection is opened."""
    with llm_server.serving() as server:
        names("model.example", ["8.8.8.8"], ["127.0.0.1"])
        target = guard.check_address("https://model.example:8443/v1")
        moved = guard.Destination("https", "model.example", server.port, "/v1", allowed=False)
        assert wire.post(target, "/chat/completions", b"{}", {}, seconds=5).fault == "refused"
        assert wire.post(moved, "/chat/completions", b"{}", {}, seconds=5).fault == "refused"
        assert server.seen == []


def test_the_name_is_resolved_once_and_that_address_is_connected_to(names: Names, settings: Any) -> None:
    """A resolver that would say something else the second time is not asked a second time."""
    with llm_server.serving() as server:
        settings.ENDPOINT_HOSTS_ALLOWED = [f"model.example:{server.port}"]
        names("model.example", ["127.0.0.1"], ["169.254.169.254"])
        target = guard.parse(f"http://model.example:{server.port}/v1")
        reply = wire.post(target, "/chat/completions", b'{"messages": []}', {}, seconds=5)
        assert (reply.status, reply.fault) == (200, "")
        assert names.asked == ["model.example"]  # type: ignore[attr-defined]
        assert server.seen[0].headers["host"] == f"model.example:{server.port}"


# --- what the operator allows ---------------------------------------------------------------


def test_the_operator_may_allow_a_private_host(settings: Any) -> None:
    settings.ENDPOINT_HOSTS_ALLOWED = ["10.0.0.5:8001", "vllm:*", "[fd12::1]:443"]
    assert guard.parse("http://10.0.0.5:8001/v1").allowed
    assert guard.parse("http://VLLM:1234/v1").allowed
    assert guard.parse("https://[fd12::1]/v1").allowed
    for other in ("http://10.0.0.5:8002/v1", "http://10.0.0.6:8001/v1", "https://vllm2/v1"):
        with pytest.raises(guard.AddressRefused):
            guard.parse(other)


@pytest.mark.parametrize("host", ["169.254.169.254", "0.0.0.1", "224.0.0.1", "[fd00:ec2::254]", "[fe80::1]"])
def test_metadata_is_never_allowed(settings: Any, host: str) -> None:
    settings.ENDPOINT_HOSTS_ALLOWED = [f"{host}:*"]
    with pytest.raises(guard.AddressRefused) as refused:
        guard.parse(f"http://{host}/")
    assert refused.value.code == "address_private"


def test_an_allowed_name_does_not_lead_to_metadata(names: Names, settings: Any) -> None:
    settings.ENDPOINT_HOSTS_ALLOWED = ["vllm:80"]
    names("vllm", ["169.254.169.254"])
    assert wire.post(guard.parse("http://vllm/v1"), "/x", b"{}", {}, seconds=5).fault == "refused"
