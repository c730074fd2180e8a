"""What an address of an object store may say."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

LINK_SECONDS = 300
KNOWN_OPTIONS = ("endpoint", "region", "links", "link_seconds")


class StoreAddressRefused(ValueError):
    """Why STORAGE_URL cannot be used, as a sentence."""


@dataclass(frozen=True)
class StoreAddress:
    """A bucket and the prefix below which everything lies; `links`: whether browsers can reach the store."""

    bucket: str
    prefix: str
    endpoint: str | None
    region: str | None
    links: bool
    link_seconds: int


def store_at(url: str) -> StoreAddress:
    """The parts of `s3://BUCKET/PREFIX?endpoint=…&region=…&links=no&link_seconds=…`. Raises StoreAddressRefused."""
    parts = urlsplit(url)
    if not url.startswith("s3://"):
        raise StoreAddressRefused("it does not begin with s3://.")
    return _checked(parts.hostname or "", parts.path, dict(parse_qsl(parts.query)), parts.username)


def _checked(bucket: str, path: str, options: Mapping[str, str], user: str | None) -> StoreAddress:
    if not bucket:
        raise StoreAddressRefused("it names no bucket: write s3://BUCKET/PREFIX.")
    if user is not None:
        raise StoreAddressRefused("keys do not belong in it: give AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    if unknown := sorted(set(options) - set(KNOWN_OPTIONS)):
        raise StoreAddressRefused(f"there is no option {unknown[0]}; known are {', '.join(KNOWN_OPTIONS)}.")
    endpoint = options.get("endpoint")
    if endpoint is not None and urlsplit(endpoint).scheme not in ("http", "https"):
        raise StoreAddressRefused("its endpoint is no address: write endpoint=https://HOST.")
    links = options.get("links", "yes")
    if links not in ("yes", "no"):
        raise StoreAddressRefused("links must be yes or no.")
    seconds = options.get("link_seconds", str(LINK_SECONDS))
    if not seconds.isascii() or not seconds.isdecimal() or not 1 <= int(seconds) <= 7 * 24 * 3600:
        raise StoreAddressRefused("link_seconds must be a number from 1 to 604800.")
    return StoreAddress(bucket, path.strip("/"), endpoint, options.get("region"), links == "yes", int(seconds))
