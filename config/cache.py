"""The cache of a team's server: what log-in limits count, in Redis, which all web processes share.

While Redis is away, silent or full each web process counts in its own memory: people can sign in, and guessing stays
limited, if by as many times as there are processes.
"""

from functools import partial
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

import structlog
from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import RedisError
from redis.sentinel import Sentinel, SentinelConnectionPool

log = structlog.get_logger("cache")
# After Redis failed: how long it is not asked again.
AGAIN_SECONDS = 5.0


class _SentinelPool(SentinelConnectionPool):
    """Connections to the Redis that sentinels name, whose addresses are written as Celery writes them."""

    @classmethod
    def from_url(cls, url: str, **options: Any) -> "_SentinelPool":
        """`sentinel://:password@host:26379/0;sentinel://…`: the password and the number are those of Redis."""
        named = [urlsplit(one) for one in url.split(";")]
        waits = {name: options[name] for name in ("socket_timeout", "socket_connect_timeout")}
        sentinels = Sentinel([(each.hostname, each.port or 26379) for each in named], sentinel_kwargs=waits)  # type: ignore[no-untyped-call]
        password, number = named[0].password, named[0].path.strip("/")
        about = {"db": int(number or 0), "password": unquote(password) if password else None}
        return cls(settings.REDIS_SENTINEL_SET, sentinels, **about, **options)


class _Client:
    """Django's client of Redis; where it fails, the memory of this process with the same methods."""

    away_until = 0.0

    def __init__(self, servers: list[str], **options: Any) -> None:
        if servers[0].startswith("sentinel:"):
            servers, options["pool_class"] = [";".join(servers)], _SentinelPool
        self.redis = RedisCacheClient(servers, **options)
        self.own = LocMemCache("while-redis-is-away", {"max_entries": 100_000})

    def __getattr__(self, name: str) -> Any:
        return partial(self._asked, name)

    def _asked(self, method: str, *given: Any) -> Any:
        if monotonic() >= _Client.away_until:
            try:
                return getattr(self.redis, method)(*given)
            except RedisError as error:
                _Client.away_until = monotonic() + AGAIN_SECONDS
                log.warning("counted_in_memory", error=type(error).__name__)
        return getattr(self.own, method)(*given)


class RedisOrMemoryCache(RedisCache):
    """Django's, with a client that goes on without Redis."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = _Client
