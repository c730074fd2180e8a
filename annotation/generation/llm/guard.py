"""Where an endpoint may be: an address is looked at when it is saved, and each time before something is sent.

Own code, because what there is does not serve: Advocate is archived and patches requests, the others are young, and
none takes an operator's list. It stands on `ipaddress` and urllib3 and opens the socket itself, to an address that was
looked at (reliability.md A43, A44).
"""

import contextlib
import ipaddress
import re
import socket
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
PORTS = frozenset({80, 443, 4443, 8000, 8080, 8443, 8888, 9443})
LONGEST_ADDRESS = 500
LONGEST_HOST = 200
# How long a name server may take, and how many look-ups may hang at a time in this process.
NAME_SECONDS = 10.0
_resolver_slots = threading.BoundedSemaphore(64)
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NETLOC = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(:[0-9]{1,5})?")
_PATH = re.compile(r"(/[A-Za-z0-9._~:@%+-]+)*/?")


def _networks(*written: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(each) for each in written)


# IANA's special-purpose registries, multicast and what is reserved: nothing there is a public server.
_SPECIAL_NETWORKS = _networks(
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
    *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
    *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
    *("224.0.0.0/4", "240.0.0.0/4"),
    # Of IPv6 only 2000::/3 is given out; in it: Teredo and protocols, documentation, 6to4, AS112.
    *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
)
_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
# Not even an operator can allow these: metadata services of clouds, and what names no machine.
_FORBIDDEN_NETWORKS = _networks(
    *("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"),
    *("::/128", "fe80::/10", "ff00::/8", "fd00:ec2::/32", "100::/64"),
)


class AddressRefused(Exception):
    """An address that no endpoint may have: `code` says why, in `machine_messages`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Destination:
    """An endpoint's address, taken apart; `allowed` where the operator named it."""

    scheme: str
    host: str
    port: int
    path: str
    allowed: bool

    @property
    def origin(self) -> str:
        """What a key is bound to."""
        return f"{self.scheme}://{self._written}:{self.port}"

    @property
    def authority(self) -> str:
        """As the Host header has it."""
        usual = {"https": 443, "http": 80}[self.scheme]
        return self._written if self.port == usual else f"{self._written}:{self.port}"

    @property
    def _written(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def parse(address: str) -> Destination:
    """An address as it may be saved, nothing asked of the network. Raises Refused."""
    if len(address) > LONGEST_ADDRESS or not address.isprintable() or re.search(r"[\s\\?#]", address):
        raise AddressRefused("address_unlike")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise AddressRefused("address_unlike") from error
    if parts.scheme not in ("https", "http"):
        raise AddressRefused("address_not_https")
    if "@" in parts.netloc:
        raise AddressRefused("address_with_user")
    # urlsplit passes over an empty port, and over what stands between brackets and colon: only plain forms do here.
    plain = _NETLOC.fullmatch(parts.netloc) and _PATH.fullmatch(parts.path)
    if not plain or not parts.hostname or {".", ".."} & set(parts.path.split("/")):
        raise AddressRefused("address_unlike")
    host = _host(parts.hostname, bracketed="[" in parts.netloc)
    port = port if port is not None else {"https": 443, "http": 80}[parts.scheme]
    target = Destination(parts.scheme, host, port, parts.path.rstrip("/"), _is_allowed(host, port))
    _check(target)
    return target


def _check(target: Destination) -> None:
    """What can be said without the network: scheme, port, the address where it is written as one."""
    if not target.allowed:
        if target.scheme != "https":
            raise AddressRefused("address_not_https")
        if target.port not in PORTS:
            raise AddressRefused("address_port")
    written = _as_address(target.host)
    if written is not None:
        _check_addresses([written], target.allowed)
    elif "." not in target.host and not target.allowed:
        raise AddressRefused("address_private")


def _host(name: str, *, bracketed: bool) -> str:
    """A host in the one form in which it is compared: lower case, IDN as ASCII, IPv4 as four numbers."""
    try:
        if bracketed:
            if "%" in name:
                raise AddressRefused("address_host")
            return ipaddress.IPv6Address(name).compressed
        plain = name.encode("idna").decode().lower()
        labels = plain.split(".")
        if _NUMBER.fullmatch(labels[-1]):
            # Browsers and resolvers read 2130706433, 0x7f.1 and 0177.0.0.1 as addresses: only four plain numbers are.
            return str(ipaddress.IPv4Address(plain))
    except ValueError as error:
        raise AddressRefused("address_host") from error
    if len(plain) > LONGEST_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise AddressRefused("address_host")
    return plain


def _is_allowed(host: str, port: int) -> bool:
    """Whether the operator named this host and port."""
    named = (entry.rpartition(":") for entry in settings.ENDPOINT_HOSTS_ALLOWED)
    return any(name.strip("[]").lower() == host and at in ("*", str(port)) for name, _, at in named)


def _as_address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether an address is that of a machine on the internet, and of no range that stands for another one."""
    if isinstance(address, ipaddress.IPv6Address) and (address not in _GLOBAL_IPV6 or address.scope_id):
        return False
    if any(address in network for network in _SPECIAL_NETWORKS if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast


def _check_addresses(addresses: Iterable[Address], allowed: bool) -> None:
    """All of them, or none: a good one beside a bad one is a trap."""
    for address in addresses:
        mapped = getattr(address, "ipv4_mapped", None)
        for each in (address, mapped) if mapped else (address,):
            if any(each in network for network in _FORBIDDEN_NETWORKS if network.version == each.version):
                raise AddressRefused("address_private")
        if not allowed and not is_public(address):
            raise AddressRefused("address_private")


def resolve(target: Destination, seconds: float = NAME_SECONDS) -> Sequence[str]:
    """The addresses that may be connected to, all of them looked at. Raises Refused; OSError where there are none."""
    written = _as_address(target.host)
    if written is not None:
        _check_addresses([written], target.allowed)
        return [str(written)]
    records = _resolve_within(target, seconds)
    addresses = list(dict.fromkeys(str(each[4][0]) for each in records))
    if not addresses:
        raise OSError("no address")
    try:
        _check_addresses([ipaddress.ip_address(each) for each in addresses], target.allowed)
    except ValueError as error:
        raise AddressRefused("address_private") from error
    return addresses


def _resolve_within(target: Destination, seconds: float) -> list[Any]:
    """What the resolver says within a time: it has no bound of its own. Raises OSError."""
    answer: Future[list[Any]] = Future()

    def look() -> None:
        how = {"type": socket.SOCK_STREAM, "proto": socket.IPPROTO_TCP}
        try:
            answer.set_result(socket.getaddrinfo(target.host, target.port, **how))
        except Exception as error:
            answer.set_exception(error)
        finally:
            _resolver_slots.release()

    if not _resolver_slots.acquire(timeout=max(seconds, 0.0)):
        raise TimeoutError
    threading.Thread(target=look, name="name", daemon=True).start()
    return answer.result(max(seconds, 0.0))


def check_address(address: str) -> Destination:
    """An address as it may be saved: what its name stands for now is looked at too, where it is known.

    A name that is not known yet is no danger: it is looked at again before anything is sent. Raises Refused.
    """
    target = parse(address)
    with contextlib.suppress(OSError):
        resolve(target)
    return target
