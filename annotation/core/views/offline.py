"""Files for browsers without a connection: the service worker, the manifest, the fallback page."""

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

# What every page loads: kept from the start, for the one that stands in.
CACHED_FILES = (
    *(f"css/{name}.css" for name in ("tokens", "app", "parts")),
    *(f"js/{name}.js" for name in ("base", "keys", "offline")),
    "fonts/mufakat-sans-latin.woff2",
    "img/mark.svg",
)
# What the pages that are kept for offline load besides: kept before the first of them, which is never kept without
# them, and not earlier: who votes with a connection does not load them over a slow line.
CACHED_FILES_FOR_WORK = (
    *(f"css/{name}.css" for name in ("data", "vote", "write")),
    *(f"js/{name}.js" for name in ("vote", "answers", "ahead")),
)


@require_GET
def service_worker(request: HttpRequest) -> HttpResponse:
    """The service worker, from the root so that all pages are in its scope. Another release is another script."""
    context = {
        "release": settings.MUFAKAT_RELEASE,
        "static": settings.STATIC_URL,
        "kept": [static(path) for path in CACHED_FILES],
        "to_work": [static(path) for path in CACHED_FILES_FOR_WORK],
        "offline": reverse("offline"),
    }
    return render(request, "sw.js", context, content_type="text/javascript")


@require_GET
def manifest(request: HttpRequest) -> HttpResponse:
    """What makes the site one that can be put on a home screen."""
    icons = [("img/icon-192.png", "192x192", "any"), ("img/icon-512.png", "512x512", "any maskable")]
    about = {
        "id": "/",
        "name": "Mufakat",
        "short_name": "Mufakat",
        "description": gettext("Write test sets for language models, and agree on what is right."),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#f7f4ed",
        "theme_color": "#f7f4ed",
        "icons": [
            {"src": staticfiles_storage.url(path), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for path, sizes, purpose in icons
        ],
    }
    return JsonResponse(about, content_type="application/manifest+json")


@require_GET
def offline(request: HttpRequest) -> HttpResponse:
    """Shown by the service worker where a page cannot be reached; the same for everybody, so nobody's."""
    request.user = AnonymousUser()
    return render(request, "offline.html")
