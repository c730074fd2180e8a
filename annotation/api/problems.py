"""Refusals as `application/problem+json` (RFC 9457): a stable code, the field, and what to do, as pages say it."""

from http import HTTPStatus
from typing import Any

from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from annotation.core.errors import Refusal
from annotation.core.messages import problem_words

MEDIA_TYPE = "application/problem+json"
# What passes: a server that is away, a lock or a statement that took too long. Nothing was stored.
DATABASE_AWAY = (OperationalError, InterfaceError)
RETRY_SECONDS = 5
# What Django REST framework refuses by itself, by our codes; each has its words in core/api_problems.py.
CODES: dict[type[exceptions.APIException], str] = {
    exceptions.NotAuthenticated: "not_authenticated",
    exceptions.AuthenticationFailed: "token_wrong",
    exceptions.PermissionDenied: "csrf",
    exceptions.NotFound: "not_found",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.UnsupportedMediaType: "media_type_wrong",
    exceptions.ParseError: "body_unreadable",
    exceptions.Throttled: "too_many_requests",
}
# What a page would be shown beside the refusal: where the thing stands now, what is nearly equal, what it closes.
STATE_DETAILS = ("version", "stage", "seen", "near", "pages")


def problem(status: int, code: str, detail: str = "", field: str = "", **more: Any) -> Response:
    """One problem as an answer."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail or problem_words(code),
    }
    if field:
        body["field"] = field
    return Response(body | more, status=status, content_type=MEDIA_TYPE)


def handled(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to what a view raised; None for a fault of ours."""
    if isinstance(error, Refusal):
        standing = {name: value for name, value in error.details.items() if name in STATE_DETAILS}
        return problem(error.status, error.code, error.message, error.field, **standing)
    if isinstance(error, exceptions.ValidationError):
        return _validation_problem(error)
    if isinstance(error, exceptions.APIException):
        answer = problem(error.status_code, CODES.get(type(error), "refused"))
        for name, given in (
            ("WWW-Authenticate", getattr(error, "auth_header", None)),
            ("Retry-After", getattr(error, "wait", None)),
        ):
            if given is not None:
                answer[name] = given if isinstance(given, str) else str(int(given) + 1)
        return answer
    if isinstance(error, Http404) or (isinstance(error, ValueError | DataError) and "NUL" in str(error)):
        return problem(404, "not_found")
    if isinstance(error, DATABASE_AWAY):
        answer = problem(503, "unavailable")
        answer["Retry-After"] = str(RETRY_SECONDS)
        return answer
    return None


def _validation_problem(error: exceptions.ValidationError) -> Response:
    """Every field that is wrong, the first one as the problem's own."""
    wrong = list(_flatten_errors(error.detail, ""))
    field, code, detail = wrong[0]
    errors = [{"field": name, "code": which, "detail": words} for name, which, words in wrong]
    return problem(400, code, detail, field, errors=errors)


def _flatten_errors(detail: Any, where: str) -> Any:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _flatten_errors(inner, where if name == "non_field_errors" else f"{where}.{name}".lstrip("."))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flatten_errors(inner, where)
    else:
        yield where, f"field_{detail.code}", str(detail)
