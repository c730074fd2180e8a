"""The corrected channel of kombu: a lost connection is said as one, which Celery waits out."""

import pytest
from kombu.connection import Connection
from kombu.transport.redis import Channel
from redis import ConnectionError as Lost

from config.celery import app as celery_app


def test_a_channel_without_its_connection_says_so() -> None:
    """F11: before, an AttributeError from here ended the worker when Redis was restarted under load."""
    with Connection(celery_app.conf.broker_url) as connection:
        channel = connection.channel()
        assert isinstance(channel, Channel)
        channel.connection, kept = None, channel.connection
        channel._disconnect_pools()
        with pytest.raises(Lost), channel.conn_or_acquire():
            pass
        channel.connection = kept
        with channel.conn_or_acquire() as client:
            assert client.ping()
