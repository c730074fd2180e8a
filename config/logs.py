"""JSON logs, one object a line: events, routes and numbers; never texts, addresses, tokens or query strings."""

import logging.config
import sys
from types import TracebackType
from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
QUIET_LOGGERS = ("celery.app.trace", "celery.worker.strategy", "celery.beat")
MOST_PLACES, MOST_CAUSES = 6, 4


def library_message(logger: object, name: str, event: dict[str, Any]) -> dict[str, Any]:
    """The message of a library, filled in; where it reports an exception it stays as it is in the library's source.

    What is filled in there is often the exception's own message and traceback (Celery's failed tasks, for example).
    """
    args = event.pop("positional_args", None)
    if not args:
        return event
    if not event.get("exc_info"):
        event["event"] = str(event["event"]) % args
    elif isinstance(args, dict) and "name" in args:
        event["event"], event["task"], event["task_id"] = "task_failed", args["name"], args.get("id")
    return event


def without_values(logger: object, name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Keep an exception's class, those of its causes, and where it was raised; messages may hold what somebody typed.

    `exc_info` is given as Python's logging takes it: an exception, what sys.exc_info() returns, or True.
    """
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()[1]
    error = given[1] if isinstance(given, tuple) else given
    if not isinstance(error, BaseException):
        return event
    event["exception"] = _name(error)
    causes = _causes(error)
    if causes:
        event["causes"] = causes
    event["at"] = _places(given[2] if isinstance(given, tuple) else error.__traceback__)
    return event


def _name(error: BaseException) -> str:
    return type(error).__qualname__


def _causes(error: BaseException) -> list[str]:
    """The classes of the exceptions that led to this one, the nearest first."""
    found: list[str] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and len(found) < MOST_CAUSES:
        found.append(_name(cause))
        cause = cause.__cause__ or cause.__context__
    return found


def _places(trace: TracebackType | None) -> list[str]:
    """File, line and function of the innermost frames."""
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        file = "/".join(code.co_filename.rsplit("/", 2)[-2:])
        places.append(f"{file}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places[-MOST_PLACES:]


def config(level: str) -> dict[str, Any]:
    """Django's LOGGING, and structlog set to write through it."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "use_get_message": False,
                "pass_foreign_args": True,
                "foreign_pre_chain": [library_message, *SHARED],
                "processors": [
                    without_values,
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(),
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Its messages quote request paths and hosts; the request line says what is needed.
            "django.request": {"level": "CRITICAL"},
            "django.security": {"level": "CRITICAL"},
            "django.server": {"level": "WARNING"},
            # Whole addresses, and those of a hub's store are signed.
            "httpx": {"level": "WARNING"},
            # A ring a second, each sent, received and done, would bury the rest.
            **{key: {"level": "DEBUG" if level == "DEBUG" else "WARNING"} for key in QUIET_LOGGERS},
        },
    }


def set_up(**_: Any) -> None:
    """Log like this where Celery, whose signal it receives, would add handlers and formats of its own."""
    from django.conf import settings  # which read this module

    logging.config.dictConfig(settings.LOGGING)
