"""JSON requests and responses, whatever `Accept` says, and their serializers."""

from typing import Any

import orjson
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from annotation.api import rules

NDJSON = "application/x-ndjson"


class JSONRenderer(BaseRenderer):
    """Bytes of JSON."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        """Nothing at all for an answer without content."""
        return b"" if data is None else orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)


class JSONParser(BaseParser):
    """A body of JSON, not nested without end."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """Raises ParseError."""
        body = stream.read()
        try:
            return orjson.loads(body) if body else {}
        except orjson.JSONDecodeError as error:
            raise ParseError from error


class AnyAccept(DefaultContentNegotiation):
    """There is one form of answers: it is given whatever is accepted."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        """The first, always."""
        return renderers[0], renderers[0].media_type


class Body(serializers.Serializer[Any]):
    """What is sent. A field that there is not is refused: it would be misspelt, or of a later version."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises ValidationError."""
        if isinstance(data, dict) and (strange := sorted(map(str, data.keys() - self.fields.keys()))):
            raise serializers.ValidationError(
                {strange[0]: [serializers.ErrorDetail("There is no such field.", "unknown")]}
            )
        return super().to_internal_value(data)


class Row(serializers.Serializer[Any]):
    """What is answered; `fields=` may leave out any of it."""

    def get_fields(self) -> Any:
        """None is promised."""
        found = super().get_fields()
        for field in found.values():
            field.required = False
        return found


class WholeNumberField(serializers.IntegerField):
    """A whole number that every database holds."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**({"min_value": 0, "max_value": 2**31 - 1} | options))


class ListQuery(Body):
    """What every list takes: how many rows, behind which cursor, with which of their fields."""

    limit = serializers.IntegerField(min_value=1, max_value=1000, default=100, help_text="How many rows at most.")
    cursor = serializers.CharField(default="", allow_blank=True, max_length=40, help_text="`next` of the page before.")
    fields_ = serializers.CharField(
        default="", allow_blank=True, max_length=1000, help_text="Names of fields, with commas between them."
    )

    def get_fields(self) -> Any:
        """`fields` is a name that serializers have themselves."""
        found = super().get_fields()
        found["fields"] = found.pop("fields_")
        return found

    def validate_cursor(self, text: str) -> int | None:
        """The key behind which the list goes on."""
        key = rules.read_cursor(text) if text else None
        if text and key is None:
            raise serializers.ValidationError("This is no cursor: give back `next` as it was.", "cursor")
        return key


class SinceQuery(ListQuery):
    """A list whose rows keep when they were made or last changed."""

    updated_since = serializers.DateTimeField(
        default=None, help_text="Only what was made or has changed from this moment on."
    )


class NoQuery(Body):
    """Nothing may be asked for in the address."""
