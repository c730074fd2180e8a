"""The cache of a team's server: what log-in limits count, in Redis, which all web processes share.

While Redis is away, silent or full each web process counts in its own memory: people can sign in, and guessing stays
limited, if by as many times as there are processes.
"""

from functools import partial
from time import monotonic
from typing import Any

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import RedisError

log = structlog.get_logger("counters")
# After Redis failed: how long it is not asked again.
AGAIN_SECONDS = 5.0


class _Client:
    """Django's client of Redis; where it fails, the memory of this process with the same methods."""

    away_until = 0.0

    def __init__(self, servers: list[str], **options: Any) -> None:
        self.redis = RedisCacheClient(servers, **options)
        self.own = LocMemCache("while-redis-is-away", {})

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


class CountersCache(RedisCache):
    """Django's, with a client that goes on without Redis."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = _Client
