"""The OpenAPI schema, made from declared operations; imported only by its command and test."""

import inspect
import re
from typing import Any

import orjson
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.utils import OpenApiParameter

from annotation.api.idempotency import KEY_HEADER
from annotation.api.views import MANAGE, Operation
from annotation.api.wire import NoQuery
from annotation.core.public_pages import HEADER

PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Stable, for programs."},
        "detail": {"type": "string", "description": "What is wrong and what to do, for people."},
        "field": {"type": "string", "description": "What of the request is wrong."},
        "errors": {"type": "array", "items": {"type": "object"}, "description": "Every field that is wrong."},
        "version": {"type": "integer", "description": "The version that stands now, where yours is stale."},
        "seen": {"type": "integer"},
        "stage": {"type": "string"},
        "pages": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The public pages (`slug/n`) that it closes; `Close-Pages` confirms them.",
        },
        "near": {
            "type": "array",
            "items": {"type": "object"},
            "description": "What was sent (`text`) and what is nearly equal to it (`others`).",
        },
    },
}
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "bearerFormat": "muf_<id>_<secret>"},
    "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
}


class Schema(AutoSchema):
    """What one operation declares, as OpenAPI."""

    @property
    def _declared(self) -> Operation:
        found: Operation = getattr(self.view, self.method.lower()).operation
        return found

    def get_operation_id(self) -> str:
        """The view's name and the method."""
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self.view).__name__).lower()
        return f"{name}_{self.method.lower()}"

    def _words(self) -> list[str]:
        text = inspect.getdoc(getattr(self.view, self.method.lower())) or ""
        first, _, rest = " ".join(text.split()).partition(". ")
        return [first.rstrip(".") + ".", rest]

    def get_summary(self) -> str:
        """The first sentence of the method's docstring."""
        return self._words()[0]

    def get_description(self) -> str:  # type: ignore[override]
        """The others."""
        return self._words()[1]

    def get_tags(self) -> list[str]:
        """The resource."""
        return [getattr(self.view, "tag", "") or type(self.view).__module__.rpartition(".")[2]]

    def get_auth(self) -> list[dict[str, Any]]:
        """A token, or a session."""
        return [{"token": []}, {"session": []}]

    def get_extensions(self) -> dict[str, Any]:
        """The scopes of which a token needs one."""
        return {"x-scopes": list(self._declared.scopes)}

    def get_override_parameters(self) -> list[Any]:
        """What the address takes, and the key under which an effect is had once."""
        found: list[Any] = [] if self._declared.query is NoQuery else [self._declared.query]
        if self._declared.takes_idempotency_key:
            text = "With the same key the same request is done once, and answered the same, for 24 hours."
            found.append(OpenApiParameter(KEY_HEADER, str, OpenApiParameter.HEADER, description=text))
        if self.method == "POST" and MANAGE in self._declared.scopes:
            text = "The public pages that may be closed by it, as `pages` of the answer 409 `closes_pages` has them."
            found.append(OpenApiParameter(HEADER, str, OpenApiParameter.HEADER, description=text))
        return found

    def get_request_serializer(self) -> Any:
        """The body that is taken."""
        if self._declared.takes_upload:
            file = {"file": {"type": "string", "format": "binary"}}
            return {"multipart/form-data": {"type": "object", "required": ["file"], "properties": file}}
        if self._declared.takes_lines:
            return {"application/x-ndjson": {"type": "string", "description": "One JSON object a line."}}
        return self._declared.request_body

    def get_response_serializers(self) -> Any:
        """The answer, and a problem."""
        declared = self._declared
        key: Any = str(declared.status)
        good: Any = declared.response_row
        if declared.media != "application/json":
            key, good = (key, declared.media), {"type": "string", "format": "binary"}
        elif declared.paged:
            assert declared.response_row is not None  # noqa: S101 - a page has rows
            row = self.resolve_serializer(declared.response_row, "response").ref
            following = {
                "type": ["string", "null"],
                "description": "Give it back as `cursor`; null at the end.",
            }
            shape = {"results": {"type": "array", "items": row}, "next": following}
            good = {"type": "object", "required": ["results", "next"], "properties": shape}
        problem = {"$ref": "#/components/schemas/Problem"}
        return {key: good, ("default", "application/problem+json"): problem}


def generate() -> dict[str, Any]:
    """The schema of every resource that config.urls leads to."""
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    parts = found["components"]
    parts["schemas"] = dict(sorted({**parts.get("schemas", {}), "Problem": PROBLEM}.items()))
    parts["securitySchemes"] = SECURITY
    return found


def as_json() -> bytes:
    """For programs, and for the page that draws it."""
    return orjson.dumps(generate(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE, default=str)


def as_yaml() -> bytes:
    """For people who read differences."""
    text: bytes = OpenApiYamlRenderer().render(  # type: ignore[no-untyped-call]
        orjson.loads(as_json()), renderer_context={}
    )
    return text
