"""Absolute addresses of this site for messages; a small module, as jobs that send messages import it."""

from django.conf import settings


def site_link(path: str) -> str:
    """The whole address of a page of this site: the configured one, whatever Host a request names."""
    return f"{settings.MUFAKAT_SITE_URL}{path}"
