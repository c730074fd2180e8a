"""Error pages: static files without token, user or path, so that two 404s never differ by a byte."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template

from annotation.errors import Refusal


@cache
def _page(status: int) -> bytes:
    return get_template(f"{status}.html").render().encode()


def page(status: int) -> HttpResponse:
    return HttpResponse(_page(status), status=status)


def refusal(request: HttpRequest, exception: Refusal) -> HttpResponse:
    """The static page of its status; views that keep what was typed answer themselves."""
    return page(exception.status if exception.status in (400, 403, 404, 409, 429, 503) else 400)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return page(400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return page(403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return page(404)


def server_error(request: HttpRequest) -> HttpResponse:
    return page(500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return page(403)
