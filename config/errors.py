"""Error pages: static files without token, user or path, so that two 404s in one
language never differ by a byte."""

import sys
from functools import cache
from http import HTTPStatus
from urllib.parse import urlencode

import orjson
import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import get_template
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language

from annotation.core.api_problems import API_PROBLEMS
from annotation.core.errors import EntryOwed, QuizOwed, Refusal, SecondFactorOwed
from annotation.core.public_pages import PARAMETER, ClosesPages

log = structlog.get_logger("request")
RETRY_SECONDS = 5
CSRF_FIELD = "csrfmiddlewaretoken"


@cache
def _page(status: int, language: str) -> bytes:
    return get_template(f"{status}.html").render().encode()


def page(status: int) -> HttpResponse:
    return HttpResponse(_page(status, get_language()), status=status)


def unavailable() -> HttpResponse:
    """What will pass: try again."""
    response = page(503)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def refusal(request: HttpRequest, exception: Refusal) -> HttpResponse:
    """The static page of its status; views that keep what was typed answer themselves.

    Who has to confirm something first is shown it instead of the page that they opened.
    """
    if isinstance(exception, EntryOwed) and request.method in ("GET", "HEAD"):
        return redirect("entry", slug=exception.slug)
    if isinstance(exception, QuizOwed) and request.method in ("GET", "HEAD"):
        return redirect("writers_quiz", slug=exception.slug)
    if isinstance(exception, SecondFactorOwed):
        return redirect("second_factor")
    if isinstance(exception, ClosesPages):
        return _confirmation(request, exception)
    return page(exception.status if exception.status in (400, 403, 404, 409, 429, 503) else 400)


def _confirmation(request: HttpRequest, exception: ClosesPages) -> HttpResponse:
    """What was sent, to be sent again by whoever confirms the pages that it closes."""
    there = {name: values for name, values in request.GET.lists() if name != PARAMETER}
    names, back = ",".join(exception.details["pages"]), request.headers.get("Referer", "/")
    context = {
        "pages": [(*name.rsplit("/", 1), title) for name, title in sorted(exception.titles.items())],
        "address": f"{request.path}?{urlencode({**there, PARAMETER: names}, doseq=True)}",
        "sent": [(name, value) for name, values in request.POST.lists() for value in values if name != CSRF_FIELD],
        "back": back if url_has_allowed_host_and_scheme(back, request.get_host()) else "/",
    }
    return render(request, "closes_pages.html", context, status=exception.status)


def _answer(request: HttpRequest, status: int) -> HttpResponse:
    """The page of a status; below /api/ what a program reads."""
    return problem(status) if request.path.startswith("/api/v1/") else page(status)


CODES = {400: "bad_request", 404: "not_found", 413: "body_too_large", 500: "fault", 503: "unavailable"}


def problem(status: int) -> HttpResponse:
    """A problem (RFC 9457) where no resource of the API is asked, or one failed; the same bytes for everybody."""
    code = CODES[status]
    about = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "code": code}
    about["detail"] = API_PROBLEMS[code]
    return HttpResponse(orjson.dumps(about), content_type="application/problem+json", status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return page(403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Called while the exception is being handled: what will pass is 503 (try again), a fault of ours 500.

    What passes: a server or a store of files that is away, a lock or a statement that took too long, a deadlock.
    Nothing was stored.
    """
    from annotation.files import StoreUnavailable

    error = sys.exc_info()[1]
    if not isinstance(error, OperationalError | InterfaceError | StoreUnavailable):
        log.error("request_failed", exc_info=error)
        return _answer(request, 500)
    log.warning("request_unavailable", exc_info=error)
    return unavailable()


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return page(403)
