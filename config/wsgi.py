"""What gunicorn serves: `gunicorn config.wsgi`."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
# A request that waits longer than this for the database is answered with 503; jobs and commands may take their time.
os.environ.setdefault("STATEMENT_SECONDS", "30")
os.environ.setdefault("LOCK_SECONDS", "5")
os.environ.setdefault("SILENCE_SECONDS", "5")
django = get_wsgi_application()


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Django; but that this process is alive is said before it, which looks at its connections at every request."""
    if environ["PATH_INFO"] == "/healthz" and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        start_response("200 OK", [("Content-Type", "text/plain"), ("Cache-Control", "no-store")])
        return [b"ok\n" if environ["REQUEST_METHOD"] == "GET" else b""]
    return django(environ, start_response)
