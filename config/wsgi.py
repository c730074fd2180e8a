"""What gunicorn serves: `gunicorn config.wsgi --preload`; what is loaded here is shared by the workers."""

import gc
import os
from collections.abc import Iterable
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError, InterfaceError, connections
from django.template.loader import get_template
from django.urls import reverse
from django.utils import translation
from django.utils.module_loading import import_string

from config.start import load_settings

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

# A request that waits longer than this for the database is answered with 503; jobs and commands may take their time.
os.environ.setdefault("STATEMENT_SECONDS", "30")
os.environ.setdefault("LOCK_SECONDS", "5")
os.environ.setdefault("SILENCE_SECONDS", "5")
load_settings()
# Pages that most people open, whose templates are compiled before the first of them is asked for.
PRELOADED_TEMPLATES = (
    "base.html",
    "partials/*.html",
    "account/*.html",
    "validation/overview/**/*.html",
    "validation/voting/**/*.html",
    "annotation/writing/**/*.html",
)


def _preload() -> None:
    """Import every view and what each page needs, so that no worker does so for itself."""
    for language, _ in settings.LANGUAGES:
        with translation.override(language):
            reverse("account_login")
    folder = settings.BASE_DIR / "templates"
    for path in (path for part in PRELOADED_TEMPLATES for path in sorted(folder.glob(part))):
        get_template(str(path.relative_to(folder)))
    import_module(f"{settings.DATABASES['default']['ENGINE']}.base")
    import_string(settings.CACHES["default"]["BACKEND"])
    import_module("encodings.idna")
    from annotation import kinds  # these name models, which are there now
    from annotation.content import shapes

    for kind in kinds.all_kinds():
        shapes.get(kind.shape)
    for model in apps.get_models():
        model._meta.get_fields()  # computed once, for all models when a query first joins two of them
    if settings.REDIS_URL:
        import_string(settings.MUFAKAT_CELERY_APP)
        import_module("kombu.transport.redis")


def _warm_up() -> None:
    """Ask for a page and the API as somebody would: what the first request makes once is made before the fork too.

    Where the database is away or not migrated yet, workers find out for themselves.
    """
    host, _, port = (settings.ALLOWED_HOSTS or ["localhost"])[0].strip("[]").partition(":")
    place = {"SERVER_NAME": host, "SERVER_PORT": port or "443", "wsgi.input": BytesIO()}
    asked = {"REQUEST_METHOD": "GET", "wsgi.url_scheme": "https", **place}
    from config.migrated import is_migrated  # it asks for the apps, which are there now

    try:
        if is_migrated():
            for page in (reverse("account_login"), reverse("api_me")):
                django({**asked, "PATH_INFO": page}, lambda status, headers, *_: bytearray().extend)
    except (DatabaseError, InterfaceError):
        pass
    finally:
        connections.close_all()


# Nothing that is imported is garbage: not looked through meanwhile, and afterwards kept out of every collection, which
# would write to its pages and so give each worker a copy of them.
gc.disable()
django = get_wsgi_application()
_preload()
_warm_up()
gc.freeze()
gc.enable()


def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Django; but that this process is alive is said before it, which looks at its connections at every request."""
    if environ["PATH_INFO"] == "/healthz" and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        start_response("200 OK", [("Content-Type", "text/plain"), ("Cache-Control", "no-store")])
        return [b"ok\n" if environ["REQUEST_METHOD"] == "GET" else b""]
    return django(environ, start_response)
