"""The base of every resource: permissions, requests and responses, lists by cursor, and their part of the schema.

A method of a view is an operation: `@operation(...)` says which scopes it needs and which serializers read what is
sent and write what is answered. The schema (annotation/api/openapi.py) is made from nothing else.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce, wraps
from operator import or_
from typing import Any, TypeVar, cast

from django.db.models import Model, Q, QuerySet
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api import idempotency, rules
from annotation.api.authentication import SessionAuthentication, TokenAuthentication, TokenThrottle
from annotation.api.models import ApiToken
from annotation.api.problems import handled
from annotation.api.wire import (
    AnyAccept,
    Body,
    JSONParser,
    JSONRenderer,
    ListQuery,
    NoQuery,
    Row,
    SinceQuery,
)
from annotation.core.errors import Forbidden, Invalid, NotFound
from annotation.core.models.user import User

Record = TypeVar("Record", bound=Model)
Method = TypeVar("Method", bound=Callable[..., Any])
READ, ANNOTATE, MANAGE, RELEASE = rules.SCOPES


@dataclass(frozen=True)
class Operation:
    """What one method of a view takes and returns. `paged`: it returns a page of `response_row`; `media`: the type of
    an answer that is not JSON; `takes_lines`: it takes lines of JSON; `takes_upload`: it takes a form with a file.
    `timestamp_fields`: the fields of its rows that say when they were made or changed."""

    scopes: tuple[str, ...]
    request_body: type[Body] | None
    response_row: type[Row] | None
    query: type[Body]
    status: int
    paged: bool
    media: str
    takes_upload: bool
    takes_lines: bool
    takes_idempotency_key: bool
    timestamp_fields: tuple[str, ...]


def operation(
    *,
    scopes: Sequence[str],
    takes: type[Body] | None = None,
    gives: type[Row] | None = None,
    query: type[Body] | None = None,
    status: int = 200,
    paged: bool = False,
    media: str = "application/json",
    upload: bool = False,
    lines: bool = False,
    repeats: bool = False,
    since: Sequence[str] = (),
) -> Callable[[Method], Method]:
    """Declare a method of a view. `scopes`: a token needs one of them. `repeats`: the same request twice is two
    effects, so that it can be sent with a key under which it is done once. `since`: a list is
    narrowed by these moments of its rows."""

    def declare(method: Method) -> Method:
        @wraps(method)
        def answered(view: "ApiView", request: Request, **named: Any) -> Response:
            def act() -> Response:
                return cast(Response, method(view, request, **named))

            return idempotency.answer_once(view, request, act) if repeats else act()

        answered.operation = Operation(  # type: ignore[attr-defined]
            scopes=tuple(scopes),
            request_body=takes,
            response_row=gives,
            query=query or (SinceQuery if since else ListQuery if paged else NoQuery),
            status=status,
            paged=paged,
            media=media,
            takes_upload=upload,
            takes_lines=lines,
            takes_idempotency_key=repeats,
            timestamp_fields=tuple(since),
        )
        return cast(Method, answered)

    return declare


class SignedIn(BasePermission):
    """Nobody unknown gets further."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Raises NotAuthenticated."""
        if not isinstance(request.user, User):
            raise NotAuthenticated
        return True


class ApiView(APIView):
    """One address of the API. Everything is refused that no operation declares."""

    authentication_classes = [TokenAuthentication, SessionAuthentication]
    permission_classes = [SignedIn]
    throttle_classes = [TokenThrottle]
    parser_classes = [JSONParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = AnyAccept
    http_method_names = ["get", "head", "post"]
    # What the documentation lists it under; the name of its module where it says nothing.
    tag = ""
    query_values: dict[str, Any]

    def get_exception_handler(self) -> Any:
        """Problems, not the framework's own answers."""
        return handled

    @property
    def operation(self) -> Operation | None:
        """What is asked for; None where this address has no such method."""
        method = getattr(self, (self.request.method or "").lower(), None)
        return getattr(method, "operation", None)

    @property
    def user(self) -> User:
        """Whoever asks."""
        return cast(User, self.request.user)

    @property
    def token(self) -> ApiToken | None:
        """The token that was given; None in a browser."""
        found = self.request.auth
        return found if isinstance(found, ApiToken) else None

    def initial(self, request: Request, *args: Any, **named: Any) -> None:
        """Scopes and projects of the token, then what the address asks for. Raises what problems are made of."""
        super().initial(request, *args, **named)
        declared = self.operation
        if declared is None:
            return
        if self.token is not None:
            if not set(declared.scopes) & set(self.token.scopes):
                raise Forbidden(code="scope_missing")
            if "slug" in named and not self.token_covers(named["slug"]):
                raise NotFound
        query = declared.query(data=dict(request.query_params.items()))
        query.is_valid(raise_exception=True)
        self.query_values = query.validated_data

    def token_covers(self, slug: str) -> bool:
        """Whether the token is for this project."""
        return self.token is None or self.token.projects is None or slug in self.token.projects

    def refuse_limited_token(self) -> None:
        """Raises Forbidden for a token that is limited to some projects: this belongs to none."""
        if self.token is not None and self.token.projects is not None:
            raise Forbidden(code="token_of_some_projects")

    def validated_body(self) -> dict[str, Any]:
        """The body, as the operation takes it. Raises ValidationError."""
        declared = self.operation
        assert declared is not None  # noqa: S101 - called by operations alone
        assert declared.request_body is not None  # noqa: S101 - and by those that take something
        body = declared.request_body(data=self.request.data)
        body.is_valid(raise_exception=True)
        return cast(dict[str, Any], body.validated_data)

    def row_response(self, thing: object, status: int = 200) -> Response:
        """One thing as the operation gives it."""
        return Response(self._written(False)(thing).data, status=status)

    def page_response(
        self,
        rows: QuerySet[Record],
        prepare: Callable[[list[Record]], Iterable[Any]] = lambda rows: rows,
        by: str = "pk",
    ) -> Response:
        """A page of the rows in the order of their keys (`by`): rows that come or go meanwhile move no others.

        `prepare` reads what the rows of this page need besides, in as many statements for one row as for all.
        """
        limit, behind = self.query_values["limit"], self.query_values["cursor"]
        rows = self._changed(rows).order_by(by)
        found = list(rows.filter(**{f"{by}__gt": behind})[: limit + 1] if behind is not None else rows[: limit + 1])
        more, page = len(found) > limit, found[:limit]
        written = self._written(True)(prepare(page)).data
        return Response({"results": written, "next": rules.cursor_of(getattr(page[-1], by)) if more else None})

    def _changed(self, rows: QuerySet[Record]) -> QuerySet[Record]:
        """Those that were made or changed since the moment that was asked for."""
        declared, moment = self.operation, self.query_values.get("updated_since")
        if declared is None or moment is None or not declared.timestamp_fields:
            return rows
        return rows.filter(reduce(or_, (Q(**{f"{name}__gte": moment}) for name in declared.timestamp_fields)))

    def _written(self, many: bool) -> Callable[[Any], Any]:
        declared = self.operation
        assert declared is not None  # noqa: S101 - called by operations alone
        assert declared.response_row is not None  # noqa: S101 - and by those that give something
        row = declared.response_row(context={"user": self.user})
        wanted = [name for name in (self.query_values.get("fields") or "").split(",") if name]
        if strange := set(wanted) - row.fields.keys():
            raise Invalid(f"There is no field “{min(strange)}” here.", field="fields", code="fields_unknown")
        for name in row.fields.keys() - set(wanted) if wanted else ():
            row.fields.pop(name)

        def write(things: Any) -> Any:
            row.instance = things
            if not many:
                return row
            return _WrittenRows([row.to_representation(thing) for thing in things])

        return write


@dataclass(frozen=True)
class _WrittenRows:
    """Rows that are written already."""

    data: list[Any]
