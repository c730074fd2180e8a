"""*Account → Sessions and tokens*, and the documentation of the API, drawn from its schema."""

from functools import cache
from pathlib import Path
from typing import Any

import orjson
from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, override
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.api.authentication import signed_in_recently
from annotation.api.forms import TokenForm
from annotation.api.tokens import live_tokens, token_create, token_revoke
from annotation.core.errors import Conflict, Forbidden, Invalid
from annotation.core.models.user import User
from annotation.core.sessions import end_sessions, open_sessions
from annotation.ui.pages import show_refusal

SCHEMA_FILE = Path(__file__).with_name("openapi.json")


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    return request.user


@login_required
@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]
@sensitive_variables("made")
def my_tokens(request: HttpRequest) -> HttpResponse:
    """One's tokens; POST makes one, which is shown this once, after one's password was given again."""
    user = _user(request)
    if request.method != "POST":
        return _page(request, TokenForm(user=user))
    form = TokenForm(request.POST, user=user)
    if not signed_in_recently(request, user):
        return _page(request, form, status=show_refusal(form, Forbidden(code="sign_in_again")))
    if not form.is_valid():
        return _page(request, form, status=422)
    sent = form.cleaned_data
    try:
        made = token_create(user=user, **{**sent, "projects": sent.get("projects") or None})
    except (Invalid, Conflict) as refusal:
        return _page(request, form, status=show_refusal(form, refusal))
    return _page(request, TokenForm(user=user), made=made)


def _page(request: HttpRequest, form: TokenForm, *, status: int = 200, **more: Any) -> HttpResponse:
    user = _user(request)
    context = {"form": form, "tokens": live_tokens(user), "sessions": open_sessions(request, user), **more}
    return render(request, "annotation/api/tokens.html", context, status=status)


@login_required
@require_POST
def my_token_revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Have one of one's tokens stop working."""
    token_revoke(user=_user(request), token_id=token_id)
    messages.success(request, gettext("The token does not work any more."))
    return redirect("my_tokens")


@login_required
@require_POST
def my_sessions_end(request: HttpRequest) -> HttpResponse:
    """Sign out in every browser, this one included."""
    end_sessions(_user(request))
    logout(request)
    messages.success(request, gettext("You are signed out everywhere."))
    return redirect("account_login")


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """The OpenAPI schema, for programs."""
    return HttpResponse(SCHEMA_FILE.read_bytes(), content_type="application/vnd.oai.openapi+json")


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The same for people."""
    return render(request, "annotation/api/docs.html", {"operations": _operations_in(get_language())})


METHODS = ("get", "post")


@cache
def _operations_in(language: str) -> SafeString:
    """The operations as they stand on the page: thousands of fields, alike for everybody who reads this language."""
    with override(language):
        return render_to_string("annotation/api/partials/operations.html", {"parts": _operations_by_tag()})


def _operations_by_tag() -> list[tuple[str, list[dict[str, Any]]]]:
    """The operations of the schema by tag, each with its fields."""
    schema = orjson.loads(SCHEMA_FILE.read_bytes())
    parts: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method in (each for each in METHODS if each in methods):
            one = methods[method]
            parts.setdefault(one["tags"][0], []).append(
                {
                    "id": one["operationId"],
                    "method": method.upper(),
                    "path": path,
                    "summary": one["summary"],
                    "text": one.get("description", ""),
                    "scopes": one["x-scopes"],
                    "parameters": one.get("parameters", []),
                    "takes": _fields(schema, one.get("requestBody", {}).get("content", {})),
                    "gives": _response_fields(schema, one["responses"]),
                }
            )
    return sorted(parts.items())


def _response_fields(schema: dict[str, Any], answers: dict[str, Any]) -> list[dict[str, Any]]:
    good = next(answer for status, answer in answers.items() if status.startswith("2"))
    return _fields(schema, good.get("content", {}))


def _fields(schema: dict[str, Any], content: dict[str, Any]) -> list[dict[str, Any]]:
    """The fields of a body or an answer: of a page those of its rows."""
    first: dict[str, Any] = next(iter(content.values()), {})
    shape = _resolve_reference(schema, first.get("schema", {}))
    rows = shape.get("properties", {}).get("results", {}).get("items")
    shape = _resolve_reference(schema, rows) if rows else shape
    required = set(shape.get("required", ()))
    return [
        {
            "name": name,
            "type": _type_in_words(schema, field),
            "required": name in required,
            "text": field.get("description", ""),
        }
        for name, field in shape.get("properties", {}).items()
    ]


def _resolve_reference(schema: dict[str, Any], shape: dict[str, Any]) -> dict[str, Any]:
    name = shape.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = schema["components"]["schemas"][name] if name else shape
    return found


def _type_in_words(schema: dict[str, Any], field: dict[str, Any]) -> str:
    """What a field can be, in a few words."""
    if "enum" in field:
        return " | ".join(str(value) for value in field["enum"])
    either = field.get("oneOf") or field.get("anyOf") or field.get("allOf")
    if either:
        return " | ".join(_type_in_words(schema, one) for one in either)
    if "$ref" in field:
        inner = _resolve_reference(schema, field)
        return field["$ref"].rpartition("/")[2] if "properties" in inner else _type_in_words(schema, inner)
    kinds = field.get("type", "any")
    name = " | ".join(kinds) if isinstance(kinds, list) else str(kinds)
    if "array" in name:
        return name.replace("array", f"[{_type_in_words(schema, field.get('items', {}))}]")
    return f"{name} ({field['format']})" if "format" in field else name
