"""What the value of an environment variable may be: for each kind the words that say so, and how a text is read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parseaddr
from ipaddress import ip_network
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import environ

TRUE = ("true", "yes", "on", "1", "y", "ok")
FALSE = ("false", "no", "off", "0", "n")
_DATABASES = ("postgres", "postgresql", "psql", "pgsql", "sqlite")
_REDIS = ("redis", "rediss", "sentinel", "unix")
_MAIL = ("smtp", "smtps", "smtp+tls", "smtp+ssl")
_LOCAL_MAIL = ("consolemail", "filemail", "dummymail", "memorymail")
_HOST = r"[\w-]+(\.[\w-]+)*\.?"
_HOST_PATTERN = re.compile(rf"\.?{_HOST}|\[[0-9A-Fa-f:.]+\]")
_ENDPOINT = re.compile(rf"({_HOST}|\[[0-9A-Fa-f:.]+\]):(?P<port>\d{{1,5}}|\*)", re.ASCII)
_SITE_PATTERN = re.compile(rf"https?://({_HOST}|\[[0-9A-Fa-f:.]+\])(:\d+)?")
_FORM_PATTERN = re.compile(rf"https?://(\*\.)?({_HOST}|\[[0-9A-Fa-f:.]+\])(:\d+)?")
_RATE = re.compile(r"[1-9]\d*/(?:[1-9]\d*)?[smhd](?:/(\w+))?", re.ASCII)


class InvalidValue(ValueError):
    """Its words say what is wrong with a value, and hold nothing of it."""


@dataclass(frozen=True)
class Kind:
    """`allowed` goes on after "must be"; `read` raises ValueError for what is not that; `empty` is none."""

    allowed: str
    read: Callable[[str], Any]
    empty: Callable[[], Any] = str


def _read_boolean(text: str) -> bool:
    if text.lower() not in (*TRUE, *FALSE):
        raise ValueError
    return text.lower() in TRUE


def is_weak_key(text: str) -> bool:
    """Whether a key is short, or one that stands in an example."""
    return len(text) < 40 or len(set(text)) < 8 or "change" in text.lower()


def _read_database(text: str) -> str:
    if text == "sqlite://:memory:":
        return text
    scheme, colon, rest = text.partition("://")
    if scheme not in _DATABASES or not colon or (scheme == "sqlite" and not rest.startswith("/")):
        raise ValueError
    name = str(environ.Env.db_url_config(text).get("NAME") or "")
    if not name or (scheme == "sqlite" and not rest.strip("/")):
        raise InvalidValue("it names no database")
    if scheme == "sqlite" and Path(name).is_dir():
        raise InvalidValue("it names a folder")
    return text


def _read_redis(text: str) -> str:
    for one in text.split(";"):
        parts = urlsplit(one)
        if parts.scheme not in _REDIS or not (parts.hostname or parts.scheme == "unix"):
            raise ValueError
        number = parts.path.strip("/")
        if parts.port == 0 or (parts.scheme != "unix" and number and not number.isdecimal()):
            raise ValueError
    return text


def _read_email(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in (*_MAIL, *_LOCAL_MAIL) or (parts.scheme in _MAIL and not parts.hostname):
        raise ValueError
    environ.Env.email_url_config(text)
    return text


def _read_sender(text: str) -> str:
    name, _, host = parseaddr(text)[1].partition("@")
    if not name or not host or "\n" in text:
        raise ValueError
    return text


def _read_address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError
    return text


def _read_site(text: str) -> str:
    if not _SITE_PATTERN.fullmatch(text.rstrip("/")):
        raise ValueError
    return _read_address(text.rstrip("/"))


def _read_bind(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ValueError
    return host, int(port)


def _read_zone(text: str) -> str:
    if text == "localtime":  # whatever this machine has: no name
        raise ValueError
    try:
        ZoneInfo(text)
    except (OSError, ValueError, LookupError):
        raise ValueError from None
    return text


def _read_networks(text: str) -> list[Any]:
    return [ip_network(each) for each in text.split()]


def _read_endpoints(text: str) -> list[str]:
    for each in text.split():
        match = _ENDPOINT.fullmatch(each)
        if match is None or (match["port"] != "*" and not 0 < int(match["port"]) < 1 << 16):
            raise ValueError
    return text.split()


def _read_folder(text: str) -> str:
    if not Path(text).is_dir():
        raise ValueError
    return text


def _folder_above(text: str) -> Path:
    """The folder, or the nearest above it that exists: no file stands in the way."""
    place = Path(text)
    above = next((each for each in (place, *place.parents) if each.exists()), Path())
    if "\0" in text or not above.is_dir():
        raise ValueError
    return above


def _read_place(text: str) -> str:
    _folder_above(text)
    return text


def _read_needed_place(text: str) -> str:
    """A folder, or where one can be made: that is tried, for of some file systems nothing else says it."""
    if (above := _folder_above(text)) != Path(text):
        try:
            Path(mkdtemp(prefix=".mufakat-", dir=above)).rmdir()
        except OSError:
            raise InvalidValue("none can be made there") from None
    return text


def _read_store(text: str) -> str:
    from annotation.files.rules import StoreAddressRefused, store_at

    try:
        store_at(text)
    except StoreAddressRefused as refused:
        raise InvalidValue(str(refused).rstrip(".")) from None
    return text


def _list_of(pattern: re.Pattern[str], words: str) -> Kind:
    """Values separated by commas, each of this pattern."""

    def read(text: str) -> list[str]:
        values = [value for value in (each.strip() for each in text.split(",")) if value]
        if not values or any(not pattern.fullmatch(value) for value in values):
            raise ValueError
        return values

    return Kind(f"{words}, separated by commas", read, list)


def _integer(least: str, most: str = "") -> Kind:
    """A whole number between bounds."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII):
            raise ValueError
        if (number := int(text)) < int(least) or (most and number > int(most)):
            raise ValueError
        return number

    return Kind(f"a whole number from {least} to {most}" if most else f"a whole number, {least} or more", read)


def _one_of(*values: str) -> Kind:
    """One of these words."""

    def read(text: str) -> str:
        if text not in values:
            raise ValueError
        return text

    return Kind(f"{', '.join(values[:-1])} or {values[-1]}", read)


def _rates(*by: str) -> Kind:
    """Limits such as 30/m/ip, of which each counts `by` one of these."""

    def read(text: str) -> str:
        for part in text.split(","):
            match = _RATE.fullmatch(part.strip())
            if match is None or (match[1] or "ip") not in by:
                raise ValueError
        return text

    examples = {"ip": "30/m/ip", "key": "5/5m/key"}
    said = " or ".join(examples[each] for each in by)
    further = ", several separated by commas" if len(by) > 1 else ""
    return Kind(f"NUMBER/TIME/{'|'.join(by)} with a time in s, m, h or d, such as {said}{further}", read)


KINDS = {
    "text": Kind("a text", str),
    "words": Kind("words separated by blanks", str.split, list),
    "boolean": Kind("true or false", _read_boolean, bool),
    "secret_key": Kind("40 random characters or more", str),
    "secrets": Kind("secrets separated by commas", lambda text: [each for each in text.split(",") if each], list),
    "hosts": _list_of(_HOST_PATTERN, "names of hosts without `*`"),
    "origins": _list_of(_SITE_PATTERN, "origins such as `https://front.example.org`"),
    "form_origins": _list_of(_FORM_PATTERN, "origins such as `https://front.example.org` or `https://*.example.org`"),
    "database": Kind("`postgres://USER:PASSWORD@HOST:5432/NAME` or `sqlite:///FILE`", _read_database),
    "redis": Kind("`redis://HOST:6379/0`, `rediss://…` or `sentinel://…;sentinel://…`", _read_redis),
    "email": Kind(
        "`smtp+tls://USER:PASSWORD@HOST:587`, `smtp+ssl://…`, `smtp://…`, `consolemail://`, `filemail:///FOLDER` or "
        "`dummymail://`",
        _read_email,
    ),
    "sender": Kind("an address such as `mufakat@example.org`", _read_sender),
    "address": Kind("an address such as `https://example.org`", _read_address),
    "site": Kind("an address without a path, such as `https://mufakat.example.org`", _read_site),
    "bind": Kind("`HOST:PORT`", _read_bind),
    "zone": Kind("a time zone such as `Asia/Jakarta`", _read_zone),
    "networks": Kind("addresses or networks such as `10.0.0.0/8`, separated by blanks", _read_networks, list),
    "endpoints": Kind("`HOST:PORT` or `HOST:*`, separated by blanks", _read_endpoints, list),
    "folder": Kind("a folder that exists", _read_folder),
    "place": Kind("a folder, or where one can be made", _read_place),
    "needed_place": Kind("a folder, or where one can be made", _read_needed_place),
    "store": Kind("`s3://BUCKET/PREFIX?endpoint=https://HOST`", _read_store),
}
_FACTORIES: dict[str, Callable[..., Kind]] = {"integer": _integer, "one_of": _one_of, "rates": _rates}


def kind(written: str) -> Kind:
    """The kind that a row of the table names: `boolean`, or with its bounds, as `integer 0 30`."""
    name, *bounds = written.split()
    return _FACTORIES[name](*bounds) if name in _FACTORIES else KINDS[name]
