"""Traces by OpenTelemetry: a span a request, a statement, a task of the worker. Imported where they are switched on
(OTEL_EXPORTER_OTLP_ENDPOINT).

A span says what is named here and nothing else: method, pattern of the address, status, the first word of a statement,
the name of a task. No address, text, parameter, error message, person or host.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.http import HttpRequest, HttpResponse

from config.schedule import DEFAULT_QUEUE, TASK_ROUTES

try:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import SpanKind, StatusCode, Tracer
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise ImproperlyConfigured(
        "OTEL_EXPORTER_OTLP_ENDPOINT is set, but what traces need is not installed: scripts/prepare run traces."
    ) from error

# What whoever stands before this server says: by which trace the request came. Nothing else is taken over.
PROPAGATOR = TraceContextTextMapPropagator()


FLUSH_MS = 2000


@cache
def _provider() -> TracerProvider:
    """Made before a server forks: each process sends its own."""
    provider = TracerProvider(resource=Resource.create({"service.name": "mufakat"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def tracer() -> Tracer:
    """What begins spans in this process."""
    return _provider().get_tracer("mufakat")


class TracesMiddleware:
    """One span a request, with one below it for each statement."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        tracer()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        came = PROPAGATOR.extract({name.lower(): value for name, value in request.headers.items()})
        method = request.method or ""
        with (
            tracer().start_as_current_span(method, came, SpanKind.SERVER, record_exception=False) as span,
            connection.execute_wrapper(_statement),
        ):
            response = self.get_response(request)
            route = request.resolver_match.route if request.resolver_match else ""
            span.update_name(f"{method} {route}".strip())
            span.set_attribute("http.request.method", method)
            span.set_attribute("http.route", route)
            span.set_attribute("http.response.status_code", response.status_code)
            if response.status_code >= 500:
                span.set_status(StatusCode.ERROR)
        return response


def _statement(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """A span for one statement, by its first word."""
    word = str(sql).split(maxsplit=1)[0][:20].upper() if str(sql).strip() else ""
    with tracer().start_as_current_span(word, kind=SpanKind.CLIENT, record_exception=False) as span:
        span.set_attribute("db.system.name", connection.vendor)
        span.set_attribute("db.operation.name", word)
        return execute(sql, params, many, context)


_tasks: dict[str, Any] = {}


def task_begins(task_id: str, task: Any, **told: Any) -> None:
    """A span for a task that this process does."""
    _tasks[task_id] = tracer().start_span(task.name, kind=SpanKind.CONSUMER)


def task_ends(task_id: str, task: Any, state: str = "", **told: Any) -> None:
    """It is done, or failed."""
    span = _tasks.pop(task_id, None)
    if span is not None:
        if state == "FAILURE":
            span.set_status(StatusCode.ERROR)
        span.end()
    if task.name in TASK_ROUTES and TASK_ROUTES[task.name]["queue"] != DEFAULT_QUEUE:
        # The process of a job ends with it, and sends nothing afterwards.
        _provider().force_flush(FLUSH_MS)
