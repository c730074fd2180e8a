"""What the figures of a site ask others for: web processes, Redis, and the certificate that browsers are shown.

Each is asked for a moment only: Prometheus waits ten seconds for all figures.
"""

import http.client
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from prometheus_client.core import GaugeMetricFamily, Metric

from config.variables import env

SECONDS = 2.0


def web_figures() -> Iterator[Metric]:
    """Whether the web processes at METRICS_WEB answer, and say that everything works; nothing where it is empty."""
    address = env("METRICS_WEB")
    if not address:
        return
    up = _answers(address, "/healthz")
    yield GaugeMetricFamily("mufakat_web_up", "1 while a web process answers /healthz", value=up)
    ready = up and _answers(address, "/readyz")
    yield GaugeMetricFamily("mufakat_web_ready", "1 while /readyz says that everything works", value=ready)


def _answers(address: str, path: str) -> bool:
    """Whether it is answered with 200, asked as the proxy asks."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port or 80, timeout=SECONDS)
    try:
        connection.request("GET", path, headers={"Host": site_host(), "X-Forwarded-Proto": "https"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def site_host() -> str:
    """The name under which people reach the site: the first of ALLOWED_HOSTS."""
    return next((str(host).lstrip(".") for host in env("ALLOWED_HOSTS")), "127.0.0.1")


def certificate_figures() -> Iterator[Metric]:
    """Whether TLS is spoken at METRICS_TLS, and until when its certificate is valid; nothing where it is empty."""
    address = env("METRICS_TLS")
    if not address:
        return
    seconds = _certificate_seconds(*address)
    yield GaugeMetricFamily("mufakat_tls_up", "1 while TLS is spoken there", value=seconds is not None)
    if seconds is not None:
        words = "Until the certificate ends; below 0 since it has"
        yield GaugeMetricFamily("mufakat_certificate_seconds", words, value=seconds)


def _certificate_seconds(host: str, port: int) -> float | None:
    """How long the certificate is valid yet, whoever signed it; None where nobody shows one."""
    from datetime import UTC, datetime

    from cryptography.x509 import load_der_x509_certificate

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # What is looked at is its end: one that is over, or that nobody vouches for, is to be read too.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=site_host()) as secured,
        ):
            shown = secured.getpeercert(binary_form=True)
        return (load_der_x509_certificate(shown or b"").not_valid_after_utc - datetime.now(UTC)).total_seconds()
    except (OSError, ValueError):
        return None


def redis_figures() -> Iterator[Metric]:
    """Whether the broker answers, where there is one."""
    from django.conf import settings
    from kombu.connection import Connection
    from kombu.exceptions import OperationalError
    from redis import RedisError

    if not settings.REDIS_URL:
        return
    try:
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        with Connection(settings.CELERY_BROKER_URL, transport_options=options) as broker:
            up = bool(broker.default_channel.client.ping())
    except (OSError, OperationalError, RedisError):
        up = False
    yield GaugeMetricFamily("mufakat_redis_up", "1 while Redis answers", value=up)
