"""One fault of kombu 5.7's Redis channel, corrected: a worker must outlive its broker.

A channel that has lost its connection is still asked to acknowledge and to put back what it holds. Without a pool it
reads the address from the connection that is gone: an AttributeError, on which Celery ends the worker, where a
connection error would be waited out.
"""

from typing import Any

from kombu.transport.redis import Channel
from redis import ConnectionError as Lost

_connparams: Any = Channel._connparams


def _connparams_or_lost(channel: Any, asynchronous: bool = False) -> Any:
    if channel.connection is None or channel.connection.client is None:
        raise Lost("the connection of this channel is gone")
    return _connparams(channel, asynchronous=asynchronous)


def fix() -> None:
    """Say "connection lost" instead of failing; once a process."""
    setattr(Channel, "_connparams", _connparams_or_lost)  # noqa: B010 - mypy knows no assignment to a method
