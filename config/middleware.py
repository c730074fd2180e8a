"""Thin layers: a request id with one log line, no work on a half-migrated database, the most that strangers may send,
refusals turned into answers.
"""

import time
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.db import DataError
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

from annotation.api.authentication import carries_token
from annotation.core import language
from annotation.core.errors import Refusal
from annotation.core.models.user import User
from annotation.core.person import person_mark
from annotation.core.public_pages import HEADER, PARAMETER, confirmed, read_names
from config import errors, health
from config.migrated import is_migrated

log = structlog.get_logger("request")
Handler = Callable[[HttpRequest], HttpResponse]
_CLOSE_PAGES = "HTTP_" + HEADER.upper().replace("-", "_")


class RequestLogMiddleware:
    """One line a request: id, method, route, status, milliseconds. No texts, no addresses, no query strings."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started, request_id = time.perf_counter(), uuid.uuid4().hex
        structlog.contextvars.bind_contextvars(request_id=request_id)
        try:
            response = self.get_response(request)
            match = request.resolver_match
            log.info(
                "request",
                method=request.method,
                route=match.route if match else None,
                status=response.status_code,
                ms=round((time.perf_counter() - started) * 1000, 1),
            )
        finally:
            structlog.contextvars.unbind_contextvars("request_id")
        response.headers["X-Request-ID"] = request_id
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class CompressedPagesMiddleware:
    """Pages and the service worker go out compressed, whatever stands before this server: a card is a fifth of its
    size then.

    Files do not: their length and their checksum are known beforehand, and most are compressed already.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response, self.gzip = get_response, GZipMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        accepts = "gzip" in request.META.get("HTTP_ACCEPT_ENCODING", "")
        is_page = response.headers["Content-Type"].startswith(("text/html", "text/javascript"))
        if accepts and not response.streaming and is_page:
            self.gzip.process_response(request, response)
        return response


class SignedOutMiddleware:
    """A browser whose session has ended forgets the pages and images that it cached (Clear-Site-Data, W3C).

    Only its cache: votes that a device keeps until there is a connection stay.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        before = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        after = response.cookies.get(settings.SESSION_COOKIE_NAME)
        if before and after is not None and after.value != before and not request.user.is_authenticated:
            response.headers["Clear-Site-Data"] = '"cache"'
        return response


class MigratedMiddleware:
    """503 to everything until the database has all that this version needs: before that pages would fail, and what
    they store would lack constraints."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path not in health.PATHS and not is_migrated():
            return errors.unavailable()
        return self.get_response(request)


class LanguageMiddleware:
    """The language and the time zone of a page (annotation/core/language.py).

    The API speaks English, or the language that a request asks for with `Accept-Language`.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/api/"):
            asked = "Accept-Language" in request.headers
            translation.activate(translation.get_language_from_request(request) if asked else settings.LANGUAGE_CODE)
            timezone.deactivate()
            return _in_language(self.get_response(request))
        if request.path in ("/healthz", "/readyz"):
            # Who asks how it is gets an answer where the database gives none.
            return self.get_response(request)
        chosen = language.chosen_language(request)
        language.activate(request, chosen)
        language.activate_zone(request)
        with language.allow_project_language(chosen):
            return _in_language(self.get_response(request))

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: dict[str, Any]) -> None:
        """Where nobody chose a language and an address names a project, its language comes before the browser's."""
        if "slug" in kwargs and language.allows_project_language() and isinstance(request.user, User):
            language.request_project_language(kwargs["slug"])


def _in_language(response: HttpResponse) -> HttpResponse:
    response.headers.setdefault("Content-Language", translation.get_language())
    patch_vary_headers(response, ["Accept-Language"])
    return response


class PersonMiddleware:
    """Says whose a page is, so that a browser's service worker keeps it for nobody else."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and (person := person_mark(request.user)):
            response.headers["X-Person"] = person
        return response


class StrangersUploadMiddleware:
    """Refuses a large body of somebody who is not signed in before a byte of it is read or written to a disk."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # A body without a length is not read at all. Who it is is looked up for large bodies alone.
        length = request.META.get("CONTENT_LENGTH") or "0"
        large = not length.isdecimal() or int(length) > settings.MUFAKAT_STRANGERS_MAX_BYTES
        if large and not (request.user.is_authenticated or carries_token(request)):
            return errors.page(413) if not request.path.startswith("/api/v1/") else errors.problem(413)
        return self.get_response(request)


class RefusalMiddleware:
    """Turns a Refusal raised by access.py or an action into its answer; what does not exist and what is not
    yours are the same 404. What closes public pages is asked again for those that are confirmed. A page that says what
    is wrong shows it: disclosures around errors are open."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.META.get(_CLOSE_PAGES, "")
        if not sent and PARAMETER not in request.META.get("QUERY_STRING", ""):
            response = self.get_response(request)
        else:
            with confirmed(read_names(sent or request.GET.get(PARAMETER, ""))):
                response = self.get_response(request)
        return _with_errors_open(response) if response.status_code in (400, 409, 422) else response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Refusal):
            return errors.refusal(request, exception)
        if isinstance(exception, Http404):
            return errors.not_found(request)
        # What was asked for or sent holds a NUL, which no text in the database has: looked up or stored, whatever
        # the field. Actions say so themselves where a form can show it beside what was typed.
        if isinstance(exception, DataError | ValueError) and "cannot contain NUL" in str(exception):
            return errors.bad_request(request)
        return None


def _with_errors_open(response: HttpResponse) -> HttpResponse:
    if not response.streaming and response.headers.get("Content-Type", "").startswith("text/html"):
        from annotation.ui.disclosures import open_over_errors

        response.content = open_over_errors(response.text).encode()
    return response
